// SPDX-License-Identifier: Apache-2.0

import Features
import WirelineCodec

extension AcceptedRow {
    static let nullable = [
        AcceptedRow(
            "unions whose tags stand before, in a number of bytes", FeatureRows.tagged(),
            "ac02 ff 01 00 01 020161 010000000000 ffff 05"),
        AcceptedRow(
            "a union whose tag stands before and that is not absent", FeatureRows.tagged(perhaps: .high(7)),
            "ac02 ff 01 01 01 020161 010000000000 0200 0700 05"),
        AcceptedRow(
            "values that are absent", FeatureRows.absent(),
            "01 ffffffff ffff 01 02 ffff ffffffff 01 ffff 01 ffff ffffffff 01 ffffffff 00 ffffffff"),
        AcceptedRow(
            "values that may be absent and are empty", FeatureRows.empty,
            "01 00000000 0000 00 02 0000 ffffffff 00 ffff 01 0000 00000000 00 0000ffff 00 ffffffff"),
        AcceptedRow(
            "values that may be absent and are there", FeatureRows.present(),
            """
            01 000000020102 02006869 020300 02 0100010178 03000000020179 0c010161010163 0400ac020161 06050600 0100e900
            0000000200e9 0209 00000300010200 01 01007a ffff 01007a 0300030400
            """),
    ]
}

extension RefusedRow {
    static let nullable = [
        RefusedRow(FeatureRows.present(text: "abcdef"), "Nullable.text: 6 is over the limit of 5"),
        RefusedRow(FeatureRows.present(secret: [1, 2, 3, 4, 5]), "Nullable.secret: 5 is over the limit of 4"),
        RefusedRow(
            FeatureRows.absent(name: String(repeating: "a", count: 32_768)),
            "Nullable.inner.name: 32768 is over the limit of 32767"),
    ]
}

extension SpoiltRow {
    static let nullable = [
        SpoiltRow(
            FeatureRows.tagged(), at: 0, "ad02", "TaggedSizes.first: no arm of this union has the tag 301 at offset 28"),
        SpoiltRow(
            FeatureRows.tagged(), at: 6, "01", "TaggedSizes.first.text: needs 1 byte at offset 29, 0 are left"),
        SpoiltRow(
            FeatureRows.tagged(), at: 5, "00", "TaggedSizes.last.number: needs 1 byte at offset 38, 0 are left"),
        SpoiltRow(FeatureRows.absent(), at: 1, "fffffffe", "Nullable.data: -2 is not in -1...2147483647 at offset 22"),
        SpoiltRow(FeatureRows.absent(), at: 5, "0080", "Nullable.text: -32768 is not in -1...32767 at offset 26"),
        SpoiltRow(FeatureRows.absent(), at: 5, "0600", "Nullable.text: 6 is over the limit of 5 at offset 26"),
        SpoiltRow(FeatureRows.absent(), at: 7, "03", "Nullable.numbers: -2 is not in -1...2147483647 at offset 28"),
        SpoiltRow(
            FeatureRows.absent(), at: 11, "feffffff", "Nullable.pocket: -2 is not in -1...2147483647 at offset 32"),
        SpoiltRow(FeatureRows.absent(), at: 25, "09", "Nullable.secret: -5 is not in -1...2147483647 at offset 46"),
        SpoiltRow(FeatureRows.absent(), at: 25, "0a", "Nullable.secret: 5 is over the limit of 4 at offset 46"),
        SpoiltRow(
            FeatureRows.absent(), at: 1, "7fffffff", "Nullable.data: needs 2147483647 bytes at offset 26, 30 are left"),
    ]
}

extension FeatureRows {
    static func tagged(perhaps: Pair? = nil) -> TaggedSizes {
        TaggedSizes(first: .text("a"), second: .low(1), perhaps: perhaps, last: .number(5))
    }

    static func absent(name: String? = nil) -> Nullable {
        Nullable(first: 1, middle: 2, inner: Perhaps(name: name), list: [])
    }

    static let empty = Nullable(
        first: 1, data: [], text: "", numbers: [], middle: 2, pockets: [], sized: [], wide: "", units: "", secret: [],
        inner: Perhaps(name: ""), list: [])

    static func present(text: String = "hi", secret: [UInt8] = [9]) -> Nullable {
        Nullable(
            first: 1, data: [1, 2], text: text, numbers: [3], middle: 2, pockets: [Pocket(kind: 1, name: "x")],
            pocket: Pocket(kind: 2, name: "y"), sized: [Pocket(kind: 1, name: "a"), Pocket(kind: 1, name: "c")],
            choice: .text("a"), brief: Brief(kind: 5, value: 6), wide: "é", units: "é", secret: secret,
            inner: Perhaps(name: "", brief: Brief(kind: 1, value: 2)), list: [Perhaps(name: "z")],
            later: Perhaps(name: "z", brief: Brief(kind: 3, value: 4)))
    }
}
