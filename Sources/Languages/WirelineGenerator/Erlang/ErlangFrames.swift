// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the runtime's functions for the marks around packets and their escapes.
enum ErlangFrames {
    static func functions(_ types: ErlangTypes) -> [ErlangFunction] {
        guard let framing = types.description.layout.framing else { return [] }
        let limit = ErlangCode.number(types.description.options.maximumPacketByteCount)
        let special = Set([framing.start, framing.end] + framing.escapes.map(\.first)).sorted()
        let bytes = ErlangCode.list(framing.escapes.map { binary($0.byte) })
        return [
            ErlangFunction(
                "frame_marks", [], [.tuple([number(framing.start), number(framing.end), limit, bytes])],
                comment: ["The marks, the most bytes between them, and the bytes that are escaped."]),
            ErlangFunction(
                "is_plain",
                special.map { .init(number($0), body: [.literal("false")]) }
                    + [.init(.ignored, body: [.literal("true")])]),
            ErlangFunction(
                "escaped",
                framing.escapes.map { .init(number($0.byte), body: [binary($0.first, $0.second)]) }
                    + [.init("v", body: [.binary([.init(value: "v")])])]),
            ErlangFunction(
                "unescaped",
                framing.escapes.map { .init(number($0.first), number($0.second), body: [number($0.byte)]) }
                    + [.init(.ignored, .ignored, body: [.literal("none")])]),
        ]
    }

    private static func binary(_ bytes: UInt8...) -> ErlangCode { .binary(bytes.map { .init(value: number($0)) }) }

    private static func number(_ byte: UInt8) -> ErlangCode { .literal("16#" + byte.hexadecimal.dropFirst(2)) }
}
