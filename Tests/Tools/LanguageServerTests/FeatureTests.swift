// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineSchema
import wire

/// What an editor asks about a place.
struct FeatureTests {
    private static let markdown: JSONValue = ["textDocument": ["hover": ["contentFormat": ["markdown"]]]]

    private func text(_ value: JSONValue?) -> String? { if case .string(let text)? = value { text } else { nil } }

    private func items(_ value: JSONValue?) -> [JSONValue] { if case .array(let items)? = value { items } else { [] } }

    // MARK: Hover

    @Test(
        arguments: [
            (
                "message Cs_1 { uint8 a; uint32 ‸b; // Two\n }",
                ["uint32 b", "4 bytes, at offset 7 of the packet, 1 of the payload.", "Two"]
            ),
            ("message Cs_1 { string a; @range(1..9) uint8 b‸; }", ["uint8 b", "1 byte, after `a`.", "1 to 9"]),
            ("message Cs_1 { ‸string a; }", ["Text in UTF-8"]),
            ("message Cs_1 { @‸max(3) string a; }", ["@max(32)", "The most bytes"]),
            (
                "message ‸Cs_1 { uint8 a; }",
                ["message Cs_1", "ID 1 (0x0001), client to server", "| 6 | 1 | `a` | `uint8` |"]
            ),
            ("struct S { uint8 a; uint16 ‸b; }\nmessage Cs_1 { S s; }", ["2 bytes, at offset 1 of `S`."]),
            ("struct S sized(uint8) { uint8 ‸b; }\nmessage Cs_1 { S s; }", ["at offset 0 of `S`, after the size."]),
            ("message Cs_1 { S‸ s; }\nstruct S { uint8 a; uint16 b; }", ["struct S", "| 1 | 2 | `b` |"]),
            ("enum E : uint8 { a = 0; }\nmessage Cs_1 { @since(2) @default(‸a) E e; }", ["a = 0"]),
            ("flags F : uint16 { a = 1; ‸b = 4; // Bee\n }", ["b = 0x0004", "Bee"]),
            ("const uint8 n = 3; // Three\nmessage Cs_1 { uint8[‸n] a; }", ["const uint8 n = 3", "Three"]),
            (
                "packet { @length(packet) uint32 l; @id uint16 ‸i; // Eye\n }",
                ["2 bytes, at offset 4 of the packet: the message's ID.", "Eye"]
            ),
            (
                "union ‸U : uint8 sized(uint8) { 1: uint32 wide; // Four\n default: bytes other; }\nmessage Cs_1 { U u; }",
                [
                    "union U", "The tag is `uint8`; other tags are kept as `other`.",
                    "| 1 | 4 | `wide` | `uint32` | Four |",
                ]
            ),
            (
                "union U : uint8 { 1: @max(3) string ‸text; // Tee\n }\nmessage Cs_1 { U u; }",
                ["1: string text", "after the tag 1 of `U`.", "Tee"]
            ),
            (
                "union U : uint8 sized(uint8) { 1: @rest bytes ‸all; }\nmessage Cs_1 { U u; }",
                ["1: bytes all", "to the end of the value"]
            ),
            (
                "union U : uint8 { 2: ‸nothing; }\nmessage Cs_1 { U u; }",
                ["2: nothing", "Nothing after the tag 2 of `U`."]
            ),
            (
                "union U : uint8 { default: bytes ‸other; }\nmessage Cs_1 { U u; }",
                ["default: bytes other", "An arm of `U`; it keeps other tags."]
            ),
            (
                "union U : uint8 { 1: uint8 a; }\nmessage Cs_1 { uint8 ‸k; @tag(k) U u; }",
                ["uint8 k", "1 byte, at offset 6 of the packet", "the tag of `u`"]
            ),
            (
                "union U : uint8 { 1: uint8 a; }\nmessage Cs_1 { uint8 k; @tag(k) U ‸u; }",
                ["U u", "1 byte, at offset 7 of the packet", "its tag is `k`"]
            ),
            ("option ‸byte_order = little;", ["option byte_order", "`big` or `little`"]),
            (
                "packet { @length(rest) uint8 l; @if(‸sender == client) uint8 a; }\nmessage Cs_1 {}",
                ["sender", "Who sends the packet: `client` or `server`."]
            ),
            (
                "packet { @length(rest) uint8 l; uint8 sender; @if(‸sender) uint8 a; @id uint8 id; }\nmessage Cs_1 {}",
                ["sender", "1 byte, at offset 1 of the packet"]
            ),
            ("message Cs_1 { Unknown a; uint8 ‸b; }", ["`b`", "when the protocol has no errors"]),
        ] as [(String, [String])])
    func `hover tells bytes, offsets and the comment`(source: String, parts: [String]) throws {
        let editor = try Editor(["a.wire": source], capabilities: Self.markdown)
        let hover = try editor.result("hover", "a.wire")
        #expect(hover["contents"]?["kind"] == "markdown")
        let shown = try #require(text(hover["contents"]?["value"]))
        for part in parts { #expect(shown.contains(part), "\(shown)") }
    }

    @Test(arguments: ["mess‸age Cs_1 {}", "message Cs_1 {} ‸", "// mes‸sage\n", "", "message Cs_1 { Unkn‸own a; }"])
    func `there is nothing to tell elsewhere`(source: String) throws {
        let editor = try Editor(["a.wire": source.contains("‸") ? source : "‸"])
        #expect(try editor.result("hover", "a.wire") == .null)
    }

    // MARK: Names

    @Test func `definitions and references are found in all files`() throws {
        let editor = try Editor(
            ["a.wire": "@reply(Answer) @from(client) @id(1) message Ask { It‸em item; }"],
            closed: [
                "b.wire":
                    "struct Item { uint8 a; }\n@name(Answer) @from(server) @id(2) message Told { repeated Item items; }"
            ])
        let definition = items(try editor.result("definition", "a.wire"))
        #expect(definition.map { text($0["uri"]) } == ["file:///P/b.wire"])
        #expect(definition[0]["range"]?["start"]?["character"] == 7)
        let references = items(
            try editor.result("references", "a.wire", ["context": ["includeDeclaration": false]]))
        #expect(references.map { text($0["uri"]) } == ["file:///P/a.wire", "file:///P/b.wire"])
        try editor.replace("a.wire", "@reply(Ans‸wer) @from(client) @id(1) message Ask { Item item; }")
        let alias = items(try editor.result("definition", "a.wire"))
        #expect(alias.map { $0["range"]?["start"]?["line"] } == [1])
        #expect(alias[0]["range"]?["start"]?["character"] == 6)
    }

    @Test(
        arguments: [
            ("struct Thing‸ { uint8 a; } message Cs_1 { Thing t; Thing[] u; }", "Item", 3),
            ("const uint8 ‸n = 3; message Cs_1 { uint8[n] a; }", "seats", 2),
            ("message Cs_1 { uint8 ‸a; } struct S { uint8 a; }", "b", 1),
            ("enum E : uint8 { ‸a = 0; } message Cs_1 { @since(2) @default(a) E a; }", "z", 2),
            ("enum E : uint8 { ‸a = 0; } message Cs_1 { @example(a) E b; }", "z", 2),
            ("@name(‸Ask) message Cs_1 {}", "Query", 1),
            ("@reply(B) @from(client) @id(1) message A {} @from(server) @id(2) message ‸B {}", "C", 2),
            (
                "@reply(D | B) @from(client) @id(1) message A {} @from(server) @id(2) message ‸B {} "
                    + "@from(server) @id(3) message D {}", "C", 2
            ),
            ("message Cs_1 { uint8 ‸a; @if(a == 1 or not (a & 2)) uint8 b; } struct S { uint8 a; }", "z", 3),
            ("enum E : uint8 { ‸a = 0; } message Cs_1 { E e; uint8 f; @if(e == a and e != a) E g; }", "z", 3),
            ("union ‸U : uint8 { 1: uint8 a; } message Cs_1 { U u; U[] v; }", "V", 3),
            ("union U : uint8 { 1: uint8 a; } struct S { uint8 ‸k; @tag(k) U u; } message Cs_1 { uint8 k; }", "z", 2),
            ("union U : uint8 { 1: uint8 ‸a; 2: b; } struct S { uint8 a; }", "z", 1),
            ("union U : uint8 { 1: uint8 a; 2: ‸b; } struct S { uint8 b; }", "z", 1),
            ("enum E : uint8 { ‸a = 0; } union U : E { a: uint8 a; default: bytes b; }", "z", 2),
            ("enum ‸E : uint8 { a = 0; } union U : E { a: E e; }", "F", 3),
            ("packet { @length(packet) uint32 ‸l; @id uint16 i; }", "length", 1),
            (
                "packet { @length(packet) uint32 l; @id uint16 i; E ‸e; } enum E : uint8 { a = 0; } "
                    + "message Cs_1 { uint8 e; @if(e or header.e == a) E g; }", "z", 2
            ),
            (
                "packet { @length(packet) uint32 l; @id uint16 i; E e; } enum E : uint8 { ‸a = 0; } "
                    + "message Cs_1 { @if(header.e == a) E g; }", "z", 2
            ),
            ("packet { @length(packet) uint32 ‸l; @checksum(xor8, l..payload) uint8 i; }", "length", 2),
            ("packet { uint8 ‸k; @if(k == 1 or not k) @length(packet) uint32 l; @if(k & 2) uint16 i; }", "kind", 4),
            ("enum E : uint8 { ‸a = 0; } packet { E e; @if(e == a) @length(packet) uint32 l; }", "z", 2),
        ] as [(String, String, Int)])
    func `renaming changes each place of a name and no other`(source: String, newName: String, count: Int) throws {
        let editor = try Editor(["a.wire": source])
        let edit = try editor.result("rename", "a.wire", ["newName": .string(newName)])
        let edits = items(edit["changes"]?["file:///P/a.wire"])
        #expect(edits.count == count)
        #expect(edits.allSatisfy { $0["newText"] == .string(newName) })
    }

    @Test(
        arguments: [
            ("struct ‸S { uint8 a; } struct T { uint8 a; }", "T", "the name `T` is taken"),
            ("struct ‸S { uint8 a; } @name(T) struct U { uint8 a; }", "T", "the name `T` is taken"),
            ("union U : uint8 { 1: uint8 ‸a; 2: b; }", "b", "the name `b` is taken"),
            ("union ‸U : uint8 { 1: uint8 a; } enum E : uint8 { a = 1; }", "E", "the name `E` is taken"),
            ("message Cs_1 { uint8 ‸a; uint8 b; }", "b", "the name `b` is taken"),
            ("struct ‸S { uint8 a; }", "uint8", "`uint8` is a type of the language"),
            ("struct ‸S { uint8 a; }", "9", "`9` is not a name: letters, digits and `_`, first no digit"),
            ("struct ‸S { uint8 a; }", "a b", "`a b` is not a name: letters, digits and `_`, first no digit"),
            ("struct ‸S { uint8 a; }", "", "`` is not a name: letters, digits and `_`, first no digit"),
            ("struct ‸S { uint8 a; }", "场", "`场` is not a name: letters, digits and `_`, first no digit"),
            ("message ‸Cs_1 {}", "Cs_2", "with this name, `Cs_1` would have another ID or direction: edit the schema"),
            ("message ‸Cs_1 {}", "Ask", "with this name, message `Ask` has no ID and no direction"),
            (
                "message Cs_1 {} @id(1) message ‸Sc_1 {}", "Sc_x",
                "with this name, `Cs_1` would have another reply: edit the schema"
            ),
            ("struct ‸S { uint8 a; } struct S { uint8 a; }", "T", "`S` is declared twice"),
            ("message Cs_1 { Unk‸nown a; }", "T", "`Unknown` is not declared in this protocol"),
            ("message Cs_1 { ‸uint8 a; }", "T", "there is no name here"),
        ] as [(String, String, String)])
    func `a name that is taken, invalid or means something else is refused`(
        source: String, newName: String, reason: String
    ) throws {
        let editor = try Editor(["a.wire": source])
        let response = try editor.response("rename", "a.wire", ["newName": .string(newName)])
        #expect(response["error"]?["code"] == -32803)
        #expect(text(response["error"]?["message"]) == reason)
    }

    @Test func `a name is also taken by another file, and all files are renamed`() throws {
        let editor = try Editor(
            ["a.wire": "message Cs_1 { It‸em a; }"],
            closed: ["b.wire": "struct Item { uint8 a; } struct Other { uint8 a; }"])
        #expect(try editor.response("rename", "a.wire", ["newName": "Other"])["error"] != nil)
        let edit = try editor.result("rename", "a.wire", ["newName": "Thing"])
        #expect(items(edit["changes"]?["file:///P/a.wire"]).count == 1)
        #expect(items(edit["changes"]?["file:///P/b.wire"]).count == 1)
    }

    // MARK: Completion

    @Test(
        arguments: [
            (
                "‸", ["message", "struct", "enum", "flags", "union", "const", "reserved", "option", "packet"],
                ["uint8", "optional"]
            ),
            ("me‸", ["message"], ["uint8"]),
            (
                "message Cs_1 { ‸ }", ["optional", "repeated", "uint8", "Item", "State", "Bits"],
                ["message", "slots", "Cs_9"]
            ),
            ("message Cs_1 { uint8 a; re‸ }", ["repeated", "uint8"], ["message"]),
            ("message Cs_1 { optional ‸ }", ["repeated", "uint8", "Item"], ["optional"]),
            ("message Cs_1 { uint8 ‸ }", [], ["uint8"]),
            ("message Cs_1 { uint8[‸] a; }", ["slots"], ["uint8"]),
            ("message Cs_1 { @‸ }", ["max", "count", "since"], ["length", "id", "closed"]),
            ("message Cs_1 { @max(3) @s‸ string a; }", ["since", "sensitive"], ["id"]),
            ("@‸", ["id", "from", "reply", "name", "closed"], ["max", "length"]),
            ("packet { @‸ }", ["length", "id", "constant"], ["max", "reply"]),
            ("packet { ‸ }", ["uint16", "varint", "payload"], ["string", "Item"]),
            ("packet { @length(‸) uint32 a; }", ["packet", "payload", "rest"], ["uint8"]),
            ("packet { ‸ }", ["frame", "uint8", "payload"], ["optional"]),
            ("packet { frame 1..1 { ‸ } }", [], ["frame", "uint8"]),
            ("packet { frame 1..1 { 1 = 2; } ‸ }", ["uint8", "payload"], ["frame"]),
            ("packet { uint8 a; ‸ }", ["uint8", "payload"], ["frame"]),
            ("packet { @checksum(‸) uint32 a; }", ["crc32", "crc16_modbus", "xor8"], ["payload"]),
            ("packet { uint8 a; @checksum(xor8, ‸) uint8 b; }", ["payload", "rest", "a"], ["xor8"]),
            ("packet { uint8 a; @checksum(xor8, a..‸) uint8 b; }", ["payload", "a"], ["xor8", "rest"]),
            ("@reply(‸) message Cs_1 {}", ["Cs_9", "Cs_1"], ["Item"]),
            ("@reply(Cs_9 | ‸) message Cs_1 {}", ["Cs_9", "Cs_1"], ["Item"]),
            ("@from(c‸) message Cs_1 {}", ["client", "server", "both"], ["Item"]),
            (
                "message Cs_1 { uint8 a; State s; @if(‸) uint8 b; uint8 c; }", ["a", "s", "not"],
                ["b", "c", "open", "and"]
            ),
            (
                "message Cs_1 { uint8 a; State s; @if(a > 1 and not s == ‸) uint8 b; }", ["open", "closed"],
                ["a", "and"]
            ),
            ("message Cs_1 { bool a; @if(a == ‸) uint8 b; }", ["true", "false"], ["a"]),
            ("message Cs_1 { bool a; @if((a) ‸) uint8 b; }", ["and", "or"], ["a", "not"]),
            (
                "packet { @length(packet) uint8 l; State e; bit d; payload; uint8 t; } message Cs_1 { @if(header.‸) uint8 b; }",
                ["e", "d"], ["l", "t", "not"]
            ),
            (
                "packet { @length(packet) uint8 l; State e; } message Cs_1 { @if(header.e == ‸) uint8 b; }",
                ["open", "closed"], ["e"]
            ),
            (
                "packet { @length(packet) uint8 l; State e; } message Cs_1 { @if(‸) uint8 b; }", ["header", "not"],
                ["e"]
            ),
            ("packet { @length(packet) uint8 l; State e; } struct S { @if(‸) uint8 b; }", ["not"], ["header"]),
            ("packet { uint8 a; State s; @if(‸) uint8 b; uint8 c; }", ["a", "s", "not"], ["b", "c", "open"]),
            ("packet { State s; @if(s == ‸) uint8 b; }", ["open", "closed"], ["s"]),
            ("packet { uint8 a; @if(‸) uint8 b; }", ["a", "sender", "nested", "not"], ["client"]),
            ("packet { uint8 sender; @if(‸) uint8 b; }", ["sender", "nested"], ["client"]),
            ("packet { ‸ }", ["state", "uint8"], []),
            ("packet { state ‸ }", ["uint8", "bit"], ["payload"]),
            ("packet { state bit on; @if(‸) uint8 b; }", ["on", "sender", "not"], []),
            ("packet { state State s; @if(s == ‸) uint8 b; }", ["open", "closed"], ["s"]),
            ("packet { @id uint8 i; state bit on; } @sets(‸) message Cs_1 {}", ["on"], ["i"]),
            ("packet { @if(sender == ‸) uint8 b; }", ["client", "server"], ["sender"]),
            ("packet { @if(a and nested != ‸) uint8 b; }", ["true", "false"], ["client"]),
            ("message Cs_1 { @if(sender == ‸) uint8 b; }", [], ["client"]),
            ("message Cs_1 { @count(‸) string a; }", ["uint8", "varint"], ["int8"]),
            ("message Cs_1 { @‸ }", ["count", "until", "rest"], ["length"]),
            ("message Cs_1 { @since(2) @default(‸) State s; }", ["open", "closed"], ["uint8"]),
            ("message Cs_1 { @since(2) @default(‸) bool s; }", ["true", "false"], ["open"]),
            ("enum E : ‸", ["uint8", "int64"], ["string"]),
            ("struct S sized(‸", ["uint8", "varint"], ["string"]),
            ("union U : ‸", ["uint8", "int24", "varint", "State"], ["string", "Bits", "Item"]),
            ("union U : uint8 ‸", ["sized"], ["uint8"]), ("union U : uint8 sized(‸", ["uint8", "varint"], ["string"]),
            ("union U : State { ‸ }", ["open", "closed", "default"], ["uint8", "optional"]),
            ("union U : uint8 { ‸ }", ["default"], ["open", "uint8"]),
            ("union U : uint8 { 1: ‸ }", ["uint8", "Item", "State"], ["default", "message"]),
            ("message Cs_1 { uint8 a; State s; @tag(‸) Item i; uint8 b; }", ["a", "s"], ["b", "not", "open"]),
            ("union U : uint8 { 1: @‸ }", ["max", "sensitive"], ["id", "length"]),
            ("union U : uint8 { 1: uint8 a; } message Cs_1 { ‸ }", ["U", "uint8"], ["union"]),
            ("option ‸", ["byte_order", "trailing"], ["message"]),
            ("option byte_order = ‸", ["big", "little"], ["message"]),
            ("const ‸", ["uint8"], ["string"]),
            ("// ‸", [], ["message"]), ("/* ‸ */", [], ["message"]),
            ("@deprecated(\"‸\") message Cs_1 {}", [], ["message"]),
            ("message Cs_1 { uint8 a = 1‸; }", [], ["uint8"]),
        ] as [(String, [String], [String])])
    func `completion offers what fits`(source: String, present: [String], absent: [String]) throws {
        let editor = try Editor(
            ["a.wire": source],
            closed: [
                "b.wire": "struct Item { uint8 a; } enum State : uint8 { open = 0; closed = 1; } "
                    + "flags Bits : uint8 { x = 1; } const uint8 slots = 3; message Cs_9 {}"
            ])
        let labels = items(try editor.result("completion", "a.wire")).compactMap { text($0["label"]) }
        for word in present { #expect(labels.contains(word), "\(word): \(labels)") }
        for word in absent { #expect(!labels.contains(word), "\(word): \(labels)") }
        #expect(Set(labels).count == labels.count)
    }

    @Test func `the word that is written is replaced`() throws {
        let editor = try Editor(["a.wire": "message Cs_1 { ui‸nt8 a; }"])
        let first = try #require(items(try editor.result("completion", "a.wire")).first)
        #expect(first["textEdit"]?["range"]?["start"]?["character"] == 15)
        #expect(first["textEdit"]?["range"]?["end"]?["character"] == 17)
    }

    // MARK: Formatting

    @Test func `only the lines that differ are formatted`() throws {
        let editor = try Editor(["a.wire": "message Cs_1 {\n    uint8 a;\n}\n\nmessage Cs_2{\n  uint8 b;\n}\n"])
        let edits = items(try editor.result("formatting", "a.wire", ["options": [:]]))
        #expect(edits.count == 1)
        #expect(edits[0]["newText"] == "message Cs_2 {\n    uint8 b;\n")
        #expect(edits[0]["range"]?["start"]?["line"] == 4)
        #expect(edits[0]["range"]?["end"]?["line"] == 6)
    }

    @Test(arguments: ["message Cs_1 {\n    uint8 a;\n}\n", "message Cs_1 {\n    uint8 a\n}}\n", ""])
    func `what is formatted or broken stays`(source: String) throws {
        let editor = try Editor(["a.wire": source])
        #expect(try editor.result("formatting", "a.wire") == [])
    }

    @Test(arguments: [
        "message Cs_1{}", "\n\n\nmessage Cs_1 {}\n", "message Cs_1 {}\n\n\n\n", "message Cs_1 {}\r\n", "a",
    ])
    func `an edit gives the text that wire format writes`(source: String) throws {
        let editor = try Editor(["a.wire": source])
        let edits = items(try editor.result("formatting", "a.wire"))
        guard let edit = edits.first else { return }
        try editor.change("a.wire", [["range": try #require(edit["range"]), "text": try #require(edit["newText"])]])
        #expect(try editor.result("formatting", "a.wire") == [])
    }

    // MARK: Symbols

    @Test func `symbols are a tree, or a list for clients that know no tree`() throws {
        let source =
            "@closed enum E : uint8 { a = 0; }\nmessage Cs_1 {\n    @max(3) string s = 1;\n}\nconst uint8 n = 3;\n"
        let editor = try Editor(
            ["a.wire": source],
            capabilities: ["textDocument": ["documentSymbol": ["hierarchicalDocumentSymbolSupport": true]]])
        let tree = items(try editor.result("documentSymbol", "a.wire"))
        #expect(tree.map { text($0["name"]) } == ["E", "Cs_1", "n"])
        #expect(tree[1]["range"]?["end"] == ["line": 3, "character": 1])
        #expect(items(tree[1]["children"]).map { text($0["detail"]) } == ["string"])
        let union = items(
            try Editor(
                ["a.wire": "union U : uint8 {\n    1: @max(3) string s;\n    2: n;\n}\n"],
                capabilities: ["textDocument": ["documentSymbol": ["hierarchicalDocumentSymbolSupport": true]]]
            ).result("documentSymbol", "a.wire"))
        #expect(union.map { text($0["detail"]) } == ["union : uint8"])
        #expect(items(union[0]["children"]).map { text($0["name"]) } == ["s", "n"])
        #expect(items(union[0]["children"]).map { text($0["detail"]) } == ["1: string", "2"])
        let packet = items(
            try Editor(
                ["a.wire": "packet {\n    frame 1..1 { 1 = 0x0201; 2 = 0x0202; }\n    @id uint8 id;\n}\n"],
                capabilities: ["textDocument": ["documentSymbol": ["hierarchicalDocumentSymbolSupport": true]]]
            ).result("documentSymbol", "a.wire"))
        #expect(packet[0]["range"]?["end"] == ["line": 3, "character": 1])
        #expect(items(packet[0]["children"]).map { text($0["name"]) } == ["frame", "id"])
        #expect(items(packet[0]["children"]).map { text($0["detail"]) } == ["1..1", "uint8"])
        let list = items(try Editor(["a.wire": source]).result("documentSymbol", "a.wire"))
        #expect(list.map { text($0["name"]) } == ["E", "a", "Cs_1", "s", "n"])
        #expect(list.map { text($0["containerName"]) } == [nil, "E", nil, "Cs_1", nil])
    }
}
