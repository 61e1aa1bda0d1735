// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineSchema

struct RenderingTests {
    @Test(arguments: [
        ("é", 1), ("e\u{301}", 1), ("界", 2), ("ｱ", 1), ("Ａ", 2), ("한", 2), ("🙂", 2), ("👨‍👩‍👧", 2), ("❤️", 2), ("❤", 1),
        ("\u{200B}", 1), ("、", 2), ("🇨🇳", 2), ("𠮷", 2),
    ])
    func `a character is as wide as a terminal shows it`(character: String, width: Int) {
        let excerpt = check("/*\(character)*/ message Cs_1 { Foo a; }").diagnostics[0].excerpt
        #expect(excerpt.caretColumn == "/**/ message Cs_1 { ".count + width)
        #expect(excerpt.caretWidth == 3)
    }

    @Test(arguments: [("", 0), ("\n", 1)])
    func `an error at the end of a file marks no more than the file has`(behind: String, byteCount: Int) throws {
        let problem = try #require(check("message Cs_1 { uint8 a" + behind).diagnostics.last)
        #expect(problem.message == "expected `;` after the field")
        #expect(problem.location.column == 23)
        #expect(problem.byteCount == byteCount)
    }

    @Test func `control and direction characters cannot reach the terminal`() {
        let text = problems("message Cs_1 { Foo a; } // \u{1B}[31m \u{202E} \u{7F} \u{85}")
        #expect(text.contains("message Cs_1 { Foo a; } // ␛[31m \u{FFFD} ␡ \u{FFFD}\n"))
    }

    @Test(arguments: ["::error::all is well", "  ::stop-commands::x"])
    func `a line of a schema is no command to the runner that reads the output`(line: String) {
        let text = problems("message Cs_1 {}\n" + line)
        #expect(text.contains(line.replacing("::", with: "∶:", maxReplacements: 1)))
        #expect(!text.contains(line))
    }

    @Test func `of a very long line, only the part around the problem is shown`() {
        let excerpt = check(
            "/*" + String(repeating: "场", count: 1000) + "*/ message Cs_1 { Foo a; } /*"
                + String(repeating: "x", count: 1000) + "*/"
        ).diagnostics[0].excerpt
        #expect(excerpt.text.hasPrefix("…场场"))
        #expect(excerpt.text.hasSuffix("xxx…"))
        #expect(excerpt.text.utf8.count < 240)
        #expect(excerpt.text.contains(" Foo a; "))
        #expect(excerpt.caretWidth == 3)
    }

    @Test func `the first hundred problems are shown, and the others are counted`() {
        let result = check("message Cs_1 {\n" + (0..<150).map { "Type\($0) a\($0);\n" }.joined() + "}")
        let lines = result.renderedDiagnostics().split(separator: "\n")
        #expect(lines.count { $0.contains(": error: ") } == 100)
        #expect(lines.last == "note: 50 more problems are not shown")
        #expect(result.renderedDiagnostics(limit: 149).hasSuffix("\nnote: 1 more problem is not shown"))
        #expect(!result.renderedDiagnostics(limit: 150).contains("note:"))
    }

    @Test func `a thousand problems are kept, and the others are counted`() {
        let result = check("message Cs_1 {\n" + (0..<1500).map { "Type\($0) a\($0);\n" }.joined() + "}")
        #expect(result.diagnostics.count == 1000)
        #expect(result.omittedDiagnosticCount == 500)
        #expect(result.renderedDiagnostics().hasSuffix("\nnote: 1400 more problems are not shown"))
    }

    @Test func `a schema with warnings is valid`() {
        let result = check("message Cs_1 { @little uint8 a; }")
        #expect(result.isValid)
        #expect(result.diagnostics.map(\.severity) == [.warning])
    }
}
