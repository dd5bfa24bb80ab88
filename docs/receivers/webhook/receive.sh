#!/bin/bash
# Verifies a POST by Standard Webhooks and handles its event once. hooks.yaml sets the variables.
set -euo pipefail
export LC_ALL=C

# Otherwise dots could move between id, timestamp and body without changing the signature. Bash also runs commands in numbers.
[[ $ID.$TIMESTAMP =~ ^[A-Za-z0-9_-]+\.[0-9]{1,12}$ ]] || { echo 'Malformed id or timestamp'; exit 1; }

# HMAC-SHA256 of stdin. `openssl -hmac` would show the key in the process list.
hmac() {
  local inner='' outer='' at byte
  for ((at = 0; at < 64; at++)); do
    byte=$((0x${key:at*2:2}))
    printf -v inner '%s\\x%02x' "$inner" $((byte ^ 0x36))
    printf -v outer '%s\\x%02x' "$outer" $((byte ^ 0x5c))
  done
  { printf "$inner"; cat; } | sha256 | { printf "$outer"; cat; } | sha256
}
sha256() { openssl dgst -sha256 -binary; }
# Comparing digests leaks nothing about where two texts differ.
digest() { printf %s "$1" | sha256 | base64; }

key=$(printf %s "${WEBHOOK_SECRET#whsec_}" | base64 -d | od -An -v -tx1 | tr -d ' \n')
[ ${#key} -eq 64 ] || { echo 'WEBHOOK_SECRET is missing'; exit 1; }
key+=$(printf '00%.0s' {1..32})

expected=$(digest "v1,$(printf %s "$ID.$TIMESTAMP.$RAW_BODY" | hmac | base64)")
read -ra signatures <<<"$SIGNATURES"
genuine=no
for each in "${signatures[@]:0:4}"; do [ "$(digest "$each")" != "$expected" ] || genuine=yes; done
[ $genuine = yes ] || { echo 'No signature matches'; exit 1; }
age=$(($(date +%s) - 10#$TIMESTAMP))
((age <= 300 && age >= -300)) || { echo 'The timestamp is out of tolerance'; exit 1; }

# Only one process can create the event's folder. If handling fails, the event can be resent.
mkdir "$EVENTS_DIR/$ID" 2>/dev/null || { [ -d "$EVENTS_DIR/$ID" ] && exit 0; exit 1; }
trap 'rmdir "$EVENTS_DIR/$ID"' EXIT
# Here: fetch the post from $FETCH_PATH with your API key, and store it.
[ "$EVENT" != article.ready ] || echo "$SLUG is ready at $FETCH_PATH"
trap - EXIT
