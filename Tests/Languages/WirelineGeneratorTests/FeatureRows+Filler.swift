// SPDX-License-Identifier: Apache-2.0

import Features
import WirelineCodec

extension AcceptedRow {
    static let filler = [
        AcceptedRow(
            "padding between and after fields", FillerRows.filled(mark: 5),
            "0000 07 000000 026162 00 3412 0000 01 01 0300 0000 00 00000000 \(FillerRows.zeros) 0000000000 0500"),
        AcceptedRow(
            "padding before an absent field", FillerRows.filled(),
            "0000 07 000000 026162 00 3412 0000 01 01 0300 0000 00 00000000 \(FillerRows.zeros) 0000000000"),
        AcceptedRow("nothing but padding", OnlyFilled(), "00000000"),
        AcceptedRow(
            "constants of each type", FillerRows.constants(), FillerRows.constantBytes),
        AcceptedRow(
            "constants among bits", FillerRows.constantBits(),
            "5a 0b a1 fdef 3029 07000080ffffffff 02 121f"),
        AcceptedRow("nothing but constants among bits", OnlyConstantBits(), "e2"),
    ]
}

extension RefusedRow {
    static let filler = [
        RefusedRow(FillerRows.constantBits(kind: 8), "ConstantBits.kind: 8 is not in 0...7"),
        RefusedRow(
            FillerRows.constantBits(stamps: [HalfStamp(value: 0), HalfStamp(value: 16)]),
            "ConstantBits.stamps[1].value: 16 is not in 0...15"),
    ]
}

extension SpoiltRow {
    static let filler = constants + constantBits

    private static let constantBits = [
        SpoiltRow(
            FillerRows.constantBits(), at: 0, "da",
            "ConstantBits.zero: 0x01 at offset 21 where the constant 0x00 was expected"),
        SpoiltRow(
            FillerRows.constantBits(), at: 0, "5b",
            "ConstantBits.mark: 0x0B at offset 21 where the constant 0x0A was expected"),
        SpoiltRow(
            FillerRows.constantBits(), at: 1, "0a",
            "ConstantBits.on: 0x00 at offset 22 where the constant 0x01 was expected"),
        SpoiltRow(
            FillerRows.constantBits(), at: 2, "61",
            "ConstantBits.quality: 0x01 at offset 23 where the constant 0x02 was expected"),
        SpoiltRow(
            FillerRows.constantBits(), at: 3, "fcef",
            "ConstantBits.offset: -0x04 at offset 24 where the constant -0x03 was expected"),
        SpoiltRow(
            FillerRows.constantBits(), at: 5, "b029",
            "ConstantBits.way: -0x03 at offset 26 where the constant 0x01 was expected"),
        SpoiltRow(
            FillerRows.constantBits(), at: 5, "3009",
            "ConstantBits.middle: 0x80 at offset 26 where the constant 0x81 was expected"),
        SpoiltRow(
            FillerRows.constantBits(), at: 7, "07000000ffffffff",
            "ConstantBits.wide: 0x01FFFFFFFE at offset 28 where the constant 0x01FFFFFFFF was expected"),
        SpoiltRow(
            FillerRows.constantBits(), at: 17, "2f",
            "ConstantBits.stamps[1].kind: 0x02 at offset 38 where the constant 0x01 was expected"),
    ]

    private static let constants = [
        SpoiltRow(
            FillerRows.constants(), at: 0, "11",
            "Constants.version: 0x11 at offset 21 where the constant 0x10 was expected"),
        SpoiltRow(
            FillerRows.constants(), at: 3, "feffff",
            "Constants.offset: -0x02 at offset 24 where the constant -0x03 was expected"),
        SpoiltRow(
            FillerRows.constants(), at: 6, "0201",
            "Constants.mark: 0x0201 at offset 27 where the constant 0x0102 was expected"),
        SpoiltRow(
            FillerRows.constants(), at: 8, "00",
            "Constants.mood: 0x00 at offset 29 where the constant 0x01 was expected"),
        SpoiltRow(
            FillerRows.constants(), at: 9, "0900",
            "Constants.result: 0x09 at offset 30 where the constant 0x01 was expected"),
        SpoiltRow(
            FillerRows.constants(), at: 11, "02",
            "Constants.yes: 0x02 at offset 32 where the constant 0x01 was expected"),
        SpoiltRow(
            FillerRows.constants(), at: 14, "6d",
            "Constants.magic: 0x6D at offset 35 where the constant 0x4D was expected"),
        SpoiltRow(
            FillerRows.constants(), at: 16, "53",
            "Constants.magic: 0x53 at offset 37 where the constant 0x00 was expected"),
        SpoiltRow(
            FillerRows.constants(), at: 21, "00",
            "Constants.code: 0x00 at offset 42 where the constant 0x20 was expected"),
        SpoiltRow(
            FillerRows.constants(), at: 25, "00",
            "Constants.whole: 0x00 at offset 46 where the constant 0x6C was expected"),
        SpoiltRow(
            FillerRows.constants(), at: 29, "54",
            "Constants.stamps[0].kind: 0x54 at offset 50 where the constant 0x53 was expected"),
        SpoiltRow(
            FillerRows.constants(), at: 40, "7f",
            "Constants.end: 0x7FFFFFFFFFFFFFFF at offset 54 where the constant 0xFFFFFFFFFFFFFFFF was expected"),
    ]
}

enum FillerRows {
    static func constantBits(
        kind: UInt8 = 5, stamps: [HalfStamp] = [HalfStamp(value: 2), HalfStamp(value: 15)]
    ) -> ConstantBits {
        ConstantBits(kind: kind, level: 33, step: -2, end: 9, other: 7, stamps: stamps)
    }

    static func constants() -> Constants {
        Constants(size: 2, text: "t", stamps: [Stamp(value: 1), Stamp(value: 2)], last: Stamp(value: 3))
    }

    /// Its bytes, in hexadecimal.
    static let constantBytes = """
        10 0200 fdffff 0102 01 0100 01 47414d450000 c3a92020 66756c6c 0174 02 5301 5302 ffffffffffffffff 5303
        """

    /// The bytes of `padding 300`.
    static let zeros = String(repeating: "00", count: 300)

    static func filled(mark: UInt16? = nil) -> Filled {
        Filled(
            kind: 7, name: "ab", gap: Gap(before: 0x1234, after: true), gaps: [Gap(before: 3, after: false)],
            holes: [Hole(), Hole()], mark: mark)
    }
}
