// SPDX-License-Identifier: Apache-2.0

import Features
import WirelineCodec

extension AcceptedRow {
    static let all =
        scalars + texts + fixed + limits + lists + choices + structures + growth + filler + packed + wide + conditions
        + counts + nullable + ended + unions + halves

    private static let scalars = [
        AcceptedRow(
            "numbers", FeatureRows.numbers(),
            """
            ff 3412 563412 78563412 0100000000000000 ff feff 000080 ffffffff 0000000000000080 0000c03f 00000000000000c0
            01 ac02
            """),
        AcceptedRow(
            "numbers in the other byte order",
            Sc_1(
                u16: 0x1234, u24: 0x12_3456, u32: 0x1234_5678, u64: 1, i16: -2, i24: -3, i32: -4, i64: -5, f32: 1.5,
                f64: -2, result: .unknown, rights: [.high, .mute], u16_: 0x1234),
            """
            1234 123456 12345678 0000000000000001 fffe fffffd fffffffc fffffffffffffffb 3fc00000 c000000000000000 ffff
            8001 3412
            """),
    ]

    private static let texts = [
        AcceptedRow(
            "text of each extent", FeatureRows.texts(),
            "0161 0000 0000000162 0163 6400 0431323334 656600 02 0167 00 01 6800 00 e88081"),
        AcceptedRow(
            "bytes of each extent", FeatureRows.textual(), "01ff 0000 0101 0200 0401020304 02 00 0103 0405"),
        AcceptedRow("properties", Lines(kind: 1, lines: ["a": "1", "b": ""]), "01 613a310a623a"),
        AcceptedRow("no properties", Lines(kind: 1, lines: [:]), "01"),
    ]

    private static let fixed = [
        AcceptedRow(
            "text and digits of fixed width", FeatureRows.fixed(),
            "6c696e0000000000 61206220 123456 780000797a77 020799 c3a9000000 61626300 0000"),
        AcceptedRow(
            "text that fills its field", FeatureRows.fixed(account: "12345678", code: "\0\0\0\0", tail: "zz"),
            "3132333435363738 00000000 123456 780000797a77 020799 c3a9000000 61626300 0000 7a7a"),
        AcceptedRow(
            "empty text of fixed width", FeatureRows.fixed(account: "", code: "", secret: "", tail: ""),
            "0000000000000000 20202020 123456 780000797a77 020799 0000000000 61626300 0000 0000"),
    ]

    private static let limits = [
        AcceptedRow(
            "least of each range",
            Ranges(level: 1, offset: -5, ratio: -1.5, latitude: -90, budget: 1, brief: 0),
            "01 fbffff 0000c0bf 00000000008056c0 01 00"),
        AcceptedRow(
            "most of each range",
            Ranges(level: 9, offset: 5, ratio: 1.5, latitude: 90, budget: 300, brief: 16_383),
            "09 050000 0000c03f 0000000000805640 ac02 ff7f"),
        AcceptedRow(
            "depth of the limit", Deep(tree: FeatureRows.tree(depth: 3), trees: [FeatureRows.tree(depth: 3)]),
            "03 01 02 01 01 00 01 03 01 02 01 01 00"),
    ]

    private static let lists = [
        AcceptedRow(
            "lists", FeatureRows.lists(),
            """
            0100 0200 0300 01000000ffffffff 01000000ffffffff 01000000ffffffff 01000000ffffffff 0161 00 01 00
            01 05000000 0001 fffe 00 00 00 09
            """)
    ]

    private static let choices = [
        AcceptedRow(
            "numbers and bits without a name", FeatureRows.choices(), "c8 0100 0440 02 01 07 01 ffff 0100 0000")
    ]

    private static let structures = [
        AcceptedRow(
            "structures", FeatureRows.structures(),
            """
            01000000 02000000 016e 03000000 04000000 05000000 06000000 0007 01 00 03 01 0200 01 0200 016d
            07000000 01ff 04 01 0200 01 07 0101 046d6f7265 00 03 0100 74
            """)
    ]

    private static let growth = [
        AcceptedRow("defaults", Grown(first: 1), FeatureRows.grown),
        AcceptedRow("one optional", Grown(first: 1, invitedBy: 2), FeatureRows.grown + "02000000"),
        AcceptedRow(
            "all optionals and what follows", Grown(first: 1, invitedBy: 2, campaign: "c", trailingBytes: [9, 8]),
            FeatureRows.grown + "02000000 0163 0908"),
        AcceptedRow("nothing but bytes of a newer schema", Sc_2(trailingBytes: [1, 2, 3]), "010203"),
    ]
}

extension RefusedRow {
    static let all =
        numbers + ranges + texts + fixed + lists + structures + growth + filler + packed + wide + conditions
        + counts + nullable + ended + unions + halves

    private static let fixed = [
        RefusedRow(FeatureRows.fixed(account: "123456789"), "Fixed.account: 9 is over the limit of 8"),
        RefusedRow(FeatureRows.fixed(account: "ééééé"), "Fixed.account: 10 is over the limit of 8"),
        RefusedRow(FeatureRows.fixed(account: "a\0"), "Fixed.account: a NUL inside a string that a NUL ends"),
        RefusedRow(FeatureRows.fixed(code: "ab "), "Fixed.code: ends with 0x20, the byte that fills the field"),
        RefusedRow(FeatureRows.fixed(phone: "12345"), "Fixed.phone: 5 digits where there must be 6"),
        RefusedRow(FeatureRows.fixed(phone: "1234567"), "Fixed.phone: 7 digits where there must be 6"),
        RefusedRow(FeatureRows.fixed(phone: "12345a"), "Fixed.phone: the byte 0x61 is not a decimal digit"),
        RefusedRow(FeatureRows.fixed(phone: "１"), "Fixed.phone: the byte 0xEF is not a decimal digit"),
        RefusedRow(FeatureRows.fixed(names: ["", "abcd"]), "Fixed.names[1]: 4 is over the limit of 3"),
        RefusedRow(FeatureRows.fixed(names: [""]), "Fixed.names: 1 item where there must be 2"),
        RefusedRow(FeatureRows.fixed(digits: ["12", "1"]), "Fixed.digits[1]: 1 digit where there must be 2"),
        RefusedRow(FeatureRows.fixed(tail: "abc"), "Fixed.tail: 3 is over the limit of 2"),
    ]

    private static let numbers = [
        RefusedRow(FeatureRows.numbers(u24: 1 << 24), "Cs_1.u24: 16777216 is not in 0...16777215"),
        RefusedRow(FeatureRows.numbers(i24: 1 << 23), "Cs_1.i24: 8388608 is not in -8388608...8388607"),
        RefusedRow(FeatureRows.numbers(i24: -8_388_609), "Cs_1.i24: -8388609 is not in -8388608...8388607"),
    ]

    private static let ranges = [
        RefusedRow(FeatureRows.ranges(level: 0), "Ranges.level: 0 is not in 1...9"),
        RefusedRow(FeatureRows.ranges(level: 10), "Ranges.level: 10 is not in 1...9"),
        RefusedRow(FeatureRows.ranges(offset: -6), "Ranges.offset: -6 is not in -5...5"),
        RefusedRow(FeatureRows.ranges(offset: 1 << 24), "Ranges.offset: 16777216 is not in -5...5"),
        RefusedRow(FeatureRows.ranges(ratio: 1.75), "Ranges.ratio: 1.75 is not in -1.5...1.5"),
        RefusedRow(FeatureRows.ranges(ratio: .nan), "Ranges.ratio: nan is not in -1.5...1.5"),
        RefusedRow(FeatureRows.ranges(latitude: -.infinity), "Ranges.latitude: -inf is not in -90.0...90.0"),
        RefusedRow(FeatureRows.ranges(level: 0, budget: 0), "Ranges.level: 0 is not in 1...9"),
        RefusedRow(FeatureRows.ranges(budget: 0), "Ranges.budget: 0 is not in 1...300"),
        RefusedRow(FeatureRows.ranges(budget: 301), "Ranges.budget: 301 is not in 1...300"),
        RefusedRow(FeatureRows.ranges(brief: 16_384), "Ranges.brief: 16384 is not in 0...16383"),
    ]

    private static let texts = [
        RefusedRow(
            FeatureRows.texts(plain: String(repeating: "a", count: 256)), "Texts.plain: 256 is over the limit of 255"),
        RefusedRow(FeatureRows.texts(limited: "12345"), "Texts.limited: 5 is over the limit of 4"),
        RefusedRow(FeatureRows.texts(limited: "老老"), "Texts.limited: 6 is over the limit of 4"),
        RefusedRow(FeatureRows.texts(both: "12345"), "Texts.both: 5 is over the limit of 4"),
        RefusedRow(FeatureRows.texts(both: "1\u{0}345"), "Texts.both: 5 is over the limit of 4"),
        RefusedRow(FeatureRows.texts(ended: "a\0"), "Texts.ended: a NUL inside a string that a NUL ends"),
        RefusedRow(
            FeatureRows.texts(endedList: ["", "\0"]), "Texts.ended_list[1]: a NUL inside a string that a NUL ends"),
        RefusedRow(FeatureRows.texts(limitedList: ["", "", ""]), "Texts.limited_list: 3 is over the limit of 2"),
        RefusedRow(
            FeatureRows.texts(list: ["", String(repeating: "a", count: 256)]),
            "Texts.list[1]: 256 is over the limit of 255"),
        RefusedRow(
            FeatureRows.texts(tail: String(repeating: "a", count: 2048)),
            "Texts: length 0x0838 is over the limit of 2048"),
        RefusedRow(FeatureRows.textual(limited: [1, 2, 3, 4, 5]), "Textual.limited: 5 is over the limit of 4"),
        RefusedRow(FeatureRows.textual(ended: [0]), "Textual.ended: a NUL inside a string that a NUL ends"),
        RefusedRow(
            Lines(kind: 1, lines: ["a:": "1"]),
            "Lines.lines: \"a::1\" cannot be a property: a key is not empty and has no colon, and neither part a line break"
        ),
        RefusedRow(
            Lines(kind: 1, lines: ["": "1"]),
            "Lines.lines: \":1\" cannot be a property: a key is not empty and has no colon, and neither part a line break"
        ),
        RefusedRow(
            Lines(kind: 1, lines: ["a": String(repeating: "b", count: 65_534)]),
            "Lines.lines: 65536 is over the limit of 65535"),
    ]

    private static let lists = [
        RefusedRow(FeatureRows.lists(three: [1, 2]), "Lists.three: 2 items where there must be 3"),
        RefusedRow(FeatureRows.lists(places: []), "Lists.places: 0 items where there must be 4"),
        RefusedRow(FeatureRows.lists(names: ["", "", ""]), "Lists.names: 3 items where there must be 2"),
        RefusedRow(
            FeatureRows.lists(names: ["", String(repeating: "a", count: 256)]),
            "Lists.names[1]: 256 is over the limit of 255"),
        RefusedRow(
            FeatureRows.lists(numbers: Array(repeating: 1, count: 256)), "Lists.numbers: 256 is over the limit of 255"),
        RefusedRow(
            FeatureRows.lists(few: Array(repeating: Point(x: 0, y: 0), count: 4)),
            "Lists.few: 4 is over the limit of 3"),
        RefusedRow(FeatureRows.choices(pair: [.mute]), "Choices.pair: 1 item where there must be 2"),
    ]

    private static let structures = [
        RefusedRow(
            FeatureRows.structures(nested: FeatureRows.nested(corners: [])),
            "Structures.nested.inner.corners: 0 items where there must be 2"),
        RefusedRow(
            FeatureRows.structures(mediums: ["", String(repeating: "a", count: 256)]),
            "Structures.mediums[1].text: 256 is over the limit of 255"),
        RefusedRow(
            FeatureRows.structures(tight: String(repeating: "a", count: 254)),
            "Structures.tight: 256 is over the limit of 255"),
        RefusedRow(
            Deep(tree: FeatureRows.tree(depth: 4), trees: []),
            "Deep.tree.branches[0].branches[0].branches[0]: nested more than 3 deep"),
        RefusedRow(
            Deep(tree: FeatureRows.tree(depth: 1), trees: [1, 4].map { FeatureRows.tree(depth: $0) }),
            "Deep.trees[1].branches[0].branches[0].branches[0]: nested more than 3 deep"),
    ]

    private static let growth = [
        RefusedRow(Grown(first: 1, campaign: "c"), "Grown.invited_by: is not set, but what follows it is"),
        RefusedRow(
            Grown(first: 1, invitedBy: 1, trailingBytes: [1]), "Grown.campaign: is not set, but what follows it is"),
        RefusedRow(
            Grown(first: 1, corners: [], campaign: "c"), "Grown.corners: 0 items where there must be 2"),
        RefusedRow(Grown(first: 1, corners: []), "Grown.corners: 0 items where there must be 2"),
    ]
}

extension SpoiltRow {
    static let all =
        scalars + ranges + texts + fixed + lists + structures + growth + packed + wide + filler + conditions + counts
        + nullable + ended + unions

    private static let fixed = [
        SpoiltRow(
            FeatureRows.fixed(), at: 1, "ff",
            "Fixed.account: not UTF-8 at offset 22: a byte that cannot begin a character"),
        SpoiltRow(
            FeatureRows.fixed(), at: 9, "c3", "Fixed.code: not UTF-8 at offset 30: a character that breaks off"),
        SpoiltRow(
            FeatureRows.fixed(), at: 13, "1a",
            "Fixed.phone: each half of a byte is 0 to 9, the byte at offset 34 is 0x1A"),
        SpoiltRow(
            FeatureRows.fixed(), at: 19, "80",
            "Fixed.names[1]: not UTF-8 at offset 40: a byte that cannot begin a character"),
        SpoiltRow(
            FeatureRows.fixed(), at: 22, "f0",
            "Fixed.digits[0]: each half of a byte is 0 to 9, the byte at offset 43 is 0xF0"),
    ]

    private static let scalars = [
        SpoiltRow(FeatureRows.numbers(), at: 48, "02", "Cs_1.yes: a bool is 0 or 1, the byte at offset 69 is 2"),
        SpoiltRow(
            FeatureRows.numbers(), at: 49, "8000",
            "Cs_1.v: the variable-length integer at offset 70 is not in its shortest form"),
        SpoiltRow(
            FeatureRows.numbers(), at: 49, "80808080808080808002",
            "Cs_1.v: the variable-length integer at offset 70 does not fit 10 bytes or 64 bits"),
        SpoiltRow(
            FeatureRows.numbers(), at: 49, "ffffffffffffffffff7f",
            "Cs_1.v: the variable-length integer at offset 70 does not fit 10 bytes or 64 bits"),
        SpoiltRow(
            FeatureRows.choices(), at: 1, "0200", "Choices.result: 2 is not a case of this closed enum at offset 22"),
        SpoiltRow(
            FeatureRows.choices(), at: 9, "0780",
            "Choices.results[0]: -32761 is not a case of this closed enum at offset 30"),
    ]

    private static let ranges = [
        SpoiltRow(FeatureRows.ranges(), at: 0, "00", "Ranges.level: 0 is not in 1...9 at offset 21"),
        SpoiltRow(FeatureRows.ranges(), at: 0, "0a", "Ranges.level: 10 is not in 1...9 at offset 21"),
        SpoiltRow(FeatureRows.ranges(), at: 1, "000080", "Ranges.offset: -8388608 is not in -5...5 at offset 22"),
        SpoiltRow(FeatureRows.ranges(), at: 4, "0000c07f", "Ranges.ratio: nan is not in -1.5...1.5 at offset 25"),
        SpoiltRow(
            FeatureRows.ranges(), at: 8, "000000000000f07f", "Ranges.latitude: inf is not in -90.0...90.0 at offset 29"),
        SpoiltRow(FeatureRows.ranges(), at: 16, "00", "Ranges.budget: 0 is not in 1...300 at offset 37"),
        SpoiltRow(FeatureRows.ranges(budget: 300), at: 16, "ad02", "Ranges.budget: 301 is not in 1...300 at offset 37"),
        SpoiltRow(
            FeatureRows.ranges(brief: 16_383), at: 17, "ffff01",
            "Ranges.brief: the variable-length integer at offset 38 does not fit 2 bytes or 64 bits"),
    ]

    private static let texts = [
        SpoiltRow(
            FeatureRows.texts(), at: 1, "ff",
            "Texts.plain: not UTF-8 at offset 22: a byte that cannot begin a character"),
        SpoiltRow(FeatureRows.texts(), at: 0, "ff", "Texts.plain: needs 255 bytes at offset 22, 31 are left"),
        SpoiltRow(FeatureRows.texts(), at: 13, "05", "Texts.limited: 5 is over the limit of 4 at offset 34"),
        SpoiltRow(
            FeatureRows.texts(), at: 11, "64646464646464646464646464646464646464646464646464",
            "Texts.ended: the string at offset 32 has no terminating NUL"),
        SpoiltRow(FeatureRows.texts(both: "1234"), at: 22, "35", "Texts.both: 8 is over the limit of 4 at offset 39"),
        SpoiltRow(FeatureRows.texts(), at: 21, "ff", "Texts.list[5]: needs 232 bytes at offset 51, 2 are left"),
        SpoiltRow(FeatureRows.texts(), at: 28, "03", "Texts.limited_list: 3 is over the limit of 2 at offset 49"),
        SpoiltRow(FeatureRows.texts(), at: 29, "c080", "Texts.tail: not UTF-8 at offset 50: an overlong form"),
        SpoiltRow(FeatureRows.textual(), at: 8, "05", "Textual.limited: 5 is over the limit of 4 at offset 29"),
        SpoiltRow(
            Lines(kind: 1, lines: ["a": "1"]), at: 1, "ff",
            "Lines.lines: not UTF-8 at offset 22: a byte that cannot begin a character"),
    ]

    private static let lists = [
        SpoiltRow(FeatureRows.lists(), at: 41, "02", "Lists.marks[0]: a bool is 0 or 1, the byte at offset 62 is 2"),
        SpoiltRow(FeatureRows.lists(), at: 43, "ff", "Lists.numbers[3]: needs 4 bytes at offset 77, 0 are left"),
        SpoiltRow(FeatureRows.lists(), at: 52, "04", "Lists.few: 4 is over the limit of 3 at offset 73"),
        SpoiltRow(FeatureRows.lists(), at: 52, "02", "Lists.few[0].x: needs 4 bytes at offset 74, 3 are left"),
        SpoiltRow(FeatureRows.lists(), at: 53, "01", "Lists.nested[0].from.x: needs 4 bytes at offset 75, 2 are left"),
    ]

    private static let structures = [
        SpoiltRow(
            FeatureRows.structures(), at: 30, "00", "Structures.small.first: needs 1 byte at offset 52, 0 are left"),
        SpoiltRow(
            FeatureRows.structures(), at: 30, "02", "Structures.small.second: needs 2 bytes at offset 53, 1 is left"),
        SpoiltRow(
            FeatureRows.structures(), at: 30, "ff", "Structures.small: needs 255 bytes at offset 52, 32 are left"),
        SpoiltRow(
            FeatureRows.structures(), at: 37, "03", "Structures.mediums[0].text: needs 3 bytes at offset 59, 1 is left"),
        SpoiltRow(
            FeatureRows.structures(), at: 39, "ffffffff",
            "Structures.large: needs 4294967295 bytes at offset 64, 20 are left"),
        SpoiltRow(
            FeatureRows.structures(), at: 51, "03",
            "Structures.counted.marks[1]: a bool is 0 or 1, the byte at offset 74 is 4"),
        SpoiltRow(
            Deep(tree: FeatureRows.tree(depth: 3), trees: []), at: 5, "01 00 00 00",
            "Deep.tree.branches[0].branches[0].branches[0]: nested more than 3 deep at offset 27"),
        SpoiltRow(
            Deep(tree: FeatureRows.tree(depth: 1), trees: [FeatureRows.tree(depth: 3)]), at: 8, "01 00 00",
            "Deep.trees[0].branches[0].branches[0].branches[0]: nested more than 3 deep at offset 30"),
    ]

    private static let growth = [
        SpoiltRow(Grown(first: 1), at: 3, "02", "Grown.yes: a bool is 0 or 1, the byte at offset 24 is 2"),
        SpoiltRow(Grown(first: 1), at: 11, "ff", "Grown.locale: needs 255 bytes at offset 33, 31 are left"),
        SpoiltRow(Grown(first: 1), at: 19, "0200", "Grown.result: 513 is not a case of this closed enum at offset 39"),
        SpoiltRow(
            Grown(first: 1, invitedBy: 1, campaign: ""), at: 47, "01",
            "Grown.campaign: needs 1 byte at offset 69, 0 are left"),
    ]
}

/// Messages that are valid except for one field.
enum FeatureRows {
    static func numbers(u24: UInt32 = 0x12_3456, i24: Int32 = -8_388_608) -> Cs_1 {
        Cs_1(
            u8: 255, u16: 0x1234, u24: u24, u32: 0x1234_5678, u64: 1, i8: -1, i16: -2, i24: i24, i32: -1, i64: .min,
            f32: 1.5, f64: -2, yes: true, v: 300)
    }

    static func texts(
        plain: String = "a", ended: String = "d", limited: String = "1234", both: String = "ef",
        list: [String] = ["g", ""], endedList: [String] = ["h"], limitedList: [String] = [], tail: String = "老"
    ) -> Texts {
        Texts(
            plain: plain, longer: "", longest: "b", counted: "c", ended: ended, limited: limited, both: both,
            list: list, endedList: endedList, limitedList: limitedList, tail: tail)
    }

    static func fixed(
        account: String = "lin", code: String = "a b", phone: String = "123456", names: [String] = ["x", "yzw"],
        digits: [String] = ["07", "99"], secret: String = "é", tail: String? = nil
    ) -> Fixed {
        Fixed(
            account: account, code: code, phone: phone, names: names, digits: digits, secret: secret, tail: tail)
    }

    static func textual(ended: [UInt8] = [2], limited: [UInt8] = [1, 2, 3, 4]) -> Textual {
        Textual(
            plain: [0xFF], longer: [], counted: [1], ended: ended, limited: limited, list: [[], [3]], tail: [4, 5])
    }

    static func ranges(
        level: UInt8 = 1, offset: Int32 = 0, ratio: Float = 0, latitude: Double = 0, budget: UInt64 = 1,
        brief: UInt64 = 0
    ) -> Ranges {
        Ranges(level: level, offset: offset, ratio: ratio, latitude: latitude, budget: budget, brief: brief)
    }

    static func lists(
        three: [UInt16] = [1, 2, 3], places: [Point] = Array(repeating: Point(x: 1, y: -1), count: 4),
        names: [String] = ["a", ""], numbers: [UInt32] = [5], few: [Point] = []
    ) -> Lists {
        Lists(
            three: three, places: places, names: names, marks: [true, false], numbers: numbers, wide: [-2], few: few,
            nested: [], tail: [.calm, Mood(rawValue: 9)])
    }

    static func choices(pair: [Rights] = [.mute, []]) -> Choices {
        Choices(
            mood: Mood(rawValue: 200), result: .good, rights: Rights(rawValue: 0x4004),
            moods: [.angry, Mood(rawValue: 7)], results: [.unknown], pair: pair)
    }

    static func nested(corners: [Point] = [Point(x: 3, y: 4), Point(x: 5, y: 6)]) -> Nested {
        Nested(from: Point(x: 1, y: 2), name: "n", inner: Inner(corners: corners, weight: 7))
    }

    static func structures(
        nested: Nested = nested(), mediums: [String] = ["m"], tight: String = "t"
    ) -> Structures {
        Structures(
            nested: nested, tree: tree(depth: 1), small: Small(first: 1, second: 2),
            mediums: mediums.map(Medium.init(text:)),
            large: Large(data: [0xFF], small: Small(first: 1, second: 2, mood: .angry)),
            counted: Counted(marks: [true]), empty: Empty(), tight: Tight(text: tight))
    }

    /// A tree without branches, whose leaves are numbered from the bottom.
    static func tree(depth: Int) -> Tree {
        Tree(leaf: UInt8(depth), branches: depth > 1 ? [tree(depth: depth - 1)] : [])
    }

    /// `Grown(first: 1)`, in hexadecimal.
    static let grown = """
        01 0000 01 f9ffff 0000c03f 057a685f434e 01 0100 0180 00000000000000000000000000000000 03 00 0000 00\u{20}
        """
}
