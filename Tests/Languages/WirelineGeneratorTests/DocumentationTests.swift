// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import WirelineCodec
import WirelineGenerator
import WirelineSchema

/// The content of documentation pages, whatever the schema contains.
struct DocumentationTests {
    private static func html(_ description: ProtocolDescription) -> String {
        HTMLGenerator(description).files()[0].text
    }

    private static func markdown(_ description: ProtocolDescription) -> String {
        MarkdownGenerator(description).files()[0].text
    }

    private static let several = [
        ("a.wire", "message Cs_1 { Point at; Color color; }\nmessage Sc_1 {}"),
        ("b.wire", "struct Point { int32 x; }\n@name(LeaveHall) message Cs_2 { uint8 UserID; uint8 user_id; }"),
        (
            "c.wire",
            """
            enum Color : uint8 { red = 0; reserved 7; }
            flags Bits : uint8 { all = 1; }
            const uint8 seats = 4;
            reserved 20, 30 to 39;
            """
        ),
    ]

    @Test(arguments: [
        ("Scene", "Scene"), ("scene-2", "scene-2"), ("场", "场"), ("a/b", "a-b"), ("..", "protocol"), ("", "protocol"),
        ("a b\u{0}\"<", "a-b---"),
    ])
    func `the file has the name of the protocol`(_ name: String, _ file: String) throws {
        let description = try ProtocolDescription.checked([("a.wire", "message Cs_1 {}")], name: name)
        #expect(HTMLGenerator(description).files().map(\.path) == [file + ".html"])
        #expect(MarkdownGenerator(description).files().map(\.path) == [file + ".md"])
    }

    @Test func `texts of the header are in quotation marks`() throws {
        let page = Self.markdown(
            try ProtocolDescription.checked([
                (
                    "a.wire",
                    """
                    packet {
                        @constant("ZBXD") char[4] magic; @length(payload) uint8 length; @default("0139") bcd[2] phone;
                        char[2] place; @id uint8 id;
                    }
                    @id(1) @from(client) @header(place = "no", phone = "0000") message A {}
                    """
                )
            ]))
        #expect(page.contains("always \"ZBXD\""))
        #expect(page.contains("\"0139\" unless it is set"))
        #expect(page.contains("empty unless it is set"))
        #expect(page.contains("always with `phone` = \"0000\" and `place` = \"no\""))
    }

    @Test func `a list of numbers is one code span in Markdown`() throws {
        let page = Self.markdown(
            try ProtocolDescription.checked([("a.wire", "message Cs_1 { uint8[3] a; string[] b; }")]))
        #expect(page.contains("| `uint8[3]` |"))
        #expect(page.contains("| `string[]` |"))
    }

    /// Texts with a meaning in one of the formats, and their escaped form in Markdown.
    private static let hostile = [
        ("</script><script>alert(1)</script>", "&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;"),
        ("<img src=x onerror=alert(1)>", "&lt;img src=x onerror=alert(1)&gt;"),
        ("\"><b title='x'>", "\"&gt;&lt;b title='x'&gt;"),
        ("&lt;b&gt; &#60; &amp", "&amp;lt;b&amp;gt; &amp;#60; &amp;amp"),
        ("--> ]]> */ #{x} <!--", "\\--&gt; \\]\\]&gt; \\*/ #{x} &lt;!--"),
        ("a | b || c", "a \\| b \\|\\| c"),
        ("`code ``x``` \\", "\\`code \\`\\`x\\`\\`\\` \\\\"),
        ("# no heading", "\\# no heading"),
        ("=== no heading", "\\=== no heading"),
        ("1. no list", "1\\. no list"),
        ("12) no list", "12\\) no list"),
        ("- no list", "\\- no list"),
        ("+ no list", "\\+ no list"),
        ("*a* __b__ ~~c~~ $d$", "\\*a\\* \\_\\_b\\_\\_ \\~\\~c\\~\\~ \\$d\\$"),
        ("![x](http://e.com/y.png)", "!\\[x\\](http\\://e.com/y.png)"),
        ("[x](javascript:alert(1))", "\\[x\\](javascript:alert(1))"),
        ("www.example.com https://example.com", "www\\.example.com https\\://example.com"),
        ("<?xml ?><!DOCTYPE x><![CDATA[", "&lt;?xml ?&gt;&lt;!DOCTYPE x&gt;&lt;!\\[CDATA\\["),
    ]

    /// A protocol with one of each thing that has a comment, and this text in each comment.
    private static func commented(_ text: String) throws -> ProtocolDescription {
        var description = try ProtocolDescription.checked([
            (
                "a.wire",
                """
                packet { @length(packet) uint32 length; @id uint16 id; }
                message Cs_1 { uint8 a; Color c; S s; Bits b; }
                struct S { uint8 x; }
                enum Color : uint8 { red = 0; }
                flags Bits : uint8 { all = 1; }
                const uint8 seats = 4;
                """
            )
        ])
        description.documentation = text
        description.packetFields[0].documentation = text
        description.messages[0].documentation = text
        description.messages[0].fields[0].documentation = text
        description.structures[0].documentation = text
        description.structures[0].fields[0].documentation = text
        description.enumerations[0].documentation = text
        description.enumerations[0].cases[0].documentation = text
        description.flagSets[0].documentation = text
        description.flagSets[0].cases[0].documentation = text
        description.constants[0].documentation = text
        return description
    }

    /// The eleven above, and a message's first line in the table of all messages.
    private static let commentCount = 12

    @Test(arguments: hostile.map(\.0))
    func `a comment is only text in HTML`(_ text: String) throws {
        let plain = try PageStructure(Self.html(Self.commented("plain")))
        let page = try PageStructure(Self.html(Self.commented(text)))
        #expect(zip(page.elements, plain.elements).allSatisfy { $0.isLike($1) })
        #expect(page.elements.count == plain.elements.count)
        #expect(page.elements.count { $0.text == text } == Self.commentCount)
    }

    @Test(arguments: hostile)
    func `a comment is only text in Markdown`(_ text: String, _ escaped: String) throws {
        let (plain, page) = (Self.markdown(try Self.commented("plain")), Self.markdown(try Self.commented(text)))
        #expect(page.replacing(escaped, with: "plain") == plain)
        #expect(page.split(separator: escaped, omittingEmptySubsequences: false).count == Self.commentCount + 1)
    }

    @Test func `reasons, names and defaults are only text, too`() throws {
        let text = "</script><img src=x onerror=alert(1)>|`*"
        var description = try Self.commented("plain")
        description.name = text
        description.messages[0].deprecation = text
        description.messages[0].fields[0].deprecation = text
        description.structures[0].deprecation = text
        description.enumerations[0].deprecation = text
        description.enumerations[0].cases[0].deprecation = text
        description.flagSets[0].deprecation = text
        description.messages[0].fields[2].type = .string(.rest)
        description.messages[0].fields[2].presence = .since(1, default: .string(text))
        let page = try PageStructure(Self.html(description))
        #expect(page.elements("img") == [] && page.elements("script").count == 3)
        // Twice the name, six reasons and the default.
        #expect(page.elements.count { $0.text.contains(text) } == 9)
        let markdown = Self.markdown(description)
        let code = "``\"</script><img src=x onerror=alert(1)>\\|`*\"``"
        #expect(markdown.contains("since 1, when absent " + code))
        #expect(!markdown.replacing(code, with: "").contains("<img"))
    }

    /// A scalar with a combining mark after it is another character.
    @Test func `characters with combining marks stay inside their code span`() throws {
        var description = try Self.commented("plain")
        description.messages[0].fields[2].type = .string(.rest)
        description.messages[0].fields[2].presence = .since(1, default: .string("`\u{301}<img>|\u{301} z"))
        let code = "``\"`\u{301}<img>\\|\u{301} z\"``"
        #expect(Self.markdown(description).unicodeScalars.contains(code.unicodeScalars))
    }

    @Test(arguments: ["\u{2028}", "\u{2029}", "\u{85}", "\r", "\r\n", "\n", "\u{B}", "\u{C}", "\u{0}", "\u{202E}"])
    func `no character breaks a page`(_ character: String) throws {
        let description = try Self.commented("a\(character)| b \(character)# c")
        let page = try PageStructure(Self.html(description))
        #expect(page.elements("article").count == 5)
        #expect(Self.markdown(description).split(separator: "\n").count { $0.hasPrefix("#") } == 1 + 6 + 5)
    }

    @Test func `short lines of a comment are kept, and long ones are joined with the next`() throws {
        let long = String(repeating: "word ", count: 13)
        let description = try Self.commented("0 bad\n1 good\n\n\(long)\nend")
        let lines = try PageStructure(Self.html(description)).elements("article")[0].wholeText
        #expect(lines.contains("0 bad"))
        #expect(Self.markdown(description).contains("0 bad<br>\n1 good\n\n\(long)end\n"))
    }

    @Test func `offsets are shown as long as they are known, and sizes say what they depend on`() throws {
        let description = try ProtocolDescription.checked([
            (
                "a.wire",
                """
                message Cs_1 {
                    uint32 a; @max(8) String b; uint8[2] c; @count(uint8) uint32[] d; optional uint64 e;
                }
                message Cs_2 { @until(0) S[] list; @until(0xFF) uint16[] numbers; }
                struct S sized(uint8) { uint24 x; String y; bool z; }
                """
            )
        ])
        let page = try PageStructure(Self.html(description))
        let cells = page.elements("td").map(\.wholeText).joined(separator: "|")
        for row in [
            "6|4|a|uint32|", "10|2 + n|b|string|at most 8 bytes", "after b|2|c|uint8[2]|",
            "after c|1 + n × 4|d|uint32[]|counted by a uint8",
            "6|items + 1|list|S[]|ends at a byte 0x00", "after list|n × 2 + 1|numbers|uint16[]|ends at a byte 0xff",
            "after d|8|e|uint64|optional: absent when the payload ends before it", "0|3|x|uint24|", "3|2 + n|y|string|",
            "after y|1|z|bool|",
        ] {
            #expect(cells.contains(row), "\(row)")
        }
    }

    @Test func `values that may be absent say which count tells it`() throws {
        let description = try ProtocolDescription.checked([
            (
                "a.wire",
                """
                struct S { uint8 a; }
                message Cs_1 { @count(int32) bytes a; @size(zigzag) S b; @little @count(int16) string c; }
                """
            )
        ])
        let page = try PageStructure(Self.html(description))
        let cells = page.elements("td").map(\.wholeText).joined(separator: "|")
        for row in [
            "6|4 + n|a|bytes|counted by an int32absent if its count is -1",
            "after a|1 to 5 + n|b|S|its bytes are counted by a zigzagabsent if its count is -1",
            "after b|2 + n|c|string|counted by an int16count little-endianabsent if its count is -1",
        ] {
            #expect(cells.contains(row), "\(row) in \(cells)")
        }
    }

    @Test func `fields that share bytes are drawn with their bits`() throws {
        let description = try ProtocolDescription.checked([
            ("a.wire", "message Cs_1 { uint8 a; uint4 b; bit c; uint3 d; @little uint12 e; @little uint4 f; }")
        ])
        let page = try PageStructure(Self.html(description))
        let cells = page.elements("td").map(\.wholeText).joined(separator: "|")
        for row in [
            "6|1|a|uint8|", "7.0|4 bits|b|uint4|the bits 0xf0 of the byte", "7.4|1 bit|c|bit|the bits 0x08 of the byte",
            "7.5|3 bits|d|uint3|the bits 0x07 of the byte",
            "8.0|12 bits|e|uint12|little-endianthe bits 0xfff0 of an integer of 2 bytes",
        ] {
            #expect(cells.contains(row), "\(row)")
        }
        #expect(page.elements("p", class: "line").contains { $0.wholeText.contains("After the point of an offset") })
        let markdown = Self.markdown(description)
        #expect(markdown.contains("| 4 bits | 1 bit | 3 bits | 12 bits | 4 bits |"), "\(markdown)")
        #expect(markdown.contains("the number of bits before the part"))
    }

    @Test func `messages link to their pairs, types to their users, and IDs are shown in both notations`() throws {
        let page = try PageStructure(Self.html(ProtocolDescription.checked(Self.several)))
        let lines = page.elements("p", class: "line").map(\.wholeText)
        for line in [
            "ID 1 (0x0001), client to server, answered by Sc_1.", "ID 1 (0x0001), server to client, answers Cs_1.",
            "ID 2 (0x0002), client to server, in code LeaveHall.", "Used by Cs_1.",
            "uint8; other numbers are kept. Used by Cs_1.",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
        let cells = page.elements("td").map(\.wholeText).joined(separator: "|")
        for row in [
            "7||reserved", "0x01|all|", "4|seats|uint8", "20|0x14|no message may have it",
            "30 to 39|0x1e to 0x27|no message may have it",
        ] {
            #expect(cells.contains(row), "\(row)")
        }
    }

    @Test func `a message links to each of its replies, and a common reply to all its requests`() throws {
        let page = try PageStructure(Self.html(ProtocolDescription.checked([("a.wire", Self.severalReplies)])))
        let lines = page.elements("p", class: "line").map(\.wholeText)
        for line in [
            "ID 1 (0x0001), client to server, answered by Sc_1 or Failure.",
            "ID 2 (0x0002), client to server, answered by Sc_2 or Failure.",
            "ID 9 (0x0009), server to client, answers Cs_1, Cs_2.",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
        let markdown = try MarkdownGenerator(ProtocolDescription.checked([("a.wire", Self.severalReplies)])).files()[0]
            .text
        #expect(
            markdown.contains("answered by [`Sc_1`](#message-Sc_1) or [`Failure`](#message-Failure)"), "\(markdown)")
    }

    private static let severalReplies = """
        @reply(Sc_1 | Failure) message Cs_1 {} message Sc_1 {}
        @reply(Sc_2 | Failure) message Cs_2 {} message Sc_2 {}
        @id(9) @from(server) message Failure {}
        """

    @Test(arguments: [
        ("call `a b` and `the()`", ["a b", "the()"]), ("``x`y``", ["x`y"]), ("`` ` ``", ["`"]), ("`  `", ["  "]),
        ("`<b>` & `a|b`", ["<b>", "a|b"]), ("`open ``x` ", ["open ``x"]), ("`open", []), ("``", []),
    ])
    func `text between backticks is code`(comment: String, code: [String]) throws {
        let description = try Self.commented(comment)
        let page = try PageStructure(Self.html(description))
        let paragraph = try #require(page.elements("p", class: "word").first)
        let shown = page.elements("code").map(\.text)
        for text in code { #expect(shown.count { $0 == text } == Self.commentCount, "\(text)") }
        #expect(code.isEmpty == (paragraph.wholeText == comment))
        let markdown = Self.markdown(description)
        for text in code where !text.hasPrefix(" ") && !text.contains("`") && !text.contains("|") {
            #expect(markdown.components(separatedBy: "`\(text)`").count == Self.commentCount + 1, "\(text)")
        }
        #expect(!markdown.replacing("`<b>`", with: "").contains("<b>"))
    }

    @Test func `examples can be used although fields are sensitive, and their defaults are hidden`() throws {
        let description = try ProtocolDescription.checked([
            (
                "a.wire",
                """
                message Cs_1 {
                    uint8 before;
                    @sensitive String word;
                    @sensitive uint32[] codes;
                    @sensitive Inner inner;
                    Outer[] outer;
                    uint8 after;
                    @since(2) @default("hunter2") @sensitive String password;
                    @since(2) @default(7777) @sensitive uint32 pin;
                }
                struct Inner { uint16 x; }
                struct Outer { uint16 seen; @sensitive float32 ratio; }
                """
            )
        ])
        for text in [Self.html(description), Self.markdown(description)] {
            #expect(!text.contains("hunter2") && !text.contains("7777") && !text.contains("(hidden)"))
        }
        let page = try PageStructure(Self.html(description))
        let json = try #require(page.elements("pre", class: "json").first).text
        let digits = try #require(page.elements("pre", class: "digits").first).text
        let packet = try PacketTranslator(description).encode(message: "Cs_1", parsing: Array(json.utf8))
        #expect(Hexadecimal.text(of: packet) == digits)
        let columns = try #require(page.elements("pre", class: "columns").first).text
        #expect(columns.contains("word"))
    }

    @Test func `examples have the values that the schema gives`() throws {
        let description = try ProtocolDescription.checked([
            (
                "a.wire",
                """
                message Cs_1 {
                    @example(20) uint8 level;
                    @example(-1) @range(-5..0) int32 offset;
                    @example(300) varint count;
                    @example(0.25) float32 ratio;
                    @example(1.5) float64 weight;
                    @example(true) bool ready;
                    @example(green) Color color;
                    @example(2) Color[] colors;
                    @example(ban) Rights rights;
                    @example("老王") @sensitive String name;
                    @example("ab") bytes token;
                    @example(7) uint16[2] place;
                    S s;
                    @example("the end") @rest String rest;
                }
                struct S { @example("https://example.com/") String url; }
                enum Color : uint8 { red = 1; green = 2; }
                flags Rights : uint8 { mute = 0x1; ban = 0x2; }
                """
            )
        ])
        let page = try PageStructure(Self.html(description))
        let expected = """
            {
              "level": 20,
              "offset": -1,
              "count": 300,
              "ratio": 0.25,
              "weight": 1.5,
              "ready": true,
              "color": "green",
              "colors": ["green","green"],
              "rights": ["ban"],
              "name": "老王",
              "token": "YWI=",
              "place": [7,7],
              "s": {"url":"https://example.com/"},
              "rest": "the end"
            }
            """
        #expect(page.elements("pre", class: "json").map(\.text) == [expected])
        let notes = page.elements("small").map(\.wholeText)
        for note in [#"for example "老王""#, "for example green", "for example 7", "for example 0.25"] {
            #expect(notes.contains(note), "\(note)")
        }
        #expect(Self.markdown(description).contains(expected))
    }

    @Test func `a packet that is too long to read is not shown as an example`() throws {
        let description = try ProtocolDescription.checked([
            ("a.wire", "struct S { uint8[1000] a; }\nmessage Cs_1 { S[1000] list; }\nmessage Cs_2 { S s; }")
        ])
        let page = try PageStructure(Self.html(description))
        #expect(page.elements("p").map(\.text).contains("No example: a packet has more than 2048 bytes."))
        let columns = try #require(page.elements("pre", class: "columns").first).text.split(separator: "\n")
        #expect(columns.count == 41 && columns.last == "… and 962 parts more")
    }

    @Test func `without its scripts a page shows everything, but no search field and no tool`() throws {
        let page = try PageStructure(Self.html(ProtocolDescription.checked(Self.several)))
        let hidden = page.elements.filter { $0.attributes["hidden"] != nil }
        #expect(hidden.map { $0.attributes["id"] } == ["search", "try", "states", "jump"])
    }

    @Test(.enabled(if: OpenSSLTool.isWanted, Comment(rawValue: OpenSSLTool.absence)))
    func `the page's policy allows its own scripts, and no others`() throws {
        let text = Self.html(try ProtocolDescription.checked(Self.several))
        let folder = FileManager.default.temporaryDirectory.appending(path: "script-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let digests = try text.matches(of: /<script[^>]*>([\s\S]*?)<\/script>/).map { match in
            try Data(match.1.utf8).write(to: folder.appending(path: "script"))
            let digest = try OpenSSLTool.run(["dgst", "-sha256", "-binary", "script"], in: folder)
            return "'sha256-\(digest.base64EncodedString())'"
        }
        #expect(digests.count == 3)
        let policy = try #require(PageStructure(text).elements("meta").first { $0.attributes["http-equiv"] != nil })
        let sources = "script-src \(digests.joined(separator: " "));"
        #expect(policy.attributes["content"]?.contains(sources) == true, "\(sources)")
    }
}
