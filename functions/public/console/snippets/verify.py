import hashlib
import hmac
import re
import time

TOLERANCE_SECONDS = 300


def is_genuine(timestamp: "str | None", signature: "str | None", raw_body: bytes, secret: str) -> bool:
    """X-Service-Timestamp, X-Service-Signature, and the body as it arrived, before any parsing."""
    timestamp, signature = timestamp or "", signature or ""
    if not (secret and re.fullmatch("[0-9]{1,12}", timestamp) and re.fullmatch("[0-9a-f]{64}", signature)):
        return False
    message = timestamp.encode() + b"." + raw_body
    expected = hmac.new(secret.encode(), message, hashlib.sha256).hexdigest()
    fresh = abs(time.time() - int(timestamp)) < TOLERANCE_SECONDS
    return fresh and hmac.compare_digest(expected, signature)
