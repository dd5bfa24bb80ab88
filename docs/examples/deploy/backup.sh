#!/usr/bin/env bash
# Usage: DATABASE_URL=… backup.sh FILE
# Writes a dump to FILE and the number of rows of each table to FILE.counts, both of the same snapshot. DATABASE_URL is the
# connection string of the database's owner, on Neon with the host without `-pooler`.
set -euo pipefail
umask 077
file=${1:?the file of the dump}
new="$file.new"
: "${DATABASE_URL:?is missing}"
counts="$(dirname "$0")/counts.sql"

# The transaction keeps the snapshot for pg_dump, in a session of its own.
coproc SESSION { psql "$DATABASE_URL" --no-psqlrc --quiet --tuples-only --no-align -v ON_ERROR_STOP=1; }
session=$SESSION_PID
exec 3>&"${SESSION[1]}" 4<&"${SESSION[0]}"
echo 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT pg_export_snapshot();' >&3
read -r snapshot <&4
pg_dump --format=custom --no-owner --snapshot="$snapshot" --file "$new" "$DATABASE_URL"
cat "$counts" - <<<'\q' >&3
cat <&4 >"$new.counts"
wait "$session"
# A failed backup leaves the last good one.
mv "$new" "$file"
mv "$new.counts" "$file.counts"
