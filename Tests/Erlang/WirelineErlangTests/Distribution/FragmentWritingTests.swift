// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineErlang

/// Long messages, and messages that are bytes already.
struct FragmentWritingTests {
    private static let (local, remote) = (ControlVectorTests.local, ControlVectorTests.remote)
    private static let limit = PacketEncoder.fragmentByteCount

    /// The packets of a message, without their lengths.
    private static func packets(_ message: OutgoingMessage, for peer: ErlangPeer) throws -> [[UInt8]] {
        var output: [UInt8] = []
        #expect(try encoder(peer).append(message, to: &output))
        var packets: [[UInt8]] = []
        while output.count >= 4 {
            let count = output[..<4].reduce(0) { $0 << 8 | Int($1) }
            packets.append(Array(output[4..<4 + count]))
            output.removeFirst(4 + count)
        }
        #expect(output.isEmpty)
        return packets
    }

    private static func binary(_ byteCount: Int) -> ErlangTerm {
        // The tag and the count of a binary take five bytes.
        .binary((0..<byteCount - 5).map { UInt8(truncatingIfNeeded: $0 &* 7) })
    }

    @Test(arguments: [(limit, 1), (limit + 1, 2), (2 * limit, 2), (2 * limit + 1, 3), (1_000_000, 16)])
    func `a message over the limit is in fragments, which count down to 1`(byteCount: Int, count: Int) throws {
        let term = Self.binary(byteCount)
        let packets = try Self.packets(.send(term, from: Self.local, to: Self.remote), for: agreed())
        #expect(packets.count == count)
        guard count > 1 else { return #expect(packets[0].starts(with: [131, 68, 0])) }
        for (index, packet) in packets.enumerated() {
            let left: [UInt8] = [0, 0, 0, 0, 0, 0, 0, UInt8(count - index)]
            #expect(packet.starts(with: [131, index == 0 ? 69 : 70, 0, 0, 0, 0, 0, 0, 0, 1] + left))
            #expect(packet.count <= Self.limit + 100)
        }
    }

    @Test(arguments: [Self.limit + 1, 300_000])
    func `our own reader joins the fragments`(byteCount: Int) throws {
        let term = Self.binary(byteCount)
        var output: [UInt8] = []
        let writer = PacketEncoder(ourselves: Node.theirs.name, peer: Node.ours)
        #expect(try writer.append(.sendNamed(term, from: Self.remote, to: "box"), to: &output))
        #expect(try writer.append(.sendNamed("next", from: Self.remote, to: "box"), to: &output))
        var input = DistributionInput(peer: agreed(), limits: DistributionLimits())
        input.receive(output.span.bytes)
        let control = ControlMessage.sendNamed(from: Self.remote, to: "box")
        let content = Array(try term.externalFormat().dropFirst())
        #expect(try input.nextEvent() == .message(control, content: content))
        let next = Array(try ErlangTerm("next").externalFormat().dropFirst())
        #expect(try input.nextEvent() == .message(control, content: next))
    }

    @Test func `a node that does not know fragments gets one packet`() throws {
        let peer = agreed(without: [.fragments])
        let packets = try Self.packets(.send(Self.binary(200_000), from: Self.local, to: Self.remote), for: peer)
        #expect(packets.count == 1)
    }

    @Test(arguments: [7, limit + 1])
    func `a message in bytes is sent as its term`(byteCount: Int) throws {
        let term = Self.binary(byteCount)
        let bytes = Array(try term.externalFormat().dropFirst())
        for peer in [agreed(), agreed(without: [.fragments, .senders])] {
            #expect(
                try Self.packets(.sendEncoded(bytes, from: Self.local, to: .process(Self.remote)), for: peer)
                    == Self.packets(.send(term, from: Self.local, to: Self.remote), for: peer))
            #expect(
                try Self.packets(.sendEncoded(bytes, from: Self.local, to: .name("box")), for: peer)
                    == Self.packets(.sendNamed(term, from: Self.local, to: "box"), for: peer))
        }
    }

    @Test func `a message in bytes has the limits and the nodes of others`() {
        let long = [UInt8](repeating: 106, count: 17 << 20)
        var output: [UInt8] = []
        let encoder = encoder(agreed())
        #expect(throws: ErlangError.termTooLong(limit: 16 << 20)) {
            try encoder.append(.sendEncoded(long, from: Self.local, to: .name("box")), to: &output)
        }
        #expect(throws: ErlangError.distribution(.foreignReceiver)) {
            try encoder.append(.sendEncoded([106], from: Self.local, to: .process(Self.local)), to: &output)
        }
        #expect(throws: ErlangError.distribution(.foreignSender)) {
            try encoder.append(.sendEncoded([106], from: Self.remote, to: .name("box")), to: &output)
        }
        #expect(output == [])
    }
}
