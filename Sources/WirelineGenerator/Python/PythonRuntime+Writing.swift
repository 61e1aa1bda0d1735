// SPDX-License-Identifier: Apache-2.0

extension PythonRuntime {
    /// The functions that check numbers, and make their bytes.
    static let writing = #"""
        _UNFIT: Final = (struct.error, ValueError, TypeError, OverflowError, AttributeError)

        _NAN: Final = float("nan")

        def _checked(v: Any, low: int, high: int, f: str | int) -> int:
            if not isinstance(v, int):
                raise _fail("wrong_type", f)
            if not low <= v <= high:
                raise _fail("out_of_range", f)
            return v

        def _checked_case(v: Any, cases: Mapping[int, Any], f: str | int) -> int:
            if not isinstance(v, int):
                raise _fail("wrong_type", f)
            if v not in cases:
                raise _fail("unknown_case", f)
            return v

        def _checked_bool(v: Any, f: str | int) -> int:
            if v is not True and v is not False:
                raise _fail("wrong_type", f)
            return 1 if v else 0

        def _fitting(v: Any, low: int, high: int) -> int:
            """A number that is checked later; 0 if it is none."""
            return min(high, max(low, v)) if isinstance(v, int) else 0

        def _unknown_tag(v: int, tags: tuple[int, ...], f: str | int) -> int:
            """A tag that no arm has: a reader would take the bytes for the value of that arm."""
            if v in tags:
                raise _fail("known_case", f)
            return v

        def _put_bool(v: Any, f: str | int) -> bytes:
            return b"\1" if _checked_bool(v, f) else b"\0"

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
        """#

    /// The functions that make the bytes of texts, lists and what may be absent.
    static let writingTexts = #"""
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

        def _fill_up(o: bytes, n: int, f: str | int) -> bytes:
            """Bytes that zeros fill up to so many."""
            return _limited(o, n, f).ljust(n, b"\0")

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

        _Write = Callable[[Any, int, int], bytes]

        def _put_items(v: Any, d: int, f: str | int, write: _Write) -> bytes:
            try:
                return b"".join([write(item, d, i) for i, item in enumerate(v)])
            except WireError as error:
                raise _under(error, f) from None

        def _put_numbers(v: Any, order: str, letter: str, d: int, f: str | int, write: _Write) -> bytes:
            """Numbers by one call; the first that is wrong is found by looking at each."""
            try:
                return struct.pack(f"{order}{len(v)}{letter}", *v)
            except _UNFIT:
                return _put_items(v, d, f, write)

        def _put_until(v: Any, d: int, stop: int, f: str | int, write: _Write) -> bytes:
            """Items, and the byte that ends them; none begins with it."""
            lines: list[bytes] = []
            try:
                for i, item in enumerate(v):
                    lines.append(write(item, d, i))
                    if lines[-1][0] == stop:
                        raise _fail("embedded_terminator", i)
            except WireError as error:
                raise _under(error, f) from None
            return b"".join(lines) + bytes((stop,))

        def _present(v: Any, holds: bool, f: str) -> None:
            """Verifies that a value is set exactly if a condition holds."""
            if (v is not None) != holds:
                raise WireError("presence", f)

        def _gap(gap: str | None, v: Any, f: str) -> str | None:
            """The first field of several that is not set; nothing that is set may follow it."""
            if v is None:
                return f if gap is None else gap
            if gap is not None:
                raise WireError("gap_before_optional", gap)
            return None

        def _put_trailing(v: Any, gap: str | None, f: str) -> bytes:
            o = _put_blob(v, f)
            if o and gap is not None:
                raise WireError("gap_before_optional", gap)
            return o

        def _agreed(before: int | None, n: int, f: str) -> int:
            """The count of several fields, which must be the same."""
            if before is not None and before != n:
                raise WireError("wrong_item_count", f)
            return n
        """#
}
