// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the functions for the marks around packets and their escapes; there are none for a layout without a frame.
struct ErlangFrames {
    private let framing: PacketFraming?
    private let limit: Int

    init(_ types: ErlangTypes) {
        framing = types.description.layout.framing
        limit = types.description.options.maximumPacketByteCount
    }

    /// Whether packets stand between marks.
    var isUsed: Bool { framing != nil }

    /// Returns the expression for a packet in a stream.
    func framed(_ packet: String) -> String { isUsed ? "frame(\(packet))" : packet }

    var functions: [String] {
        guard let framing else { return [] }
        return [unframing(framing), unescaping(framing), writing(framing)]
    }

    private func unframing(_ framing: PacketFraming) -> String {
        let (start, end) = (Self.text(framing.start), Self.text(framing.end))
        let empty =
            framing.hasSameMarks
            ? "unframe(<<\(start), \(start), _/binary>> = B) -> unframe(binary:part(B, 1, byte_size(B) - 1));"
            : "unframe(<<\(start), \(end), R/binary>>) -> unframe(R);"
        return """
            %% What stands between the marks, unescaped, and what follows them. Marks with nothing between them are passed over.
            \(empty)
            unframe(<<\(start), R/binary>>) -> unescape(R, <<>>);
            unframe(<<>>) -> more(1, 0);
            unframe(<<V, _/binary>>) -> fail({wrong_constant, V, \(start)}, [<<"frame">>, packet], 0).

            """
    }

    private func unescaping(_ framing: PacketFraming) -> String {
        let tooLong = "fail({packet_too_long, \(limit + 1), \(limit + 1), \(limit)}, [<<\"frame\">>, packet], 0)"
        var lines = ["unescape(<<\(Self.text(framing.end)), R/binary>>, P) -> {P, R};"]
        if !framing.hasSameMarks {
            let start = Self.text(framing.start)
            lines.append(
                "unescape(<<\(start), _/binary>>, P) -> fail({invalid_escape, \(start)}, [<<\"frame\">>, packet], byte_size(P));"
            )
        }
        for escape in framing.escapes {
            let pair = "\(Self.text(escape.first)), \(Self.text(escape.second))"
            lines.append(
                "unescape(<<\(pair), R/binary>>, P) when byte_size(P) < \(limit) -> "
                    + "unescape(R, <<P/binary, \(Self.text(escape.byte))>>);")
            lines.append("unescape(<<\(pair), _/binary>>, _) -> \(tooLong);")
        }
        for first in Set(framing.escapes.map(\.first)).sorted().map(Self.text) {
            lines.append("unescape(<<\(first)>>, _) -> more(1, 0);")
            lines.append(
                "unescape(<<\(first), V, _/binary>>, P) -> "
                    + "fail({invalid_escape, \(first), V}, [<<\"frame\">>, packet], byte_size(P));")
        }
        lines += [
            "unescape(<<>>, _) -> more(1, 0);", "unescape(_, P) when byte_size(P) >= \(limit) -> \(tooLong);",
            "unescape(<<V, R/binary>>, P) -> unescape(R, <<P/binary, V>>).", "",
        ]
        return lines.joined(separator: "\n")
    }

    private func writing(_ framing: PacketFraming) -> String {
        let listed = framing.escapes.map { "<<\(Self.text($0.byte))>>" }.joined(separator: ", ")
        let escapes = framing.escapes.map { escape in
            "escaped(\(Self.text(escape.byte))) -> <<\(Self.text(escape.first)), \(Self.text(escape.second))>>;"
        }
        return """
            %% A packet between its marks.
            frame(Packet) -> [<<\(Self.text(framing.start))>>, escape(iolist_to_binary(Packet)), <<\(Self.text(framing.end))>>].

            escape(B) ->
                case binary:match(B, [\(listed)]) of
                    nomatch -> B;
                    _ -> << <<(escaped(V))/binary>> || <<V>> <= B >>
                end.

            \(escapes.joined(separator: "\n"))
            escaped(V) -> <<V>>.

            """
    }

    private static func text(_ byte: UInt8) -> String { "16#" + byte.hexadecimal.dropFirst(2) }
}
