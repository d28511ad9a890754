"""A consumer by Google's own client: makes a topic and a subscription, and prints each message as a line of JSON,
its data with a character for each byte.

Arguments: the emulator's address, the project, the topic, and `ordered` or `unordered`. It prints `ready` when the
subscription is there, and ends when its standard input does. A fifth argument is how long it takes for each message, in
milliseconds.
"""

import json
import os
import sys
import threading
import time

ADDRESS, PROJECT, TOPIC, ORDER = sys.argv[1:5]
PAUSE = float(sys.argv[5]) / 1000 if len(sys.argv) > 5 else 0
os.environ["PUBSUB_EMULATOR_HOST"] = ADDRESS

from google.api_core.exceptions import AlreadyExists
from google.cloud import pubsub_v1

publisher = pubsub_v1.PublisherClient()
subscriber = pubsub_v1.SubscriberClient()
topic = publisher.topic_path(PROJECT, TOPIC)
subscription = subscriber.subscription_path(PROJECT, TOPIC)
for make, request in [
    (publisher.create_topic, {"name": topic}),
    (
        subscriber.create_subscription,
        {
            "name": subscription,
            "topic": topic,
            "enable_message_ordering": ORDER == "ordered",
        },
    ),
]:
    try:
        make(request=request)
    except AlreadyExists:
        pass

lock = threading.Lock()


def take(message):
    """The client calls this in order for each ordering key, and side by side for different ones."""
    time.sleep(PAUSE)
    line = json.dumps(
        {
            "data": message.data.decode("latin-1"),
            "attributes": dict(message.attributes),
            "ordering_key": message.ordering_key,
        }
    )
    with lock:
        print(line, flush=True)
    message.ack()


pulling = subscriber.subscribe(subscription, callback=take)
print("ready", flush=True)
sys.stdin.read()
pulling.cancel()
# What the client still has under way would hold up the end.
os._exit(0)
