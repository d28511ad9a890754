"""Prints the messages of a stream, each as a line of JSON: nats_reader.py URL STREAM"""

import asyncio
import base64
import json
import sys

import nats
from nats.js.api import AckPolicy, ConsumerConfig


async def main(url, stream):
    client = await nats.connect(url)
    context = client.jetstream()
    left = (await context.stream_info(stream)).state.messages
    subscription = await context.pull_subscribe(
        "", stream=stream, config=ConsumerConfig(ack_policy=AckPolicy.NONE)
    )
    while left:
        for message in await subscription.fetch(min(left, 500), timeout=10):
            print(
                json.dumps(
                    {
                        "subject": message.subject,
                        "headers": message.headers,
                        "body": base64.b64encode(message.data).decode(),
                    }
                )
            )
            left -= 1
    await client.close()


asyncio.run(main(*sys.argv[1:]))
