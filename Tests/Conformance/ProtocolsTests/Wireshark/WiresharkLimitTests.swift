// SPDX-License-Identifier: Apache-2.0

import ProtocolsSupport
import Testing
import TestingSupport
import WirelineCodec
import WirelineGenerator
import WirelineLayers
import WirelineSchema

/// The limits of packets with layers in dissectors, and what Lua and Wireshark limit.
@Suite(.enabled(if: SharkTool.isWanted, "\(SharkTool.absence)"), .aside)
struct WiresharkLimitTests {
    /// Compares one packet of a server in tshark and in Swift, and returns what tshark shows.
    private func sight(of bytes: [UInt8], _ sample: LayeredProtocol) throws -> PacketSight {
        let translator = try sample.translator()
        let judge = SharkJudge(translator)
        let context = PacketContext(from: .server)
        var capture = CaptureFile()
        capture.add(bytes, cutAt: [], from: .server)
        let sights = try judge.sights(in: capture)[0] ?? []
        #expect(judge.disagreement(ofOpened: sights, on: bytes, in: context) == nil)
        return try #require(sights.first)
    }

    /// A packet around one other, which holds another one, and so on.
    private func packet(depth: Int) -> JSONValue {
        guard depth > 0 else { return ["message": "HeartbeatReply", "fields": ["Popularity": 7]] }
        return [
            "message": .null, "id": 9, "header": ["Version": "zlib"], "packets": .array([packet(depth: depth - 1)]),
        ]
    }

    @Test func `packets stand in packets as deep as the schema allows, and no deeper`() throws {
        let sample = try LayeredProtocol.bilibili
        let translator = try sample.translator()
        let allowed = try translator.encode(line: packet(depth: 4), from: .server)
        #expect(try sight(of: allowed, sample).fault == nil)
        // No writer makes more, so that the outermost one is made of its parts.
        var sealer = translator.makeSealer(from: .server)
        sealer.beginPacket()
        var keystreams = LayerSet()
        let deep = try sealer.packet(id: 9, header: ["Version": 2], payload: allowed.rawSpan, .packets, &keystreams)
        let fault = try #require(try sight(of: deep, sample).fault)
        #expect(fault.reason == "too_deep")
        #expect(fault.text == "packets[0].packets[0].packets[0].packets[0]: nested more than 4 deep")
    }

    @Test(arguments: [8_191, 8_192, 8_193])
    func `no more is inflated than the schema allows`(byteCount: Int) throws {
        let translator = try LayeredProtocol.inflating.translator()
        // The ID is inside, too.
        let line: JSONValue = [
            "message": .null, "id": 1, "payload": .string(String(repeating: "00", count: byteCount - 1)),
        ]
        let bytes = try? translator.encode(line: line, from: .server)
        guard byteCount > 8_192 else {
            #expect(try sight(of: #require(bytes), .inflating).fault == nil)
            return
        }
        // A writer refuses it, too.
        #expect(bytes == nil)
        let bomb = try LayeredProtocol.largerInflating.translator().encode(line: line, from: .server)
        let found = try sight(of: bomb, .inflating)
        #expect(found.fault?.reason == "inflated_too_long")
        #expect(found.partialByteCount == 8_192)
    }

    @Test func `a packet holds 65,536 others, and no more`() throws {
        let sample = LayeredProtocol(
            name: "Many",
            schema: """
                option max_packet = 60000;
                packet { @length(rest) uint16 size; @id uint8 id; @if(id == 1) layer zlib; @if(id == 1) packets; }
                @id(2) @from(both) message Say {}
                """,
            packets: [])
        let translator = try sample.translator()
        let inner = Array([[UInt8]](repeating: [0, 1, 2], count: 65_537).joined())
        var sealer = translator.makeSealer(from: .client)
        var keystreams = LayerSet()
        sealer.beginPacket()
        let bytes = try sealer.packet(id: 1, header: PacketHeader(), payload: inner.rawSpan, .packets, &keystreams)
        var capture = CaptureFile()
        capture.add(bytes, cutAt: [], from: .client)
        let judge = SharkJudge(translator)
        let found = try SharkTool.read(
            capture.bytes, script: judge.script,
            judge.arguments() + ["-T", "fields", "-e", "_ws.expert.message", "-e", "_ws.col.Info"])
        let names = Array(repeating: "Say", count: 20).joined(separator: ", ")
        // The tree does not have room for all of them.
        let note = "Read, but too much to be shown"
        #expect(found == "\(note),packets: 65537 is over the limit of 65536\t\(names), and 65516 more\n")
    }

    /// Lua allows a file 200 local names, and a function 255 outer ones.
    @Test func `a protocol with all that the language has is loaded`() throws {
        var description = ProtocolFolder.features.translator.description
        let layout = description.layout
        let location = description.messages[0].location
        description.states = [
            StateDescription(
                name: "phase", type: .integer(.uint8, .bigEndian), documentation: "", location: location)
        ]
        var outside = PacketField("outside", .integer(.uint8, .bigEndian))
        outside.condition = .and(.isSet(.state("phase")), .not(.isSet(.nested)))
        let extra = [
            outside, PacketField("vector", .bytes(byteCount: 16)), PacketField("text", .text(byteCount: 3, padding: 0)),
            PacketField("counter", .varint(VarintFormat(.unsigned, maximumByteCount: 5)), .contentLength(plus: 0)),
            PacketField("inside", .integer(.uint8, .bigEndian)), PacketField("digits", .digits(byteCount: 2)),
            PacketField("sum", .integer(.uint16, .bigEndian), .checksum(PacketChecksum(.crc16X25))),
        ]
        let start = layout.header.count
        let content = PacketContent(
            layers: [
                .init(.rc4(key: "key"), afterFields: start + 4, if: .isSet(.state("phase"))),
                .init(.gzip, afterFields: start + 4), .init(.xor(key: "key"), afterFields: start + 5),
                .init(
                    .aesCBC(key: "other", vector: .field("vector")), afterFields: start + 5,
                    if: .isSet(.field("inside"))),
            ], packets: .init(if: .isSet(.field("inside"))), opaque: .init(if: .isSet(.sender)))
        let framing = PacketFraming(
            start: 0x7E, end: 0x7F, escapes: [0x7E, 0x7F, 0x7D].map { .init($0, as: 0x7D, $0 - 0x60) })
        description.layout = try PacketLayout(
            framing: framing, states: [PacketState("phase", .uint8)], header: layout.header + extra, content: content,
            trailer: layout.trailer)
        description.packetFields.insert(
            contentsOf: extra.map { field in
                var added = description.packetFields[0]
                (added.name, added.type) = (field.name, nil)
                return added
            }, at: start)
        let script = WiresharkGenerator(description).files()[0].text
        let arguments = [
            "-o", "features.server_ports:9001", "-o", "features.key_key:00", "-o", "features.state_phase:1",
        ]
        var capture = CaptureFile()
        capture.add([0x7E, 0x55, 0x7F], cutAt: [], from: .client)
        let found = try SharkTool.read(
            capture.bytes, script: script, arguments + ["-T", "fields", "-e", "_ws.col.Info"])
        #expect(found == "malformed packet\n")
    }
}
