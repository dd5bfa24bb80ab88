import hashlib
import hmac
import time

TOLERANCE_SECONDS = 300


def is_genuine(timestamp: str, signature: str, raw_body: bytes, secret: str) -> bool:
    """X-Service-Timestamp, X-Service-Signature, and the body as it arrived, before any parsing."""
    message = timestamp.encode() + b"." + raw_body
    expected = hmac.new(secret.encode(), message, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(expected.encode(), signature.encode()):
        return False
    return abs(time.time() - int(timestamp)) < TOLERANCE_SECONDS
