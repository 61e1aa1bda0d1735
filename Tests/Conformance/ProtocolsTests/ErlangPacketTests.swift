// SPDX-License-Identifier: Apache-2.0

import ProtocolsSupport
import Testing
import TestingSupport
import WirelineCodec

/// Compares `{packet, 1}`, `{packet, 2}` and `{packet, 4}` with Erlang's own: `erlang:decode_packet/3` and `gen_tcp`.
@Suite(.enabled(if: ErlangInterpreter.isWanted, "\(ErlangInterpreter.absence)"), .amongAll)
struct ErlangPacketTests {
    static let widths: [(byteCount: Int, folder: String)] = [
        (1, "ErlangPacket1"), (2, "ErlangPacket2"), (4, "ErlangPacket4"),
    ]

    @Test(arguments: widths)
    func `Erlang splits the packets that Swift encodes`(byteCount: Int, folder: String) throws {
        var random = SeededGenerator.forThisRun()
        let layout = try ProtocolFolder.named(folder).generated().layout
        let payloads = Self.payloads(upTo: byteCount == 1 ? 255 : 65535, using: &random)
        let stream = try payloads.flatMap { try layout.encode(id: 0, payload: $0.span.bytes) }
        let answers = try ErlangScript.peer.run(["unpack", "\(byteCount)"], input: [stream])
        #expect(answers.first == stream, random.seedComment)
        #expect(Array(answers.dropFirst()) == payloads, random.seedComment)
    }

    @Test(arguments: widths)
    func `Swift splits the packets that Erlang encodes`(byteCount: Int, folder: String) throws {
        let random = SeededGenerator.forThisRun()
        let generated = try ProtocolFolder.named(folder).generated()
        let made = try ErlangScript.peer.run(["pack", "\(byteCount)", "300", "\(random.seed % 1_000_000_007)"])
        var splitter = PacketSplitter(
            layout: generated.layout, maximumPacketByteCount: generated.maximumPacketByteCount)
        var payloads: [[UInt8]] = []
        let stream = try #require(made.first)
        try splitter.receive(stream.span.bytes) { packet in
            payloads.append([UInt8](copying: packet.payload))
        }
        try splitter.finish()
        #expect(payloads == Array(made.dropFirst()), random.seedComment)
    }

    /// An empty payload, the largest one, and many between.
    private static func payloads(upTo most: Int, using random: inout SeededGenerator) -> [[UInt8]] {
        let counts = [0, most] + (0..<300).map { _ in Int.random(in: 0...min(most, 2000), using: &random) } + [0]
        return counts.map { random.bytes($0) }
    }
}
