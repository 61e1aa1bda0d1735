// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProtocolsSupport
import Testing
import TestingSupport
import WirelineCodec
import WirelineGenerator
import WirelineLayers
import WirelineSchema

/// A protocol whose packets have layers, with lines of its packets, for tests that compare two implementations.
struct LayeredProtocol: Sendable, CustomTestStringConvertible {
    let name: String
    let schema: String
    /// The keys of its layers, by name, in hexadecimal digits.
    let keys: [String: String]
    let packets: [SamplePacket]

    /// A line, and the context in which its packet is written.
    struct SamplePacket: Sendable {
        let line: String
        let sender: Sender
        let states: PacketStates

        init(_ sender: Sender, in states: PacketStates = PacketStates(), _ line: String) {
            self.line = line
            self.sender = sender
            self.states = states
        }

        var context: PacketContext { PacketContext(from: sender, states: states) }
    }

    var testDescription: String { name }

    /// Bilibili's live comments: packets in packets.
    static var bilibili: LayeredProtocol {
        get throws { LayeredProtocol(try ProtocolFolder.named("Bilibili")) }
    }

    /// A folder under `Protocols/`, with its vectors; the keys of a folder are the same in all of them.
    private init(_ folder: ProtocolFolder) {
        name = folder.name
        schema = folder.files(extension: "wire").compactMap { try? String(contentsOf: $0, encoding: .utf8) }.joined()
        let vectors = folder.vectors(.exact) + folder.vectors(.decodeOnly)
        let keys = vectors.flatMap { (try? $0.keys()) ?? [] }
        self.keys = Dictionary(keys.map { ($0.name, Hexadecimal.text(of: $0.bytes)) }) { first, _ in first }
        packets = vectors.compactMap { vector in
            guard let line = try? vector.line(), let context = try? vector.context() else { return nil }
            return SamplePacket(context.sender, in: context.states, "\(line)")
        }
    }

    init(name: String, schema: String, keys: [String: String] = [:], packets: [SamplePacket]) {
        self.name = name
        self.schema = schema
        self.keys = keys
        self.packets = packets
    }

    /// Returns what reads and writes its packets, with the keys.
    func translator() throws -> PacketTranslator {
        let source = SourceFile(path: "\(name)/a.wire", bytes: Array(schema.utf8))
        let result = ProtocolDescription.check(name: name, files: [source])
        // Some have names that are warned of.
        var translator = PacketTranslator(try #require(result.description, "\(result.renderedDiagnostics())"))
        for (name, key) in keys {
            try translator.layers.setKey(
                name, Hexadecimal.bytes(of: key), in: translator.description.layout)
        }
        return translator
    }

    /// Does something in a new folder with generated files.
    static func inFolder<Result>(
        with files: [GeneratedFile], _ body: (_ folder: URL) throws -> Result
    ) throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "wireline-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for file in files { try Data(file.text.utf8).write(to: folder.appending(path: file.path)) }
        return try body(folder)
    }

    static let all =
        [ciphers, terminals, inside, counted, sometimesCounted, fixed, bundles]
        + ProtocolFolder.all.filter(\.hasLayers).map(LayeredProtocol.init)

    /// Streams that may make 1,024 bytes.
    static let flawed = LayeredProtocol(
        name: "Flawed",
        schema: """
            option max_packet = 1024;
            option max_inflated = 1024;
            packet {
                @length(rest) uint16 size;
                uint8 kind;
                @if(kind == 0) layer zlib;
                @if(kind == 1) layer deflate;
                @if(kind == 2) layer gzip;
                @id uint8 id;
            }
            @id(1) @from(client) message Note { @rest bytes text; }
            """,
        packets: [SamplePacket(.client, #"{"message":"Note","fields":{"text":"aGk="}}"#)])

    /// All ciphers, one inside of another, with fields and a checksum.
    static let ciphers = LayeredProtocol(
        name: "Ciphers",
        schema: """
            enum Kind : uint8 { plain = 0; group = 1; sealed = 2; }
            packet {
                @length(rest) uint32 size;
                Kind kind;
                bit streamed; bit blocks; uint6 spare;
                @if(streamed) layer rc4(StreamKey);
                @if(blocks) layer aes_cbc(blockKey, blockStart);
                @if(not nested) layer aes_ctr(counterKey, counterStart);
                @if(kind == group) layer gzip;
                @if(kind == group) packets;
                @if(kind == sealed) opaque;
                @id uint16 id;
                uint8 inner;
                payload;
                @checksum(crc32, kind..payload) uint32 check;
            }
            @id(1) @from(both) message Say { string text; }
            @id(2) @from(both) message Sum { uint32 a; uint32 b; }
            """,
        keys: [
            "StreamKey": "0102030405", "blockKey": "000102030405060708090a0b0c0d0e0f",
            "blockStart": "101112131415161718191a1b1c1d1e1f",
            "counterKey": "202122232425262728292a2b2c2d2e2f3031323334353637",
            "counterStart": "fffffffffffffffffffffffffffffffe",
        ],
        packets: [
            SamplePacket(.client, #"{"message":"Say","fields":{"text":"hello world"}}"#),
            SamplePacket(.client, #"{"message":"Sum","header":{"streamed":true},"fields":{"a":1,"b":2}}"#),
            SamplePacket(
                .server, #"{"message":"Sum","header":{"blocks":true,"inner":9},"fields":{"a":1,"b":2}}"#),
            SamplePacket(
                .server, #"{"message":"Say","header":{"streamed":true,"blocks":true},"fields":{"text":""}}"#),
            SamplePacket(.client, #"{"message":null,"id":4,"header":{"kind":"sealed"},"payload":"00ff"}"#),
            SamplePacket(
                .server,
                """
                {"message":null,"id":7,"header":{"kind":"group","streamed":true},"packets":[
                {"message":"Say","header":{"blocks":true},"fields":{"text":"hello"}},
                {"message":"Sum","header":{"inner":4},"fields":{"a":7,"b":8}}]}
                """),
        ])

    /// The shape of JT/T 808: marks and escapes around layers.
    static let terminals = LayeredProtocol(
        name: "Terminals",
        schema: """
            packet {
                frame 0x7E..0x7E { 0x7E = 0x7D02; 0x7D = 0x7D01; }
                @id uint16 id;
                @constant(0) uint1 reserved; bit versioned; bit split; uint3 encryption; @length(payload) uint10 size;
                @sequence uint16 serial;
                @if(encryption == 1) layer xor(secret);
                @if(encryption == 2) layer deflate;
                @if(encryption == 2) packets;
                @if(split) opaque;
                payload;
                @checksum(xor8, id..payload) uint8 check;
            }
            @id(0x0001) @from(client) message TerminalReply { uint16 serial; uint16 id; uint8 result; }
            @id(0x0002) @from(client) message Heartbeat {}
            """,
        keys: ["secret": "7e0f"],
        packets: [
            SamplePacket(
                .client,
                #"{"message":"TerminalReply","header":{"serial":32126},"fields":{"serial":32381,"id":1,"result":0}}"#),
            SamplePacket(
                .client,
                #"{"message":"TerminalReply","header":{"encryption":1},"fields":{"serial":1,"id":2,"result":3}}"#),
            SamplePacket(.client, #"{"message":null,"id":1,"header":{"split":true},"payload":"7e7d"}"#),
            SamplePacket(
                .client,
                """
                {"message":null,"id":9,"header":{"encryption":2},"packets":[
                {"message":"TerminalReply","fields":{"serial":32381,"id":1,"result":0}},
                {"message":"Heartbeat","fields":{}}]}
                """),
        ])

    /// Minecraft's shape behind a cipher: a field inside of it counts the content of zlib, and is 0 without zlib.
    static let counted = LayeredProtocol(
        name: "Counted",
        schema: """
            packet {
                @length(rest) @max_bytes(3) varint length;
                uint8 mode;
                @if(mode & 1) layer xor(key);
                layer rc4(session);
                @length(content + 2) uint16 dataLength;
                @if(dataLength != 0) layer zlib;
                @if(mode & 2) layer deflate;
                @id varint id;
            }
            @id(1) @from(both) message Say { string text; }
            """,
        keys: ["key": "0102", "session": "030405"],
        packets: [
            SamplePacket(.client, #"{"message":"Say","fields":{"text":"hello"}}"#),
            SamplePacket(.client, #"{"message":"Say","header":{"mode":1},"fields":{"text":"hello"}}"#),
            SamplePacket(.server, #"{"message":"Say","header":{"dataLength":1},"fields":{"text":"hello"}}"#),
            SamplePacket(.server, #"{"message":"Say","header":{"mode":3,"dataLength":1},"fields":{"text":"hello"}}"#),
        ])

    /// A count of the content that only some packets have, and a layer that asks for it.
    static let sometimesCounted = LayeredProtocol(
        name: "SometimesCounted",
        schema: """
            packet {
                @length(rest) uint16 size;
                bit counted; uint7 spare;
                @if(counted) @length(content) uint16 count;
                @if(count != 0) layer zlib;
                @if(count == 0) uint8 plain;
                @id uint8 id;
            }
            @id(1) @from(both) message Say { string text; }
            """,
        packets: [
            SamplePacket(.client, #"{"message":"Say","fields":{"text":"hello"}}"#),
            SamplePacket(.client, #"{"message":"Say","header":{"counted":true},"fields":{"text":"hello"}}"#),
            SamplePacket(
                .server, #"{"message":"Say","header":{"counted":true,"plain":7},"fields":{"text":"hello"}}"#),
            SamplePacket(
                .server, #"{"message":"Say","header":{"counted":true,"count":1},"fields":{"text":"hello"}}"#),
        ])

    /// Fields at three depths, a length and a vector among them, and packets that differ if they stand inside another one.
    static let inside = LayeredProtocol(
        name: "Inside",
        schema: """
            packet {
                @length(rest) uint16 size;
                uint8 mode;
                @if(not nested) uint16 outside;
                @size(16) bytes start;
                @if(mode == 1) layer aes_cbc(key, start);
                @length(payload) uint16 count;
                @if(mode == 1) uint8 depth;
                @if(depth > 0) layer deflate;
                @id uint8 id;
                @if(nested) uint8 place;
                @if(id == 9) packets;
            }
            @id(1) @from(both) message Say { string text; }
            """,
        keys: ["key": "000102030405060708090a0b0c0d0e0f"],
        packets: [
            SamplePacket(.client, #"{"message":"Say","header":{"outside":7},"fields":{"text":"hello"}}"#),
            SamplePacket(
                .client,
                """
                {"message":"Say","header":{"mode":1,"depth":1,"start":"AAECAwQFBgcICQoLDA0ODw=="},
                "fields":{"text":"hello"}}
                """),
            SamplePacket(
                .server,
                """
                {"message":null,"id":9,"header":{"mode":1},"packets":[
                {"message":"Say","header":{"mode":1,"depth":2,"place":3},"fields":{"text":"inner"}},
                {"message":null,"id":9,"packets":[]}]}
                """),
        ])

    /// Fields before, between and inside of layers, each of which some message fixes.
    static let fixed = LayeredProtocol(
        name: "FixedFields",
        schema: """
            packet {
                @length(rest) uint32 size;
                @id varint id;
                uint8 outside;
                layer zlib;
                uint16 between;
                layer deflate;
                uint8 inside;
                payload;
                uint8 last;
            }
            @id(1) @from(both) @header(outside = 3) message Outside { string text; }
            @id(2) @from(both) @header(between = 3) message Between { string text; }
            @id(3) @from(both) @header(inside = 3) message Inside { string text; }
            @id(4) @from(both) @header(last = 3) message Last { string text; }
            """,
        packets: [
            SamplePacket(.client, #"{"message":"Outside","header":{"between":1},"fields":{"text":"hello"}}"#),
            SamplePacket(.server, #"{"message":"Between","header":{"outside":1},"fields":{"text":"hello"}}"#),
            SamplePacket(.client, #"{"message":"Inside","fields":{"text":""}}"#),
            SamplePacket(.server, #"{"message":"Last","fields":{"text":"hello"}}"#),
        ])

    /// Packets in packets, and parts of messages, without any layer.
    static let bundles = LayeredProtocol(
        name: "Bundles",
        schema: """
            packet {
                @length(packet) uint16 size;
                @id uint8 id;
                uint8 kind;
                @if(kind == 1) packets;
                @if(kind == 2) opaque;
            }
            @id(1) @from(both) message Say { string text; }
            """,
        packets: [
            SamplePacket(.client, #"{"message":"Say","fields":{"text":"hello"}}"#),
            SamplePacket(.server, #"{"message":null,"id":9,"header":{"kind":2},"payload":"00ff"}"#),
            SamplePacket(
                .server,
                """
                {"message":null,"id":9,"header":{"kind":1},"packets":[
                {"message":"Say","fields":{"text":"inner"}},
                {"message":null,"id":9,"header":{"kind":1},"packets":[]}]}
                """),
        ])
}
