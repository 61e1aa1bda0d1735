# SPDX-License-Identifier: Apache-2.0

"""Sends streams through a generated splitter, cut in many ways. Each line of input is a stream:
{"from":"client","state":null,"packets":["00…"],"ends":[0,15],"bad":"00…","seed":7}. The stream may end at the places `ends`."""

import dataclasses
import json
import random
import sys

from load import load

wire = load(sys.argv[1])


def pieces(data, seed):
    chosen, at = random.Random(seed), 0
    while at < len(data):
        n = chosen.randrange(9)
        yield data[at:at + n]
        at += n


def connection(line):
    """A new connection with the states of a stream, as an argument; none if the protocol has no states."""
    if line["state"] is None:
        return {}
    # Beyond 53 bits a number is a string in JSON.
    return {"connection": wire.Connection({name: int(v) for name, v in line["state"].items()})}


def split(parts, sender, more):
    """What a splitter gives for pieces; the pieces are overwritten, so that nothing may share them."""
    splitter, found = wire.Splitter(sender, **more), []
    try:
        for part in parts:
            piece = bytearray(part)
            splitter.push(piece)
            piece[:] = b"\xee" * len(piece)
            found += splitter
    except wire.WireError as error:
        # It stays failed.
        for again in (lambda: next(splitter), splitter.finish):
            try:
                again()
            except wire.WireError as same:
                assert same is error
            else:
                raise AssertionError("it takes the stream up again")
        return splitter, found, error
    return splitter, found, None


def text(packets):
    """The packets as text, in which a NaN is equal to itself."""
    return repr([dataclasses.astuple(packet) for packet in packets])


def error_of(call):
    try:
        call()
    except wire.WireError as error:
        return error.kind, error.path, error.offset
    return None


def check(line):
    sender, packets = line["from"], [bytes.fromhex(packet) for packet in line["packets"]]
    whole, expected, start, more = b"".join(packets), [], 0, connection(line)
    while start < len(whole):
        packet = wire.decode(whole, sender, start, **more)
        expected.append(packet)
        start += packet.byte_count
    assert len(expected) == len(packets)
    ways = (lambda data: [data], lambda data: [data[i:i + 1] for i in range(len(data))], lambda data: pieces(data, line["seed"]))
    for way in ways:
        splitter, found, failure = split(way(whole), sender, connection(line))
        assert failure is None and text(found) == text(expected)
        splitter.finish()
        if line["bad"] is None:
            continue
        faulty = whole + bytes.fromhex(line["bad"])
        _, found, failure = split(way(faulty), sender, connection(line))
        assert text(found) == text(expected)
        assert (failure.kind, failure.path, failure.offset) == error_of(lambda: wire.decode(faulty, sender, len(whole), **more))
    for end in range(len(whole) + 1):
        splitter, _, failure = split([whole[:end]], sender, connection(line))
        assert failure is None
        fault = error_of(splitter.finish)
        assert fault is None if end in line["ends"] else fault[:2] == ("end_of_stream", ""), (end, fault)


lines = [json.loads(line) for line in sys.stdin]
for line in lines:
    check(line)
print(len(lines), "streams")
