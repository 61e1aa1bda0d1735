// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import WirelineErlang

/// Both ends of handshakes against each other, in memory, by seeds.
struct HandshakePairTests {
    private static let runCount = Depth.rounds(500)

    @Test func `two nodes with one cookie connect, however their bytes are cut`() throws {
        var random = SeededGenerator.forThisRun()
        let comment = random.seedComment
        for _ in 0..<Self.runCount / 10 {
            var pair = Pair(cookies: ("one", "one"), using: &random)
            pair.run(using: &random)
            try #require(pair.outgoing == .connected && pair.incoming == .connected, comment)
            try #require(pair.peers.map(\.name) == [Node.ours.name, Node.theirs.name], comment)
        }
    }

    @Test func `nodes with different cookies do not, and both say so`() throws {
        var random = SeededGenerator.forThisRun()
        let comment = random.seedComment
        for _ in 0..<Self.runCount / 10 {
            var pair = Pair(cookies: ("one", "other"), using: &random)
            pair.run(using: &random)
            try #require(pair.outgoing == .failed(.handshake(.cookieRefused)), comment)
            try #require(pair.incoming == .failed(.handshake(.wrongCookie)), comment)
        }
    }

    @Test(arguments: [true, false])
    func `an old connection is replaced only if its node says that it is dead`(isDead: Bool) throws {
        var random = SeededGenerator.forThisRun()
        var pair = Pair(cookies: ("one", "one"), using: &random)
        pair.status = .alive
        pair.continuesIfAlive = isDead
        pair.run(using: &random)
        #expect(pair.hasReplaced == isDead, random.seedComment)
        #expect(pair.outgoing == (isDead ? .connected : .failed(.handshake(.alive))), random.seedComment)
        #expect(pair.incoming == (isDead ? .connected : .failed(.handshake(.alive))), random.seedComment)
    }

    @Test func `of two connections that begin at once, one stays`() throws {
        var random = SeededGenerator.forThisRun()
        let comment = random.seedComment
        for _ in 0..<Self.runCount {
            var nodes = (SimulatedNode("a@h"), SimulatedNode("b@h"))
            // Each introduction arrives before or after the other node has begun to connect.
            let order = [0, 1, 2, 3].shuffled(using: &random)
            for step in order {
                switch step {
                case 0: nodes.0.begin()
                case 1: nodes.1.begin()
                case 2: SimulatedNode.deliver(from: &nodes.0, to: &nodes.1)
                default: SimulatedNode.deliver(from: &nodes.1, to: &nodes.0)
                }
            }
            // What was not yet begun when its turn came is delivered at the end.
            SimulatedNode.deliver(from: &nodes.0, to: &nodes.1)
            SimulatedNode.deliver(from: &nodes.1, to: &nodes.0)
            try #require(nodes.0.connection == nodes.1.connection && nodes.0.connection != nil, comment)
        }
    }

    @Test func `bytes with a mistake in them connect nobody wrongly, and stop nobody`() throws {
        var random = SeededGenerator.forThisRun()
        let comment = random.seedComment
        for _ in 0..<Self.runCount {
            var pair = Pair(cookies: ("one", "one"), using: &random)
            pair.mistakeAt = Int.random(in: 0..<80, using: &random)
            pair.run(using: &random)
            for peer in pair.peers {
                try #require(peer.flags.isSuperset(of: .required), comment)
                try #require(peer.creation != 0, comment)
            }
        }
    }
}

/// A connecting and an accepting end, with bytes on their way between them.
private struct Pair {
    enum Outcome: Equatable {
        case going
        case connected
        case failed(ErlangError)
    }

    var status = HandshakeStatus.ok
    var continuesIfAlive = true
    /// Which byte on the way is changed, counted in both directions.
    var mistakeAt: Int?
    private(set) var outgoing = Outcome.going
    private(set) var incoming = Outcome.going
    private(set) var hasReplaced = false
    /// Whom each end takes the other for.
    private(set) var peers: [ErlangPeer] = []

    private var connecting: OutgoingHandshake
    private var accepting: IncomingHandshake
    private var byteCount = 0

    init(cookies: (String, String), using random: inout SeededGenerator) {
        let challenges = (
            UInt32.random(in: .min ... .max, using: &random), UInt32.random(in: .min ... .max, using: &random)
        )
        connecting = OutgoingHandshake(
            as: Node.ours, to: Node.theirs.name, cookie: ErlangCookie(cookies.0)!, challenge: challenges.0)
        accepting = IncomingHandshake(as: Node.theirs, cookie: ErlangCookie(cookies.1)!, challenge: challenges.1)
    }

    /// Exchanges bytes until both ends wait or have ended.
    mutating func run(using random: inout SeededGenerator) {
        var isIdle = false
        while !isIdle {
            let (toAccepting, toConnecting) = (connecting.takeOutput(), accepting.takeOutput())
            isIdle = toAccepting.isEmpty && toConnecting.isEmpty
            for piece in pieces(of: changed(toAccepting), Int.random(in: 1...40, using: &random)) { accept(piece) }
            for piece in pieces(of: changed(toConnecting), Int.random(in: 1...40, using: &random)) { connect(piece) }
        }
        if case .failed = outgoing, incoming == .going { incoming = .failed(accepting.errorAtEnd()) }
        if case .failed = incoming, outgoing == .going { outgoing = .failed(connecting.errorAtEnd()) }
    }

    private mutating func changed(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        if let mistakeAt, byteCount..<byteCount + bytes.count ~= mistakeAt { bytes[mistakeAt - byteCount] ^= 0x41 }
        byteCount += bytes.count
        return bytes
    }

    private mutating func connect(_ piece: [UInt8]) {
        connecting.receive(piece.span.bytes)
        do throws(ErlangError) {
            while let event = try connecting.nextEvent() {
                switch event {
                case .alive: connecting.decide(continues: continuesIfAlive)
                case .connected(let peer):
                    peers.append(peer)
                    outgoing = .connected
                }
            }
        } catch {
            outgoing = .failed(error)
        }
    }

    private mutating func accept(_ piece: [UInt8]) {
        accepting.receive(piece.span.bytes)
        do throws(ErlangError) {
            while let event = try accepting.nextEvent() {
                switch event {
                case .introduced: accepting.answer(status)
                case .replaces: hasReplaced = true
                case .connected(let peer):
                    peers.append(peer)
                    incoming = .connected
                }
            }
        } catch {
            incoming = .failed(error)
        }
    }
}

/// What a node knows of connections to one other.
private struct SimulatedNode {
    let name: ErlangNodeName
    /// The name of the node that began the connection that is up.
    private(set) var connection: ErlangNodeName?
    private var isConnecting = false
    /// Whether an introduction is on its way.
    private var hasSent = false

    init(_ name: String) { self.name = Node.name(name) }

    mutating func begin() {
        guard connection == nil else { return }
        isConnecting = true
        hasSent = true
    }

    /// The introduction of one node arrives at the other, and the answer at the first.
    static func deliver(from sender: inout Self, to receiver: inout Self) {
        guard sender.hasSent else { return }
        sender.hasSent = false
        let status = HandshakeStatus(
            for: sender.name, at: receiver.name, connected: receiver.connection != nil,
            connecting: receiver.isConnecting)
        switch status {
        case .ok, .okSimultaneous:
            receiver.isConnecting = false
            // The attempt that the receiver gives up is closed.
            receiver.hasSent = false
            (sender.connection, receiver.connection) = (sender.name, sender.name)
            sender.isConnecting = false
        case .refused: sender.isConnecting = false
        case .alive, .notAllowed:
            // The connection is younger than the attempt, so the sender keeps it.
            sender.isConnecting = false
        }
    }
}
