"""A receiver of webhooks that takes what PyPI `standardwebhooks` and `svix` both take, and signs with them too.

Its arguments are secrets. It prints its port, keeps what it took, and ends when its standard input does.
"""

import json
import sys
import threading
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import standardwebhooks.webhooks
import svix.webhooks

SECRETS = sys.argv[1:]
LIBRARIES = [standardwebhooks.webhooks.Webhook, svix.webhooks.Webhook]
TAKEN = {}
# Headers that belong to one connection.
TRANSPORT = {"connection", "content-length", "host", "transfer-encoding"}


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        """204 where every library finds a signature by every secret, and the body is JSON; 400 otherwise."""
        body = self.rfile.read(int(self.headers["content-length"]))
        try:
            for library in LIBRARIES:
                for secret in SECRETS:
                    library(secret).verify(body, dict(self.headers))
            json.loads(body)
            TAKEN[self.headers["webhook-id"]] = (dict(self.headers), body)
            status = 204
        except Exception:
            status = 400
        self.send_response(status)
        self.send_header("content-length", "0")
        self.end_headers()

    def do_GET(self):
        """/0 and /1: an event signed by the one library or the other, with the first secret. /ID: what was taken under an
        id, with the headers it came with."""
        what = self.path[1:]
        if what in TAKEN:
            headers, body = TAKEN[what]
            self.answer({name: value for name, value in headers.items() if name.lower() not in TRANSPORT}, body)
            return
        library = LIBRARIES[int(what)](SECRETS[0])
        body = '{"event_type": "lab.order.created", "data": {"name": "Jürgen"}}'
        now = datetime.now(tz=timezone.utc)
        headers = {
            "webhook-id": "evt_python",
            "webhook-timestamp": str(int(now.timestamp())),
            "webhook-signature": library.sign("evt_python", now, body),
        }
        self.answer(headers, body.encode())

    def answer(self, headers, body):
        self.send_response(200)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_port, flush=True)
sys.stdin.read()
