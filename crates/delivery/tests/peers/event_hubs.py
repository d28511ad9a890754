"""A namespace of Event Hubs as far as senders and receivers need one, with PyPI `python-qpid-proton`.

Started as `event_hubs.py LARGEST_MESSAGE HUB...`, it prints its ports on loopback and ends when its standard input does.
The second one is for those who log in with a key. It has tokens by claims-based security, `$management`, hubs of two partitions, batches, and links of consumer groups.
What it keeps is kept as long as it runs. Lines on its standard input, each answered by a line:

    fault HUB KIND [AFTER]   from the AFTERth envelope on: accept, release, modify, hold (keep it, never confirm),
                             reject:CONDITION, detach:CONDITION, poison:EVENT_ID (rejects what holds it)
    fault $cbs KIND          accept, hold, status:NUMBER
    credit HUB NUMBER        how many envelopes a new link may send before it is given more
    connections              how many there are
    events HUB               how many it has
    forget HUB               what it has
"""

import base64
import hashlib
import hmac
import json
import re
import sys
import threading
import time
import urllib.parse

from proton import (UNDESCRIBED, Array, Condition, Data, Delivery, Message, int32, symbol, timestamp, ulong)
from proton.handlers import Handshaker
from proton.reactor import ApplicationEvent, Container, EventInjector, Handler

import event_hubs_login

KEYS = {"send": "c2VjcmV0LWtleQ==", "listen": "b3RoZXIta2V5"}
PARTITIONS = 2
DATA, ANNOTATIONS = 0x75, 0x72


class Hub:
    """A hub: what it has, and what is wrong with it."""

    def __init__(self):
        self.partitions = [[] for _ in range(PARTITIONS)]
        self.kind, self.after = "accept", 0
        self.credit = 500
        self.turn = 0

    def partition(self, key):
        if key is None:
            self.turn += 1
            return self.partitions[self.turn % PARTITIONS]
        return self.partitions[hashlib.sha256(key.encode()).digest()[0] % PARTITIONS]

    def now(self):
        """What is wrong with the envelope that comes now."""
        if self.after > 0:
            self.after -= 1
            return "accept"
        return self.kind


class Namespace(Handler):
    def __init__(self, largest, hubs):
        super().__init__()
        self.add(Handshaker())
        self.largest = largest
        self.hubs = {name: Hub() for name in hubs}
        self.cbs = "accept"
        self.connections = set()

    def on_connection_remote_open(self, event):
        # Who speaks without SASL has logged in at the door.
        event.connection.allowed = set() if event.transport.sasl().mech else set(self.hubs)
        self.connections.add(event.connection)

    def on_transport_closed(self, event):
        self.connections.discard(event.connection)

    def on_link_remote_open(self, event):
        link = event.link
        link.source.copy(link.remote_source)
        link.target.copy(link.remote_target)
        address = link.remote_target.address if link.is_receiver else link.remote_source.address
        link.node = urllib.parse.urlparse(address).path.strip("/") if "://" in address else address.strip("/")
        hub = link.node.split("/")[0]
        if hub.startswith("$"):
            link.waiting = []
        elif hub not in self.hubs:
            return refuse(link, "amqp:not-found", f"The messaging entity '{hub}' could not be found.")
        elif hub not in event.connection.allowed:
            return refuse(link, "amqp:unauthorized-access", "Unauthorized access. 'Send' claim(s) are required.")
        elif link.is_sender:
            link.position = position(link.remote_source.filter)
        link.open()
        if link.is_receiver:
            link.max_message_size = self.largest
            link.flow(self.hubs[hub].credit if hub in self.hubs else 100)

    def on_link_flow(self, event):
        if event.link.is_sender:
            self.push(event.link)

    def on_delivery(self, event):
        link, delivery = event.link, event.delivery
        if link.is_sender:
            if delivery.updated:
                delivery.settle()
        elif delivery.readable and not delivery.partial:
            raw = link.recv(delivery.pending)
            link.advance()
            if link.node in ("$cbs", "$management"):
                delivery.update(Delivery.ACCEPTED)
                delivery.settle()
                link.flow(1)
                self.answer(event.connection, link.node, raw)
            else:
                self.take(link, delivery, raw)

    def take(self, link, delivery, raw):
        """An envelope for a hub."""
        name = link.node.split("/")[0]
        hub = self.hubs[name]
        key, messages = unpack(raw)
        kind, _, detail = hub.now().partition(":")
        if kind == "poison":
            kind = "reject" if any(message.id == detail for message in messages) else "accept"
            detail = "com.microsoft:argument-error"
        if kind == "detach":
            return refuse(link, detail, "detached")
        if kind in ("accept", "hold"):
            kept = hub.partition(key)
            for message in messages:
                kept.append((len(kept), key, message))
            self.push_all()
        if kind == "hold":
            return
        if kind == "reject":
            delivery.local.condition = Condition(detail, "SharedAccessSignature of hunter2")
        outcomes = {"accept": Delivery.ACCEPTED, "reject": Delivery.REJECTED, "release": Delivery.RELEASED}
        delivery.update(outcomes.get(kind, Delivery.MODIFIED))
        delivery.settle()
        link.flow(1)

    def push_all(self):
        for connection in self.connections:
            link = connection.link_head(0)
            while link is not None:
                if link.is_sender and hasattr(link, "position"):
                    self.push(link)
                link = link.next(0)

    def push(self, link):
        """Gives a link what it has credit for: answers, or the events of its partition."""
        if link.node.startswith("$"):
            while link.credit and link.waiting:
                send(link, link.waiting.pop(0))
            return
        hub, _, rest = link.node.partition("/")
        kept = self.hubs[hub].partitions[int(rest.split("/")[-1])]
        while link.credit and link.position < len(kept):
            number, key, message = kept[link.position]
            link.position += 1
            annotations = {"x-opt-sequence-number": number, "x-opt-offset": str(number)}
            annotations["x-opt-enqueued-time"] = timestamp(int(time.time() * 1000))
            if key is not None:
                annotations["x-opt-partition-key"] = key
            message.annotations = {symbol(name): value for name, value in annotations.items()}
            send(link, message)

    def answer(self, connection, node, raw):
        request, answer = Message(), Message()
        request.decode(raw)
        answer.correlation_id = request.id
        asked = request.properties or {}
        status, answer.body = self.token(connection, asked, request.body) if node == "$cbs" else self.manage(asked)
        if status is None:
            return
        answer.properties = {"status-code": int32(status), "status-description": "said"}
        link = connection.link_head(0)
        while link is not None:
            # Clients name the place for answers by its address, or by the link.
            if link.is_sender and link.node == node and request.reply_to in (link.remote_target.address, link.name):
                link.waiting.append(answer)
                self.push(link)
            link = link.next(0)

    def token(self, connection, asked, token):
        kind, _, detail = self.cbs.partition(":")
        if kind == "hold":
            return None, None
        if kind == "status":
            return int(detail), None
        hub = urllib.parse.urlparse(asked["name"]).path.strip("/").split("/")[0]
        if asked["operation"] != "put-token" or not is_signed(token, hub):
            return 401, None
        connection.allowed.add(hub)
        return 202, None

    def manage(self, asked):
        hub = self.hubs.get(asked["name"])
        if hub is None:
            return 404, None
        if asked["type"] == "com.microsoft:eventhub":
            ids = Array(UNDESCRIBED, Data.STRING, *[str(number) for number in range(PARTITIONS)])
            return 200, {"name": asked["name"], "type": asked["type"], "created_at": timestamp(0),
                         "partition_count": int32(PARTITIONS), "partition_ids": ids}
        kept = hub.partitions[int(asked["partition"])]
        return 200, {"name": asked["name"], "type": asked["type"], "partition": asked["partition"],
                     "begin_sequence_number": 0, "last_enqueued_sequence_number": len(kept) - 1,
                     "last_enqueued_offset": str(len(kept) - 1), "last_enqueued_time_utc": timestamp(0),
                     "is_partition_empty": not kept}

    def on_command(self, event):
        words, answer = event.subject.split(), len(self.connections)
        if words[:2] == ["fault", "$cbs"]:
            self.cbs = words[2]
        elif words[0] == "fault":
            hub = self.hubs[words[1]]
            hub.kind, hub.after = words[2], int(words[3]) if len(words) > 3 else 0
        elif words[0] == "credit":
            self.hubs[words[1]].credit = int(words[2])
        elif words[0] == "events":
            answer = sum(len(kept) for kept in self.hubs[words[1]].partitions)
        elif words[0] == "forget":
            self.hubs[words[1]].partitions = [[] for _ in range(PARTITIONS)]
        print(answer, flush=True)


def position(filters):
    """The number of the first event that a receiver asks for: without a filter, or with any other, that of the first."""
    filters.rewind()
    asked = filters.get_object() if filters.next() else None
    found = re.search(r"x-opt-offset > '(\d+)'", str(asked))
    return int(found[1]) + 1 if found else 0


def refuse(link, condition, description):
    link.condition = Condition(condition, description)
    if not link.state & link.LOCAL_ACTIVE:
        (link.target if link.is_receiver else link.source).type = 0
        link.open()
    link.close()


def send(link, message):
    delivery = link.delivery(str(time.monotonic_ns()))
    link.send(message.encode())
    if link.remote_snd_settle_mode == link.SND_SETTLED:
        delivery.settle()
    link.advance()


def unpack(raw):
    """The partition key of an envelope, and its messages."""
    sections, offset = [], 0
    while offset < len(raw):
        data = Data()
        offset += data.decode(raw[offset:])
        data.rewind()
        data.next()
        section = data.get_object()
        kind = int(section.descriptor)
        # Bytes are a view of what the next decoding writes over.
        sections.append((kind, bytes(section.value) if kind == DATA else section.value))
    annotations = next((value for kind, value in sections if kind == ANNOTATIONS), None) or {}
    key = annotations.get(symbol("x-opt-partition-key"))
    parts = [value for kind, value in sections if kind == DATA]
    # A section that is a message begins as every message does.
    raws = parts if parts and all(part.startswith(b"\x00\x53") for part in parts) else [raw]
    messages = []
    for part in raws:
        message = Message()
        message.decode(part)
        assert (message.annotations or {}).get(symbol("x-opt-partition-key")) == key, "keys differ"
        messages.append(message)
    return key, messages


def is_signed(token, hub):
    kind, _, rest = token.partition(" ")
    if kind != "SharedAccessSignature":
        return False
    parts = dict(part.split("=", 1) for part in rest.split("&"))
    key = KEYS.get(urllib.parse.unquote(parts["skn"]))
    if key is None or int(parts["se"]) < time.time():
        return False
    signed = hmac.new(key.encode(), f"{parts['sr']}\n{parts['se']}".encode(), hashlib.sha256).digest()
    scope = urllib.parse.urlparse(urllib.parse.unquote(parts["sr"])).path.strip("/").split("/")[0]
    good = hmac.compare_digest(base64.b64encode(signed).decode(), urllib.parse.unquote(parts["sig"]))
    return good and scope in ("", hub)


def listen(container, namespace):
    """Listens on a free port, and another one where keys are enough, and says which."""
    import socket
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    container.listen(f"127.0.0.1:{port}")
    print(port, event_hubs_login.start(KEYS, port), flush=True)


def main():
    namespace = Namespace(int(sys.argv[1]), sys.argv[2:])
    container = Container(namespace)
    injector = EventInjector()
    container.selectable(injector)
    listen(container, namespace)

    def commands():
        for line in sys.stdin:
            injector.trigger(ApplicationEvent("command", subject=line))
        import os
        os._exit(0)

    threading.Thread(target=commands, daemon=True).start()
    container.run()


main()
