// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec
import WirelineSchema

/// `@fit`, `padding` and `@size(n) bytes` in the packet.
struct FittingHeaderDeclarationTests {
    private static let schema = """
        enum Form : uint8 { none = 0xC0; short = 0xC1; long = 0xC2; }
        packet {
            @fit Form form;
            padding 2;
            @if(form == short) @length(packet) uint8 size;
            @if(form == long) @length(packet) uint16 wide;
            @size(3) bytes key;
            @id uint8 id;
            payload;
            padding 1;
        }
        @id(3) @from(both) message Say { @rest string text; }
        """

    @Test func `the layout has them`() throws {
        let layout = try describe(Self.schema).layout
        #expect(layout.header[0].role == .fitting([0xC0, 0xC1, 0xC2]))
        #expect(layout.header[1] == PacketField("padding[0]", .bytes(byteCount: 2), .padding))
        #expect(layout.header[4] == PacketField("key", .bytes(byteCount: 3)))
        #expect(layout.trailer == [PacketField("padding[1]", .bytes(byteCount: 1), .padding)])
    }

    @Test(arguments: [
        (#""fields":{"text":""}"#, "c00000" + "000000" + "03" + "00", #"{"form":"none","key":"AAAA","id":3}"#),
        (
            #""header":{"key":"AQID"},"fields":{"text":"a"}"#, "c10000" + "0a" + "010203" + "03" + "61" + "00",
            #"{"form":"short","size":10,"key":"AQID","id":3}"#
        ),
        (
            #""header":{"form":"long"},"fields":{"text":""}"#, "c20000" + "000a" + "000000" + "03" + "00",
            #"{"form":"long","wide":10,"key":"AAAA","id":3}"#
        ),
    ])
    func `lines have the form that fits, and no padding`(line: String, hex: String, header: String) throws {
        let translator = PacketTranslator(try describe(Self.schema))
        let bytes = try translator.encode(line: JSONValue(parsing: #"{"message":"Say",\#(line)}"#))
        #expect(Hexadecimal.text(of: bytes) == hex)
        let read = try translator.decode(bytes.span.bytes, from: .client)
        #expect(read["header"]?.description == header)
        let annotation = try translator.annotate(bytes.span.bytes, preferring: .client)
        #expect(annotation.parts.filter { $0.kind == .padding }.map(\.path) == ["padding[0]", "padding[1]"])
        #expect(annotation.parts.reduce(0) { $0 + $1.range.count } == bytes.count)
    }

    @Test func `padding has no key`() throws {
        let translator = PacketTranslator(try describe(Self.schema))
        #expect(throws: TranslationError.self) {
            try translator.encode(
                line: JSONValue(parsing: #"{"message":"Say","header":{"padding[0]":"AA=="},"fields":{"text":""}}"#))
        }
    }
}
