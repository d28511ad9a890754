"""A client of RabbitMQ, on PyPI `pika`, that runs the commands of its input.

Its argument is the URI of the broker. Each line of its input is a list: what to do, and with what. Each is answered by a
line of JSON. It ends when its input does.
"""

import base64
import json
import sys
import time

import pika

PARAMETERS = pika.URLParameters(sys.argv[1])


def exchange(channel, name, kind):
    channel.exchange_declare(name, kind, durable=True)


def queue(channel, name, of, key, arguments):
    """A queue that survives restarts, bound to an exchange."""
    channel.queue_declare(name, durable=True, arguments=arguments)
    channel.queue_bind(name, of, key)


def delete(channel, name):
    channel.exchange_delete(name)


def take(channel, name, count, seconds):
    """Consumes until there are so many messages, or until none came for so long."""
    messages = []
    for method, properties, body in channel.consume(name, inactivity_timeout=seconds):
        if method is None:
            break
        messages.append(
            {
                "exchange": method.exchange,
                "routing_key": method.routing_key,
                "redelivered": method.redelivered,
                "body": base64.b64encode(body).decode(),
                "properties": {k: v for k, v in vars(properties).items() if v is not None},
            }
        )
        channel.basic_ack(method.delivery_tag)
        if len(messages) == count:
            break
    channel.cancel()
    return messages


COMMANDS = {command.__name__: command for command in (exchange, queue, delete, take)}

for line in sys.stdin:
    command, *arguments = json.loads(line)
    for attempt in range(100):  # The broker may just have been started.
        try:
            connection = pika.BlockingConnection(PARAMETERS)
            break
        except pika.exceptions.AMQPConnectionError:
            time.sleep(0.1)
    answer = COMMANDS[command](connection.channel(), *arguments)
    connection.close()
    print(json.dumps(answer), flush=True)
