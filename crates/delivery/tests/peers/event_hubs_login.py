"""A door to a namespace for those who log in with a policy's name and key (SASL PLAIN), and give no tokens.

Behind it, connections are spoken without SASL: that is how the namespace knows who came through.
"""

import asyncio
import threading

from proton import UNDESCRIBED, Array, Data, Described, symbol, ubyte, ulong

MECHANISMS, INIT, OUTCOME = 0x40, 0x41, 0x44
HEADER = b"AMQP\x03\x01\x00\x00"
ACCEPTED, REFUSED = 0, 1


def frame(code, fields):
    data = Data()
    data.put_object(Described(ulong(code), fields))
    body = data.encode()
    return (8 + len(body)).to_bytes(4, "big") + b"\x02\x01\x00\x00" + body


async def answer(reader):
    """The mechanism that the next frame names, and what it says by it."""
    size = int.from_bytes(await reader.readexactly(4), "big")
    rest = await reader.readexactly(size - 4)
    data = Data()
    data.decode(rest[4:])
    data.rewind()
    data.next()
    mechanism, response, *_ = data.get_object().value
    # Bytes are a view of what goes with their data.
    return str(mechanism), bytes(response)


async def hand_on(reader, writer):
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()
    writer.close()


def start(keys, port):
    """Listens on a free port for those with one of the keys, leads to a port, and says on which it listens."""

    async def enter(reader, writer):
        assert await reader.readexactly(8) == HEADER
        writer.write(HEADER + frame(MECHANISMS, [Array(UNDESCRIBED, Data.SYMBOL, symbol("PLAIN"))]))
        mechanism, response = await answer(reader)
        _, name, key = response.decode().split("\0")
        known = mechanism == "PLAIN" and keys.get(name) == key
        writer.write(frame(OUTCOME, [ubyte(ACCEPTED if known else REFUSED)]))
        if not known:
            return writer.close()
        there, back = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(hand_on(reader, back), hand_on(there, writer), return_exceptions=True)

    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True).start()
    server = asyncio.run_coroutine_threadsafe(asyncio.start_server(enter, "127.0.0.1", 0), loop).result()
    return server.sockets[0].getsockname()[1]
