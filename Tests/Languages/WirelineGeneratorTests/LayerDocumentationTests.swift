// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineGenerator
import WirelineSchema

/// The documentation of packets with layers.
struct LayerDocumentationTests {
    private static func description(_ schema: String) throws -> ProtocolDescription {
        let result = ProtocolDescription.check(
            name: "Layers", files: [SourceFile(path: "a.wire", bytes: Array(schema.utf8))])
        return try #require(result.description, "\(result.renderedDiagnostics())")
    }

    private static let schema = """
        enum Form : uint8 { plain = 0; small = 1; }
        packet {
            @length(rest) uint16 size;
            Form form;
            layer xor(session);
            uint8 inside;
            @if(form == small) layer zlib;
            @if(form == small) packets;
            @if(inside == 7) opaque;
            @id uint8 id;
            payload;
            @checksum(crc32, size..payload) uint32 check;
        }
        @id(1) @from(client) message Say { uint16 number; string text; }
        """

    @Test func `a layer is a box around what it holds`() throws {
        let page = MarkdownGenerator(try Self.description(Self.schema)).files()[0].text
        #expect(
            page.contains(
                """
                0      2
                +------+------+
                | size | form |
                | 2    | 1    |
                +------+------+
                += xor(session) ===================+
                | 0                                |
                | +--------+                       |
                | | inside |                       |
                | | 1      |                       |
                | +--------+                       |
                | +=( zlib, if form == small )===+ |
                | | 0    1                       | |
                | | +----+- - - - -+             | |
                | | | id | payload |             | |
                | | | 1  | n       |             | |
                | | +----+- - - - -+             | |
                | +==============================+ |
                +==================================+
                …
                +-------+
                | check |
                | 4     |
                +-------+
                """))
        #expect(page.contains("| `zlib` | `form == small` | one zlib stream (RFC 1950) |"))
        #expect(page.contains("If `form == small`, the content is whole packets of the same sender"))
        #expect(page.contains("If `inside == 7`, the content is a part of a message, which is not read."))
        #expect(page.contains("Offsets count from the innermost content's first byte."))
    }

    @Test func `in HTML a layer is a list in an item`() throws {
        let page = HTMLGenerator(try Self.description(Self.schema)).files()[0].text
        #expect(page.contains("<li class=\"layer\"><b>xor(session)</b><ol class=\"bytes\"><li class=\"b1 envelope\">"))
        #expect(page.contains("<li class=\"layer absent\"><b>zlib, if form == small</b><ol class=\"bytes\">"))
    }

    @Test func `an example needs no key, or says that it would`() throws {
        let keyed = MarkdownGenerator(try Self.description(Self.schema)).files()[0].text
        #expect(keyed.contains("No example: packets have layers with keys or with a program's transforms."))
        let plain = """
            packet { @length(rest) uint16 size; bit small; uint7 spare; @if(small) layer zlib; @id uint8 id; }
            @id(1) @from(client) message Say { string text; }
            """
        let page = MarkdownGenerator(try Self.description(plain)).files()[0].text
        #expect(page.contains("As a packet in hexadecimal:"))
        #expect(!page.contains("Byte by byte"))
    }
}
