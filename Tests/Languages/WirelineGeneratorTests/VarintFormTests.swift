// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineGenerator
import WirelineSchema

/// What `option varints = any` changes in generated code.
struct VarintFormTests {
    private static let schema = """
        option string_count = varint;
        packet { @length(packet) @max_bytes(3) varint length; @id uint8 id; }
        struct Sized sized(varint) { uint8 a; }
        @id(1) @from(client) message M { varint v; zigzag[] z; string text; @count(varint) bytes[] list; Sized sized; }
        """

    private func description(_ option: String) throws -> ProtocolDescription {
        let file = SourceFile(path: "a.wire", bytes: Array((option + Self.schema).utf8))
        return try #require(ProtocolDescription.check(name: "Forms", files: [file]).description)
    }

    @Test func `every varint of generated Swift says that it reads any form`() throws {
        let text = try SwiftGenerator(description("option varints = any;"), fileNames: ["a.wire"]).files().map(\.text)
            .joined()
        for call in [
            "reader.readVarint(maximumByteCount: 10, .any)", "reader.readZigzag(maximumByteCount: 10, .any)",
            ".varint(.init(.unsigned, maximumByteCount: 3, .any))",
        ] {
            #expect(text.contains(call), "\(call)")
        }
        let counts = text.ranges(of: "readCount(.varint, .bigEndian")
        #expect(counts.count == 4)
        #expect(text.ranges(of: "readCount(.varint, .bigEndian, .any)").count == counts.count)
    }

    @Test func `the generated runtimes refuse longer forms only by default`() throws {
        for (option, refuses) in [("", true), ("option varints = shortest;", true), ("option varints = any;", false)] {
            let description = try description(option)
            let erlang = ErlangGenerator(description).files().map(\.text).joined()
            #expect(erlang.contains("fail(varint_not_shortest") == refuses)
            let lua = WiresharkGenerator(description).files().map(\.text).joined()
            #expect(lua.contains("any_varints = true") == !refuses)
        }
    }
}
