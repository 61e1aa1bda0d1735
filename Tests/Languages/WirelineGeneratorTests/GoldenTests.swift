// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineGenerator
import WirelineSchema

struct GoldenTests {
    private static func files(_ schemas: [(String, String)]) throws -> [GeneratedFile] {
        let files = schemas.map { SourceFile(path: $0.0, bytes: Array($0.1.utf8)) }
        let description = try #require(ProtocolDescription.check(name: "Golden", files: files).description)
        return SwiftGenerator(description, fileNames: files.map(\.path)).files()
    }

    private static let several = [
        ("a.wire", "message Cs_1 { Point at; Color color; }\nmessage Sc_1 {}"),
        ("b.wire", "struct Point { int32 x; int32 y; }\n@name(Leave) message Cs_2 { uint8 UserID; uint8 user_id; }"),
        ("c.wire", "enum Color : uint8 { red = 0; }\nflags Bits : uint8 { all = 1; }\nconst uint8 seats = 4;"),
        ("d.wire", "// nothing but a comment"),
    ]

    @Test func `each schema file becomes a Swift file, and the protocol becomes one more`() throws {
        let paths = try Self.files(Self.several).map(\.path)
        #expect(paths == ["GoldenProtocol.swift", "a.wire.swift", "b.wire.swift", "c.wire.swift", "d.wire.swift"])
    }

    @Test func `parts hold the declarations of a file, and a new one changes one part only`() throws {
        func parts(messageCount: Int) throws -> [GeneratedFile] {
            let text = (0..<messageCount).map { "message Cs_\($0) { uint8 a; }\n" }.joined()
            let files = [SourceFile(path: "a.wire", bytes: Array(text.utf8)), SourceFile(path: "b.wire", bytes: [])]
            let description = try #require(ProtocolDescription.check(name: "Golden", files: files).description)
            return SwiftGenerator(description, fileNames: files.map(\.path), partCount: 3).files()
        }
        let (few, more) = (try parts(messageCount: 30), try parts(messageCount: 31))
        #expect(
            few.map(\.path) == [
                "GoldenProtocol.swift", "a.wire.2.swift", "a.wire.3.swift", "a.wire.swift", "b.wire.2.swift",
                "b.wire.3.swift", "b.wire.swift",
            ])
        let types = few[1...3].map { $0.text.split(separator: "public struct ").count - 1 }
        #expect(types.reduce(0, +) == 30 && types.allSatisfy { $0 >= 5 })
        #expect(zip(few[1...], more[1...]).count(where: { $0 != $1 }) == 1)
    }

    @Test func `several replies become an enum with a case for each, and one is a type alias`() throws {
        let text = try #require(
            try Self.files([
                (
                    "a.wire",
                    """
                    @reply(Sc_1 | MessageIDs) message Cs_1 {}
                    // It worked.
                    message Sc_1 {}
                    @id(9) @from(server) message MessageIDs {}
                    @reply(MessageIDs) message Cs_2 {}
                    """
                )
            ]).last
        ).text
        #expect(
            text.contains(
                """
                    public typealias Definition = GoldenProtocol

                    /// A message that answers `Cs_1`.
                    public enum Reply: WirelineCodec::ReplyChoice {
                        public typealias Definition = GoldenProtocol

                        /// It worked.
                        case sc1(Sc_1)
                        case messageIDs_(MessageIDs)

                        public static var messageIDs: [Swift::UInt64] { [1, 9] }

                        public init(in packet: borrowing WirelineCodec::Packet) throws(WirelineCodec::CodecError) {
                            var reader = packet.makeReader(maximumDepth: Definition.maximumDepth)
                            switch packet.id {
                            case 9: self = .messageIDs_(try .init(from: &reader))
                            default: self = .sc1(try .init(from: &reader))
                            }
                        }

                        #if !hasFeature(Embedded)
                        public var message: any WirelineCodec::PacketMessage {
                            switch self {
                            case .sc1(let message): message
                            case .messageIDs_(let message): message
                            }
                        }
                        #endif
                    }

                """), "\(text)")
        #expect(text.contains("    public typealias Reply = MessageIDs\n"))
    }

    @Test func `names that become equal in Swift are made different`() throws {
        let text = try #require(try Self.files(Self.several).first { $0.path == "b.wire.swift" }).text
        #expect(text.contains("    public var userID: Swift::UInt8\n    public var userID_: Swift::UInt8\n"))
        #expect(text.contains("public typealias Cs_2 = Leave\n"))
    }

    @Test(arguments: ["\u{2028}", "\u{2029}", "\u{85}", "\r", "\r\n", "\n", "\u{B}", "\u{C}"])
    func `no kind of line break ends a comment`(_ newline: String) throws {
        // Only `description` can hold all of them: comments of the language end at some.
        let files = [SourceFile(path: "a.wire", bytes: Array("message Cs_1 { uint8 a; }".utf8))]
        var description = try #require(ProtocolDescription.check(name: "Golden", files: files).description)
        let text = "*/ \"\"\"\(newline)#error(\"out\")\(newline)}"
        description.messages[0].documentation = text
        description.messages[0].fields[0].documentation = text
        let result = try #require(SwiftGenerator(description).files().last).text
        #expect(
            result.contains(
                """
                /// */ \"""
                /// #error("out")
                /// }
                ///
                /// `Cs_1`, ID 1, sent by the client.
                public struct Cs_1: WirelineCodec::ClientMessage {
                """))
        #expect(
            result.contains(
                """
                    /// */ \"""
                    /// #error("out")
                    /// }
                    public var a: Swift::UInt8
                """))
    }

    @Test(arguments: [
        ("\"", #"\""#), (#"\(self)"#, #"\\(self)"#), ("\u{2028}", #"\u{2028}"#), ("\n", #"\u{A}"#),
        ("\u{202E}", #"\u{202E}"#), ("🙂é", "🙂é"), ("*/ \"\"\"", #"*/ \"\"\""#),
    ])
    func `a text stays inside its literal`(_ text: String, _ literal: String) throws {
        let files = [SourceFile(path: "a.wire", bytes: Array("message Cs_1 { @deprecated(\"x\") uint8 a; }".utf8))]
        var description = try #require(ProtocolDescription.check(name: "Golden", files: files).description)
        description.messages[0].fields[0].deprecation = text
        let result = try #require(SwiftGenerator(description).files().last).text
        #expect(result.contains("    @available(*, deprecated, message: \"\(literal)\")\n"))
    }
}
