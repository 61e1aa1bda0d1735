// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport

/// What Wireline promises, as a ratio to the limit of the same run or as a number of instructions.
struct Goal {
    let title: String
    let unit: Report.Unit
    let caseNames: [String]
    /// The implementation that the ratio is to; nil where the value itself counts.
    let limit: String?
    /// The implementation of what does not count; nil where all of it does.
    let part: String?
    let most: Double

    /// Ratios are told from those of `../README.md`'s table: what the best peer takes, and what Swift can reach.
    static let all = [
        Goal("encode, 16-byte text", ["cs_enc_16", "sc_enc_16"], of: "c", most: 2.5),
        Goal("encode, 1 KiB text", ["cs_enc_1024", "sc_enc_1024"], of: "c", most: 1.3),
        Goal("decode, 12-byte text", ["cs_dec_12", "sc_dec_12"], of: "c-own", most: 1.2),
        Goal("decode, 16-byte text", ["cs_dec_16", "sc_dec_16"], of: "c-own", most: 2.4),
        Goal("decode, 1 KiB text", ["cs_dec_1024", "sc_dec_1024"], of: "c-own", most: 0.75),
        Goal("split, 23-byte packets", ["frame_23"], of: "c-call", most: 1.5),
        Goal("split, 1 KiB packets", ["frame_1024"], of: "c-call", most: 1.5),
        Goal("encode, header that varies", ["varying_enc"], of: "c", most: 3),
        Goal("encode, header that varies, fixed values", ["varying_fixed"], of: "c", most: 3),
        Goal("decode, header that varies", ["varying_dec"], of: "c", most: 3),
        Goal("split, headers that vary", ["varying_split"], of: "c", most: 3),
        // What an engine reads goes from one place to another.
        Goal("unmask, 16 KiB in the cache", ["mask_16k"], of: "c-avx2-copy", most: 2.2),
        Goal("unmask, 64 MiB", ["mask_64m"], of: "c-avx2-copy", most: 1.1),
        Goal("check of UTF-8, ASCII", ["utf8_ascii_16k"], less: "wireline-binary", of: "simdjson", most: 1.3),
        Goal("check of UTF-8, mixed", ["utf8_mixed_16k"], less: "wireline-binary", of: "simdjson", most: 5),
        Goal("inflate a packet", ["layer_inflate_1k", "layer_inflate_64k"], of: "c", most: 1.2),
        Goal("XOR of a packet of 1 KiB", ["layer_xor_1k"], of: "c", most: 1.3),
        Goal("RC4 of a packet of 1 KiB", ["layer_rc4_1k"], of: "c", most: 1.3),
        Goal("read terms of Erlang without values", ["term_record_read", "term_nested_read"], of: "c", most: 2),
        Goal("decode terms of Erlang", ["term_record_dec", "term_nested_dec"], of: "c-own", most: 2),
        Goal("encode terms of Erlang", ["term_record_enc", "term_nested_enc"], of: "c", most: 2),
        Goal(
            title: "split, a 23-byte packet with its receiver", unit: .instructions, caseNames: ["frame_23"],
            limit: nil, most: 45),
        Goal(
            title: "split, a 1 KiB packet with its receiver", unit: .instructions, caseNames: ["frame_1024"],
            limit: nil, most: 45),
    ]

    private init(
        title: String, unit: Report.Unit, caseNames: [String], limit: String?, less part: String? = nil, most: Double
    ) {
        self.title = title
        self.unit = unit
        self.caseNames = caseNames
        self.limit = limit
        self.part = part
        self.most = most
    }

    private init(
        _ title: String, _ caseNames: [String], less part: String? = nil, of limit: String, most: Double
    ) {
        self.init(
            title: "\(title), of `\(limit)`", unit: .nanoseconds, caseNames: caseNames, limit: limit, less: part,
            most: most)
    }

    /// The worst of the cases; nil when one of them was not measured.
    func value(in results: Results) -> Double? {
        var worst = 0.0
        for caseName in caseNames {
            let value =
                limit.map { results.samples.ratio(caseName, "wireline", less: part, to: $0) }
                ?? results.samples.median(caseName, "wireline")
            guard let value else { return nil }
            worst = max(worst, value)
        }
        return worst
    }

    func text(_ value: Double) -> String { limit == nil ? value.threeDigits : value.timesText }
}
