# SPDX-License-Identifier: Apache-2.0

"""Checks what a program sees of layers: functions that it must give, their limits, and packets in packets."""

import sys

from load import load

wire = load(sys.argv[1])


class Doubling:
    """Takes the place of brotli: each byte is there twice."""

    def open(self, sealed, header, limit):
        if len(sealed) % 2 or sealed[::2] != sealed[1::2]:
            raise ValueError("damaged")
        return sealed[::2] if len(sealed) // 2 <= limit else None

    def seal(self, content, header):
        return bytes(x for x in content for _ in range(2))


class Boundless(Doubling):
    def open(self, sealed, header, limit):
        return bytes(limit + 1)


def connection(layer):
    return wire.Connection(layers={"brotli": lambda sender: layer})


def error_of(call):
    try:
        call()
    except wire.WireError as error:
        return error.kind, error.path
    raise AssertionError("it is not refused")


for options in ({}, {"layers": {}}):
    try:
        wire.Connection(**options)
    except TypeError:
        continue
    raise AssertionError("a function is missing, and nobody says so")

notes = [wire.Notification(body=text) for text in ("a", "b", "c")]
inside = wire.Packets(5, [notes[1], wire.Packet(notes[2], 5, {"Sequence": 7}, 0)])
packets = wire.Packets(5, [notes[0], wire.Packet(inside, 5, {"Version": 2}, 0)])
sealed = wire.encode(packets, {"Version": 3}, connection=connection(Doubling()))
opened = wire.decode(sealed, "server", connection=connection(Doubling()))
assert [type(packet.message) for packet in opened.message.packets] == [wire.Notification, wire.Packets]
splitter = wire.Splitter("server", connection=connection(Doubling()))
for start in range(0, 2 * len(sealed), 7):
    splitter.push((sealed + sealed)[start:start + 7])
found = list(splitter)
assert [packet.message for packet in found] == notes + notes
assert [packet.header["Sequence"] for packet in found] == 2 * [0, 0, 7]
splitter.finish()

damaged = sealed[:-1] + bytes((sealed[-1] ^ 1,))
assert error_of(lambda: wire.decode(damaged, "server", connection=connection(Doubling()))) == ("invalid_layer", "packet.brotli")
assert error_of(lambda: wire.decode(sealed, "server", connection=connection(Boundless()))) == ("inflated_too_long", "packet.brotli")
assert error_of(lambda: wire.encode(packets, connection=connection(Doubling()))) == ("presence", "packets")
print("as expected")
