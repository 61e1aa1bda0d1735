# SPDX-License-Identifier: Apache-2.0

"""Checks that a part of a message, which is not read, sets no state, whatever its ID; and that the message does."""

import sys

from load import load

wire = load(sys.argv[1])
sender, receiver = wire.Connection(), wire.Connection()


def sent(id, payload, kind):
    packet = wire.encode(wire.Unknown(id, payload), {"kind": kind}, "client", connection=sender)
    return wire.decode(packet, "client", connection=receiver).message


assert sent(2, b"part", 8) == wire.Unknown(2, b"part")
assert sender.states == receiver.states == {}
assert sent(2, b"", 0) == wire.Pause()
assert sender.states == receiver.states == {"phase": 1}
print("as expected")
