// SPDX-License-Identifier: Apache-2.0

import Features
import WirelineCodec

extension AcceptedRow {
    static let unions = [
        AcceptedRow(
            "arms of each kind", UnionRows.unions(),
            "0104 07000000 00 09 03 01 02 ff 0100 ff 0300 01 feff 02 ac02 0178 01 ffffffff0f 0300"),
        AcceptedRow(
            "arms in arms", UnionRows.unions(extras: UnionRows.extras),
            """
            0104 07000000 00 09 03 01 02 ff 0100 ff 0300 01 feff 02 ac02 0178 01 ffffffff0f
            0201 05 0404 03616263 0508 01000000 ffffffff 0604 0100 0200 0707 02 0300 0902 0001 0802 0173
            """),
        AcceptedRow("a float after its tag", Drawing(number: 7, shape: .radius(1.5)), "07 0200 0000c03f"),
        AcceptedRow("an arm to the end", Drawing(number: 7, shape: .data([1, 2, 3])), "07 2c01 010203"),
        AcceptedRow("an arm to the end without bytes", Drawing(number: 7, shape: .data([])), "07 2c01"),
        AcceptedRow("a union that is not set", Choosing(pair: .low(1)), "ff 0100 00"),
        AcceptedRow(
            "a kept tag with a name", Choosing(pair: .high(-2), later: [.byte(5)], tint: .kept(tag: .blue, bytes: [9])),
            "01 feff 01 00 05 03 01 09"),
        AcceptedRow("a kept tag of three bytes", Keeping(kept: .rest(tag: 0x12_3456, bytes: [1])), "563412 01"),
        AcceptedRow("an arm beside kept tags", Keeping(kept: .two([1, 2])), "010000 0102"),
        AcceptedRow(
            "tags in earlier fields", UnionRows.tags(),
            "00 01 01 ff 09 0101 0100 02 01 0100 04 07000000 03 0200 00 0200 0000c03f"),
        AcceptedRow(
            "tags of kept values, and none",
            Tags(
                there: false, data: .text("x"), tint: .kept(tag: .blue, bytes: [9]), parts: [], shape: .data([1, 2])),
            "ac02 03 00 00 0178 0109 00 2c01 0102"),
        AcceptedRow("a kept tag before other fields", Tail(number: 5, kept: .rest(tag: 9, bytes: [1])), "090000 05 01"),
        AcceptedRow("a tag before a list of two", Tail(number: 5, kept: .two([1, 2])), "010000 05 0102"),
        AcceptedRow("a tag of an absent union", Late(number: 1), "00 01"),
        AcceptedRow("a tag of an optional union", Late(number: 1, pair: .high(-2)), "01 01 feff"),
    ]
}

extension RefusedRow {
    static let unions = [
        RefusedRow(UnionRows.unions(extra: .level(6)), "Unions.extra.level: 6 is not in 1...5"),
        RefusedRow(UnionRows.unions(extra: .text("abcd")), "Unions.extra.text: 4 is over the limit of 3"),
        RefusedRow(
            UnionRows.unions(extras: [.nothing, .inner([.nothing, .level(0)])]),
            "Unions.extras[1].inner[1].level: 0 is not in 1...5"),
        RefusedRow(
            UnionRows.unions(extra: .other(tag: 3, bytes: [])),
            "Unions.extra.other: an arm of this union has the tag 3, so it cannot be kept"),
        RefusedRow(
            UnionRows.unions(extra: .numbers(Array(repeating: 1, count: 128))),
            "Unions.extra: 256 is over the limit of 255"),
        RefusedRow(
            UnionRows.unions(extra: .inner([.inner([.inner([.nothing])])])),
            "Unions.extra.inner[0].inner[0].inner[0]: nested more than 3 deep"),
        RefusedRow(
            Choosing(pair: .low(1), tint: .kept(tag: .green, bytes: [])),
            "Choosing.tint.kept: an arm of this union has the tag 2, so it cannot be kept"),
        RefusedRow(
            Keeping(kept: .rest(tag: 1 << 24, bytes: [])), "Keeping.kept.rest: 16777216 is not in 0...16777215"),
        RefusedRow(
            Keeping(kept: .two([1])), "Keeping.kept.two: 1 item where there must be 2"),
        RefusedRow(
            Tail(number: 1, kept: .rest(tag: 1, bytes: [])),
            "Tail.kept.rest: an arm of this union has the tag 1, so it cannot be kept"),
        RefusedRow(
            Tail(number: 1, kept: .rest(tag: 1 << 24, bytes: [])), "Tail.kept.rest: 16777216 is not in 0...16777215"),
        RefusedRow(UnionRows.tags(pair: nil), "Tags.pair: is not set, but its condition holds"),
        RefusedRow(
            UnionRows.tags(parts: [Labelled(number: 1, part: .level(6))]), "Tags.parts[0].part.level: 6 is not in 1...5"
        ),
    ]
}

extension SpoiltRow {
    static let unions = [
        SpoiltRow(
            UnionRows.unions(), at: 1, "ff", "Unions.extra: needs 255 bytes at offset 23, 31 are left"),
        SpoiltRow(
            UnionRows.unions(), at: 1, "03", "Unions.extra.mileage: needs 4 bytes at offset 23, 3 are left"),
        SpoiltRow(UnionRows.unions(), at: 0, "02", "Unions.extra.level: 7 is not in 1...5 at offset 23"),
        SpoiltRow(UnionRows.unions(), at: 6, "02", "Unions.data: no arm of this union has the tag 2 at offset 27"),
        SpoiltRow(
            Choosing(pair: .low(1), tint: Tint.none), at: 4, "04 00",
            "Choosing.tint: 4 is not a case of this closed enum at offset 25"),
        SpoiltRow(
            Choosing(pair: .low(1), tint: .on(true)), at: 6, "02",
            "Choosing.tint.on: a bool is 0 or 1, the byte at offset 27 is 2"),
        SpoiltRow(
            Choosing(pair: .low(1)), at: 0, "02", "Choosing.pair: no arm of this union has the tag 2 at offset 21"),
        SpoiltRow(
            Drawing(number: 7, shape: .radius(1)), at: 1, "0300",
            "Drawing.shape: no arm of this union has the tag 3 at offset 22"),
        SpoiltRow(
            Drawing(number: 7, shape: .data([0, 0, 0, 0, 9])), at: 1, "0200",
            "Drawing: 1 byte after the last field at offset 28"),
        SpoiltRow(
            Late(number: 1, pair: .low(1)), at: 0, "05", "Late.pair: no arm of this union has the tag 5 at offset 23"),
        SpoiltRow(UnionRows.tags(), at: 1, "04", "Tags.hue: 4 is not a case of this closed enum at offset 22"),
        SpoiltRow(UnionRows.tags(), at: 0, "07", "Tags.data: no arm of this union has the tag 7 at offset 25"),
        SpoiltRow(
            UnionRows.tags(), at: 10, "02", "Tags.parts[0].part.level: 7 is not in 1...5 at offset 35"),
    ]
}

/// Messages that are valid except for one union.
enum UnionRows {
    static func unions(extra: Addition = .mileage(7), extras: [Addition] = [.nothing]) -> Unions {
        Unions(
            extra: extra, data: .byte(9), tint: .kept(tag: .blue, bytes: [2]), pair: .low(1),
            pairs: [.low(3), .high(-2)],
            list: [.text("x"), .number(-1)], extras: extras)
    }

    static func tags(
        pair: Pair? = .low(1),
        parts: [Labelled] = [Labelled(number: 1, part: .mileage(7)), Labelled(number: 2, part: .nothing)]
    ) -> Tags {
        Tags(there: true, data: .byte(9), tint: .on(true), pair: pair, parts: parts, shape: .radius(1.5))
    }

    static let extras: [Addition] = [
        .level(5), .text("abc"), .place(Point(x: 1, y: -1)), .numbers([1, 2]),
        .inner([.nothing, .other(tag: 9, bytes: [0, 1])]), .secret("s"),
    ]
}
