// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec
import WirelineSchema

/// Packets that depend on their sender, in JSON.
struct SenderTranslationTests {
    private static let schema = """
        enum Form : uint8 { short = 1; long = 2; }
        packet {
            @if(sender == server) uint8 shard;
            @length(rest) uint8 size;
            Form form;
            @id uint8 id;
        }
        @id(1) @from(client) message Ask { uint8 count; }
        @id(1) @from(server) message Answer { uint16 number; }
        @id(2) @from(both) message Note {}
        """

    private let translator: PacketTranslator

    init() throws { translator = PacketTranslator(try describe(Self.schema)) }

    private func encode(_ line: String, from sender: Sender? = nil) throws -> String {
        Hexadecimal.text(of: try translator.encode(line: JSONValue(parsing: line), from: sender))
    }

    static let packets: [(sender: Sender, hex: String, line: String)] = [
        (
            .client, "03020109",
            #"{"message":"Ask","id":1,"header":{"size":3,"form":"long","id":1},"fields":{"count":9}}"#
        ),
        (
            .server, "0704020100" + "09",
            #"{"message":"Answer","id":1,"header":{"shard":7,"size":4,"form":"long","id":1},"fields":{"number":9}}"#
        ),
        (.client, "020102", #"{"message":"Note","id":2,"header":{"size":2,"form":"short","id":2},"fields":{}}"#),
        (
            .server, "00020102",
            #"{"message":"Note","id":2,"header":{"shard":0,"size":2,"form":"short","id":2},"fields":{}}"#
        ),
        (
            .server, "00030163" + "ff",
            #"{"message":null,"id":99,"header":{"shard":0,"size":3,"form":"short","id":99},"payload":"ff"}"#
        ),
    ]

    @Test(arguments: packets)
    func `a line has the header of its sender`(sender: Sender, hex: String, line: String) throws {
        let bytes = try Hexadecimal.bytes(of: hex)
        #expect(try translator.decode(bytes.span.bytes, from: sender).description == line)
        #expect(try encode(line, from: sender) == hex)
        let annotation = try translator.annotate(bytes.span.bytes, preferring: sender)
        let header = annotation.parts.filter { $0.kind == .header }
        let text = header.map { "\"\($0.path)\":\($0.text)" }.joined(separator: ",")
        #expect(line.contains("\"header\":{\(text)}"))
        #expect(annotation.parts.first { $0.path == "form" }?.text.hasPrefix("\"") == true)
        #expect(annotation.parts.reduce(0) { $0 + $1.range.count } == bytes.count)
    }

    @Test func `a message with one sender needs none to be named`() throws {
        #expect(try encode(Self.packets[0].line) == Self.packets[0].hex)
        #expect(try encode(Self.packets[1].line) == Self.packets[1].hex)
        for line in [Self.packets[2].line, Self.packets[4].line] {
            #expect {
                try encode(line)
            } throws: { error in
                (error as? TranslationError)?.reason == .value(.invalidLayout(.needsContext))
            }
        }
    }

    @Test func `a field of the other sender is absent`() {
        for header in [#""shard":1"#, #""size":2,"shard":0"#] {
            #expect {
                try encode(#"{"message":"Note","header":{\#(header)},"fields":{}}"#, from: .client)
            } throws: { error in
                (error as? TranslationError)?.reason == .value(.wrongPresence(isSet: true))
            }
        }
    }

    /// In other protocols, a message of the other end may be meant.
    @Test func `a packet of one end is no message of the other`() throws {
        let bytes = try Hexadecimal.bytes(of: "03010109")
        let layout = translator.description.layout.layout(from: .client)
        let packet = try Packet(bytes.span.bytes, layout: layout)
        #expect(try translator.decode(packet, preferring: .client)["message"] == "Ask")
        #expect(translator.likelySender(of: bytes) == .client)
        #expect(translator.likelySender(of: try Hexadecimal.bytes(of: "0704020100" + "09")) == .server)
    }

    @Test func `vectors are made in both directions`() {
        let vectors = VectorMaker.vectors(of: translator.description, count: 200, seed: 1)
        for name in ["Note", "Ask", "Answer"] {
            let senders = Set(vectors.filter { $0.line?["message"] == .string(name) }.map(\.sender))
            #expect(senders == (name == "Note" ? [.client, .server] : [name == "Ask" ? .client : .server]))
        }
        let strangers = vectors.filter { $0.line?["message"] == .null }.map(\.sender)
        #expect(Set(strangers) == Set(Sender.allCases))
        #expect(vectors.contains { $0.refusal?.kind == "presence" && $0.sender == .client })
    }

    @Test func `a description of one sender's packets has no conditions about it`() {
        let description = translator.description.sent(by: .client)
        #expect(!description.layout.dependsOnContext)
        #expect(description.packetFields.map(\.name) == ["size", "form", "id"])
        #expect(description.packetFieldType(1) != nil)
        #expect(description.sent(by: .server).layout == description.layout)
    }
}
