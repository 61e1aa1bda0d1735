// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineSchema

struct EncodingTests {
    private func report(_ bytes: [UInt8]) -> String {
        ProtocolDescription.check(name: "Test", files: [SourceFile(path: "a.wire", bytes: bytes)]).renderedDiagnostics()
    }

    @Test func `a byte order mark at the start is skipped, and not counted in columns`() throws {
        let description = try describe("\u{FEFF}message Cs_1 { }")
        #expect(description.messages[0].location == SourceLocation(file: "a.wire", line: 1, column: 9))
    }

    @Test(arguments: ["\n", "\r\n", "\r"])
    func `lines may end in LF, CRLF or CR`(newline: String) throws {
        let text = ["// One.", "message Cs_1 {", "    uint8 a; // A.", "    uint8 b; // B.", "}", ""].joined(
            separator: newline)
        let message = try describe(text).messages[0]
        #expect(message.documentation == "One.")
        #expect(message.fields.map(\.documentation) == ["A.", "B."])
        #expect(message.fields[1].location == SourceLocation(file: "a.wire", line: 4, column: 11))
    }

    @Test func `a GBK file is recognised, and reported only once`() {
        // 场景 in GBK, in two comments.
        let scene: [UInt8] = [0xB3, 0xA1, 0xBE, 0xB0]
        let bytes = Array("// ".utf8) + scene + Array("\nmessage Cs_1 { uint8 a; } // ".utf8) + scene
        #expect(
            report(bytes) == """
                a.wire:1:4: error: the file is not UTF-8 at byte 3; it looks like GBK
                // \u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}
                   ^
                help: convert it: `iconv -f GBK -t UTF-8`
                """)
    }

    @Test func `a name in GBK is reported only once, too`() {
        // 进入 and 场景 in GBK.
        let bytes =
            Array("message Cs_1 { uint8 ".utf8) + [0xBD, 0xF8, 0xC8, 0xEB] + Array("; uint8 a_".utf8)
            + [0xB3, 0xA1, 0xBE, 0xB0] + Array("; }".utf8)
        #expect(
            report(bytes) == """
                a.wire:1:22: error: the file is not UTF-8 at byte 21; it looks like GBK
                message Cs_1 { uint8 \u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}; uint8 a_\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}; }
                                     ^
                help: convert it: `iconv -f GBK -t UTF-8`
                """)
    }

    @Test func `the rest of a GBK file is still checked`() {
        let bytes = Array("// ".utf8) + [0xB3, 0xA1] + Array("\nmessage Cs_1 { Unit8 a; }".utf8)
        #expect(report(bytes).hasSuffix("help: did you mean `uint8`?"))
    }

    @Test func `a file that is neither UTF-8 nor GBK is refused at its first invalid byte`() {
        #expect(
            report(Array("message Cs_1 { } // caf".utf8) + [0xE9]) == """
                a.wire:1:24: error: the file is not UTF-8 at byte 23
                message Cs_1 { } // caf\u{FFFD}
                                       ^
                help: save the file as UTF-8
                """)
    }

    @Test(
        arguments: [[0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE4, 0xBD], [0x80], [0xFF]]
            as [[UInt8]])
    func `overlong forms, surrogates, too high, truncated and lone bytes are not UTF-8`(bytes: [UInt8]) {
        #expect(report(Array("//".utf8) + bytes).hasPrefix("a.wire:1:3: error: the file is not UTF-8 at byte 2"))
    }

    @Test(arguments: [true, false], [true, false])
    func `UTF-16 is recognised by its mark, or by its NULs`(isBigEndian: Bool, hasMark: Bool) {
        let text = (hasMark ? "\u{FEFF}" : "") + "message Cs_1 { }"
        let bytes = text.utf16.flatMap { unit -> [UInt8] in
            let pair = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
            return isBigEndian ? pair : pair.reversed()
        }
        let name = isBigEndian ? "UTF-16BE" : "UTF-16LE"
        #expect(report(bytes).hasPrefix("a.wire:1:1: error: the file is not UTF-8; it looks like \(name)\n"))
        #expect(report(bytes).hasSuffix("\nhelp: convert it: `iconv -f \(name) -t UTF-8`"))
    }

    @Test func `UTF-32 is recognised by its mark`() {
        #expect(report([0xFF, 0xFE, 0, 0, 0x61, 0, 0, 0]).contains("it looks like UTF-32"))
    }

    @Test(arguments: [
        (
            "message Cs_1 { uint8\u{200B} a; }",
            """
            a.wire:1:21: error: invisible character (U+200B) outside of a comment
            message Cs_1 { uint8\u{FFFD} a; }
                                ^
            help: remove it, or write an ordinary space
            """
        ),
        (
            "message Cs_1 { uint8\u{A0}a; }",
            """
            a.wire:1:21: error: invisible character (U+00A0) outside of a comment
            message Cs_1 { uint8\u{A0}a; }
                                ^
            help: remove it, or write an ordinary space
            """
        ),
        (
            "message Cs_1 { uint8 a;\u{0}\u{0} }",
            """
            a.wire:1:24: error: NUL byte in the text
            message Cs_1 { uint8 a;␀␀ }
                                   ^^
            help: remove it
            """
        ),
        (
            "message Cs_1 { uint8 a;\u{1B} }",
            """
            a.wire:1:24: error: control character (0x1b) in the text
            message Cs_1 { uint8 a;␛ }
                                   ^
            help: remove it
            """
        ),
        (
            "message Cs_1 { }\n\u{FEFF}message Sc_1 { }",
            """
            a.wire:2:1: error: a byte order mark (U+FEFF) inside the file
            \u{FFFD}message Sc_1 { }
            ^
            help: remove it; files joined with `cat` have one in the middle
            """
        ),
    ])
    func `characters that cannot be seen are reported once, in full`(source: String, report: String) {
        #expect(problems(source) == report)
    }

    @Test(arguments: [
        ("；", "U+FF1B", ";"), ("：", "U+FF1A", ":"), ("，", "U+FF0C", ","), ("、", "U+3001", ","), ("。", "U+3002", ";"),
        ("（", "U+FF08", "("), ("）", "U+FF09", ")"), ("【", "U+3010", "["), ("】", "U+3011", "]"), ("「", "U+300C", "["),
        ("」", "U+300D", "]"), ("［", "U+FF3B", "["), ("］", "U+FF3D", "]"), ("｛", "U+FF5B", "{"), ("｝", "U+FF5D", "}"),
        ("＝", "U+FF1D", "="), ("＠", "U+FF20", "@"), ("－", "U+FF0D", "-"), ("＋", "U+FF0B", "+"), ("．", "U+FF0E", "."),
        ("＿", "U+FF3F", "_"), ("！", "U+FF01", "!"),
    ])
    func `the error names a full-width mark and its ASCII form`(mark: String, codePoint: String, ascii: String) {
        let diagnostic = check("/**/ \(mark)").diagnostics.first
        #expect(diagnostic?.message == "full-width `\(mark)` (\(codePoint)) where `\(ascii)` is expected")
        #expect(diagnostic?.hint == "write `\(ascii)`")
    }

    @Test(arguments: ["¥", "€", "…", "→", "🙂"])
    func `other characters beyond ASCII are shown with their code point`(mark: String) {
        let number = mark.unicodeScalars.map { String($0.value, radix: 16, uppercase: true) }.joined()
        let diagnostic = check("message Cs_1 { \(mark) }").diagnostics.first
        #expect(
            diagnostic?.message
                == "`\(mark)` (U+\(String(repeating: "0", count: max(0, 4 - number.count)))\(number)) outside of a comment"
        )
    }
}
