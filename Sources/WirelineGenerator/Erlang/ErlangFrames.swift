// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the functions for the marks around packets and their escapes; there are none for a layout without a frame.
struct ErlangFrames {
    private let framing: PacketFraming
    private let limit: Int

    static func functions(_ types: ErlangTypes) -> [ErlangFunction] {
        let layout = types.description.layout
        let ends = layout.hasContent ? [ending(layout.framing)] : []
        guard let framing = layout.framing else { return ends }
        let maker = ErlangFrames(framing: framing, limit: types.description.options.maximumPacketByteCount)
        return [maker.unframing, maker.unescaping] + maker.writing + ends
    }

    /// Returns the pattern of bytes, and of what follows them.
    private static func bytes(_ bytes: [UInt8], _ rest: ErlangCode? = nil) -> ErlangCode {
        .binary(bytes.map { .init(value: number($0)) } + (rest.map { [.bytes($0)] } ?? []))
    }

    private static func number(_ byte: UInt8) -> ErlangCode { .literal("16#" + byte.hexadecimal.dropFirst(2)) }

    private static func fail(_ reason: [ErlangCode], at offset: Expression) -> ErlangCode {
        .fail(.tuple(reason), .list([.text("frame"), .literal("packet")]), at: offset)
    }

    /// Returns the function that tells whether no packet follows; marks with nothing between them may.
    private static func ending(_ framing: PacketFraming?) -> ErlangFunction {
        let same = framing?.hasSameMarks == true
        let marks = framing.map { framing -> [ErlangCode.Clause] in
            let next: ErlangCode = same ? bytes([framing.start], "r") : "r"
            let empty = ErlangCode.Clause(
                bytes([framing.start, framing.end], "r"), body: [.call("ends_packets", [next])])
            return (same ? [.init(bytes([framing.start]), body: [.literal("true")])] : []) + [empty]
        }
        let isEmpty = Expression.binary(.equal, "b", .bytes([])).code
        return ErlangFunction("ends_packets", (marks ?? []) + [.init("b", body: [isEmpty])])
    }

    private var unframing: ErlangFunction {
        let (start, end) = (framing.start, framing.end)
        let empty: ErlangCode.Clause =
            framing.hasSameMarks
            ? .init(
                .match(Self.bytes([start, start], .ignored), "b"),
                body: [.call("unframe", [.call("after_byte", ["b"])])])
            : .init(Self.bytes([start, end], "r"), body: [.call("unframe", ["r"])])
        let wrong = ErlangCode.binary([.init(value: "v"), .bytes(.ignored)])
        return ErlangFunction(
            "unframe",
            [
                empty, .init(Self.bytes([start], "r"), body: [.call("unescape", ["r", .noBytes])]),
                .init(.noBytes, body: [.call("more", [1, 0])]),
                .init(wrong, body: [Self.fail([.literal("wrong_constant"), "v", Self.number(start)], at: 0)]),
            ],
            comment: [
                "What stands between the marks, unescaped, and what follows them. Marks with nothing between them are passed over."
            ])
    }

    private var unescaping: ErlangFunction {
        let most = ErlangCode.number(limit)
        let more = ErlangCode.number(Int128(limit) + 1)
        let tooLong = Self.fail([.literal("packet_too_long"), more, more, most], at: 0)
        let read = Expression.byteSize("p")
        func unescaped(_ byte: ErlangCode) -> ErlangCode {
            .call("unescape", ["r", .binary([.bytes("p"), .init(value: byte)])])
        }
        var clauses = [ErlangCode.Clause(Self.bytes([framing.end], "r"), "p", body: [.tuple(["p", "r"])])]
        if !framing.hasSameMarks {
            let wrong = Self.fail([.literal("invalid_escape"), Self.number(framing.start)], at: read)
            clauses.append(.init(Self.bytes([framing.start], .ignored), "p", body: [wrong]))
        }
        let fits = Expression.binary(.less, read, .place(limit)).code
        for escape in framing.escapes {
            let pair = [escape.first, escape.second]
            clauses += [
                .init(Self.bytes(pair, "r"), "p", when: fits, body: [unescaped(Self.number(escape.byte))]),
                .init(Self.bytes(pair, .ignored), .ignored, body: [tooLong]),
            ]
        }
        for first in Set(framing.escapes.map(\.first)).sorted() {
            let other = ErlangCode.binary([.init(value: Self.number(first)), .init(value: "v"), .bytes(.ignored)])
            let wrong = Self.fail([.literal("invalid_escape"), Self.number(first), "v"], at: read)
            clauses += [
                .init(Self.bytes([first]), .ignored, body: [.call("more", [1, 0])]), .init(other, "p", body: [wrong]),
            ]
        }
        let isFull = Expression.binary(.greaterOrEqual, read, .place(limit)).code
        clauses += [
            .init(.noBytes, .ignored, body: [.call("more", [1, 0])]),
            .init(.ignored, "p", when: isFull, body: [tooLong]),
            .init(.binary([.init(value: "v"), .bytes("r")]), "p", body: [unescaped("v")]),
        ]
        return ErlangFunction("unescape", clauses)
    }

    private var writing: [ErlangFunction] {
        let bytes = ErlangCode.call("iolist_to_binary", ["packet"])
        let escapes = framing.escapes.map { escape in
            ErlangCode.Clause(Self.number(escape.byte), body: [Self.bytes([escape.first, escape.second])])
        }
        let escaped = ErlangCode.list(framing.escapes.map { Self.bytes([$0.byte]) })
        return [
            ErlangFunction(
                "frame", ["packet"],
                [.list([Self.bytes([framing.start]), .call("escape", [bytes, escaped]), Self.bytes([framing.end])])],
                comment: ["A packet between its marks."]),
            ErlangFunction("escaped", escapes + [.init("v", body: [.binary([.init(value: "v")])])]),
        ]
    }
}
