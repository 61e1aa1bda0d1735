// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineCodec
import WirelineLayers
import WirelineSchema

/// Compares dissectors of protocols with layers with what opens their packets in Swift: fields, packets inside of others,
/// and verdicts. The keys are preferences.
@Suite(.enabled(if: SharkTool.isWanted, "\(SharkTool.absence)"), .aside)
struct WiresharkLayerTests {
    static let samples = LayeredProtocol.all + [LayeredProtocol.streams]

    @Test(arguments: samples, [[], ["-2", "-R", "tcp"]])
    func `tshark opens the packets of a conversation like Swift, in one pass and in two`(
        sample: LayeredProtocol, passes: [String]
    ) throws {
        var random = SeededGenerator.forThisRun()
        let reference = try SharkJudge.reference(sample)
        let judge = SharkJudge(reference)
        var capture = CaptureFile()
        var conversations: [[RandomConversation.Packet]] = []
        for connection in 0..<Depth.count(1, deep: 3) {
            let packets = try RandomConversation.make(of: sample, count: Depth.count(20, deep: 40), using: &random)
            capture.open(connection)
            var sent: [Sender: Int] = [:]
            for packet in packets {
                let sender = packet.context.sender
                capture.add(packet.bytes, at: sent[sender, default: 0], from: sender, connection)
                sent[sender, default: 0] += packet.bytes.count
            }
            conversations.append(packets)
        }
        let sights = try judge.sights(in: capture, passes + judge.arguments(keys: sample.keys))
        for (connection, packets) in conversations.enumerated() {
            let difference = judge.disagreement(ofOpened: sights[connection] ?? [], on: packets)
            #expect(difference == nil, random.seedComment)
        }
    }

    @Test(arguments: samples)
    func `tshark gives Swift's verdict on cut and damaged packets with layers`(sample: LayeredProtocol) throws {
        var random = SeededGenerator.forThisRun()
        let reference = try SharkJudge.reference(sample)
        let (judge, translator) = (SharkJudge(reference), try sample.translator())
        let packets = try RandomConversation.make(of: sample, count: 12, using: &random)
        // The states of a connection are preferences, which all connections of a capture share.
        var disagreements: [String] = []
        for states in Set(packets.map(\.context.states)) {
            let own = packets.filter { $0.context.states == states }.prefix(6)
            let variants = try own.flatMap { packet in
                // A keystream begins with each connection.
                let bytes = try translator.encode(line: packet.line, from: packet.context.sender, states: states)
                let variants = reference.variants(of: bytes, in: packet.context, using: &random)
                let sealed = try reference.sealedVariants(of: bytes, in: packet.context, using: &random)
                return [variants, sealed].flatMap { all in
                    all.shuffled(using: &random).prefix(WiresharkTests.messageCount).map { (packet.context, $0) }
                }
            }
            var capture = CaptureFile()
            for (connection, (context, bytes)) in variants.enumerated() {
                capture.add(bytes, cutAt: [], from: context.sender, connection)
            }
            let arguments = judge.arguments(keys: sample.keys, states: states)
            let sights = try judge.sights(in: capture, arguments)
            disagreements += variants.enumerated().compactMap { connection, variant in
                judge.disagreement(ofOpened: sights[connection] ?? [], on: variant.1, in: variant.0)
            }
        }
        #expect(disagreements.prefix(3) == [], random.seedComment)
    }

    /// Streams of all three formats: stored, with fixed codes and with their own, whole and broken, and bytes that are none.
    @Test(arguments: 1...3)
    func `tshark inflates any stream as zlib does`(format: Int128) throws {
        var random = SeededGenerator.forThisRun()
        var translator = try LayeredProtocol.formats.translator()
        let judge = SharkJudge(translator)
        let context = PacketContext(from: .client)
        var packets: [[UInt8]] = []
        for content in Self.contents(using: &random) {
            translator.layers.options.zlibLevel = [0, 1, 6, 9].randomElement(using: &random)
            let line: JSONValue = [
                "message": .null, "id": 7, "header": ["format": .exactInteger(format)],
                "payload": .string(Hexadecimal.text(of: content)),
            ]
            let packet = try translator.encode(line: line, from: .client)
            let variants = try translator.sealedVariants(of: packet, in: context, using: &random)
            packets += [packet] + variants.shuffled(using: &random).prefix(WiresharkTests.messageCount)
        }
        for _ in 0..<WiresharkTests.messageCount {
            let bytes = random.bytes(Int.random(in: 0...40, using: &random))
            packets.append(
                try translator.description.layout.layout(in: context).encode(
                    id: 0, header: ["format": format], payload: bytes.rawSpan, limit: 60_000))
        }
        var capture = CaptureFile()
        for (connection, bytes) in packets.enumerated() { capture.add(bytes, cutAt: [], from: .client, connection) }
        let sights = try judge.sights(in: capture)
        let disagreements = packets.enumerated().compactMap { connection, bytes in
            judge.disagreement(ofOpened: sights[connection] ?? [], on: bytes, in: context)
        }
        #expect(disagreements.prefix(3) == [], random.seedComment)
    }

    private static func contents(using random: inout SeededGenerator) -> [[UInt8]] {
        let words = (0..<400).map { _ in ["hello ", "world", "0123456789", "\n"].randomElement(using: &random)! }
        return [
            [], [0], Array(words.joined().utf8), Array(words.prefix(5).joined().utf8), random.bytes(3_000),
            [UInt8](repeating: 7, count: 40_000), random.bytes(2_000).map { $0 & 0x0F },
        ]
    }
}
