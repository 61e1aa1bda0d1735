// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineGenerator
import WirelineSchema

struct CppGoldenTests {
    private static func text(_ schemas: [(String, String)], name: String = "Test") throws -> String {
        try CppGenerator(ProtocolDescription.checked(schemas, name: name)).files()[0].text
    }

    @Test func `names follow the rules of C++, and equal ones get a number`() throws {
        let text = try Self.text([
            ("a.wire", "message Cs_1 { Point at; Color color; }\nmessage Sc_1 {}"),
            ("b.wire", "struct Point { int32 x; }\n@name(LeaveHall) message Cs_2 { uint8 UserId; uint8 user_id; }"),
            (
                "c.wire",
                "@closed enum Color : uint8 { red = 0; blue = 2; }\nflags Bits : uint16 { all = 1; }\nconst uint8 seats = 4;"
            ),
        ])
        #expect(text.contains("struct LeaveHall {\n    std::uint8_t user_id = 0;\n    std::uint8_t user_id_2 = 0;\n"))
        #expect(text.contains("\ninline constexpr std::uint8_t seats = 4;\n"))
        #expect(text.contains("enum class Color : std::uint8_t {\n    red = 0,\n    blue = 2,\n};\n"))
        #expect(text.contains("constexpr Bits operator|(Bits a, Bits b) {"))
        #expect(text.contains("    Point at;\n    Color color = static_cast<Color>(0);\n"))
        // Errors have the schema's names.
        #expect(text.contains(#"r.take(1, "UserId")"#) && text.contains(#"name = "Cs_2""#))
    }

    @Test func `names that the language or the header needs are changed`() throws {
        let text = try Self.text([
            (
                "a.wire",
                """
                struct point { uint8 class; uint8 _; uint8 _1; uint8 httpURL; uint8 std; uint8 errno; }
                struct _hidden { uint8 a; }
                enum splitter : uint8 { default = 0; }
                struct Packet { uint8 a; }
                const uint8 encode = 1;
                message Cs_1 { Packet Reader; splitter trailing; _hidden message_id; point at; }
                """
            )
        ])
        #expect(text.contains("struct Packet_ {\n    std::uint8_t a = 0;\n"))
        #expect(text.contains("struct X_hidden {\n    std::uint8_t a = 0;\n"))
        for field in ["class_", "_", "_1", "http_url", "std_", "errno_"] {
            #expect(text.contains("\n    std::uint8_t \(field) = 0;"), "\(field)")
        }
        #expect(text.contains("enum class Splitter_ : std::uint8_t {\n    default_ = 0,\n"))
        #expect(text.contains("constexpr std::uint8_t encode_ = 1;"))
        #expect(text.contains("    Splitter_ trailing_ = static_cast<Splitter_>(0);\n    X_hidden message_id;\n"))
    }

    @Test(arguments: [
        ("scene-2", "scene_2", "scene_2"), ("9", "wire_9", "wire_9"), ("HTTP2", "http2", "http2"),
        ("New", "new", "new_"),
    ])
    func `the folder's name becomes the names of the files and of the namespace`(
        _ folder: String, _ stem: String, _ namespace: String
    ) throws {
        let description = try ProtocolDescription.checked([("a.wire", "message Cs_1 {}")], name: folder)
        let generator = CppGenerator(description)
        let file = try generator.files()[0]
        #expect(file.path == stem + "_protocol.hpp")
        #expect(file.text.contains("\nnamespace \(namespace) {\n"))
        #expect(try generator.adapter().path == stem + "_conform.cpp")
        #expect(try CppGenerator(description, namespace: "a::b").files()[0].text.contains("\nnamespace a::b {\n"))
    }

    @Test(arguments: ["a-b", "9a", "new", "a b", "a:b", "::a", "a::", "a::::b", "a::class", "日"])
    func `a namespace cannot have just any name`(_ name: String) throws {
        let description = try ProtocolDescription.checked([("a.wire", "message Cs_1 {}")])
        #expect(throws: GenerationError.self) { try CppGenerator(description, namespace: name).files() }
    }

    @Test func `a header contains only what its schema needs`() throws {
        let text = try Self.text([("a.wire", "message Cs_1 { uint8 a; }")])
        for word in ["utf16", "Property", "crc32", "terminated", "Box", "Keystream", "fixedText"] {
            #expect(!text.contains(word), "\(word)")
        }
    }

    /// Whatever a comment contains, removing the lines of comments removes all of it.
    @Test(arguments: ProtocolDescription.lineEnds)
    func `a comment stays a comment, whatever it contains`(_ newline: String) throws {
        var description = try ProtocolDescription.withAllParts()
        let plain = try Self.code(description)
        let marks = ["*/ evil();", "evil \\", "evil ??/", "evil \\  ", "#define evil", "\"evil"]
        description.comment(with: marks.map { newline + $0 + newline + "//" + $0 + newline + "  " + $0 }.joined())
        #expect(try Self.code(description) == plain)
        let lines = try CppGenerator(description, namespace: "test").files()[0].text.split(whereSeparator: \.isNewline)
        #expect(!lines.contains { $0.contains(/(\\|\?\?\/)\s*$/) })
    }

    /// Returns the lines that are no comments.
    private static func code(_ description: ProtocolDescription) throws -> [Substring] {
        try CppGenerator(description, namespace: "test").files()[0].text.split(whereSeparator: \.isNewline)
            .filter { !$0.drop(while: \.isWhitespace).hasPrefix("//") }
    }
}
