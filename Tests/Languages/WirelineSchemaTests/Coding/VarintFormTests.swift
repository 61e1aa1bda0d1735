// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec
import WirelineSchema

/// `option varints = any`.
struct VarintFormTests {
    private static let schema = """
        option string_count = varint;
        option list_count = varint;
        packet { @length(packet) varint length; @id uint8 id; }
        struct Sized sized(varint) { uint8 a; }
        @id(1) @from(client)
        message M { varint v; zigzag z; varint32 small; string text; uint8[] list; Sized sized; @count(varint) bytes data; }
        """

    private func translator(_ option: String) throws -> PacketTranslator {
        PacketTranslator(try describe(option + Self.schema))
    }

    /// Every number of this packet has one byte more than it needs, the packet's length too.
    private static let long = "9600 01 8500 8100 8300 8100 61 8200 0102 8100 07 8100 ff"
    private static let short = "0e 01 05 01 03 01 61 02 0102 01 07 01 ff"
    private static let fields =
        #""fields":{"v":5,"z":-1,"small":3,"text":"a","list":[1,2],"sized":{"a":7},"data":"/w=="}"#

    @Test func `any form of every varint is read, and the shortest is written`() throws {
        let translator = try translator("option varints = any;")
        let bytes = try Hexadecimal.bytes(of: Self.long)
        let line = try translator.decode(bytes.rawSpan, from: .client)
        #expect(line.description.hasSuffix(Self.fields + "}"))
        #expect(line.description.contains(#""length":22"#))
        // The line's length is that of the longer packet.
        let written = try translator.encode(line: line)
        #expect(Hexadecimal.text(of: written) == Self.short.replacing(" ", with: ""))
    }

    @Test func `by default only the shortest form is read`() throws {
        for option in ["", "option varints = shortest;"] {
            let translator = try translator(option)
            let (long, short) = (try Hexadecimal.bytes(of: Self.long), try Hexadecimal.bytes(of: Self.short))
            #expect(throws: CodecError(.varintNotShortest, offset: 0, path: "packet.length")) {
                try translator.decode(long.rawSpan, from: .client)
            }
            let line = try translator.decode(short.rawSpan, from: .client)
            #expect(line.description.hasSuffix(Self.fields + "}"))
        }
    }

    @Test func `a dump shows the bytes that a longer prefix has`() throws {
        let translator = try translator("option varints = any;")
        let bytes = try Hexadecimal.bytes(of: Self.long)
        let annotation = try translator.annotate(bytes.rawSpan, preferring: .client)
        let prefixes = annotation.parts.filter { $0.path.hasSuffix("text") || $0.path.hasSuffix("data") }
        #expect(prefixes.map(\.prefixByteCount) == [2, 2])
        #expect(prefixes.map(\.range.count) == [3, 3])
    }
}
