"""A Pub/Sub service that answers as its topics are named, for what an emulator never answers.

- `code-N` answers with the status code N, and with the whole request as its message
- `picky` refuses a request in which an attribute `event-type` is `bad`
- `short` gives one message id less than there are messages
- `late-N` does not answer the first N requests in time, and takes the rest
- `flaky-N` answers the first N requests with UNAVAILABLE, and takes the rest
- `fine` takes all

Prints its port, then each request as a line of JSON: the topic, the types, ordering keys and ids of its messages, and
whether they were taken. Ends when its standard input does. With arguments it speaks TLS: a certificate chain, its key,
and the public key of the account whose self-signed tokens alone it takes.
"""

import json
import re
import sys
import threading
from concurrent import futures

import google.auth.jwt
import grpc
from google.pubsub_v1.types import PublishRequest, PublishResponse

CODES = {code.value[0]: code for code in grpc.StatusCode}

lock = threading.Lock()
counts = {}


def name(request):
    """The topic's own name, without a number in front that keeps tests apart, and how often it was asked."""
    topic = request.topic.rsplit("/", 1)[1]
    with lock:
        counts[topic] = counts.get(topic, 0) + 1
        return re.sub("^t[0-9]+-", "", topic), counts[topic]


def authorized(context):
    if len(sys.argv) < 4:
        return True
    token = dict(context.invocation_metadata()).get("authorization", "")
    with open(sys.argv[3], "rb") as key:
        try:
            google.auth.jwt.decode(token.removeprefix("Bearer "), certs=key.read())
            return True
        except ValueError:
            return False


def answer(request, context):
    topic, count = name(request)
    kind, _, number = topic.partition("-")
    code = None
    if not authorized(context):
        code = grpc.StatusCode.UNAUTHENTICATED
    elif kind == "code":
        code = CODES[int(number)]
    elif kind == "picky" and any(m.attributes["event-type"] == "bad" for m in request.messages):
        code = grpc.StatusCode.INVALID_ARGUMENT
    elif kind == "flaky" and count <= int(number):
        code = grpc.StatusCode.UNAVAILABLE
    late = kind == "late" and count <= int(number)
    with lock:
        print(
            json.dumps(
                {
                    "topic": topic,
                    "types": [m.attributes["event-type"] for m in request.messages],
                    "keys": [m.ordering_key for m in request.messages],
                    "ids": [m.attributes["event-id"] for m in request.messages],
                    "taken": code is None and not late,
                }
            ),
            flush=True,
        )
    if late:
        stopped = threading.Event()
        context.add_callback(stopped.set)
        stopped.wait()
    if code is not None:
        context.abort(code, str(request)[:2000])
    ids = [str(number) for number, _ in enumerate(request.messages)]
    return PublishResponse(message_ids=ids[1:] if kind == "short" else ids)


handler = grpc.unary_unary_rpc_method_handler(
    answer,
    request_deserializer=PublishRequest.deserialize,
    response_serializer=PublishResponse.serialize,
)
server = grpc.server(
    futures.ThreadPoolExecutor(max_workers=200),
    options=[("grpc.max_receive_message_length", 20_000_000)],
)
server.add_generic_rpc_handlers(
    [grpc.method_handlers_generic_handler("google.pubsub.v1.Publisher", {"Publish": handler})]
)
if len(sys.argv) > 1:
    chain, key = (open(path, "rb").read() for path in sys.argv[1:3])
    port = server.add_secure_port("127.0.0.1:0", grpc.ssl_server_credentials([(key, chain)]))
else:
    port = server.add_insecure_port("127.0.0.1:0")
server.start()
print(port, flush=True)
sys.stdin.read()
