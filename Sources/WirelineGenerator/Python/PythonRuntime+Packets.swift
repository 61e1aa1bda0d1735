// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// What of the runtime depends on the schema.
struct PythonRuntimeParameters {
    var maximumDepth = 32
    var maximumPacketByteCount = 1 << 20
    /// The forms of varints that are read.
    var varintForms = VarintForms.shortest
    /// The type of the values in a header: `int`, or `Any` if there are others.
    var headerType = "Any"
    /// Whether the sender of a packet to write must be known.
    var dependsOnSender = false
    /// Whether conditions of messages look at the header.
    var looksAtHeader = false
    /// Whether messages fix fields of the header.
    var fixesHeader = false
    /// Whether values may nest as deeply as the schema allows.
    var nests = false
    /// The marks around packets.
    var framing: PacketFraming?
    /// Whether a connection has states.
    var hasStates = false
    /// How packets are opened and sealed; nil without layers.
    var layers: LayerPlan?
    /// The states of a connection, and the shapes of its packets, as lines; empty if packets depend on none.
    var context = ""

    var hasLayers: Bool { layers != nil }

    /// Whether packets depend on a connection.
    var hasConnection: Bool { !context.isEmpty }

    /// The connection that a program gives; a new one if it need not give one.
    var connection: String { layers?.needsProgram == true ? "connection" : "connection or Connection()" }

    /// Whether a program may say who sends a packet to write.
    var takesSender: Bool { dependsOnSender || hasConnection }
}

extension PythonRuntime {
    /// The functions that take packets apart, and check what is around a payload.
    static func packets(_ parameters: PythonRuntimeParameters) -> String {
        #"""
        def _packet_size(length: int, difference: int, least: int, p: int\#(parameters.hasLayers ? ", most: int = \(parameters.maximumPacketByteCount)" : "")) -> int:
            """The bytes of the whole packet, by one of its lengths."""
            size = length + difference
            if size < least:
                raise WireError("length_too_small", "", p)
            if size > \#(parameters.hasLayers ? "most" : String(parameters.maximumPacketByteCount)):
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

        def _given(h: Mapping[str, Any], f: str, usual: Any) -> Any:
            v = h.get(f)
            return usual if v is None else v

        def _number(h: Mapping[str, Any], f: str, usual: int) -> int:
            """The number that a condition sees in a header."""
            v = h.get(f)
            return v if isinstance(v, int) else usual

        def _check_length(v: int, low: int, high: int, f: str) -> None:
            if v > high:
                raise WireError("packet_too_long", f)
            if v < low:
                raise WireError("length_too_small", f)

        _DOES_NOT_FIT: Final = ("packet_too_long", "length_too_small", "invalid_message_id")

        def _zeroed(v: bytes, *zeros: tuple[int, int]) -> bytes:
            """A copy of bytes in which some are zeros."""
            o = bytearray(v)
            for p, n in zeros:
                o[p:p + n] = bytes(n)
            return bytes(o)
        """#
    }

    /// The functions that compute checksums of bytes.
    static let checksums = #"""
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
        """#
}
