// SPDX-License-Identifier: Apache-2.0

import Features
import WirelineCodec

extension AcceptedRow {
    static let wide = [
        AcceptedRow(
            "text in UTF-16 of each extent", FeatureRows.wideText(),
            """
            01 6100 0002 00e9 8001 03 4100 3dd8 00de 6200 0000 6300 0000 6c00 6900 0000 0000 0061 0020 0062
            02 01 6400 00 0065 0000 0000 01 6600 0000 02 6e00 e900 6700
            """),
        AcceptedRow("defaults of text in UTF-16", WideGrown(first: 1), "01 0000 0000 0000"),
        AcceptedRow(
            "optional text in UTF-16", WideGrown(first: 1, code: "\u{10FFFF}a", last: "b"),
            "01 ffdb ffdf 6100 0062 0000"),
    ]
}

extension RefusedRow {
    static let wide = [
        RefusedRow(FeatureRows.wideText(limited: "abcd"), "WideText.limited: 4 is over the limit of 3"),
        RefusedRow(FeatureRows.wideText(limited: "😀😀"), "WideText.limited: 4 is over the limit of 3"),
        RefusedRow(
            FeatureRows.wideText(plain: String(repeating: "é", count: 256)),
            "WideText.plain: 256 is over the limit of 255"),
        RefusedRow(FeatureRows.wideText(ended: "a\0"), "WideText.ended: a NUL inside a string that a NUL ends"),
        RefusedRow(FeatureRows.wideText(both: "12345"), "WideText.both: 5 is over the limit of 4"),
        RefusedRow(FeatureRows.wideText(account: "12345"), "WideText.account: 5 is over the limit of 4"),
        RefusedRow(FeatureRows.wideText(account: "a\0"), "WideText.account: a NUL inside a string that a NUL ends"),
        RefusedRow(FeatureRows.wideText(code: "a "), "WideText.code: ends with 0x20, the byte that fills the field"),
        RefusedRow(FeatureRows.wideText(tags: ["", "abc"]), "WideText.tags[1]: 3 is over the limit of 2"),
        RefusedRow(FeatureRows.wideText(tail: "123456"), "WideText.tail: 6 is over the limit of 5"),
    ]
}

extension SpoiltRow {
    static let wide = [
        SpoiltRow(
            FeatureRows.wideText(), at: 1, "00d8", "WideText.plain: not UTF-16 at offset 22: half of a surrogate pair"),
        SpoiltRow(
            FeatureRows.wideText(), at: 7, "dc00", "WideText.big: not UTF-16 at offset 28: half of a surrogate pair"),
        SpoiltRow(
            FeatureRows.wideText(), at: 14, "6100",
            "WideText.limited: not UTF-16 at offset 33: half of a surrogate pair"),
        SpoiltRow(FeatureRows.wideText(), at: 9, "04", "WideText.limited: 4 is over the limit of 3 at offset 30"),
        SpoiltRow(
            FeatureRows.wideText(), at: 24, "00d8",
            "WideText.account: not UTF-16 at offset 45: half of a surrogate pair"),
        SpoiltRow(FeatureRows.wideText(), at: 0, "ff", "WideText.plain: needs 510 bytes at offset 22, 60 are left"),
    ]
}

extension FeatureRows {
    static func wideText(
        plain: String = "a", limited: String = "A😀", ended: String = "b", both: String = "c", account: String = "li",
        code: String = "a b", tags: [String] = ["f"], tail: String = "g"
    ) -> WideText {
        WideText(
            plain: plain, big: "é老", limited: limited, ended: ended, both: both, account: account, code: code,
            list: ["d", ""], pair: ["e", ""], tags: tags, greeting: "né", tail: tail)
    }
}
