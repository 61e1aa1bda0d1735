// SPDX-License-Identifier: Apache-2.0

import Features

/// Floats of 16 bits.
extension FeatureRows {
    static func halves(
        alone: Float = 1.5, ratio: Float = 0, score: Float = 0, three: [Float] = [1, 2, 3], many: [Float] = [-0.0],
        pairs: [Half] = [], halved: Halved = .nothing, maybe: Float? = nil, usual: Float = 0, last: Float? = nil
    ) -> Halves {
        Halves(
            alone: alone, other: -2, before: 9, middle: 65504, after: 0.5, ratio: ratio, score: score, three: three,
            many: many, others: [.infinity, 0x1p-24], pair: Half(x: 1, y: 2), pairs: pairs, halved: halved,
            there: maybe != nil, maybe: maybe, usual: usual, last: last)
    }
}

extension AcceptedRow {
    static let halves = [
        AcceptedRow(
            "floats of 16 bits", FeatureRows.halves(),
            """
            003e c000 09 ff7b 0000003f 0000 0000 003c 0040 0042 01 0080 0002 7c00 0001 003c 4000 00 03 00 0000 0000
            """),
        AcceptedRow(
            "floats of 16 bits in lists, structures and unions",
            FeatureRows.halves(
                ratio: -1.5, score: 1000, pairs: [Half(x: -1, y: 65472)], halved: .several([1, 2]), maybe: 2048,
                last: -1),
            """
            003e c000 09 ff7b 0000003f 00be 63d0 003c 0040 0042 01 0080 0002 7c00 0001 003c 4000 01 00bc 7bfe
            02 02 003c 0040 01 0068 0000 0000 00bc
            """),
    ]
}

extension RefusedRow {
    static let halves = [
        RefusedRow(
            FeatureRows.halves(alone: 65520), "Halves.alone: 65520.0 is too large for any field of its kind"),
        RefusedRow(
            FeatureRows.halves(ratio: 1e9), "Halves.ratio: 1e+09 is too large for any field of its kind"),
        RefusedRow(FeatureRows.halves(ratio: 0.1001), "Halves.ratio: 0.100097656 is not in -1.5...0.099975586"),
        RefusedRow(FeatureRows.halves(ratio: .nan), "Halves.ratio: nan is not in -1.5...0.099975586"),
        RefusedRow(FeatureRows.halves(score: .infinity), "Halves.score: inf is not in -2.0...1000.0"),
        RefusedRow(
            FeatureRows.halves(three: [1, -65520, 3]),
            "Halves.three[1]: -65520.0 is too large for any field of its kind"),
        RefusedRow(
            FeatureRows.halves(many: [1, 2, 1e6]),
            "Halves.many[2]: 1000000.0 is too large for any field of its kind"),
        RefusedRow(
            FeatureRows.halves(pairs: [Half(x: 1, y: 1), Half(x: 1, y: 1e5)]),
            "Halves.pairs[1].y: 100000.0 is too large for any field of its kind"),
        RefusedRow(
            FeatureRows.halves(halved: .single(1e5)),
            "Halves.halved.single: 100000.0 is too large for any field of its kind"),
        RefusedRow(
            FeatureRows.halves(maybe: 65520), "Halves.maybe: 65520.0 is too large for any field of its kind"),
        RefusedRow(
            FeatureRows.halves(last: 65520), "Halves.last: 65520.0 is too large for any field of its kind"),
    ]
}
