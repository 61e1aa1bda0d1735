# SPDX-License-Identifier: Apache-2.0

"""Counts how often a splitter tries to read a packet of nearly 1 MiB that arrives byte by byte, and how many bytes it copies."""

import sys

from load import load

wire = load(sys.argv[1])
packet = wire.encode(wire.Unknown(7, bytes(1_000_000)))
splitter = wire.Splitter("client")
tries = copied = found = 0
decode, join = wire._decode, wire.Splitter._join


def counting_decode(*arguments):
    global tries
    tries += 1
    return decode(*arguments)


def counting_join(self):
    global copied
    join(self)
    copied += len(self._buffer)


wire._decode, wire.Splitter._join = counting_decode, counting_join
for i in range(2 * len(packet)):
    splitter.push(packet[i % len(packet):i % len(packet) + 1])
    for _ in splitter:
        found += 1
assert found == 2, found
# Each packet is tried when its first byte, its length, its header and its last byte are there.
print("linear" if tries <= 10 and copied <= 2 * len(packet) + 100 else f"{tries} tries, {copied} bytes copied")

# Many packets that are taken one at a time do not move either.
tries = copied = 0
small = wire.encode(wire.Unknown(7, b"1"))
for _ in range(2_000):
    splitter.push(small * 2)
    next(splitter)
assert copied < 100 * len(small) * 2_000, copied
