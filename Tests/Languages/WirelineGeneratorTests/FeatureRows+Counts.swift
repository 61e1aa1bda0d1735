// SPDX-License-Identifier: Apache-2.0

import Features
import WirelineCodec

extension AcceptedRow {
    static let counts = [
        AcceptedRow(
            "values in a number of bytes", FeatureRows.sizes(),
            """
            01 01020304 616263 0302 0100000009 0174 01000200 0500 0161 026263 03 010178 0506000000000000 00000002 0700
            03 08017a 0400 01 020179 61626364 00
            """),
        AcceptedRow(
            "optional values in a number of bytes",
            FeatureRows.sizes(flags: [7], secret: [1, 2], last: Pocket(kind: 1, name: "b")),
            """
            01 01020304 616263 0302 0100000009 0174 01000200 0500 0161 026263 03 010178 0506000000000000 00000002 0700
            03 08017a 0400 01 020179 61626364 0107 0102 0300 010162
            """),
        AcceptedRow(
            "UTF-16 in a number of bytes", SizedTexts(name: "abc", note: "é", lines: ["a"]),
            "610062006300 0002 00e9 0300 016100 6e006f00"),
        AcceptedRow(
            "unions in a number of bytes", SizedUnions(first: .low(1), second: .text("a"), third: .high(2)),
            "03 ff01000000000000 0400 ac020161 010200"),
        AcceptedRow(
            "counts and sizes in earlier fields", FeatureRows.counted(),
            "02 0600 15 01000200 01 6162 010178 09 07 0003 020179 02 e900 00 000000"),
        AcceptedRow(
            "a size that is read with 1 added", FeatureRows.counted(names: ["q"]),
            "02 0600 15 01000200 01 6162 010178 09 07 0003 020179 02 e900 00 010000 0171"),
        AcceptedRow(
            "a count of a field that is there", FeatureRows.counted(kind: 6, marks: [true]),
            "02 0600 16 01000200 01 6162 010178 09 07 0003 020179 02 e900 01 01 000000"),
    ]
}

extension RefusedRow {
    static let counts = [
        RefusedRow(FeatureRows.sizes(key: [1]), "Sizes.key: 1 byte where there must be 4"),
        RefusedRow(FeatureRows.sizes(key: [1, 2, 3, 4, 5]), "Sizes.key: 5 bytes where there must be 4"),
        RefusedRow(FeatureRows.sizes(code: "ab"), "Sizes.code: 2 bytes where there must be 3"),
        RefusedRow(FeatureRows.sizes(pairs: [1]), "Sizes.pairs: 2 bytes where there must be 4"),
        RefusedRow(FeatureRows.sizes(pairs: [1, 2, 3]), "Sizes.pairs: 6 bytes where there must be 4"),
        RefusedRow(
            FeatureRows.sizes(pockets: Array(repeating: Pocket(kind: 0, name: ""), count: 4)),
            "Sizes.pockets: 4 is over the limit of 3"),
        RefusedRow(
            FeatureRows.sizes(flags: Array(repeating: 0, count: 256)), "Sizes.flags: 256 is over the limit of 255"),
        RefusedRow(FeatureRows.sizes(secret: []), "Sizes.secret: 0 bytes where there must be 2"),
        RefusedRow(
            FeatureRows.counted(numbers: Array(repeating: 0, count: 256)),
            "Derived.numbers: 256 is over the limit of 255"),
        RefusedRow(FeatureRows.counted(kinds: [1, 2]), "Derived.kinds: 2 items where there must be 1"),
        RefusedRow(
            FeatureRows.counted(pockets: Array(repeating: Pocket(kind: 0, name: ""), count: 16)),
            "Derived.pockets: 16 is over the limit of 15"),
        RefusedRow(FeatureRows.counted(names: []), "Derived.names: length 0x00 (0) is under the minimum of 1"),
        RefusedRow(SizedTexts(name: "ab", note: "", lines: []), "SizedTexts.name: 4 bytes where there must be 6"),
        RefusedRow(SizedTexts(name: "abc", note: "abcde", lines: []), "SizedTexts.note: 5 is over the limit of 4"),
    ]
}

extension SpoiltRow {
    static let counts = [
        SpoiltRow(FeatureRows.sizes(), at: 10, "ff", "Sizes.data: needs 255 bytes at offset 35, 47 are left"),
        SpoiltRow(FeatureRows.sizes(), at: 21, "0400", "Sizes.names[1]: needs 2 bytes at offset 47, 1 is left"),
        SpoiltRow(FeatureRows.sizes(), at: 21, "ff7f", "Sizes.names: needs 32767 bytes at offset 44, 38 are left"),
        SpoiltRow(FeatureRows.counted(), at: 1, "0300", "Derived.head: a size of -1 at offset 30"),
        SpoiltRow(FeatureRows.counted(), at: 16, "ffff", "Derived.pocket: a size of -1 at offset 39"),
        SpoiltRow(
            SizedTexts(name: "abc", note: "é", lines: ["a"]), at: 6, "0003",
            "SizedTexts.note: needs 2 bytes at offset 31, 1 is left"),
        SpoiltRow(FeatureRows.sizes(), at: 46, "02", "Sizes.third.name: needs 1 byte at offset 70, 0 are left"),
    ]
}

extension FeatureRows {
    static func counted(
        kind: UInt8 = 5, numbers: [UInt16] = [1, 2], pockets: [Pocket] = [Pocket(kind: 1, name: "x")],
        kinds: [UInt8] = [9], pocket: Pocket = Pocket(kind: 2, name: "y"), marks: [Bool]? = nil, names: [String]? = nil
    ) -> Derived {
        Derived(
            kind: kind, numbers: numbers, head: "ab", pockets: pockets, kinds: kinds, data: [7], pocket: pocket,
            wide: "é", marks: marks, names: names)
    }

    static func sizes(
        key: [UInt8] = [1, 2, 3, 4], code: String = "abc", pairs: [UInt16] = [1, 2],
        pockets: [Pocket] = [Pocket(kind: 1, name: "x")], flags: [UInt8] = [], secret: [UInt8]? = nil,
        last: Pocket? = nil
    ) -> Sizes {
        Sizes(
            first: 1, key: key, code: code, middle: 0x0203, data: [9], text: "t", pairs: pairs, names: ["a", "bc"],
            pockets: pockets, own: Brief(kind: 5, value: 6), other: Pocket(kind: 7, name: ""),
            third: Pocket(kind: 8, name: "z"), bag: Bag(kind: 1, items: [Pocket(kind: 2, name: "y")]), flags: flags,
            secret: secret, last: last)
    }
}
