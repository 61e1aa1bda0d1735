# SPDX-License-Identifier: Apache-2.0
"""A WebSocket peer: Python's `websockets`.

    peer.py server PLAIN|DEFLATE [CERTIFICATE KEY]    echoes, prints its port, ends with its input
    peer.py client PLAIN|DEFLATE URL [AUTHORITY]      has an echo server send everything back, prints "fine"
    peer.py headers PLAIN                             sends two headers of its only client back, prints its port
"""
import asyncio
import ssl
import sys

import websockets

LIMIT = 1 << 26
# A busy machine is slow.
PATIENCE = 600
SIZES = [0, 1, 125, 126, 127, 65535, 65536, 65537, 1000000, 1 << 22]


async def echo(socket, path=None):
    async for message in socket:
        await socket.send(message)


async def server(compression, files):
    context = None
    if files:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*files)
    options = dict(compression=compression, max_size=LIMIT, ping_interval=None, close_timeout=PATIENCE, ssl=context)
    if context:
        options["ssl_handshake_timeout"] = PATIENCE
    async with websockets.serve(echo, "127.0.0.1", 0, **options) as running:
        print(running.sockets[0].getsockname()[1], flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


async def headers():
    done = asyncio.get_running_loop().create_future()

    async def answer(socket, path=None):
        # Since version 14, the request has them.
        found = socket.request.headers if hasattr(socket, "request") else socket.request_headers
        await socket.send(found["Cookie"])
        await socket.send(found["Authorization"])
        await socket.close()
        done.set_result(None)

    async with websockets.serve(answer, "127.0.0.1", 0) as running:
        print(running.sockets[0].getsockname()[1], flush=True)
        await done


async def expect(socket, sent, expected):
    await socket.send(sent)
    assert await socket.recv() == expected, "something else came back"


async def client(compression, url, files):
    context = ssl.create_default_context(cafile=files[0]) if files else None
    options = dict(compression=compression, max_size=LIMIT, ping_interval=None, close_timeout=PATIENCE, ssl=context)
    if context:
        options["ssl_handshake_timeout"] = PATIENCE
    async with websockets.connect(url, open_timeout=None, **options) as socket:
        # Since version 14, the connection's protocol has them.
        extensions = getattr(socket, "protocol", socket).extensions
        assert bool(extensions) == bool(compression), "compression was not settled"
        for size in SIZES:
            text = "äx" * (size // 3) + "y" * (size % 3)
            await expect(socket, text, text)
            content = bytes(i * i % 251 for i in range(size))
            await expect(socket, content, content)
        await expect(socket, ["Gr", "", "ü", "ße"], "Grüße")
        await expect(socket, [b"\x00", b"\xff" * 70000], b"\x00" + b"\xff" * 70000)
        await (await socket.ping(b"there?"))
        for number in range(1000):
            await socket.send(str(number))
        for number in range(1000):
            assert await socket.recv() == str(number), "not in order"
        await socket.close(4321, "genug")
        assert socket.close_code == 4321, socket.close_code
    print("fine")


role, kind, *rest = sys.argv[1:]
deflate = "deflate" if kind == "DEFLATE" else None
if role == "headers":
    asyncio.run(headers())
else:
    asyncio.run(server(deflate, rest) if role == "server" else client(deflate, rest[0], rest[1:]))
