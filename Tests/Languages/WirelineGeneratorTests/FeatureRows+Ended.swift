// SPDX-License-Identifier: Apache-2.0

import Features
import WirelineCodec

extension AcceptedRow {
    static let ended = [
        AcceptedRow("a list without items that a byte ends", Settings(settings: [], next: 5), "00 05"),
        AcceptedRow(
            "items of text in a list that a byte ends",
            Settings(settings: [Setting(name: "user", value: "me"), Setting(name: "a", value: "")], next: 5),
            "7573657200 6d6500 6100 00 00 05"),
        AcceptedRow("a list that ends with the message", Trail(bytes: [1, 2]), "0102 00"),
        AcceptedRow(
            "items of many types in lists that a byte ends", FeatureRows.ended(),
            """
            417800 00 026162 00 010009 ff 0102 07 0102 00 0203 01 ac02 80 ff0100 02 12 3b 03026162 09 0102 00 40000000 3f
            01 0200 00 0a000000 6100 00 01 ff 00 6e00 00
            """),
        AcceptedRow(
            "an optional list that a byte ends", FeatureRows.ended(flags: [true]),
            """
            417800 00 026162 00 010009 ff 0102 07 0102 00 0203 01 ac02 80 ff0100 02 12 3b 03026162 09 0102 00 40000000 3f
            01 0200 00 0a000000 6100 00 01 ff 00 6e00 00 01 00
            """),
    ]
}

extension RefusedRow {
    static let ended = [
        RefusedRow(
            Settings(settings: [Setting(name: "a", value: ""), Setting(name: "", value: "b")], next: 5),
            "Settings.settings[1]: begins with 0x00, the byte that ends the list"),
        RefusedRow(
            FeatureRows.ended(details: [Detail(code: 0, text: "")]),
            "Ended.details[0]: begins with 0x00, the byte that ends the list"),
        RefusedRow(
            FeatureRows.ended(labels: ["a", ""]), "Ended.labels[1]: begins with 0x00, the byte that ends the list"),
        RefusedRow(
            FeatureRows.ended(marks: [Mark(index: 255, data: .byte(1))]),
            "Ended.marks[0]: begins with 0xFF, the byte that ends the list"),
        RefusedRow(
            FeatureRows.ended(codes: [6, 7]), "Ended.codes[1]: begins with 0x07, the byte that ends the list"),
        RefusedRow(FeatureRows.ended(codes: [1, 2, 3, 4]), "Ended.codes: 4 is over the limit of 3"),
        RefusedRow(
            FeatureRows.ended(little: [1, 0x0100]), "Ended.little[1]: begins with 0x00, the byte that ends the list"),
        RefusedRow(
            FeatureRows.ended(wide: [0x01FF]), "Ended.wide[0]: begins with 0x01, the byte that ends the list"),
        RefusedRow(
            FeatureRows.ended(numbers: [128]), "Ended.numbers[0]: begins with 0x80, the byte that ends the list"),
        RefusedRow(
            FeatureRows.ended(nibbles: [Nibbles(high: 3, low: 11)]),
            "Ended.nibbles[0]: begins with 0x3B, the byte that ends the list"),
        RefusedRow(
            FeatureRows.ended(nibbles: [Nibbles(high: 16, low: 11)]),
            "Ended.nibbles[0].high: 16 is not in 0...15"),
        RefusedRow(
            FeatureRows.ended(wrapped: [Wrapped(text: "12345678")]),
            "Ended.wrapped[0]: begins with 0x09, the byte that ends the list"),
        RefusedRow(
            FeatureRows.ended(former: [Former(kind: 0, value: 1)]),
            "Ended.former[0]: begins with 0x00, the byte that ends the list"),
        RefusedRow(
            FeatureRows.ended(floats: [2, 1]), "Ended.floats[1]: begins with 0x3F, the byte that ends the list"),
        RefusedRow(
            FeatureRows.ended(
                tree: Branch(kind: 0, branches: [Branch(kind: 1, branches: [Branch(kind: 0, branches: [])])])),
            "Ended.tree.branches[0].branches[0]: begins with 0x00, the byte that ends the list"),
        RefusedRow(
            FeatureRows.ended(sign: .mechanisms([Mechanism(name: "")])),
            "Ended.sign.mechanisms[0]: begins with 0x00, the byte that ends the list"),
        RefusedRow(FeatureRows.ended(some: [0]), "Ended.some[0]: begins with 0x00, the byte that ends the list"),
        RefusedRow(
            FeatureRows.ended(names: ["a", ""]), "Ended.names[1]: begins with 0x00, the byte that ends the list"),
        RefusedRow(
            FeatureRows.ended(flags: [true, false]), "Ended.flags[1]: begins with 0x00, the byte that ends the list"),
    ]
}

extension SpoiltRow {
    static let ended = [
        SpoiltRow(Trail(bytes: [1, 2]), at: 2, "03", "Trail.bytes: needs 1 byte at offset 24, 0 are left"),
        SpoiltRow(
            Settings(settings: [Setting(name: "a", value: "b")], next: 5), at: 4, "6300",
            "Settings.settings[1].value: the string at offset 27 has no terminating NUL"),
        SpoiltRow(FeatureRows.ended(), at: 14, "03", "Ended.codes: 4 is over the limit of 3 at offset 36"),
    ]
}

extension FeatureRows {
    static func ended(
        details: [Detail] = [Detail(code: 65, text: "x")], labels: [String] = ["ab"],
        marks: [Mark] = [Mark(index: 1, data: .byte(9))], codes: [UInt8] = [1, 2], little: [UInt16] = [0x0201],
        wide: [UInt16] = [0x0203], numbers: [UInt64] = [300], pairs: [Pair] = [.low(1)],
        nibbles: [Nibbles] = [Nibbles(high: 1, low: 2)], wrapped: [Wrapped] = [Wrapped(text: "ab")],
        former: [Former] = [Former(kind: 1, value: 2)], floats: [Float] = [2],
        tree: Branch = Branch(kind: 1, branches: [Branch(kind: 2, branches: [])]),
        sign: Sign = .mechanisms([Mechanism(name: "a")]), some: [Int8]? = [-1], names: [String] = ["n"],
        flags: [Bool]? = nil
    ) -> Ended {
        Ended(
            details: details, labels: labels, marks: marks, codes: codes, little: little, wide: wide, numbers: numbers,
            pairs: pairs, nibbles: nibbles, wrapped: wrapped, former: former, floats: floats, tree: tree, sign: sign,
            kind: 1, some: some, names: names, flags: flags)
    }
}
