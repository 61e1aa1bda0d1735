// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineErlang

/// Streams of packets: cuts, fragments, limits and hostile nodes.
struct PacketTests {
    private static let remote = ControlVectorTests.remote
    private static let local = ControlVectorTests.local

    /// What the other node says when it writes as we do.
    private static func packet(_ content: ErlangTerm) throws -> [UInt8] {
        let writer = PacketEncoder(ourselves: Node.theirs.name, peer: Node.ours)
        var output: [UInt8] = []
        _ = try writer.append(.send(content, from: remote, to: local), to: &output)
        return output
    }

    /// The same, as fragments of some bytes each.
    private static func fragments(_ content: ErlangTerm, sequence: UInt64, byteCount: Int) throws -> [[UInt8]] {
        let control = Array(try ErlangTerm.tuple(22, .pid(remote), .pid(local)).externalFormat().dropFirst())
        let parts = pieces(of: Array(try content.externalFormat().dropFirst()), byteCount)
        return parts.enumerated().map { index, part in
            let head = number(sequence) + number(UInt64(parts.count - index))
            return framed(index == 0 ? [131, 69] + head + [0] + control + part : [131, 70] + head + part)
        }
    }

    private static func number(_ value: UInt64) -> [UInt8] {
        stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    private static func framed(_ packet: [UInt8]) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: packet.count >> $0) } + packet
    }

    private static func events(
        of pieces: [[UInt8]], limits: DistributionLimits = DistributionLimits(), peer: ErlangPeer = agreed()
    ) throws(ErlangError) -> [DistributionEvent] {
        var input = DistributionInput(peer: peer, limits: limits)
        var events: [DistributionEvent] = []
        for piece in pieces {
            input.receive(piece.span.bytes)
            while let event = try input.nextEvent() { events.append(event) }
        }
        return events
    }

    private static func message(_ content: ErlangTerm) throws -> DistributionEvent {
        .message(.send(from: remote, to: local), content: Array(try content.externalFormat().dropFirst()))
    }

    @Test func `a stream says the same, however it is cut`() throws {
        let (short, long) = (ErlangTerm.tuple("a", 1), ErlangTerm.binary([UInt8](repeating: 7, count: 300)))
        let parts = try Self.fragments(long, sequence: 9, byteCount: 100)
        let stream =
            try PacketEncoder.tick + Self.packet(short) + parts[0] + Self.packet("between") + parts[1] + parts[2]
            + parts[3] + PacketEncoder.tick
        let expected = try [.tick, Self.message(short), Self.message("between"), Self.message(long), .tick]
        #expect(try Self.events(of: [stream]) == expected)
        for size in [1, 2, 3, 5, 7, 64] { #expect(try Self.events(of: pieces(of: stream, size)) == expected) }
        for cut in stream.indices {
            try #require(try Self.events(of: [Array(stream[..<cut]), Array(stream[cut...])]) == expected)
        }
    }

    @Test func `messages of several senders arrive whole, however their fragments are mixed`() throws {
        var random = SeededGenerator.forThisRun()
        let comment = random.seedComment
        for _ in 0..<200 {
            let contents = (0..<5).map {
                ErlangTerm.tuple(.integer($0), .binary(random.bytes(Int.random(in: 0...400, using: &random))))
            }
            var queues = try contents.enumerated().map { index, content in
                try Self.fragments(
                    content, sequence: UInt64(index + 1), byteCount: Int.random(in: 1...200, using: &random))[...]
            }
            var stream: [UInt8] = []
            while let index = queues.indices.filter({ !queues[$0].isEmpty }).randomElement(using: &random) {
                stream += queues[index].removeFirst()
            }
            let events = try Self.events(of: pieces(of: stream, Int.random(in: 1...500, using: &random)))
            let expected = try contents.map { try Self.message($0) }
            try #require(events.count == expected.count && expected.allSatisfy(events.contains), comment)
        }
    }

    @Test func `a message that is too long is skipped, and the connection stays`() throws {
        var limits = DistributionLimits()
        limits.terms.byteCount = 250
        let long = ErlangTerm.binary([UInt8](repeating: 7, count: 300))
        let stream = try Self.fragments(long, sequence: 9, byteCount: 100) + [Self.packet(long), Self.packet("next")]
        let skipped = DistributionEvent.skipped(.send(from: Self.remote, to: Self.local))
        #expect(try Self.events(of: stream, limits: limits) == [skipped, skipped, Self.message("next")])
    }

    @Test func `fragments that never end take no more than the limits`() throws {
        var limits = DistributionLimits()
        limits.fragmentedMessageCount = 3
        limits.terms.byteCount = 250
        let begun = try (1...4).map { sequence in
            try Self.fragments(.binary([UInt8](repeating: 7, count: 200)), sequence: sequence, byteCount: 100)[0]
        }
        #expect(throws: ErlangError.distribution(.tooManyFragmentedMessages(limit: 3))) {
            try Self.events(of: begun, limits: limits)
        }
        limits.fragmentedMessageCount = 64
        let many = try (1...6).map { sequence in
            try Self.fragments(.binary([UInt8](repeating: 7, count: 240)), sequence: sequence, byteCount: 200)[0]
        }
        #expect(try Self.events(of: Array(many.prefix(5)), limits: limits) == [])
        #expect(throws: ErlangError.distribution(.fragmentsTooLong(limit: 1_000))) {
            try Self.events(of: many, limits: limits)
        }
    }

    @Test func `a message as long as the limit arrives in fragments, whatever the limit is`() throws {
        var limits = DistributionLimits()
        limits.terms.byteCount = 80 << 20
        let long = ErlangTerm.binary([UInt8](repeating: 7, count: 70 << 20))
        var output: [UInt8] = []
        let encoder = PacketEncoder(ourselves: Node.theirs.name, peer: Node.ours, limits: limits.terms)
        #expect(try encoder.append(.send(long, from: Self.remote, to: Self.local), to: &output))
        var input = DistributionInput(peer: Node.ours, limits: limits)
        input.receive(output.span.bytes)
        guard case .message(_, let content?) = try input.nextEvent() else {
            Issue.record("no message")
            return
        }
        #expect(content.count == (70 << 20) + 5)
    }

    /// Sequence 0, a count of 0 and references to a cache each end a whole Erlang node.
    static let faults: [(String, ErlangError)] = [
        ("834501" + "00", .truncated(needed: 8, available: 2, offset: 2)),
        ("8345" + "0000000000000000" + "0000000000000001" + "00" + "68036101", .distribution(.fragment)),
        ("8345" + "0000000000000001" + "0000000000000000" + "00" + "68036101", .distribution(.fragment)),
        ("8345" + "0000000000000001" + "0000000000000001" + "01", .distribution(.atomCache)),
        ("834401", .distribution(.atomCache)),
        ("8346" + "0000000000000001" + "0000000000000001", .distribution(.fragment)),
        ("8347", .distribution(.header(0x47))), ("70", .distribution(.header(0x70))),
        ("834400" + "6101", .distribution(.control)),
        ("834400" + "6800", .distribution(.control)), ("834400" + "68016105", .distribution(.control)),
        ("834400" + "68016163", .distribution(.control)), ("834400" + "680361016101" + "6101", .distribution(.control)),
        ("834400" + "5200", .invalidTerm(.unknownTag(82), offset: 3)), ("ffffffff", .distribution(.header(0xFF))),
    ]

    @Test(arguments: faults)
    func `what no node says ends the connection`(hex: String, error: ErlangError) {
        var decoder = PacketDecoder(peer: agreed())
        let packet = bytes(hex)
        let thrown = #expect(throws: ErlangError.self) { try decoder.decode(packet.span.bytes) }
        if error == .distribution(.fragment), case .truncated? = thrown { return }
        #expect(thrown == error)
        #expect(!error.description.isEmpty)
    }

    @Test func `a gap, a second beginning and a continuation of nothing end the connection`() throws {
        let parts = try Self.fragments(.binary([UInt8](repeating: 7, count: 300)), sequence: 9, byteCount: 100)
        for wrong in [[parts[0], parts[2]], [parts[0], parts[0]], [parts[1]], [parts[0], parts[1], parts[1]]] {
            #expect(throws: ErlangError.distribution(.fragment)) { try Self.events(of: wrong) }
        }
    }

    @Test func `a packet that is too long is refused before any of it is kept`() throws {
        let limits = DistributionLimits()
        var input = DistributionInput(peer: agreed(), limits: limits)
        let length: [UInt8] = [0x40, 0, 0, 0]
        input.receive(length.span.bytes)
        for _ in 0..<2 {
            let error = #expect(throws: ErlangError.self) { try input.nextEvent() }
            guard case .distribution(.packetTooLong)? = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
        #expect(input.heldByteCount == 0)
    }

    @Test func `a node speaks only for its own processes`() throws {
        let stranger = ErlangPID(node: "c@10.0.0.4", id: 1, serial: 0, creation: 1)
        let links: [(ErlangTerm, Bool)] = [
            (.tuple(1, .pid(stranger), .pid(Self.local)), false),
            (.tuple(19, .pid(stranger), "pg", .reference(ControlVectorTests.reference)), false),
            (.tuple(8, .pid(stranger), .pid(Self.local), "kill"), false),
            (.tuple(1, .pid(Self.remote), .pid(Self.local)), true),
        ]
        for (control, isTaken) in links {
            let packet = [131, 68, 0] + (try control.externalFormat().dropFirst())
            var decoder = PacketDecoder(peer: agreed())
            if isTaken {
                #expect(throws: Never.self) { try decoder.decode(packet.span.bytes) }
            } else {
                #expect(throws: ErlangError.distribution(.foreignSender)) { try decoder.decode(packet.span.bytes) }
            }
        }
    }

    @Test func `bytes with a mistake in them are events or one error that lasts, and are bounded`() throws {
        var random = SeededGenerator.forThisRun()
        let comment = random.seedComment
        var terms = RandomTerms(random)
        for _ in 0..<2_000 {
            let content = terms.next(depth: 2)
            let whole =
                try Self.packet(content) + Self.fragments(content, sequence: 3, byteCount: 50).joined() + Self.packet(1)
            let changed = Mutation.changed(whole, using: &random)
            var input = DistributionInput(peer: agreed())
            input.receive(changed.span.bytes)
            var outcome: ErlangError?
            do throws(ErlangError) { while try input.nextEvent() != nil {} } catch { outcome = error }
            if let outcome {
                let again = #expect(throws: ErlangError.self) { try input.nextEvent() }
                try #require(again == outcome && input.heldByteCount == 0, comment)
            }
            try #require(input.heldByteCount <= changed.count, comment)
        }
    }
}
