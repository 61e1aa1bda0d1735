// SPDX-License-Identifier: Apache-2.0

import ProtocolsSupport
import Testing
import TestingSupport
import WirelineCodec
import WirelineSchema

/// Compares dissectors of protocols whose packets depend on states with the codec: both sides of a connection share the
/// states, and messages set them.
@Suite(.enabled(if: SharkTool.isWanted, "\(SharkTool.absence)"), .aside)
struct WiresharkStateTests {
    static let folders = ProtocolFolder.all.filter { $0.translator.description.layout.hasStates && !$0.hasLayers }.map(
        \.name)

    @Test(arguments: folders, [[], ["-2", "-R", "tcp"]])
    func `tshark follows the states of a conversation, in one pass and in two`(
        folder: String, passes: [String]
    ) throws {
        var random = SeededGenerator.forThisRun()
        let folder = try ProtocolFolder.named(folder)
        let judge = SharkJudge(folder.translator)
        var capture = CaptureFile()
        var conversations: [[(context: PacketContext, bytes: [UInt8])]] = []
        for connection in 0..<Depth.count(2, deep: 4) {
            let packets = try Self.conversation(of: folder, using: &random)
            capture.open(connection)
            var sent: [Sender: Int] = [:]
            for (context, bytes) in packets {
                capture.add(bytes, at: sent[context.sender, default: 0], from: context.sender, connection)
                sent[context.sender, default: 0] += bytes.count
            }
            conversations.append(packets)
        }
        let sights = try judge.sights(
            in: capture, passes + ["-o", "\(judge.name).server_ports:\(CaptureFile.serverPort)"])
        for (connection, packets) in conversations.enumerated() {
            let difference = judge.disagreement(of: sights[connection] ?? [], on: packets)
            #expect(difference == nil, random.seedComment)
        }
    }

    /// Random packets of both sides, each in the states that those before it have set.
    private static func conversation(
        of folder: ProtocolFolder, using random: inout SeededGenerator
    ) throws -> [(context: PacketContext, bytes: [UInt8])] {
        var lines = RandomLines(folder.translator.description, using: random)
        let layout = folder.translator.description.layout
        var states = PacketStates()
        var packets: [(context: PacketContext, bytes: [UInt8])] = []
        for _ in 0..<400 where packets.count < Depth.count(20, deep: 60) {
            let (sender, line) = lines.next()
            let context = PacketContext(from: sender, states: states)
            guard let bytes = try? folder.translator.encode(line: line, from: sender, states: states),
                bytes.count < CaptureFile.mostSegmentByteCount
            else { continue }
            packets.append((context, bytes))
            var splitter = PacketSplitter(layout: layout, context: context, maximumPacketByteCount: .max)
            splitter.forEachPacket(atStartOf: bytes) { _ in }
            states = splitter.states
        }
        random = lines.random
        return packets
    }
}
