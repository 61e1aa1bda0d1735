# SPDX-License-Identifier: Apache-2.0

"""The runtime of generated Python, with all that a protocol can need.

Comments mark its regions. Those inside of others stay for a feature, or with `!` without it; lines with `#|` are code that stands
there then. Of the region `pieces`, generated modules have what they call. The generator replaces the constants in capitals by their
values, and prints what stands outside of regions for each protocol in its own way.

Readers take the bytes, a place and an end, and return a value and the place after it. Errors count from the first of these bytes,
and have the path inside the value. The reader of a structure or a list puts its name before that path when the error passes.
"""

from __future__ import annotations

import binascii
import dataclasses
import re
import struct
import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, Literal

MAXIMUM_DEPTH: Final = 32
MAXIMUM_SIZE: Final = 1 << 20
MAXIMUM_INFLATED: Final = 1 << 20
MAXIMUM_NESTED: Final = 8

FRAME_START: Final = 0x7E
FRAME_END: Final = 0x7E
FRAME_MARKS: Final = b"\x7e"
FRAME_ESCAPES: Final = {(0x7D, 2): 0x7E, (0x7D, 1): 0x7D}
FRAME_ESCAPED: Final = {0x7E: b"\x7d\x02", 0x7D: b"\x7d\x01"}
FRAME_PLAIN: Final = rb"[^\x7d\x7e]*"

PROGRAM_LAYERS: Final = ("brotli",)

HEADER_VALUE = Any
Message = Any


# #region classes
class WireError(ValueError):
    """Why bytes are no packet of this protocol, or why a value cannot be written.

    `kind` is one word (`truncated`, `out_of_range`, ...), `path` the field in the schema's names
    (`Sc_20001.items[1].count`), empty if no field is to blame. `offset` counts from the packet's first byte; it is None if a
    value could not be written.
    """

    def __init__(self, kind: str, path: str = "", offset: int | None = None) -> None:
        super().__init__(kind, path, offset)
        self.kind = kind
        self.path = path
        self.offset = offset

    def __str__(self) -> str:
        return (f"{self.path}: " if self.path else "") + self.kind + ("" if self.offset is None else f" at offset {self.offset}")


@dataclasses.dataclass(slots=True)
class Unknown:
    """A message that the schema does not know. It can be encoded, too."""

    id: int
    payload: bytes


@dataclasses.dataclass(slots=True)
class Packet:
    """A message that was received, with its packet's header."""

    message: Message
    id: int
    header: dict[str, HEADER_VALUE]
    byte_count: int
# #endregion


# #region connectionClass
class Connection:
    """What the packets of a connection depend on, in both directions: encode, decode and both splitters share it.

    # #region states
    `states` has numbers by the schema's names, True and False, or cases of an enum; a state that is not there is 0.
    Messages set states, and so may the program.
    # #endregion
    # #region keys
    `keys` are those of both senders: see set_key.
    # #endregion
    # #region aes
    `aes(key, blocks, encrypts)` returns blocks of 16 bytes, each encrypted or decrypted for itself.
    # #endregion
    # #region program
    `layers` has a function for LAYER_NAMES. It is given the sender, and returns an object with two methods.
    open(sealed, header, limit) returns the content: None if that is longer than the limit; ValueError if it is damaged.
    seal(content, header) returns the sealed bytes.
    # #endregion
    # #region layers
    `threshold` says from how many bytes on a content gets a layer that asks for its count; without it none does.
    # #endregion
    """

    def __init__(
        self,
        # #region states
        states: Mapping[str, int] | None = None,
        # #endregion
        # #region layers
        *,
        # #region keys
        keys: Mapping[str, bytes] | None = None,
        # #endregion
        # #region aes
        aes: Callable[[bytes, bytes, bool], bytes],
        # #endregion
        # #region program
        layers: Mapping[str, Callable[[str], Any]],
        # #endregion
        # #region inflating
        zlib_level: int = -1,
        # #endregion
        threshold: int | None = None,
        # #endregion
    ) -> None:
        # #region states
        self.states: dict[str, int] = dict(states or {})
        # #endregion
        # #region layers
        self._streams: dict[tuple[str, int], Any] = {}
        # #region aes
        self.aes = aes
        # #endregion
        # #region program
        for name in PROGRAM_LAYERS:
            if name not in layers: raise TypeError(f"the layer {name} needs a function: Connection(layers={{'{name}': ...}})")
        self._makers = dict(layers)
        self._layers: dict[tuple[str, str], Any] = {}
        # #endregion
        # #region inflating
        self.zlib_level = zlib_level
        # #endregion
        self.threshold = threshold
        # #region keys
        self._keys: dict[tuple[str, str], bytes] = {}
        for name, key in (keys or {}).items():
            self.set_key(name, key)
        # #endregion
        # #endregion
    # #region keys

    def set_key(self, name: str, key: bytes, sender: Literal["client", "server"] | None = None) -> None:
        """Sets a key for the packets of one sender, or of both. Their keystreams begin anew."""
        if name not in _KEYS:
            raise WireError("unknown_key", f"key.{name}")
        if not any(len(key) in counts for counts in _KEYS[name][0]):
            raise WireError("wrong_key", f"key.{name}")
        for each in ("client", "server") if sender is None else (sender,):
            self._keys[each, name] = bytes(key)
            for n in _KEYS[name][1]:
                self._streams.pop((each, n), None)
    # #endregion
# #endregion


# #region layerClasses
# #region packets
@dataclasses.dataclass(slots=True)
class Packets:
    """The content of a packet that holds others. To encode one, give messages, or packets with their headers."""

    id: int
    packets: list[Any]


# #endregion
@dataclasses.dataclass(slots=True)
class _Part:
    """Some fields of a packet: where its content begins and ends, where the packet and these fields do, and which rules hold."""

    id: int
    header: dict[str, Any]
    body: int
    end: int
    after: int
    first: int
    count: tuple[int, int] | None
    rules: tuple[bool, ...]
    places: tuple[int, ...]


@dataclasses.dataclass(slots=True)
class _Section:
    """Layers, and the fields inside of them."""

    layers: tuple[int, ...]
    read: Callable[[bytes, int], _Part | int] | None
    write: Callable[[int, bytes, Mapping[str, Any]], bytes] | None
    keys: tuple[str, ...]


@dataclasses.dataclass(slots=True)
class _Shape:
    read_outer: Callable[[bytes, int], _Part | int]
    write_outer: Callable[[int, bytes, Mapping[str, Any]], bytes]
    read_flat: Callable[[bytes, int], _Part | int]
    write_flat: Callable[[int, bytes, Mapping[str, Any]], bytes]
    outer_keys: tuple[str, ...]
    sections: tuple[_Section, ...]
    counter: tuple[str, int, bool, int] | None


class _Work:
    """What goes on through all packets in one. Only if all of it was right, the connection takes it over."""

    def __init__(self, connection: Connection, sender: str) -> None:
        self.connection = connection
        self.sender = sender
        self.left = MAXIMUM_INFLATED
        self.packets = 0
        self.ids: list[int] = []
        self.streams: dict[tuple[str, int], Any] = dict(connection._streams)

    def commit(self) -> None:
        for id in self.ids:
            _change(self.connection, self.sender, id)
        self.connection._streams = self.streams
# #endregion


# #region pieces
# Errors, and what reads values.


def _fail(kind: str, f: str | int, p: int | None = None) -> WireError:
    return WireError(kind, f"[{f}]" if isinstance(f, int) else f, p)


def _under(error: WireError, f: str | int) -> WireError:
    """An error in a value, whose path begins with the value's own name or index."""
    path = error.path
    step = f"[{f}]" if isinstance(f, int) else f
    return WireError(error.kind, step + ("." if path and path[0] != "[" else "") + path, error.offset)


def _cut(p: int, e: int, *fields: tuple[str, int]) -> WireError:
    """Tells which of some fields is cut off."""
    for name, width in fields:
        if e - p < width:
            break
        p += width
    return WireError("truncated", name, p)


def _end(p: int, e: int, n: int, f: str | int) -> int:
    """The place after so many bytes, which must be there."""
    if e - p < n:
        raise _fail("truncated", f, p)
    return p + n


def _another(p: int, e: int, i: int, most: int) -> bool:
    """Whether an item follows in a list that goes to the end."""
    if p >= e:
        return False
    if i >= most:
        raise WireError("too_long", "", p)
    return True


def _another_until(b: bytes, p: int, e: int, i: int, most: int, stop: int) -> bool:
    """Whether an item follows in a list that a byte ends."""
    if p >= e:
        raise WireError("truncated", "", p)
    if b[p] == stop:
        return False
    if i >= most:
        raise WireError("too_long", "", p)
    return True


def _numbers(b: bytes, p: int, e: int, n: int, order: str, letter: str, width: int, f: str | int) -> tuple[list[Any], int]:
    """So many numbers, by one call; the one that is cut off has an index."""
    q = p + n * width
    if q > e:
        i = (e - p) // width
        raise _under(_fail("truncated", i, p + i * width), f)
    return list(struct.unpack_from(f"{order}{n}{letter}", b, p)), q


def _count_varint(b: bytes, p: int, e: int, most: int, f: str | int) -> tuple[int, int]:
    n, q = _varint(b, p, e, 5, f)
    if n > 4294967295:
        raise _fail("varint_too_long", f, p)
    if n > most:
        raise _fail("too_long", f, p)
    return n, q


def _count_zigzag(b: bytes, p: int, e: int, f: str | int) -> tuple[int, int]:
    n, p = _count_varint(b, p, e, 4294967295, f)
    return (n >> 1) ^ -(n & 1), p


# Numbers.


def _uint(b: bytes, p: int, e: int, n: int, order: Literal["big", "little"], f: str | int) -> tuple[int, int]:
    q = p + n
    if q > e:
        raise _fail("truncated", f, p)
    return int.from_bytes(b[p:q], order), q


def _sint(b: bytes, p: int, e: int, n: int, order: Literal["big", "little"], f: str | int) -> tuple[int, int]:
    q = _end(p, e, n, f)
    return int.from_bytes(b[p:q], order, signed=True), q


def _float(b: bytes, p: int, e: int, s: struct.Struct, f: str | int) -> tuple[float, int]:
    q = _end(p, e, s.size, f)
    (v,) = s.unpack_from(b, p)
    return v, q


def _bool(b: bytes, p: int, e: int, f: str | int) -> tuple[bool, int]:
    q = _end(p, e, 1, f)
    if b[p] > 1:
        raise _fail("invalid_boolean", f, p)
    return b[p] == 1, q


def _signed(v: int, width: int) -> int:
    """The number that bits of two's complement are."""
    return v - ((v >> (width - 1)) << width)


def _varint(b: bytes, p: int, e: int, most: int, f: str | int) -> tuple[int, int]:
    """Unsigned LEB128 of at most so many bytes and 64 bits."""
    v = 0
    for i in range(most):
        if p + i >= e:
            raise _fail("truncated", f, p)
        x = b[p + i]
        # #region shortest
        if x == 0 and i > 0: raise _fail("varint_not_shortest", f, p)
        # #endregion
        v |= (x & 127) << (7 * i)
        if x < 128:
            if v > 18446744073709551615:
                break
            return v, p + i + 1
    raise _fail("varint_too_long", f, p)


def _varint32(b: bytes, p: int, e: int, most: int, f: str | int) -> tuple[int, int]:
    v, q = _varint(b, p, e, most, f)
    if v > 4294967295:
        raise _fail("varint_too_long", f, p)
    return _signed(v, 32), q


def _varint64(b: bytes, p: int, e: int, most: int, f: str | int) -> tuple[int, int]:
    v, p = _varint(b, p, e, most, f)
    return _signed(v, 64), p


def _zigzag(b: bytes, p: int, e: int, most: int, f: str | int) -> tuple[int, int]:
    v, p = _varint(b, p, e, most, f)
    return (v >> 1) ^ -(v & 1), p


# Text and bytes of fixed width.


def _utf8(v: bytes, f: str | int, p: int) -> str:
    """The text in bytes that begin at a place."""
    try:
        return v.decode()
    except UnicodeDecodeError as error:
        raise _fail("invalid_utf8", f, p + error.start) from None


def _text(b: bytes, p: int, e: int, n: int, f: str | int) -> tuple[str, int]:
    q = p + n
    if q > e:
        raise _fail("truncated", f, p)
    try:
        return b[p:q].decode(), q
    except UnicodeDecodeError as error:
        raise _fail("invalid_utf8", f, p + error.start) from None


def _blob(b: bytes, p: int, e: int, n: int, f: str | int) -> tuple[bytes, int]:
    q = _end(p, e, n, f)
    return b[p:q], q


def _terminated(b: bytes, p: int, e: int, most: int, f: str | int) -> int:
    """How many bytes there are up to a byte of 0."""
    q = b.find(0, p, e)
    if q < 0:
        raise _fail("missing_terminator", f, p)
    if q - p > most:
        raise _fail("too_long", f, p)
    return q - p


def _unpadded(v: bytes, pad: int) -> bytes:
    """Bytes without those that fill them."""
    return v.rstrip(bytes((pad,))) if pad else v.partition(b"\0")[0]


def _fixed_text(b: bytes, p: int, e: int, n: int, pad: int, f: str | int) -> tuple[str, int]:
    q = _end(p, e, n, f)
    return _utf8(_unpadded(b[p:q], pad), f, p), q


def _digits_of(v: bytes, f: str | int, p: int) -> str:
    """Two digits in each byte."""
    digits = v.hex()
    for i, c in enumerate(digits):
        if c > "9":
            raise _fail("invalid_digit", f, p + i // 2)
    return digits


def _digits(b: bytes, p: int, e: int, n: int, f: str | int) -> tuple[str, int]:
    q = _end(p, e, n, f)
    return _digits_of(b[p:q], f, p), q


def _same(v: bytes, expected: bytes, f: str | int, p: int) -> None:
    """Verifies bytes, of which only the first ones count."""
    if not v.startswith(expected):
        raise _fail("wrong_constant", f, p + next(i for i, x in enumerate(expected) if v[i] != x))


def _units_of(v: bytes, codec: str, f: str | int, p: int) -> str:
    """The text in UTF-16; half of a surrogate pair is refused where it stands."""
    try:
        return v.decode(codec)
    except UnicodeDecodeError as error:
        raise _fail("invalid_utf16", f, p + error.start) from None


def _utf16(b: bytes, p: int, e: int, n: int, codec: str, f: str | int) -> tuple[str, int]:
    """Text of so many units of 16 bits."""
    q = _end(p, e, 2 * n, f)
    return _units_of(b[p:q], codec, f, p), q


def _rest_units(p: int, e: int, most: int, f: str | int) -> int:
    """How many units there are up to the end."""
    n = e - p
    if n // 2 > most:
        raise _fail("too_long", f, p)
    if n % 2 == 1:
        raise _fail("truncated", f, e - 1)
    return n // 2


def _zero_unit(b: bytes, p: int, e: int) -> int:
    """Where a unit of 0 is; -1 if there is none."""
    q = b.find(b"\0\0", p, e)
    while q >= 0 and (q - p) % 2 == 1:
        q = b.find(b"\0\0", q + 1, e)
    return q


def _terminated_units(b: bytes, p: int, e: int, most: int, f: str | int) -> int:
    """How many units there are up to one of 0."""
    q = _zero_unit(b, p, e)
    if q < 0:
        raise _fail("missing_terminator", f, p)
    if (q - p) // 2 > most:
        raise _fail("too_long", f, p)
    return (q - p) // 2


def _fixed_utf16(b: bytes, p: int, e: int, n: int, pad: int, codec: str, f: str | int) -> tuple[str, int]:
    """Text in so many bytes, which a unit fills."""
    q = r = _end(p, e, n, f)
    if pad == 0:
        zero = _zero_unit(b, p, q)
        r = q if zero < 0 else zero
    else:
        filler = chr(pad).encode(codec)
        while r > p and b[r - 2:r] == filler:
            r -= 2
    return _units_of(b[p:r], codec, f, p), q


def _properties(b: bytes, p: int, e: int, strict: bool, f: str | int) -> tuple[dict[str, str], int]:
    """Lines of `key:value` up to the end."""
    if e - p > 65535:
        raise _fail("too_long", f, p)
    found: dict[str, str] = {}
    while p < e:
        start, end = p, b.find(b"\n", p, e)
        if end < 0:
            end = e
        p = min(end + 1, e)
        line = _utf8(b[start:end], f, start)
        key, colon, value = line.partition(":")
        if not colon or not key:
            if strict:
                raise _fail("invalid_property", f, start)
            if line and not colon:
                found[line] = ""
            continue
        if strict and key in found:
            raise _fail("duplicate_key", f, start)
        found[key] = value
    return found, p


# What checks numbers, and makes their bytes.


_UNFIT: Final = (struct.error, ValueError, TypeError, OverflowError, AttributeError)


_NAN: Final = float("nan")


def _checked(v: Any, low: int, high: int, f: str | int) -> int:
    if not isinstance(v, int):
        raise _fail("wrong_type", f)
    if not low <= v <= high:
        raise _fail("out_of_range", f)
    return v


def _checked_case(v: Any, cases: Mapping[int, Any], low: int, high: int, f: str | int) -> int:
    if not isinstance(v, int):
        raise _fail("wrong_type", f)
    if v not in cases:
        raise _fail("unknown_case" if low <= v <= high else "out_of_range", f)
    return v


def _checked_bool(v: Any, f: str | int) -> int:
    if v is not True and v is not False:
        raise _fail("wrong_type", f)
    return 1 if v else 0


def _fitting(v: Any, low: int, high: int) -> int:
    """A number that is checked later; 0 if it is none."""
    return min(high, max(low, v)) if isinstance(v, int) else 0


def _put_float(v: Any, s: struct.Struct, f: str | int) -> bytes:
    """A float; a NaN is written as the quiet one."""
    if not isinstance(v, (int, float)):
        raise _fail("wrong_type", f)
    try:
        return s.pack(v if v == v else _NAN)
    except (struct.error, OverflowError):
        raise _fail("number_too_large", f) from None


def _put_float_within(v: Any, s: struct.Struct, low: float, high: float, f: str | int) -> bytes:
    o = _put_float(v, s, f)
    if not low <= s.unpack(o)[0] <= high:
        raise _fail("float_out_of_range", f)
    return o


def _leb(v: int) -> bytes:
    """Unsigned LEB128."""
    if v < 128:
        return bytes((v,))
    o = bytearray()
    while v > 127:
        o.append(v & 127 | 128)
        v >>= 7
    o.append(v)
    return bytes(o)


def _leb_size(v: int) -> int:
    return max(1, (v.bit_length() + 6) // 7)


def _zigzag_bits(v: int) -> int:
    return -2 * v - 1 if v < 0 else 2 * v


# What makes the bytes of texts, lists and what may be absent.


def _put_blob(v: Any, f: str | int) -> bytes:
    if not isinstance(v, (bytes, bytearray, memoryview)):
        raise _fail("wrong_type", f)
    return bytes(v)


def _put_text(v: Any, f: str | int) -> bytes:
    if not isinstance(v, str):
        raise _fail("wrong_type", f)
    try:
        return v.encode()
    except UnicodeEncodeError:
        raise _fail("invalid_utf8", f) from None


def _put_utf16(v: Any, codec: str, f: str | int) -> bytes:
    if not isinstance(v, str):
        raise _fail("wrong_type", f)
    try:
        return v.encode(codec)
    except UnicodeEncodeError:
        raise _fail("invalid_utf16", f) from None


def _put_digits(v: Any, n: int, f: str | int) -> bytes:
    if not isinstance(v, str):
        raise _fail("wrong_type", f)
    if v and not (v.isascii() and v.isdigit()):
        raise _fail("invalid_digit", f)
    if len(v) != 2 * n:
        raise _fail("wrong_item_count", f)
    return bytes.fromhex(v)


def _put_properties(v: Any, f: str | int) -> bytes:
    if not isinstance(v, dict):
        raise _fail("wrong_type", f)
    lines: list[bytes] = []
    for key, value in v.items():
        if not isinstance(key, str) or not isinstance(value, str):
            raise _fail("wrong_type", f)
        if not key or ":" in key or "\n" in key or "\n" in value:
            raise _fail("invalid_property", f)
        lines.append(_put_text(f"{key}:{value}", f))
    return _limited(b"\n".join(lines), 65535, f)


def _limited(o: bytes, most: int, f: str | int) -> bytes:
    if len(o) > most:
        raise _fail("too_long", f)
    return o


def _not_less(o: bytes, least: int, f: str | int) -> bytes:
    if len(o) < least:
        raise _fail("length_too_small", f)
    return o


def _exactly(o: bytes, n: int, f: str | int) -> bytes:
    if len(o) != n:
        raise _fail("wrong_item_count", f)
    return o


def _limit(n: int, most: int, f: str | int) -> int:
    if n > most:
        raise _fail("too_long", f)
    return n


def _least(n: int, least: int, f: str | int) -> int:
    if n < least:
        raise _fail("length_too_small", f)
    return n


def _exact_count(n: int, count: int, f: str | int) -> None:
    if n != count:
        raise _fail("wrong_item_count", f)


def _fill_up(w: bytearray, n: int, count: int, f: str | int) -> None:
    """Zeros after so many bytes, up to a count."""
    w += bytes(count - _limit(n, count, f))


def _terminate(o: bytes, width: int, f: str | int) -> bytes:
    """Text and the unit of 0 that ends it, which must not be in it."""
    if (o.find(0) if width == 1 else _zero_unit(o, 0, len(o))) >= 0:
        raise _fail("embedded_terminator", f)
    return o + bytes(width)


def _pad(o: bytes, n: int, filler: bytes, f: str | int) -> bytes:
    """Text that a unit fills, which must not end it; zeros must not be in it."""
    width = len(filler)
    _limited(o, n, f)
    zero = -1 if any(filler) else o.find(0) if width == 1 else _zero_unit(o, 0, len(o))
    if zero >= 0 or o[-width:] == filler:
        raise _fail("embedded_terminator", f)
    return o + filler * ((n - len(o)) // width)


def _prefixed(o: bytes, width: int, order: Literal["big", "little"], most: int, f: str | int, unit: int = 1) -> bytes:
    n = len(o) // unit
    if n > most:
        raise _fail("too_long", f)
    return n.to_bytes(width, order) + o


def _prefixed_varint(o: bytes, scale: int, most: int, f: str | int, unit: int = 1) -> bytes:
    return _leb(scale * (len(_limited(o, most * unit, f)) // unit)) + o


def _put_prefix(w: bytearray, n: int, width: int, order: Literal["big", "little"], most: int, f: str | int) -> None:
    """The number of the last bytes, in the room before them."""
    p = len(w) - n - width
    w[p:p + width] = _limit(n, most, f).to_bytes(width, order)


def _put_prefix_varint(w: bytearray, n: int, scale: int, most: int, f: str | int) -> None:
    """The number of the last bytes before them."""
    p = len(w) - n
    w[p:p] = _leb(scale * _limit(n, most, f))


def _items(v: Any, least: int, most: int, f: str | int) -> list[Any]:
    if not isinstance(v, (list, tuple)):
        raise _fail("wrong_type", f)
    if len(v) > most:
        raise _fail("too_long", f)
    if len(v) < least:
        raise _fail("length_too_small", f)
    return v if isinstance(v, list) else list(v)


def _exact_items(v: Any, n: int, f: str | int) -> list[Any]:
    items = _items(v, 0, 4294967295, f)
    if len(items) != n:
        raise _fail("wrong_item_count", f)
    return items


def _present(is_set: bool, holds: bool, f: str) -> bool:
    """Verifies that a value is set exactly if a condition holds."""
    if is_set != holds:
        raise WireError("presence", f)
    return is_set


def _gap(gap: str, is_set: bool, f: str) -> str:
    """The first field of several that is not set; nothing that is set may follow it."""
    if not is_set:
        return gap or f
    if gap:
        raise WireError("gap_before_optional", gap)
    return ""


def _put_trailing(v: Any, gap: str, f: str) -> bytes:
    o = _put_blob(v, f)
    if o and gap:
        raise WireError("gap_before_optional", gap)
    return o


def _agreed(before: int, n: int, f: str) -> int:
    """The count of several fields, which must be the same; at first it is -2147483648."""
    if before not in (-2147483648, n):
        raise WireError("wrong_item_count", f)
    return n


def _or_zero(n: int) -> int:
    return 0 if n == -2147483648 else n


# #region layers
def _packet_size(length: int, difference: int, least: int, p: int, most: int = MAXIMUM_SIZE) -> int:
# #endregion
# #region !layers
#| def _packet_size(length: int, difference: int, least: int, p: int) -> int:
# #endregion
    """The bytes of the whole packet, by one of its lengths."""
    size = length + difference
    if size < least:
        raise WireError("length_too_small", "", p)
    # #region layers
    if size > most:
    # #endregion
    # #region !layers
    #| if size > MAXIMUM_SIZE:
    # #endregion
        raise WireError("packet_too_long", "", p)
    return size


def _same_size(size: int, other: int, f: str, p: int) -> int:
    if other not in (-1, size):
        raise WireError("length_mismatch", f, p)
    return size


def _arrived(p: int, e: int, last: int, n: int, f: str) -> bool:
    """Whether bytes of the header are there; if the packet is known to end before them, they are missing."""
    if e - p >= n:
        return True
    if e >= last:
        raise WireError("truncated", f, p)
    return False


def _varint_arrived(b: bytes, p: int, e: int, last: int, n: int) -> bool:
    """Whether a varint of the header is there, or cannot be one."""
    for q in range(p, p + n):
        if q >= e:
            return e >= last
        if b[q] < 128:
            return True
    return True


def _number(h: Mapping[str, Any], f: str) -> int:
    """The number that a condition sees in a header, whose values are checked later."""
    v = h.get(f)
    return v if isinstance(v, int) else 0


def _check_length(v: int, low: int, high: int, f: str) -> None:
    if v > high:
        raise WireError("packet_too_long", f)
    if v < low:
        raise WireError("length_too_small", f)


def _check_states(states: Mapping[str, Any]) -> None:
    for name, v in states.items():
        if name not in _STATES:
            raise WireError("unknown_state", f"state.{name}")
        if not isinstance(v, int):
            raise WireError("wrong_type", f"state.{name}")
        if not _STATES[name][0] <= v <= _STATES[name][1]:
            raise WireError("out_of_range", f"state.{name}")


_DOES_NOT_FIT: Final = ("packet_too_long", "length_too_small", "invalid_message_id")


def _zeroed(v: bytes, *zeros: tuple[int, int]) -> bytes:
    """A copy of bytes in which some are zeros."""
    o = bytearray(v)
    for p, n in zeros:
        o[p:p + n] = bytes(n)
    return bytes(o)


# Checksums.


def _table(polynomial: int) -> tuple[int, ...]:
    """The remainders of each byte."""
    remainders: list[int] = []
    for x in range(256):
        for _ in range(8):
            x = (x >> 1) ^ polynomial if x & 1 else x >> 1
        remainders.append(x)
    return tuple(remainders)


_TABLE_32C: Final = _table(0x82F63B78)


_TABLE_ARC: Final = _table(0xA001)


_TABLE_KERMIT: Final = _table(0x8408)


def _reflected(v: bytes, table: tuple[int, ...], x: int) -> int:
    """A CRC whose bytes begin with the least significant bit."""
    for byte in v:
        x = (x >> 8) ^ table[(x ^ byte) & 255]
    return x


def _crc32(v: bytes) -> int:
    return binascii.crc32(v)


def _crc32c(v: bytes) -> int:
    return _reflected(v, _TABLE_32C, 0xFFFFFFFF) ^ 0xFFFFFFFF


def _crc16_arc(v: bytes) -> int:
    return _reflected(v, _TABLE_ARC, 0)


def _crc16_modbus(v: bytes) -> int:
    return _reflected(v, _TABLE_ARC, 0xFFFF)


def _crc16_kermit(v: bytes) -> int:
    return _reflected(v, _TABLE_KERMIT, 0)


def _crc16_x25(v: bytes) -> int:
    return _reflected(v, _TABLE_KERMIT, 0xFFFF) ^ 0xFFFF


def _crc16_ccitt_false(v: bytes) -> int:
    return binascii.crc_hqx(v, 0xFFFF)


def _crc16_xmodem(v: bytes) -> int:
    return binascii.crc_hqx(v, 0)


def _adler32(v: bytes) -> int:
    return zlib.adler32(v)


def _sum8(v: bytes) -> int:
    return sum(v) & 255


def _xor8(v: bytes) -> int:
    x = 0
    for byte in v:
        x ^= byte
    return x


# The marks around packets and their escapes.


_ESCAPES: Final[Mapping[tuple[int, int], int]] = FRAME_ESCAPES


_ESCAPED: Final[Mapping[int, bytes]] = FRAME_ESCAPED


_PLAIN: Final = re.compile(FRAME_PLAIN)


class _Frame:
    """What has arrived of a packet between marks: its bytes, unescaped, and how many were read for them."""
    def __init__(self) -> None:
        self.bytes = bytearray()
        self.count = 0
        self.inside = False
        self.first = -1
    def is_inside(self) -> bool:
        """Whether a stream may not end here: after a mark that ends packets and begins them, nothing has begun."""
        # #region sameMarks
        return self.inside and (len(self.bytes) > 0 or self.first >= 0)
        # #endregion
        # #region !sameMarks
        #| return self.inside
        # #endregion
    def append(self, v: bytes) -> None:
        self.bytes += v
        if len(self.bytes) > MAXIMUM_SIZE:
            raise WireError("packet_too_long", "packet.frame", 0)


def _unframe(b: bytes, p: int, frame: _Frame) -> bool:
    """Reads up to the end of the next packet; returns whether it has come. Marks with nothing between them are passed over."""
    start = p - frame.count
    while p < len(b):
        if frame.inside and frame.first < 0:
            plain = _PLAIN.match(b, p)
            if plain is not None and plain.end() > p:
                frame.append(b[p:plain.end()])
                p = plain.end()
                frame.count = p - start
                continue
        x = b[p]
        p += 1
        frame.count = p - start
        if not frame.inside:
            if x != FRAME_START: raise WireError("wrong_constant", "packet.frame", 0)
            frame.inside = True
            continue
        if frame.first >= 0:
            byte = _ESCAPES.get((frame.first, x))
            if byte is None: raise WireError("invalid_escape", "packet.frame", len(frame.bytes))
            frame.append(bytes((byte,)))
            frame.first = -1
            continue
        if x == FRAME_END:
            if frame.bytes: return True
            # #region !sameMarks
            frame.inside = False
            # #endregion
            continue
        # #region !sameMarks
        if x == FRAME_START: raise WireError("invalid_escape", "packet.frame", len(frame.bytes))
        # #endregion
        # #region escapes
        frame.first = x
        # #endregion
    return False


# #region connection
def _unframed(frame: _Frame, sender: str, connection: Connection) -> Packet:
# #endregion
# #region !connection
#| def _unframed(frame: _Frame, sender: str) -> Packet:
# #endregion
    # #region connection
    packet = _decode(bytes(frame.bytes), sender, 0, connection)
    # #endregion
    # #region !connection
    #| packet = _decode(bytes(frame.bytes), sender, 0)
    # #endregion
    if isinstance(packet, int):
        raise WireError("truncated", "", len(frame.bytes))
    packet.byte_count = frame.count
    return packet


def _framed(packet: bytes) -> bytes:
    """A packet between its marks."""
    # #region !escapes
    o = packet
    # #endregion
    # #region escapes
    o = b"".join([_ESCAPED.get(x) or bytes((x,)) for x in packet])
    # #endregion
    return bytes((FRAME_START,)) + o + bytes((FRAME_END,))
# #endregion


# #region tables
_HEADER: Final[frozenset[str]] = frozenset()
_READERS: Final[dict[str, dict[int, Any]]] = {}
_WRITERS: Final[dict[type, Any]] = {}
_DECODERS: Final[tuple[Callable[[bytes, str, int], Packet | int], ...]] = ()
_WRAPPERS: Final[tuple[Callable[[int, bytes, Mapping[str, Any]], bytes], ...]] = ()
_SHAPES: Final[tuple[int, ...]] = ()
_STATES: Final[Mapping[str, tuple[int, int]]] = {}
_LAYERED: Final[tuple[_Shape, ...]] = ()
_NAMES: Final[tuple[str, ...]] = ()
_LASTING: Final[tuple[int, ...]] = ()
_INFLATING: Final[tuple[int, ...]] = ()
_KEYS: Final[Mapping[str, tuple[tuple[range, ...], tuple[int, ...]]]] = {}
_SETTABLE: Final[tuple[str, ...]] = ()
_IDENTIFIERS: Final[tuple[str, ...]] = ()


def _shape(sender: str, connection: Connection, nested: bool = False) -> int:
    return 0


def _change(connection: Connection, sender: str, id: int) -> None:
    pass


def _open_layer(n: int, work: _Work, header: Mapping[str, Any], b: bytes) -> bytes:
    return b


def _seal_layer(n: int, work: _Work, header: Mapping[str, Any], b: bytes) -> bytes:
    return b
# #endregion


# #region encoding
def encode(
    message: Message,
    header: Mapping[str, Any] | None = None,
    # #region sender
    sender: Literal["client", "server"] | None = None,
    # #endregion
    # #region given
    *,
    connection: Connection,
    # #endregion
    # #region !given
    # #region connection
    #| connection: Connection | None = None,
    # #endregion
    # #endregion
) -> bytes:
    """A whole packet of a message.

    Of the header what a caller can set is taken from `header`, which may be that of the packet that is answered; lengths,
    IDs, constants and checksums are computed. Raises WireError if a value is not what the schema allows; nothing is cut
    to fit.
    # #region connection
    # #region !given
    #| Without a connection it is the first packet of one.
    # #endregion
    # #endregion
    # #region dependsOnSender
    A message that both sides send needs the sender: their packets differ.
    # #endregion
    """
    # #region layers
    # #region given
    return _wrap_from(connection, sender or _sender_of(message), message, header or {})
    # #endregion
    # #region !given
    #| return _wrap_from(connection or Connection(), sender or _sender_of(message), message, header or {})
    # #endregion
    # #endregion
    # #region !layers
    #| h = header if header is not None else {}
    #| if h: _check_names(h)
    #| own: str | None = None
    #| known = _WRITERS.get(type(message))
    #| if known is None:
    #|     if not isinstance(message, Unknown):
    #|         raise WireError("unknown_message", type(message).__name__)
    #|     if not isinstance(message.id, int):
    #|         raise WireError("invalid_message_id")
    #|     id, payload = message.id, _put_blob(message.payload, "payload")
    #| else:
    #|     id, name, write, own, fix = known
    # #region fixedHeaders
    #|     if fix is not None: h = fix(h)
    # #endregion
    #|     try:
    # #region header
    #|         payload = write(message, MAXIMUM_DEPTH, h)
    # #endregion
    # #region !header
    #|         payload = write(message, MAXIMUM_DEPTH)
    # #endregion
    # #region nests
    #|     except RecursionError:
    #|         raise WireError("too_deep", name) from None
    # #endregion
    #|     except WireError as error:
    #|         raise _under(error, name) from None
    # #region connection
    #| packet = _wrap_from(connection or Connection(), sender or own, id, payload, h)
    # #endregion
    # #region !connection
    # #region sender
    #| packet = _wrap_from(sender or own, id, payload, h)
    # #endregion
    # #region !sender
    #| packet = _wrap(id, payload, h)
    # #endregion
    # #endregion
    # #region frames
    #| return _framed(packet)
    # #endregion
    # #region !frames
    #| return packet
    # #endregion
    # #endregion


def _check_names(h: Mapping[str, Any]) -> None:
    for key in h:
        if key not in _HEADER:
            raise WireError("invalid_header_field", f"packet.{key}")
# #endregion


# #region shaped
# #region !layers
# #region connection
#| def _decode(b: bytes, sender: str, start: int, connection: Connection) -> Packet | int:
#|     packet = _DECODERS[_shape(sender, connection)](b, sender, start)
#|     if isinstance(packet, Packet):
#|         _change(connection, sender, packet.id)
#|     return packet
#|
#|
#| def _wrap_from(connection: Connection, sender: str | None, id: int, payload: bytes, h: Mapping[str, Any]) -> bytes:
# #region dependsOnSender
#|     if sender is None:
#|         raise WireError("needs_sender")
# #endregion
# #region !dependsOnSender
#|     sender = sender or "client"
# #endregion
#|     packet = _WRAPPERS[_shape(sender, connection)](id, payload, h)
#|     _change(connection, sender, id)
#|     return packet
# #endregion
# #region !connection
#| def _decode(b: bytes, sender: str, start: int) -> Packet | int:
#|     return (_decode_server if sender == "server" else _decode_client)(b, sender, start)
#|
#|
#| def _wrap_from(sender: str | None, id: int, payload: bytes, h: Mapping[str, Any]) -> bytes:
#|     if sender is None:
#|         raise WireError("needs_sender")
#|     return (_wrap_server if sender == "server" else _wrap_client)(id, payload, h)
# #endregion
# #endregion
# #region layers
def _moved(error: WireError, start: int) -> WireError:
    """An error whose offset counts from another place."""
    return WireError(error.kind, error.path, None if error.offset is None else error.offset - start)


def _whole(read: Callable[[bytes, int], _Part | int], b: bytes, origin: int) -> _Part:
    """The fields of an opened packet; offsets count from the first byte inside the innermost layer."""
    try:
        part = read(b, 0)
        if isinstance(part, int):
            raise WireError("truncated", "", len(b))
        return part
    except WireError as error:
        raise _moved(error, origin) from None


def _with_stream(n: int, streams: frozenset[int]) -> frozenset[int]:
    """The layers whose keystream goes on. Inner packets are sealed first and opened last, so none may use it again."""
    if n not in _LASTING:
        return streams
    if n in streams:
        raise WireError("invalid_layer", _NAMES[n])
    return streams | {n}


def _open(b: bytes, sender: Literal["client", "server"] | str, start: int, depth: int, work: _Work, streams: frozenset[int]) -> Packet | int:
    """The packet at a place, out of its layers; or how many bytes it must have before it is worth another try."""
    shape = _LAYERED[_shape(sender, work.connection, depth > 0)]
    found = shape.read_outer(b, start)
    if isinstance(found, int):
        return found
    after, header, rules, count = found.after, found.header, found.rules, found.count
    data, content, trailer = b[start:found.body], b[found.body:found.end], b[found.end:after]
    origin, inside = 0, -1
    for section in shape.sections:
        for n in section.layers:
            if not rules[n]:
                continue
            if count is not None and shape.counter is not None and count[0] - shape.counter[1] > MAXIMUM_INFLATED:
                raise WireError("inflated_too_long", _NAMES[n])
            streams = _with_stream(n, streams)
            content = _open_layer(n, work, header, content)
            if n in _INFLATING:
                if len(content) > work.left:
                    raise WireError("inflated_too_long", _NAMES[n])
                work.left -= len(content)
            origin = len(data)
            if shape.counter is not None and n >= shape.counter[3]:
                inside = len(content)
        if section.read is not None:
            whole = data + content
            part = _whole(section.read, whole, origin)
            header, rules = part.header, part.rules
            data, content = whole[:part.body], whole[part.body:part.end]
            if count is None and part.count is not None:
                count = (part.count[0], part.count[1] - origin)
    if shape.counter is not None and count is not None:
        if count[0] != (inside + shape.counter[1] if inside >= 0 else 0):
            raise WireError("length_mismatch", "packet." + shape.counter[0], count[1])
    flat = data + content + trailer
    part = _whole(shape.read_flat, flat, origin)
    # #region packets
    if part.rules[-2]:
        _require_depth(depth)
        packets = _open_packets(content, sender, depth + 1, work, streams)
        return Packet(Packets(part.id, packets), part.id, part.header, after - start)
    # #endregion
    readers = _READERS[sender]
    # A part of a message sets no state.
    if not part.rules[-1]: work.ids.append(part.id)
    if part.rules[-1] or part.id not in readers:
        return Packet(Unknown(part.id, content), part.id, part.header, after - start)
    # #region fixedHeaders
    name, read, verify = readers[part.id]
    if verify is not None: verify(flat, part.header, part.places)
    # #endregion
    # #region !fixedHeaders
    #| name, read = readers[part.id]
    # #endregion
    try:
        # #region header
        return Packet(read(flat, part.body, part.end, MAXIMUM_DEPTH, part.header), part.id, part.header, after - start)
        # #endregion
        # #region !header
        #| return Packet(read(flat, part.body, part.end, MAXIMUM_DEPTH), part.id, part.header, after - start)
        # #endregion
    # #region nests
    except RecursionError:
        raise WireError("too_deep", name, part.body - origin) from None
    # #endregion
    except WireError as error:
        raise _moved(_under(error, name), origin) from None


def _decode(b: bytes, sender: str, start: int, connection: Connection) -> Packet | int:
    work = _Work(connection, sender)
    packet = _open(b, sender, start, 0, work, frozenset())
    if isinstance(packet, Packet):
        work.commit()
    return packet


# #region packets
def _require_depth(depth: int) -> None:
    if depth >= MAXIMUM_NESTED:
        raise WireError("too_deep")


def _require_count(work: _Work) -> None:
    if work.packets >= 65536:
        raise WireError("too_long", "packets")
    work.packets += 1


def _inner(error: WireError, i: int) -> WireError:
    """An error in a packet inside another one."""
    return WireError(error.kind, f"packets[{i}]" + ("." + error.path if error.path else ""), error.offset)


def _open_packets(content: bytes, sender: str, depth: int, work: _Work, streams: frozenset[int]) -> list[Packet]:
    packets: list[Packet] = []
    p = 0
    # #region frames
    while not content[p:].replace(FRAME_MARKS, b"") == b"":
    # #endregion
    # #region !frames
    #| while not p >= len(content):
    # #endregion
        _require_count(work)
        try:
            # #region frames
            frame = _Frame()
            if not _unframe(content, p, frame):
                raise WireError("truncated", "", len(content) - p)
            packet = _open(bytes(frame.bytes), sender, 0, depth, work, streams)
            if isinstance(packet, int):
                raise WireError("truncated", "", len(frame.bytes))
            packet.byte_count = frame.count
            # #endregion
            # #region !frames
            packet = _open(content, sender, p, depth, work, streams)
            if isinstance(packet, int):
                raise WireError("truncated", "", len(content) - p)
            # #endregion
        except WireError as error:
            raise _inner(error, len(packets)) from None
        packets.append(packet)
        p += packet.byte_count
    return packets


# #endregion
def _wrap_from(connection: Connection, sender: str | None, message: Any, h: Mapping[str, Any]) -> bytes:
    # #region dependsOnSender
    if sender is None:
        raise WireError("needs_sender")
    # #endregion
    # #region dependsOnSender
    work = _Work(connection, sender)
    # #endregion
    # #region !dependsOnSender
    #| work = _Work(connection, sender or "client")
    # #endregion
    packet = _seal(message, h, work.sender, 0, work, set())
    work.commit()
    return packet


def _sender_of(message: Any) -> str | None:
    # #region packets
    while isinstance(message, Packets) and message.packets:
        message = message.packets[0].message if isinstance(message.packets[0], Packet) else message.packets[0]
    # #endregion
    known = _WRITERS.get(type(message))
    return None if known is None else known[3]


def _seal(message: Any, h: Mapping[str, Any], sender: str, depth: int, work: _Work, streams: set[int]) -> bytes:
    """A whole packet; adds the layers whose keystream goes on that it uses."""
    if h: _check_names(h)
    # #region packets
    if isinstance(message, Packets):
        if not isinstance(message.id, int): raise WireError("invalid_message_id")
        _require_depth(depth)
        parts: list[bytes] = []
        for i, item in enumerate(message.packets):
            _require_count(work)
            used: set[int] = set()
            try:
                parts.append(_seal(item.message, item.header, sender, depth + 1, work, used) if isinstance(item, Packet) else _seal(item, {}, sender, depth + 1, work, used))
            except WireError as error:
                raise _inner(error, i) from None
            streams |= used
        return _sealed(message.id, b"".join(parts), h, True, sender, depth, work, streams)
    # #endregion
    known = _WRITERS.get(type(message))
    if known is None:
        if not isinstance(message, Unknown):
            raise WireError("unknown_message", type(message).__name__)
        if not isinstance(message.id, int):
            raise WireError("invalid_message_id")
        return _sealed(message.id, _put_blob(message.payload, "payload"), h, None, sender, depth, work, streams)
    id, name, write, _, fix = known
    # #region fixedHeaders
    if fix is not None: h = fix(h)
    # #endregion
    try:
        # #region header
        payload = write(message, MAXIMUM_DEPTH, h)
        # #endregion
        # #region !header
        #| payload = write(message, MAXIMUM_DEPTH)
        # #endregion
    # #region nests
    except RecursionError:
        raise WireError("too_deep", name) from None
    # #endregion
    except WireError as error:
        raise _under(error, name) from None
    return _sealed(id, payload, h, False, sender, depth, work, streams)


def _chosen(h: Mapping[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    return {key: h[key] for key in keys if h.get(key) is not None}


def _known(shape: _Shape, id: int, h: Mapping[str, Any]) -> _Part:
    """The fields of a packet that are known before its layers are sealed, and which rules hold."""
    return _whole(shape.read_flat, shape.write_flat(id, b"", h), 0)


def _written(section: _Section, h: Mapping[str, Any], content: bytes) -> bytes:
    """The fields of a section and what is after them. Fields before are written for their conditions only."""
    if section.write is None or section.read is None:
        return content
    b = section.write(0, content, _chosen(h, section.keys))
    return b[_whole(section.read, b, 0).first:]


def _sealed(id: int, payload: bytes, h: Mapping[str, Any], holds: bool | None, sender: str, depth: int, work: _Work, streams: set[int]) -> bytes:
    shape = _LAYERED[_shape(sender, work.connection, depth > 0)]
    settable = _chosen(h, _SETTABLE)
    counter = shape.counter
    if counter is not None and counter[2] and counter[0] not in settable:
        # Whether there is a layer depends on how much there is without one.
        bare = _known(shape, id, settable).header
        if counter[0] in bare:
            settable[counter[0]] = 0
        if counter[0] in bare and work.connection.threshold is not None:
            given = {**_chosen(bare, _IDENTIFIERS), **settable}
            settable[counter[0]] = int(len(_written(shape.sections[-1], given, payload)) >= work.connection.threshold)
    part = _known(shape, id, settable)
    rules, known = part.rules, part.header
    if holds is not None:
        if holds != rules[-2]:
            raise WireError("presence", "packets")
        if not holds and rules[-1]:
            raise WireError("presence", "opaque")
    if not any(rules[-2:]): work.ids.append(id)
    given = {**_chosen(known, _IDENTIFIERS), **settable}
    def count(n: int) -> None:
        """Sets the number of bytes inside the innermost layer, which must mean the same layers to a reader."""
        nonlocal counter
        if counter is not None and counter[0] in known:
            if _known(shape, id, {**settable, counter[0]: n}).rules != rules:
                raise WireError("length_too_small", "packet." + counter[0])
            known[counter[0]] = given[counter[0]] = n
        counter = None
    content = payload
    for section in reversed(shape.sections):
        # From here on the layers are around the field.
        if counter is not None and section.layers[0] < counter[3]:
            count(0)
        content = _written(section, given, content)
        for n in reversed(section.layers):
            if not rules[n]:
                continue
            streams |= _with_stream(n, frozenset(streams))
            count(len(content) + (counter[1] if counter is not None else 0))
            if n in _INFLATING:
                if len(content) > work.left:
                    raise WireError("inflated_too_long", _NAMES[n])
                work.left -= len(content)
            content = _seal_layer(n, work, known, content)
    count(0)
    packet = shape.write_outer(0, content, _chosen(given, shape.outer_keys))
    # #region frames
    return _framed(packet)
    # #endregion
    # #region !frames
    #| return packet
    # #endregion


# #region keys
def _key(work: _Work, name: str, n: int) -> bytes:
    key = work.connection._keys.get((work.sender, name))
    if key is None:
        raise WireError("layer_unavailable", _NAMES[n])
    return key


# #endregion
# #region inflating
def _inflated(b: bytes, bits: int, n: int, work: _Work) -> bytes:
    """The content of one whole stream; no more than the limit is made, and what comes after it need not be right."""
    stream = zlib.decompressobj(bits)
    try:
        content = stream.decompress(b, work.left or 1)
    except zlib.error:
        raise WireError("invalid_layer", _NAMES[n]) from None
    if len(content) > work.left or len(content) == work.left and _goes_on(stream):
        raise WireError("inflated_too_long", _NAMES[n])
    if not stream.eof:
        raise WireError("invalid_layer", _NAMES[n])
    if stream.unused_data:
        raise WireError("trailing_bytes", _NAMES[n])
    return content


def _goes_on(stream: Any) -> bool:
    """Whether a stream makes more bytes than there was room for. Only the last ones may still wait when its own bytes are over."""
    if stream.eof:
        return False
    try:
        return bool(stream.unconsumed_tail or stream.decompress(b"", 1))
    except zlib.error:
        return True


def _deflated(b: bytes, bits: int, work: _Work) -> bytes:
    stream = zlib.compressobj(work.connection.zlib_level, zlib.DEFLATED, bits)
    return stream.compress(b) + stream.flush()


def _open_zlib(b: bytes, n: int, work: _Work) -> bytes:
    return _inflated(b, 15, n, work)


def _seal_zlib(b: bytes, _n: int, work: _Work) -> bytes:
    return _deflated(b, 15, work)


def _open_deflate(b: bytes, n: int, work: _Work) -> bytes:
    return _inflated(b, -15, n, work)


def _seal_deflate(b: bytes, _n: int, work: _Work) -> bytes:
    return _deflated(b, -15, work)


def _open_gzip(b: bytes, n: int, work: _Work) -> bytes:
    return _inflated(b, 31, n, work)


def _seal_gzip(b: bytes, _n: int, work: _Work) -> bytes:
    return _deflated(b, 31, work)


# #endregion
# #region xor
def _xor(b: bytes, stream: bytes) -> bytes:
    """Bytes XOR others, of which there are as many or more."""
    return (int.from_bytes(b, "big") ^ int.from_bytes(stream[:len(b)], "big")).to_bytes(len(b), "big")


def _xor_key(b: bytes, key: bytes, _n: int, _work: _Work) -> bytes:
    return _xor(b, key * (len(b) // len(key) + 1))


# #endregion
# #region rc4
def _rc4(b: bytes, key: bytes, n: int, work: _Work) -> bytes:
    """The keystream goes on from packet to packet."""
    place = (work.sender, n)
    if place in work.streams:
        held, i, j = work.streams[place]
        s = bytearray(held)
    else:
        s, i, j = bytearray(range(256)), 0, 0
        for i in range(256):
            j = (j + s[i] + key[i % len(key)]) & 255
            s[i], s[j] = s[j], s[i]
        i = j = 0
    o = bytearray(b)
    for p, v in enumerate(b):
        i = (i + 1) & 255
        x = s[i]
        j = (j + x) & 255
        y = s[j]
        s[i], s[j] = y, x
        o[p] = v ^ s[(x + y) & 255]
    work.streams[place] = (bytes(s), i, j)
    return bytes(o)


# #endregion
# #region aes_ctr
def _aes_ctr(b: bytes, key: bytes, start: bytes, used: int, _n: int, work: _Work) -> bytes:
    """The keystream of counters from `start` on, of which some bytes were used before."""
    skipped = used % 16
    first = int.from_bytes(start, "big") + used // 16
    blocks = (skipped + len(b) + 15) // 16
    counters = b"".join(((first + i) & ((1 << 128) - 1)).to_bytes(16, "big") for i in range(blocks))
    return _xor(b, work.connection.aes(key, counters, True)[skipped:]) if b else b


def _aes_ctr_lasting(b: bytes, key: bytes, start: bytes, n: int, work: _Work) -> bytes:
    """The keystream goes on from packet to packet."""
    used = work.streams.get((work.sender, n), 0)
    work.streams[work.sender, n] = used + len(b)
    return _aes_ctr(b, key, start, used, n, work)


# #endregion
# #region aes_cbc
def _open_cbc(b: bytes, key: bytes, start: bytes, n: int, work: _Work) -> bytes:
    if len(b) == 0 or len(b) % 16 != 0:
        raise WireError("invalid_layer", _NAMES[n])
    content = _xor(work.connection.aes(key, b, False), start + b)
    count = content[-1]
    if not 1 <= count <= 16 or content[-count:] != bytes((count,)) * count:
        raise WireError("invalid_layer", _NAMES[n])
    return content[:-count]


def _seal_cbc(b: bytes, key: bytes, start: bytes, _n: int, work: _Work) -> bytes:
    count = 16 - len(b) % 16
    b += bytes((count,)) * count
    blocks = [start]
    for p in range(0, len(b), 16):
        blocks.append(work.connection.aes(key, _xor(b[p:p + 16], blocks[-1]), True))
    return b"".join(blocks[1:])


# #endregion
# #region program
def _layer(name: str, work: _Work) -> Any:
    """A layer of the program: one for each sender."""
    if (work.sender, name) not in work.connection._layers:
        work.connection._layers[work.sender, name] = work.connection._makers[name](work.sender)
    return work.connection._layers[work.sender, name]


def _open_own(b: bytes, header: Mapping[str, Any], name: str, n: int, work: _Work) -> bytes:
    try:
        content = _layer(name, work).open(b, header, work.left)
    except WireError as error:
        raise WireError(error.kind, _NAMES[n]) from None
    except ValueError:
        raise WireError("invalid_layer", _NAMES[n]) from None
    if content is None:
        raise WireError("inflated_too_long", _NAMES[n])
    return bytes(content)


def _seal_own(b: bytes, header: Mapping[str, Any], name: str, n: int, work: _Work) -> bytes:
    try:
        return bytes(_layer(name, work).seal(b, header))
    except ValueError:
        raise WireError("invalid_layer", _NAMES[n]) from None


# #endregion
# #endregion
# #endregion


# #region decoding
def decode(
    data: bytes | bytearray | memoryview,
    sender: Literal["client", "server"],
    start: int = 0,
    # #region given
    *,
    connection: Connection,
    # #endregion
    # #region !given
    # #region connection
    #| connection: Connection | None = None,
    # #endregion
    # #endregion
) -> Packet | None:
    """The packet that begins at `start`, sent by the client or by the server; None if it has not arrived whole.

    What stands after it is not looked at. Raises WireError if the bytes are no packet of the protocol; after such an error,
    the start of the next packet is unknown.
    # #region connection
    # #region !given
    #| Without a connection it is the first packet of one.
    # #endregion
    # #endregion
    """
    # #region connection
    # #region !given
    #| connection = connection or Connection()
    # #endregion
    # #endregion
    if type(data) is not bytes: data = bytes(memoryview(data))
    # #region frames
    frame = _Frame()
    if not _unframe(data, start, frame): return None
    # #region connection
    return _unframed(frame, sender, connection)
    # #endregion
    # #region !connection
    #| return _unframed(frame, sender)
    # #endregion
    # #endregion
    # #region !frames
    # #region connection
    #| found = _decode(data, sender, start, connection)
    # #endregion
    # #region !connection
    #| found = _decode(data, sender, start)
    # #endregion
    #| return found if type(found) is Packet else None
    # #endregion
# #endregion


# #region splitter
class Splitter:
    """Finds the packets in a stream, however they are merged and split.

        splitter.push(data)
        for packet in splitter: ...

    Packets before a fault are given before the error is raised. After an error it stays failed, because the start of the
    next packet is unknown.
    """

    # #region given
    def __init__(self, sender: Literal["client", "server"], *, connection: Connection) -> None:
    # #endregion
    # #region !given
    # #region connection
    #| def __init__(self, sender: Literal["client", "server"], connection: Connection | None = None) -> None:
    # #endregion
    # #region !connection
    #| def __init__(self, sender: Literal["client", "server"]) -> None:
    # #endregion
    # #endregion
        self._sender = sender
        # #region connection
        # #region given
        self._connection = connection
        # #endregion
        # #region !given
        #| self._connection = connection or Connection()
        # #endregion
        # #endregion
        # #region packets
        self._inner: list[Packet] = []
        # #endregion
        self._buffer = b""
        self._start = 0
        self._pieces: list[bytes] = []
        self._held = 0
        # #region frames
        self._frame = _Frame()
        # #endregion
        # #region !frames
        self._needed = 1
        # #region connection
        self._shape = -1
        # #endregion
        # #endregion
        self._failure: WireError | None = None

    def push(self, data: bytes | bytearray | memoryview) -> None:
        """Takes what has arrived."""
        piece = data if type(data) is bytes else bytes(memoryview(data))
        self._pieces.append(piece)
        self._held += len(piece)

    def __iter__(self) -> Iterator[Packet]:
        return self

    def __next__(self) -> Packet:
        if self._failure is not None:
            raise self._failure.with_traceback(None)
        try:
            # #region packets
            packet = self._one()
            # #endregion
            # #region !packets
            packet = self._next()
            # #endregion
        except WireError as error:
            self._failure = error
            raise
        if packet is None:
            raise StopIteration
        return packet

    def finish(self) -> None:
        """Says that the stream has ended: that is an error inside a packet."""
        # #region frames
        if self._failure is None and self._frame.is_inside():
            self._failure = WireError("end_of_stream", "", len(self._frame.bytes))
        # #endregion
        # #region !frames
        left = len(self._buffer) - self._start + self._held
        if self._failure is None and left:
            self._failure = WireError("end_of_stream", "", left)
        # #endregion
        if self._failure is not None:
            raise self._failure.with_traceback(None)

    # #region packets
    def _one(self) -> Packet | None:
        """The next packet; those in another one come one by one in its place."""
        packet = self._inner.pop() if self._inner else self._next()
        while packet is not None and isinstance(packet.message, Packets):
            self._inner += reversed(packet.message.packets)
            packet = self._inner.pop() if self._inner else self._next()
        return packet

    # #endregion
    def _next(self) -> Packet | None:
        # #region frames
        frame = self._frame
        before = frame.count
        if self._pieces:
            self._join()
        whole = _unframe(self._buffer, self._start, frame)
        self._start += frame.count - before
        if not whole:
            return None
        self._frame = _Frame()
        # #region connection
        return _unframed(frame, self._sender, self._connection)
        # #endregion
        # #region !connection
        #| return _unframed(frame, self._sender)
        # #endregion
        # #endregion
        # #region !frames
        while True:
            # #region connection
            # How much is needed depends on the shape of the packet, which the other side's packets may change.
            shape = _shape(self._sender, self._connection)
            if shape != self._shape:
                self._shape, self._needed = shape, 1
            # #endregion
            left = len(self._buffer) - self._start
            if left < self._needed:
                # A packet that has not arrived whole is not tried again before its bytes can be there.
                if left + self._held < self._needed:
                    return None
                left += self._held
                self._join()
            # #region connection
            packet = _decode(self._buffer, self._sender, self._start, self._connection)
            # #endregion
            # #region !connection
            #| packet = _decode(self._buffer, self._sender, self._start)
            # #endregion
            if not isinstance(packet, int):
                self._start += packet.byte_count
                self._needed = 1
                return packet
            self._needed = max(packet, left + 1)
        # #endregion

    def _join(self) -> None:
        self._buffer = b"".join((self._buffer[self._start:], *self._pieces))
        self._start = self._held = 0
        self._pieces.clear()
# #endregion
