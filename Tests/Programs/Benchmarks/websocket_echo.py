# SPDX-License-Identifier: Apache-2.0
"""The contract of CNetwork.h as one who writes Python would: `websockets`, a coroutine a connection."""
import asyncio
import os
import signal

import websockets


async def echo(socket, path=None):
    try:
        async for message in socket:
            await socket.send(message)
    except websockets.ConnectionClosed:
        pass


async def main():
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, os._exit, 0)
    # The load does not answer pings.
    options = dict(compression=None, max_size=16 << 20, ping_interval=None)
    async with websockets.serve(echo, "127.0.0.1", 0, **options) as server:
        print(f"listening on 127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
        await asyncio.Future()


asyncio.run(main())
