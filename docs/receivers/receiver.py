# WEBHOOK_SECRET=whsec_… python3 receiver.py
import base64, hashlib, hmac, json, os, re, sqlite3, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOLERANCE_SECONDS = 300
KEY = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))
EVENTS = os.environ.get("EVENTS_FILE", "events.db")


def is_genuine(id: str, timestamp: str, signatures: str, raw_body: bytes) -> bool:
    # Otherwise dots could move between id, timestamp and body without changing the signature.
    if not re.fullmatch(r"[A-Za-z0-9_-]+\.[0-9]{1,12}", f"{id}.{timestamp}"):
        return False
    mac = hmac.new(KEY, f"{id}.{timestamp}.".encode() + raw_body, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(mac)
    matches = any(hmac.compare_digest(each.encode(), expected) for each in signatures.split(" "))
    return matches and abs(time.time() - int(timestamp)) <= TOLERANCE_SECONDS


class Receiver(BaseHTTPRequestHandler):
    timeout = 10  # seconds without data

    def do_POST(self):
        length = self.headers.get("content-length", "")
        raw_body = self.rfile.read(int(length)) if re.fullmatch("[0-9]{1,6}", length) else b""
        id, *rest = (self.headers.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature"))
        if not is_genuine(id, *rest, raw_body):
            return self.send_error(401)
        # One transaction: if handling fails, the event can be resent.
        with sqlite3.connect(EVENTS) as db:
            event = json.loads(raw_body)
            is_new = db.execute("insert or ignore into events values (?)", [id]).rowcount
            if is_new and event["event"] == "article.ready":
                # Here: fetch the post from event["fetch"]["path"] with your API key, and store it.
                print(f'{event["slug"]} is ready at {event["fetch"]["path"]}', flush=True)
        self.send_response(204)
        self.end_headers()


if len(KEY) < 24:
    raise SystemExit("WEBHOOK_SECRET is missing")
sqlite3.connect(EVENTS).execute("create table if not exists events (id text primary key)")
ThreadingHTTPServer(("", int(os.environ.get("PORT", "9000"))), Receiver).serve_forever()
