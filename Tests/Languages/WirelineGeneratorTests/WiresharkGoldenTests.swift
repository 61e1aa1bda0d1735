// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineGenerator
import WirelineSchema

struct WiresharkGoldenTests {
    private static func text(_ schemas: [(String, String)]) throws -> String {
        try WiresharkGenerator(ProtocolDescription.checked(schemas)).files()[0].text
    }

    private static let several = [
        ("a.wire", "message Cs_1 { Point at; Color color; }\nmessage Sc_1 {}"),
        ("b.wire", "struct Point { int32 x; }\n@name(Leave) message Cs_2 { uint8 UserID; uint8 user_id; }"),
        ("c.wire", "enum Color : uint8 { red = 0; }\nflags Bits : uint8 { all = 1; count = 2; }"),
    ]

    @Test func `filters have the schema's names in lower case, and equal ones get a number`() throws {
        let text = try Self.text(Self.several)
        #expect(text.contains(#"{ id = "2", name = "Cs_2", filter = "cs_2", alias = "Leave", client = true, fields"#))
        #expect(text.contains(#"{ name = "UserID", filter = "user_id", "#))
        #expect(text.contains(#"{ name = "user_id", filter = "user_id_2", "#))
        // A list of flags has a count of its own.
        #expect(text.contains(#"{ 0, 2, "count", "count_2" }"#))
    }

    @Test func `a message cannot take a filter name that all protocols have`() throws {
        let text = try Self.text([("a.wire", "@id(1) @from(both) message Packet {}\nstruct Sender { uint8 x; }")])
        #expect(text.contains(#"name = "Packet", filter = "packet_2""#))
        #expect(text.contains(#"{ filter = "sender_2", "#))
    }

    /// Wireshark exits if a protocol's name has only one letter, or is a word of its filter language.
    @Test(arguments: [
        ("scene-2", "scene_2"), ("9", "wire_9"), ("场", "wire"), ("S", "wire_s"), ("In", "wire_in"),
        ("anyNe", "wire_any_ne"),
    ])
    func `the folder's name becomes the file's name`(_ folder: String, _ stem: String) throws {
        let description = try ProtocolDescription.checked([("a.wire", "message Cs_1 {}")], name: folder)
        let file = WiresharkGenerator(description).files()[0]
        #expect(file.path == stem + ".lua")
        #expect(file.text.contains("    filter = \"\(stem)\",\n"))
    }

    /// Whatever a comment contains, removing the literals removes all of it.
    @Test(arguments: ["\u{2028}", "\u{2029}", "\u{85}", "\r", "\r\n", "\n", "\u{B}", "\u{C}", "\u{0}"])
    func `a comment stays inside its literal, whatever it contains`(_ newline: String) throws {
        var description = try ProtocolDescription.checked(Self.several)
        let plain = Self.code(WiresharkGenerator(description).files()[0].text)
        let text = "]] --[[ \" ' \\\" \\\\ \(newline)os.exit()\(newline) \u{202E} ${x} %d 附言"
        description.documentation = text
        description.messages[0].documentation = text
        description.messages[0].deprecation = text
        description.messages[0].fields[0].documentation = text
        description.messages[0].fields[0].deprecation = text
        description.structures[0].fields[0].documentation = text
        description.flagSets[0].cases[0].documentation = text
        description.name = "Golden\(newline)os.exit()"
        let result = WiresharkGenerator(description).files()[0].text
        #expect(result.contains(#"Deprecated: ]] --[[ \" ' \\\" \\\\ "#))
        #expect(result.contains("附言"))
        description.name = "Golden"
        #expect(Self.code(WiresharkGenerator(description).files()[0].text) == plain)
        let outside = result.split(separator: "\n").filter { $0.contains("os.exit()") }
        // In the first line, which is a comment, and in literals.
        #expect(
            outside.allSatisfy { $0.hasPrefix("-- ") || $0.drop { $0 == " " }.first == "{" || $0.contains("name = \"") }
        )
    }

    /// The text without the content of `about`.
    private static func code(_ text: String) -> String {
        text.replacing(#/, about = "(\\.|[^"\\])*"/#, with: "")
    }
}
