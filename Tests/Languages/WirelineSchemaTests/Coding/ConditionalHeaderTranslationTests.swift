// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec
import WirelineSchema

/// Header fields that are there only if a condition holds, in JSON.
struct ConditionalHeaderTranslationTests {
    private static let schema = """
        enum Form : uint8 { short = 1; long = 2; bare = 3; }
        flags Marks : uint8 { timed = 1; signed = 2; }
        packet {
            @default(short) Form form;
            @if(form == short) @length(packet) uint8 size;
            @if(form == long) @length(packet) uint16 wide;
            Marks marks;
            @if(marks & timed) @default(7) uint16 time;
            @if(marks & timed and time > 255) char[2] zone;
            @id uint8 id;
            payload;
            @if(marks & signed) @checksum(sum8) uint8 sum;
        }
        @id(3) @from(both) message Say { @rest string text; }
        """

    private let translator: PacketTranslator

    init() throws { translator = PacketTranslator(try describe(Self.schema)) }

    private func encode(_ line: String) throws -> String {
        Hexadecimal.text(of: try translator.encode(line: JSONValue(parsing: line)))
    }

    private static func line(_ header: String, _ text: String = "hi") -> String {
        #"{"message":"Say","header":{\#(header)},"fields":{"text":"\#(text)"}}"#
    }

    static let packets: [(header: String, hex: String, whole: String)] = [
        ("", "01060003" + "6869", #""form":"short","size":6,"marks":[],"id":3"#),
        (#""form":"long""#, "0200070003" + "6869", #""form":"long","wide":7,"marks":[],"id":3"#),
        (
            #""marks":["timed"]"#, "010801000703" + "6869",
            #""form":"short","size":8,"marks":["timed"],"time":7,"id":3"#
        ),
        (
            #""marks":["timed","signed"],"time":256,"zone":"Z""#, "010b030100" + "5a0003" + "6869d1",
            #""form":"short","size":11,"marks":["timed","signed"],"time":256,"zone":"Z","id":3,"sum":209"#
        ),
    ]

    @Test(arguments: packets)
    func `a line's header has the fields that are there`(header: String, hex: String, whole: String) throws {
        #expect(try encode(Self.line(header)) == hex)
        let bytes = try Hexadecimal.bytes(of: hex)
        let line = try translator.decode(bytes.span.bytes, from: .client)
        #expect(line["header"]?.description == "{\(whole)}")
        #expect(try encode(line.description) == hex)
        let annotation = try translator.annotate(bytes.span.bytes, preferring: .client)
        let names = try #require(line["header"]).names
        #expect(annotation.parts.filter { $0.kind == .header }.map(\.path) == names)
        let byteCount = annotation.parts.reduce(0) { $0 + $1.range.count }
        #expect(byteCount == bytes.count)
    }

    @Test(arguments: [
        (#""time":1"#, "time"), (#""marks":["timed"],"zone":"Z""#, "zone"), (#""sum":1"#, "sum"),
        (#""wide":7"#, "wide"),
    ])
    func `a field whose condition does not hold cannot be set`(header: String, name: String) {
        #expect {
            try encode(Self.line(header))
        } throws: { error in
            guard let error = error as? TranslationError else { return false }
            return error.reason == .value(.wrongPresence(isSet: true)) && error.path.hasSuffix(name)
        }
    }

    @Test func `a packet without a length has no payload`() throws {
        #expect(try encode(Self.line(#""form":"bare""#, "")) == "030003")
        #expect(throws: TranslationError.self) { try encode(Self.line(#""form":"bare""#)) }
    }
}

extension JSONValue {
    fileprivate var names: [String] {
        if case .object(let members) = self { members.map(\.name) } else { [] }
    }
}
