// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineSchema
import wire

/// Texts, their changes, and what is told about them.
struct DocumentTests {
    private func range(_ start: (Int128, Int128), _ end: (Int128, Int128)) -> JSONValue {
        [
            "start": ["line": .integer(start.0), "character": .integer(start.1)],
            "end": ["line": .integer(end.0), "character": .integer(end.1)],
        ]
    }

    // MARK: Diagnostics

    @Test func `problems have ranges in UTF-16, severity and help`() throws {
        let editor = try Editor(["a.wire": "/* 🎮 */ message Cs_1 { Unit8 a; }\n"])
        #expect(editor.problems("a.wire") == ["1 0:24 unknown type `Unit8`"])
        try editor.replace("a.wire", "/* 🎮 */ message Cs_1 { @little uint8 b; }\n")
        #expect(editor.problems("a.wire") == ["2 0:24 `@little` changes nothing before `uint8`"])
        let last = editor.notifications.last?["params"]
        #expect(last?["version"] == 2)
        guard case .array(let list)? = last?["diagnostics"] else { return #expect(Bool(false)) }
        #expect(list[0]["range"] == range((0, 24), (0, 31)))
        #expect(
            list[0]["message"]
                == "`@little` changes nothing before `uint8`\nhelp: nothing of it is a number of several bytes: leave it out"
        )
    }

    @Test func `a client that wants UTF-8 gets bytes`() throws {
        let editor = try Editor(
            ["a.wire": "/* 🎮 */ message Cs_1 { Unit8 a; }\n"],
            capabilities: ["general": ["positionEncodings": ["utf-8", "utf-16"]]])
        #expect(editor.problems("a.wire") == ["1 0:26 unknown type `Unit8`"])
    }

    @Test func `problems of files that are not open are told, and withdrawn`() throws {
        let editor = try Editor(["a.wire": "message Cs_1 { Item i; }"], closed: ["b.wire": "struct Item { Unit8 a; }"])
        #expect(editor.problems("a.wire") == [])
        #expect(editor.problems("b.wire") == ["1 0:14 unknown type `Unit8`"])
        editor.disk.files["/P/b.wire"] = "struct Item { uint8 a; }"
        try editor.notify("workspace/didChangeWatchedFiles", ["changes": [["uri": "file:///P/b.wire", "type": 2]]])
        #expect(editor.problems("b.wire") == [])
        editor.disk.files["/P/b.wire"] = nil
        try editor.notify("workspace/didChangeWatchedFiles", ["changes": [["uri": "file:///P/b.wire", "type": 3]]])
        #expect(editor.problems("a.wire") == ["1 0:15 unknown type `Item`"])
        try editor.close("a.wire")
        #expect(editor.problems("a.wire") == [])
    }

    @Test func `an open document counts, not its file`() throws {
        let editor = try Editor(
            ["a.wire": "message Cs_1 { Item i; }", "b.wire": "struct Item { uint8 a; }"], closed: ["b.wire": "nonsense"]
        )
        #expect(editor.problems("a.wire") == [])
        #expect(editor.problems("b.wire") == [])
        try editor.close("b.wire")
        #expect(editor.problems("b.wire")?.count == 1)
    }

    @Test func `folders are protocols of their own`() throws {
        let editor = try Editor(["a.wire": "message Cs_1 { Item i; }"])
        try editor.notify(
            "textDocument/didOpen",
            ["textDocument": ["uri": "file:///Q/b.wire", "version": 1, "text": "struct Item { uint8 a; }"]])
        #expect(editor.problems("a.wire") == ["1 0:15 unknown type `Item`"])
    }

    @Test func `a file that cannot be read is told`() throws {
        let editor = try Editor()
        editor.disk.faults = ["cannot read /P/b.wire: No such file or directory"]
        try editor.open("a.wire", "message Cs_1 {}")
        #expect(
            editor.notifications.contains {
                $0["params"]?["message"] == "wire: cannot read /P/b.wire: No such file or directory"
            })
    }

    @Test func `related places name the other file`() throws {
        let editor = try Editor(
            ["b.wire": "struct Item { uint8 a; }\n"], closed: ["a.wire": "// 1\nstruct Item { uint8 a; }\n"],
            capabilities: ["textDocument": ["publishDiagnostics": ["relatedInformation": true]]])
        guard case .array(let list)? = editor.notifications.last?["params"]?["diagnostics"] else {
            return #expect(Bool(false))
        }
        #expect(list.count == 1)
        let place = JSONValue.array([
            [
                "location": ["uri": "file:///P/a.wire", "range": range((1, 7), (1, 11))],
                "message": "the first is here",
            ]
        ])
        #expect(list[0]["relatedInformation"] == place)
    }

    @Test func `a line as long as the file is measured once`() throws {
        let fields = (0..<20_000).map { "Unknown\($0) é\($0);" }.joined()
        let editor = try Editor(["a.wire": "message Cs_1 { " + fields + " }"])
        #expect(editor.problems("a.wire")?.count == 1000)
    }

    // MARK: Addresses

    @Test(arguments: [
        "file:///P/a%20b%C3%A9.wire", "file:///P/a%20b%c3%a9.wire", "file://localhost/P/a%20bé.wire",
        "FILE:///P/a b%C3%A9.wire",
    ])
    func `an address is kept in the client's spelling`(uri: String) throws {
        let editor = try Editor(closed: ["a bé.wire": "nonsense"])
        try editor.notify(
            "textDocument/didOpen",
            ["textDocument": ["uri": .string(uri), "version": 1, "text": "message Cs_1 { Unit8 a; }"]])
        #expect(editor.notifications.last?["params"]?["uri"] == .string(uri))
        #expect(editor.notifications.count == 1)
    }

    @Test func `the address of a file that is not open is escaped`() throws {
        let editor = try Editor(["b.wire": ""], closed: ["a bé%.wire": "nonsense"])
        #expect(editor.notifications.contains { $0["params"]?["uri"] == "file:///P/a%20b%C3%A9%25.wire" })
    }

    // MARK: Changes

    /// Random changes with positions in each encoding, against the same changes of a list of characters.
    @Test(arguments: ["utf-8", "utf-16"])
    func `changed parts give the same text as the client's`(encoding: String) throws {
        let editor = try Editor(
            ["a.wire": ""], capabilities: ["general": ["positionEncodings": [.string(encoding)]]])
        var random = SeededGenerator.forThisRun()
        let alphabet: [Unicode.Scalar] = ["a", "é", "场", "🎮", "\n", "\r", "/", " "]
        var text: [Unicode.Scalar] = []
        for version in 2..<200 {
            let start = Int.random(in: 0...text.count, using: &random)
            let end = min(text.count, start + Int.random(in: 0...4, using: &random))
            let new = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                alphabet.randomElement(using: &random) ?? "a"
            }
            // A position cannot be between the two characters of a line's end.
            if start < text.count, start > 0, text[start] == "\n", text[start - 1] == "\r" { continue }
            if end < text.count, end > 0, text[end] == "\n", text[end - 1] == "\r" { continue }
            let change: JSONValue = [
                "range": range(position(start, in: text, encoding), position(end, in: text, encoding)),
                "text": .string(string(new)),
            ]
            try editor.change("a.wire", [change], version: Int128(version))
            text.replaceSubrange(start..<end, with: new)
        }
        try editor.change("a.wire", [["range": range((9999, 0), (9999, 0)), "text": "\nmessage Cs_1 { Unit8 a; }"]])
        let problems = try #require(editor.problems("a.wire"))
        #expect(!problems.isEmpty)
        let copy = try Editor(
            ["a.wire": string(text) + "\nmessage Cs_1 { Unit8 a; }"],
            capabilities: ["general": ["positionEncodings": [.string(encoding)]]])
        #expect(problems == copy.problems("a.wire"), random.seedComment)
        #expect(
            try editor.result("documentSymbol", "a.wire") == copy.result("documentSymbol", "a.wire"), random.seedComment
        )
    }

    private func string(_ scalars: [Unicode.Scalar]) -> String { String(String.UnicodeScalarView(scalars)) }

    private func position(_ offset: Int, in text: [Unicode.Scalar], _ encoding: String) -> (Int128, Int128) {
        var line: Int128 = 0
        var start = 0
        for index in 0..<offset {
            let isEnd =
                text[index] == "\n" || text[index] == "\r" && !(index + 1 < text.count && text[index + 1] == "\n")
            if isEnd { (line, start) = (line + 1, index + 1) }
        }
        let before = string(Array(text[start..<offset]))
        return (line, Int128(encoding == "utf-8" ? before.utf8.count : before.utf16.count))
    }

    @Test func `a position inside a pair of UTF-16 units is that of the character, and beyond a line its end`() throws {
        let editor = try Editor(["a.wire": "// 🎮x\n// y"])
        try editor.change("a.wire", [["range": range((0, 4), (0, 99)), "text": "z\nmessage Cs_1 { Unit8 a; }"]])
        #expect(editor.problems("a.wire") == ["1 1:15 unknown type `Unit8`"])
    }
}
