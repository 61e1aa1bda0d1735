// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineGenerator
import WirelineSchema

struct TypeScriptGoldenTests {
    private static func text(_ schemas: [(String, String)]) throws -> String {
        try TypeScriptGenerator(ProtocolDescription.checked(schemas)).files()[0].text
    }

    private static let several = [
        ("a.wire", "message Cs_1 { Point at; Color color; }\nmessage Sc_1 {}"),
        ("b.wire", "struct Point { int32 x; }\n@name(LeaveHall) message Cs_2 { uint8 UserID; uint8 user_id; }"),
        (
            "c.wire",
            "@closed enum Color : uint8 { red = 0; blue = 2; }\nflags Bits : uint8 { all = 1; }\nconst uint8 SEATS = 4;"
        ),
    ]

    @Test func `names follow TypeScript's rules, and equal ones get a number`() throws {
        let text = try Self.text(Self.several)
        #expect(text.contains("export interface LeaveHall {\n  userId: number;\n  userId_2: number;\n"))
        #expect(text.contains("export const seats = 4;\n"))
        #expect(
            text.contains("export const Color = {\n  red: 0,\n  blue: 2,\n} as const;\n\nexport type Color = 0 | 2;\n"))
        #expect(text.contains("export type Bits = number;\n"))
        // Errors have the schema's names.
        #expect(text.contains(#"name: "Cs_2","#) && text.contains(#"take(r, 1, "UserID")"#))
    }

    @Test func `names of the language and of the runtime get an underscore`() throws {
        let text = try Self.text([
            (
                "a.wire",
                """
                struct header { uint8 type; uint8 class; }
                enum Map : uint8 { new = 0; }
                message Cs_1 { header Reader; Map trailing; }
                const uint8 encode = 1; const uint8 Class = 2;
                """
            )
        ])
        #expect(text.contains("export interface Header_ {\n  type: number;\n  class: number;\n}\n"))
        #expect(text.contains("  reader: Header_;\n  trailing_: Map_;\n"))
        #expect(text.contains("export const encode_ = 1;\n") && text.contains("export const class_ = 2;\n"))
    }

    @Test(arguments: [
        ("scene-2", "scene_2"), ("9", "wire_9"), ("TwoByteHeader", "two_byte_header"), ("HTTP2", "http2"),
    ])
    func `the folder's name becomes the names of the files`(_ folder: String, _ stem: String) throws {
        let generator = TypeScriptGenerator(
            try ProtocolDescription.checked([("a.wire", "message Cs_1 {}")], name: folder))
        #expect(try generator.files().map(\.path) == [stem + "_protocol.ts"])
        #expect(try generator.adapter().path == stem + "_conform.mjs")
    }

    @Test func `a module contains only what its schema needs`() throws {
        let text = try Self.text([("a.wire", "message Cs_1 { uint8 a; }")])
        for word in ["bigint", "BigInt", "TextDecoder", "varint", "floats", "crc32", "u16Little"] {
            #expect(!text.contains(word))
        }
    }

    /// Whatever a comment contains, removing the comments removes all of it.
    @Test(arguments: ProtocolDescription.lineEnds)
    func `a comment stays a comment, whatever it contains`(_ newline: String) throws {
        var description = try ProtocolDescription.withAllParts()
        let plain = try Self.code(description)
        let text =
            "a */ evil(); /* @internal \\u002a/ *\(newline)/ evil(); // <![CDATA[ \(newline)export const evil = 1;*/"
        description.comment(with: text)
        let commented = try Self.code(description)
        #expect(commented == plain)
        #expect(!commented.contains("evil"))
    }

    /// Returns a module without its comments, as a compiler sees it.
    private static func code(_ description: ProtocolDescription) throws -> String {
        var code = ""
        var rest = try TypeScriptGenerator(description).files()[0].text[...]
        while let start = rest.firstRange(of: /\/\*|\/\/|"/) {
            code += rest[..<start.lowerBound]
            let mark = rest[start]
            rest = rest[start.upperBound...]
            switch mark {
            case "/*":
                let end = try #require(rest.firstRange(of: "*/"))
                rest = rest[end.upperBound...]
            case "//": rest = rest.drop { !$0.unicodeScalars.contains { isNewline($0) } }
            default:
                let end = try #require(rest.firstRange(of: "\""))
                code += "\"" + rest[..<end.upperBound]
                rest = rest[end.upperBound...]
            }
        }
        // A longer comment has more lines.
        return (code + rest).split(whereSeparator: \.isNewline).filter { !$0.allSatisfy(\.isWhitespace) }
            .joined(separator: "\n")
    }

    private static func isNewline(_ scalar: Unicode.Scalar) -> Bool {
        ["\n", "\r", "\u{2028}", "\u{2029}"].contains(scalar)
    }
}
