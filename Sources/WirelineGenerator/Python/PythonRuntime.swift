// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// The runtime of generated Python, in pieces: see ``RuntimeText``.
///
/// Readers take the bytes, a place and an end, and return a value and the place after it. Errors count from the first of these bytes,
/// and have the path inside the value. The reader of a structure or a list puts its name before that path when the error passes.
enum PythonRuntime {
    /// The pieces that a file may contain.
    static func text(_ parameters: PythonRuntimeParameters) -> RuntimeText {
        let all = [reading, numbers, texts, writing, writingTexts, packets(parameters), checksums, frames(parameters)]
        var text = all.joined(separator: "\n\n")
        if parameters.varintForms == .any {
            text = text.split(separator: "\n", omittingEmptySubsequences: false)
                .filter { !$0.contains("varint_not_shortest") }.joined(separator: "\n")
        }
        return RuntimeText(text, lineComment: "#", hasKeys: false, name: declaredName)
    }

    /// The names of all pieces, which a schema's types and constants cannot have.
    static let names = text(PythonRuntimeParameters()).names.union(apiNames)

    private static func declaredName(_ line: Substring) -> String? {
        let words = line.split(separator: " ")
        guard let first = words.first, line.first != "@", line.first != " ", line.first != "#" else { return nil }
        let name = ["class", "def"].contains(first) ? words.dropFirst().first : first
        return name.map { String($0.prefix { $0.isLetter || $0.isNumber || $0 == "_" }) }
    }

    static let reading = #"""
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

        _Read = Callable[[bytes, int, int, int, int], tuple[Any, int]]

        def _list(b: bytes, p: int, e: int, d: int, n: int, f: str | int, read: _Read) -> tuple[list[Any], int]:
            """So many items. Room is made for each when it has been read, and never for those that are only announced."""
            items: list[Any] = []
            try:
                for i in range(n):
                    v, p = read(b, p, e, d, i)
                    items.append(v)
            except WireError as error:
                raise _under(error, f) from None
            return items, p

        def _list_to_end(b: bytes, p: int, e: int, d: int, most: int, f: str | int, read: _Read) -> tuple[list[Any], int]:
            items: list[Any] = []
            while p < e:
                if len(items) >= most:
                    raise _fail("too_long", f, p)
                try:
                    v, p = read(b, p, e, d, len(items))
                except WireError as error:
                    raise _under(error, f) from None
                items.append(v)
            return items, p

        def _list_until(b: bytes, p: int, e: int, d: int, stop: int, most: int, f: str | int, read: _Read) -> tuple[list[Any], int]:
            """Items up to a byte where an item would begin."""
            items: list[Any] = []
            while True:
                if p >= e:
                    raise _fail("truncated", f, p)
                if b[p] == stop:
                    return items, p + 1
                if len(items) >= most:
                    raise _fail("too_long", f, p)
                try:
                    v, p = read(b, p, e, d, len(items))
                except WireError as error:
                    raise _under(error, f) from None
                items.append(v)

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
        """#

    static let numbers = #"""
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
                if x == 0 and i > 0: raise _fail("varint_not_shortest", f, p)
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
        """#

    static let texts = #"""
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
        """#
}
