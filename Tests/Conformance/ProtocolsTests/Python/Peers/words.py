# SPDX-License-Identifier: Apache-2.0
"""Asks functions of the runtime, whose file is the argument: each line has a word, and the bytes that it gets."""

import importlib.util
import struct
import sys

spec = importlib.util.spec_from_file_location("runtime", sys.argv[1])
runtime = sys.modules["runtime"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(runtime)


def answer(word, b):
    if word in ("varint", "zigzag"):
        return getattr(runtime, "_" + word)(b, 0, len(b), 5, "f")[0]
    if word == "text":
        return runtime._text(b, 0, len(b), len(b), "f")[0].encode().hex()
    if word == "f16":
        # Generated code unpacks it so, too.
        return int(struct.unpack(">e", b)[0] * 16777216)
    return getattr(runtime, "_" + word)(b)


for line in sys.stdin:
    word, digits = line.split()
    try:
        print(answer(word, bytes.fromhex(digits)))
    except runtime.WireError as error:
        print(error.kind)
