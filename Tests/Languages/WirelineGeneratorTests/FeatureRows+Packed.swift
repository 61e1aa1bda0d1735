// SPDX-License-Identifier: Apache-2.0

import Features
import WirelineCodec

extension AcceptedRow {
    static let packed = [
        AcceptedRow(
            "fields that share bytes", FeatureRows.packed(),
            """
            ac 8fbb b234 e8cdab efcdab8967452381 9819fffe 5d feffffffffffab 0161 ffffffdffffff800
            02 06120504030201 06f00000000000 0000004000003002 8000003ffffff7ff ab
            """),
        AcceptedRow(
            "integers of 5 to 7 bytes", FeatureRows.wide(),
            """
            0504030201 feffffffffff fffefdfcfbfaf9 00000000000100 00000000ff 03000000000080
            02 0100000000 ffffffffff 01 800000000000 0100000000 0900000000 fbffffffff 0000000000
            """),
        AcceptedRow(
            "an optional integer of 6 bytes",
            FeatureRows.wide(version: -0x80_0000_0000, since: .small, maybe: 0xFFFF_FFFF_FFFF),
            """
            0504030201 feffffffffff fffefdfcfbfaf9 00000000000100 00000000ff 03000000000080
            02 0100000000 ffffffffff 01 800000000000 0100000000 0900000000 0000000080 0100000000 ffffffffffff
            """),
    ]
}

extension RefusedRow {
    static let packed = [
        RefusedRow(FeatureRows.packed(kind: 16), "Packed.kind: 16 is not in 0...15"),
        RefusedRow(FeatureRows.packed(quality: Quality(rawValue: 4)), "Packed.quality: 4 is not in 0...3"),
        RefusedRow(FeatureRows.packed(length: 0), "Packed.length: 0 is not in 1...3000"),
        RefusedRow(FeatureRows.packed(length: 4096), "Packed.length: 4096 is not in 1...3000"),
        RefusedRow(FeatureRows.packed(step: -9), "Packed.step: -9 is not in -8...7"),
        RefusedRow(FeatureRows.packed(step: 8), "Packed.step: 8 is not in -8...7"),
        RefusedRow(
            FeatureRows.packed(remaining: 1 << 63),
            "Packed.remaining: 9223372036854775808 is not in 0...9223372036854775807"),
        RefusedRow(FeatureRows.packed(marks: Marks(rawValue: 32)), "Packed.marks: 32 is not in 0...31"),
        RefusedRow(
            FeatureRows.packed(corner: Block(x: 0, z: 0, y: 2048)), "Packed.corners[1].y: 2048 is not in -2048...2047"),
        RefusedRow(
            FeatureRows.packed(spots: [Spot(row: 0, column: 16)]), "Packed.spots[0].column: 16 is not in 0...15"),
        RefusedRow(FeatureRows.wide(five: 1 << 40), "Wide.five: 1099511627776 is not in 0...1099511627775"),
        RefusedRow(
            FeatureRows.wide(list: [0, 1 << 40]), "Wide.list[1]: 1099511627776 is not in 0...1099511627775"),
        RefusedRow(
            FeatureRows.wide(giant: Giant(rawValue: 1 << 40)), "Wide.giant: 1099511627776 is not in 0...1099511627775"),
        RefusedRow(
            FeatureRows.wide(version: 1 << 39), "Wide.version: 549755813888 is not in -549755813888...549755813887"),
        RefusedRow(
            FeatureRows.wide(maybe: 1 << 48), "Wide.maybe: 281474976710656 is not in 0...281474976710655"),
    ]
}

extension SpoiltRow {
    static let packed = [
        SpoiltRow(
            FeatureRows.packed(), at: 1, "8abb", "Packed.way: 2 is not a case of this closed enum at offset 22"),
        SpoiltRow(FeatureRows.packed(), at: 1, "0f00", "Packed.length: 0 is not in 1...3000 at offset 22"),
        SpoiltRow(FeatureRows.packed(), at: 1, "9fbb", "Packed.length: 3001 is not in 1...3000 at offset 22"),
        SpoiltRow(
            FeatureRows.packed(), at: 39, "00", "Packed.spots[0].row: needs 1 byte at offset 61, 0 are left"),
        SpoiltRow(
            FeatureRows.wide(), at: 18, "faffffffffffff", "Wide.limited: -6 is not in -5...1099511627776 at offset 39"),
        SpoiltRow(FeatureRows.wide(), at: 37, "09", "Wide.list[7]: needs 5 bytes at offset 94, 2 are left"),
    ]
}

extension FeatureRows {
    static func packed(
        kind: UInt8 = 10, quality: Quality = .always, length: UInt16 = 3000, step: Int8 = -8,
        remaining: UInt64 = 0x123_4567_89AB_CDEF, marks: Marks = Marks(rawValue: 0x13),
        spots: [Spot] = [Spot(row: 1, column: 2, price: 0x1_0203_0405), Spot(row: 15, column: 0)],
        corner: Block = Block(x: -33_554_432, z: -1, y: 2047)
    ) -> Packed {
        Packed(
            kind: kind, urgent: true, quality: quality, kept: false, length: length, bold: true, way: .back, big: 5,
            bigger: 0x1234, amount: 0xABCDE, step: step, first: 1, remaining: remaining, head: 9, middle: 0x81,
            marks: marks, tail: -2, tints: [.purple, Marks(rawValue: 8)], secret: 5, high: 0x2A,
            medium: 0x3_FFFF_FFFF_FFFE, name: "a", place: Block(x: -1, z: 33_554_431, y: -2048), spots: spots,
            corners: [Block(x: 1, z: 3, y: 2), corner], count: 0x55, last: true)
    }

    static func wide(
        five: UInt64 = 0x1_0203_0405, giant: Giant = .large, list: [UInt64] = [1, 0xFF_FFFF_FFFF], version: Int64 = -5,
        since: Giant = Giant(rawValue: 0), maybe: UInt64? = nil
    ) -> Wide {
        Wide(
            five: five, six: -2, seven: 0xFF_FEFD_FCFB_FAF9, limited: 1_099_511_627_776, giant: giant,
            huge: [.low, .high, Huge(rawValue: 2)], list: list, other: [-0x8000_0000_0000],
            pair: [.small, Giant(rawValue: 9)], version: version, since: since, maybe: maybe)
    }
}
