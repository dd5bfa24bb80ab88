#!/usr/bin/env bash
# Usage: DATABASE_URL=… check-backup.sh FILE
# Restores a dump of backup.sh into the database, which must be empty, and fails if a table has another number of rows.
set -euo pipefail
file=${1:?the file of the dump}
: "${DATABASE_URL:?is missing}"
counts="$(dirname "$0")/counts.sql"

pg_restore --no-owner --no-acl --single-transaction --dbname "$DATABASE_URL" "$file"
psql "$DATABASE_URL" --no-psqlrc --quiet --tuples-only --no-align -v ON_ERROR_STOP=1 --file "$counts" | diff "$file.counts" -
echo "The backup is complete: $(wc -l <"$file.counts") tables, $(awk -F'|' '{ n += $2 } END { print n }' "$file.counts") rows"
