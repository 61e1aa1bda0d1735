// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

extension PythonRuntime {
    /// The functions for the marks around packets and their escapes.
    ///
    /// They are those of some frame if the schema has none, so that all names are known.
    static func frames(_ parameters: PythonRuntimeParameters) -> String {
        let framing = parameters.framing ?? PacketFraming(start: 0, end: 0, escapes: [])
        let escapes = framing.escapes.map { "(\($0.first), \($0.second)): \($0.byte)" }.joined(separator: ", ")
        let firsts = Set(framing.escapes.map(\.first)).sorted().map { String($0) }
        let special = Set([framing.start, framing.end] + framing.escapes.map(\.first)).sorted()
        let second =
            framing.hasSameMarks
            ? [] : ["if x == \(framing.start): raise WireError(\"invalid_escape\", \"packet.frame\", len(frame.bytes))"]
        let isInside = framing.hasSameMarks ? "self.inside and (len(self.bytes) > 0 or self.first >= 0)" : "self.inside"
        let restart = framing.hasSameMarks ? [] : ["frame.inside = False"]
        let lines =
            ["if x == \(framing.end):", "    if frame.bytes: return True"] + restart.map { "    " + $0 } + [
                "    continue"
            ] + second
            + (firsts.isEmpty ? [] : ["frame.first = x"])
        let escaped =
            framing.escapes.isEmpty
            ? "o = packet"
            : "o = b\"\".join([_ESCAPED.get(x) or bytes((x,)) for x in packet])"
        let codes = framing.escapes.map { "\($0.byte): \(PythonText.bytes([$0.first, $0.second]))" }.joined(
            separator: ", ")
        let parameter = parameters.hasConnection ? ", connection: Connection" : ""
        let argument = parameters.hasConnection ? ", connection" : ""
        return #"""
            _ESCAPES: Final[Mapping[tuple[int, int], int]] = {\#(escapes)}

            _ESCAPED: Final[Mapping[int, bytes]] = {\#(codes)}

            _PLAIN: Final = re.compile(\#(pattern(special)))

            class _Frame:
                """What has arrived of a packet between marks: its bytes, unescaped, and how many were read for them."""
                def __init__(self) -> None:
                    self.bytes = bytearray()
                    self.count = 0
                    self.inside = False
                    self.first = -1
                def is_inside(self) -> bool:
                    """Whether a stream may not end here: after a mark that ends packets and begins them, nothing has begun."""
                    return \#(isInside)
                def append(self, v: bytes) -> None:
                    self.bytes += v
                    if len(self.bytes) > \#(parameters.maximumPacketByteCount):
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
                        if x != \#(framing.start): raise WireError("wrong_constant", "packet.frame", 0)
                        frame.inside = True
                        continue
                    if frame.first >= 0:
                        byte = _ESCAPES.get((frame.first, x))
                        if byte is None: raise WireError("invalid_escape", "packet.frame", len(frame.bytes))
                        frame.append(bytes((byte,)))
                        frame.first = -1
                        continue
            \#(PythonText.indented(lines, by: 8).joined(separator: "\n"))
                return False

            def _unframed(frame: _Frame, sender: str\#(parameter)) -> Packet:
                packet = _decode(bytes(frame.bytes), sender, 0\#(argument))
                if isinstance(packet, int):
                    raise WireError("truncated", "", len(frame.bytes))
                packet.byte_count = frame.count
                return packet

            def _framed(packet: bytes) -> bytes:
                """A packet between its marks."""
                \#(escaped)
                return bytes((\#(framing.start),)) + o + bytes((\#(framing.end),))
            """#
    }

    /// Returns the expression for bytes without a meaning of their own.
    private static func pattern(_ special: [UInt8]) -> String {
        "rb\"[^"
            + special.map { byte in
                let digits = String(byte, radix: 16)
                return "\\x" + (digits.count == 1 ? "0" : "") + digits
            }.joined() + "]*\""
    }
}
