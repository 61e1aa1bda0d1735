# SPDX-License-Identifier: Apache-2.0
"""Compares the generated module of Scene with code written by hand. Prints CASE IMPLEMENTATION NANOSECONDS a line.

The other code calls struct once for each packet, and checks nothing.
"""

import struct
import sys
import time

from scene_protocol import Sc_20001, decode, encode

PACKET = struct.Struct(">IHBIBBBIH")
seconds = int(sys.argv[1]) / 1000


def measure(case, implementation, work):
    count = 1
    while True:
        start = time.perf_counter()
        for _ in range(count):
            work()
        elapsed = time.perf_counter() - start
        if elapsed >= seconds:
            return print(case, implementation, elapsed / count * 1e9, sep="\t")
        count = max(count + 1, int(count * min(100, seconds / max(elapsed, 1e-6) * 1.1)))


def encode_by_hand(message):
    text = message.message.encode()
    return (
        PACKET.pack(
            20 + len(text), 20001, message.res, message.scene_id, message.pos, message.status, message.type,
            message.default_combat, len(text),
        )
        + text
    )


def decode_by_hand(data):
    values = PACKET.unpack_from(data)
    return values, data[20 : 20 + values[8]].decode()


for size in (16, 1024):
    message = Sc_20001(res=1, scene_id=70000, pos=2, status=10, type=3, default_combat=4000000000, message="x" * size)
    packet = encode(message)
    assert packet == encode_by_hand(message), "both write the same bytes"
    read = decode(packet, "server")
    values, text = decode_by_hand(packet)
    assert read is not None and read.message == message == Sc_20001(*values[2:8], text), "both read the same message"
    measure(f"encode_{size}", "wireline", lambda: encode(message))
    measure(f"encode_{size}", "by hand", lambda: encode_by_hand(message))
    measure(f"decode_{size}", "wireline", lambda: decode(packet, "server"))
    measure(f"decode_{size}", "by hand", lambda: decode_by_hand(packet))
