// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

extension TypeScriptRuntime {
    /// The functions for the marks around packets and their escapes.
    ///
    /// They are those of some frame if the schema has none, so that all names are known.
    static func frames(_ parameters: TypeScriptRuntimeParameters) -> String {
        let framing = parameters.framing ?? PacketFraming(start: 0, end: 0, escapes: [])
        let limit = parameters.maximumPacketByteCount
        let unescaping = framing.escapes.map { escape in
            "if (frame.first === \(escape.first) && x === \(escape.second)) { append(frame, \(escape.byte)); continue; }"
        }
        let firsts = Set(framing.escapes.map(\.first)).sorted().map { "x === \($0)" }.joined(separator: " || ")
        let second = framing.hasSameMarks ? "" : "if (x === \(framing.start)) frameFault(\"invalid_escape\", frame.n);"
        let lines =
            ["const x = b[i]‹!›;", "frame.count++;"]
            + [
                "if (!frame.inside) {",
                "  if (x !== \(framing.start)) frameFault(\"wrong_constant\", 0);",
                "  frame.inside = true;", "  continue;", "}", "if (frame.first >= 0) {",
            ] + unescaping.map { "  " + $0.replacing("continue;", with: "frame.first = -1; continue;") }
            + [
                "  frameFault(\"invalid_escape\", frame.n);", "}",
                "if (x === \(framing.end)) {", "  if (frame.n > 0) return true;",
                framing.hasSameMarks ? "  continue;" : "  frame.inside = false;\n    continue;", "}",
            ] + (second.isEmpty ? [] : [second])
            + ["if (\(firsts.isEmpty ? "false" : firsts)) frame.first = x;", "else append(frame, x);"]
        let cases = framing.escapes.map {
            "    case \($0.byte): out[p++] = \($0.first); out[p++] = \($0.second); break;"
        }
        let counting = framing.escapes.map { "packet[i] === \($0.byte)" }.joined(separator: " || ")
        return #"""
            /** What has arrived of a packet between marks: its bytes, unescaped, and how many were read for them. */
            ‹interface Frame { b: Uint8Array; n: number; count: number; inside: boolean; first: number }›

            function newFrame()‹: Frame› { return { b: new Uint8Array(64), n: 0, count: 0, inside: false, first: -1 }; }

            function frameFault(kind‹: string›, offset‹: number›)‹: never› { throw new WireError(kind, "packet.frame", offset); }

            function append(frame‹: Frame›, x‹: number›)‹: void› {
              if (frame.n >= \#(limit)) frameFault("packet_too_long", 0);
              if (frame.n === frame.b.length) {
                const b = new Uint8Array(2 * frame.n);
                b.set(frame.b);
                frame.b = b;
              }
              frame.b[frame.n++] = x;
            }

            /** Reads up to the end of the next packet; returns whether it has come. Marks with nothing between them are passed over. */
            function unframe(b‹: Uint8Array›, start‹: number›, end‹: number›, frame‹: Frame›)‹: boolean› {
              for (let i = start; i < end; i++) {
            \#(lines.map { "    " + $0 }.joined(separator: "\n"))
              }
              return false;
            }

            /** Whether a stream may not end here: after a mark that ends packets and begins them, nothing has begun. */
            function insideFrame(frame‹: Frame›)‹: boolean› { return frame.inside && \#(framing.hasSameMarks ? "(frame.n > 0 || frame.first >= 0)" : "true"); }

            function unframed‹<P>›(frame‹: Frame›, side‹: Side<P>›\#(parameters.hasConnection ? ", connection‹: Connection›" : ""))‹: \#(parameters.received)› {
              const r = reader(frame.b, 0, frame.n);
              return receive(r, side, \#(parameters.hasConnection ? "connection, " : "")frame.count) || reject("truncated", frame.n);
            }

            /** A packet between its marks. */
            function framed(packet‹: Uint8Array›)‹: Uint8Array› {
              let n = packet.length + 2;
              for (let i = 0; i < packet.length; i++) if (\#(counting.isEmpty ? "false" : counting)) n++;
              const out = new Uint8Array(n);
              let p = 1;
              out[0] = \#(framing.start);
              for (let i = 0; i < packet.length; i++) switch (packet[i]) {
            \#(cases.joined(separator: "\n"))
                default: out[p++] = packet[i]‹!›;
              }
              out[p] = \#(framing.end);
              return out;
            }
            """#
    }
}
