# SPDX-License-Identifier: Apache-2.0

"""Gives values of wrong types and sizes to the generated modules of Scene, Features and Headers."""

import copy
import math
import pickle
import struct
import sys
import tracemalloc

from load import load

scene, features, headers = (load(path) for path in sys.argv[1:])


def error_of(wire, call):
    try:
        call()
    except wire.WireError as error:
        return error.kind, error.path, error.offset
    raise AssertionError("nothing is refused")


def refused(message, kind, path, header=None, wire=features):
    found = error_of(wire, lambda: wire.encode(message, header))
    assert found == (kind, path, None), found


# Numbers: the first field that is wrong is told, and nothing wraps.
def numbers(**changed):
    usual = dict.fromkeys(("u8", "u16", "u24", "u32", "u64", "i8", "i16", "i24", "i32", "i64", "v"), 1)
    return features.Cs_1(**({**usual, "f32": 1.5, "f64": 2.5, "yes": True} | changed))


features.encode(numbers())
for name, bits in (("u8", 8), ("u16", 16), ("u24", 24), ("u32", 32), ("u64", 64)):
    for value in (-1, 1 << bits):
        refused(numbers(**{name: value}), "out_of_range", "Cs_1." + name)
    signed = name.replace("u", "i")
    for value in (-1 - (1 << bits - 1), 1 << bits - 1):
        refused(numbers(**{signed: value}), "out_of_range", "Cs_1." + signed)
    for value in ("1", 1.5, None, [1]):
        refused(numbers(**{name: value}), "wrong_type", "Cs_1." + name)
refused(numbers(u16=1 << 20, u24="1", yes=7), "out_of_range", "Cs_1.u16")
refused(numbers(v=-1), "out_of_range", "Cs_1.v")
for value in (1, 0, "", None):
    refused(numbers(yes=value), "wrong_type", "Cs_1.yes")
for value in ("1", None, b"", 2j):
    refused(numbers(f32=value), "wrong_type", "Cs_1.f32")
for value in (1e39, -1e39, 3.4028235677973366e38, 10 ** 400):
    refused(numbers(f32=value), "number_too_large", "Cs_1.f32")
refused(numbers(f64=10 ** 400), "number_too_large", "Cs_1.f64")
infinite = features.decode(features.encode(numbers(f32=math.inf, f64=-math.inf)), "client").message
assert (infinite.f32, infinite.f64) == (math.inf, -math.inf)
noisy = struct.unpack(">d", b"\xff\xf0\0\0\0\0\0\1")[0]
assert b"\0\0\xc0\x7f\0\0\0\0\0\0\xf8\x7f" in features.encode(numbers(f32=noisy, f64=noisy))

# Text: half of a surrogate pair is refused.
refused(scene.Cs_20001(1, 2, "\ud800"), "invalid_utf8", "Cs_20001.message", wire=scene)
refused(scene.Cs_20001(1, 2, b"hi"), "wrong_type", "Cs_20001.message", wire=scene)
refused(scene.Cs_20001(1, 2, "x" * 65536), "too_long", "Cs_20001.message", wire=scene)
refused(features.WideGrown(1, "\udc00\ud800"), "invalid_utf16", "WideGrown.code")

# Lists, structures and what is absent.
tree = features.Tree(1, [])
for depth in range(3):
    tree = features.Tree(1, [tree])
refused(features.Deep(tree, []), "too_deep", "Deep.tree.branches[0].branches[0].branches[0]")
refused(features.Deep(None, []), "wrong_type", "Deep.tree")
refused(features.Deep(features.Tree(1, []), [features.Tree(1, []), 7]), "wrong_type", "Deep.trees[1]")
refused(features.Deep(features.Tree(1, []), "no"), "wrong_type", "Deep.trees")
refused(features.Deep(features.Tree(1, []), [features.Tree(1, [])] * 256), "too_long", "Deep.trees")

# Messages and headers.
refused("no message", "unknown_message", "str")
refused(features.Unknown(1, "no bytes"), "wrong_type", "payload")
refused(features.Unknown(1 << 24, b""), "invalid_message_id", "")
refused(features.Unknown("1", b""), "invalid_message_id", "")
refused(features.Sc_2(), "invalid_header_field", "packet.sequense", {"sequense": 7})
refused(features.Sc_2(), "out_of_range", "packet.sequence", {"sequence": -1})
refused(features.Sc_2(), "wrong_type", "packet.is_urgent", {"is_urgent": 1})
packet = features.decode(features.encode(features.Sc_2(), {"sequence": 7}), "server")
assert features.decode(features.encode(features.Sc_2(), packet.header), "server") == packet
assert packet.header["sequence"] == 7 and packet.header["priority"] == -1

# Enums keep numbers without a name; flags are numbers, and nothing remembers those of a peer.
header = headers.decode(headers.encode(headers.Unknown(1, b""), {"priority": 77, "marks": 0xF0}), "client").header
assert header["priority"] == 77 and type(header["marks"]) is int and header["marks"] == 0xF0
assert headers.decode(headers.encode(headers.Unknown(1, b"")), "client").header["priority"] is headers.Priority.NORMAL

# A count of four billion takes no memory.
data = scene.encode(scene.Unknown(20001, b"\1\0\0\0\2\xff\xff"))
assert error_of(scene, lambda: scene.decode(data, "client"))[0] == "truncated"
huge = features.encode(features.Unknown(0x0127, b"\xff" * 40))
tracemalloc.start()
for id in range(0x0100, 0x0160):
    try:
        features.decode(features.encode(features.Unknown(id, b"\xff" * 60)), "client")
    except features.WireError:
        pass
assert tracemalloc.get_traced_memory()[1] < 2_000_000, tracemalloc.get_traced_memory()
tracemalloc.stop()

# What is read is the caller's own, of any kind of bytes.
buffer = bytearray(scene.encode(scene.Cs_20001(1, 2, "hi")) * 2)
for view in (bytes(buffer), buffer, memoryview(buffer)):
    assert scene.decode(view, "client", 15).message == scene.Cs_20001(1, 2, "hi")

# Secrets are not printed; errors can be copied.
old = features.Hidden("secret", "anna", 0, None)
assert "secret" not in repr(old) and "anna" in repr(old), repr(old)
error = features.WireError("truncated", "A.b", 7)
for same in (copy.copy(error), pickle.loads(pickle.dumps(error)) if features.__name__ in sys.modules else error):
    assert (same.kind, same.path, same.offset, str(same)) == ("truncated", "A.b", 7, "A.b: truncated at offset 7")
assert isinstance(error, ValueError)
print("as expected")
