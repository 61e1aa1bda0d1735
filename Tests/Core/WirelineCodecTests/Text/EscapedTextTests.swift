// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec

struct EscapedTextTests {
    @Test(arguments: [
        ("", ""), ("plain \"text\" \\", "plain \"text\" \\"), ("老王 é 🎮", "老王 é 🎮"), ("👨‍👩‍👧 می‌خواهم", "👨‍👩‍👧 می‌خواهم"),
        ("a\u{1B}[31mb\n", #"a\u{1B}[31mb\u{A}"#), ("\0\t\r\u{7F}", #"\u{0}\u{9}\u{D}\u{7F}"#),
        ("\u{80}\u{85}\u{9B}2J\u{9F}\u{A0}", "\\u{80}\\u{85}\\u{9B}2J\\u{9F}\u{A0}"),
        ("\u{2028}\u{2029}", #"\u{2028}\u{2029}"#),
        ("\u{202E}gpj.exe\u{2066}\u{200F}", #"\u{202E}gpj.exe\u{2066}\u{200F}"#),
        ("ad\u{200B}min\u{AD}\u{FEFF}\u{E0041}", #"ad\u{200B}min\u{AD}\u{FEFF}\u{E0041}"#),
    ])
    func `characters that must not be shown are escaped`(text: String, shown: String) {
        #expect(text.escaped() == shown)
        #expect(text.escaped().escaped() == shown)
    }

    @Test func `line breaks can be kept`() {
        #expect("one\ntwo\r\n\u{85}".escaped(keepingLines: true) == "one\ntwo\\u{D}\n\\u{85}")
        #expect("one\ntwo".escaped(keepingLines: true) == "one\ntwo")
    }

    @Test(arguments: [
        ("", #""""#), ("a\"b\\c", #""a\"b\\c""#), ("\n\r\t\u{9B}", #""\n\r\t\u{9B}""#), ("12345678", #""12345678""#),
        ("123456789", #""12345678"…"#),
        (
            "e\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}",
            "\"e\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\""
        ),
        (
            "e\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}",
            "\"e\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\"…"
        ),
    ])
    func `quoted text is a literal with a limited number of scalars`(text: String, shown: String) {
        #expect(text.inQuotes(limit: 8) == shown)
    }
}
