// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineCodec
import WirelineErlang

/// Connections that replace others: two nodes of one name are slowed down, and a single node never is.
struct ReplacementTests {
    private static let other = Node.theirs.name

    private static func core() -> NodeCore { NodeCore(Node.ours, cookie: Node.cookie) }

    private static func isReplaced(_ core: inout NodeCore) -> Bool {
        core.takeActions().contains(.note(.replaced(other)))
    }

    // MARK: Nodes that connect

    @Test func `two nodes of one name replace each other twice, and then ever more slowly`() throws {
        var core = Self.core()
        var now = Duration.zero
        var replacements: [Duration] = []
        while now < .seconds(100) {
            // The one that was replaced connects again.
            var peer = RemotePeer(creation: replacements.count.isMultiple(of: 2) ? 2 : 1)
            if now == .zero { peer = RemotePeer(creation: 1) }
            peer.connect(to: &core, at: now)
            if Self.isReplaced(&core) { replacements.append(now) }
            #expect(core.isConnected(Self.other))
            now += .milliseconds(250)
            core.poll(at: now)
        }
        #expect(replacements.prefix(2) == [.milliseconds(250), .milliseconds(500)])
        // After 1, 2, 4, … seconds.
        let pauses = zip(replacements.dropFirst(), replacements.dropFirst(2)).map { $1 - $0 }
        #expect(pauses == [.seconds(1), .seconds(2), .seconds(4), .seconds(8), .seconds(16), .seconds(32)])
    }

    @Test(arguments: [true, false])
    func `a node whose connection breaks, or that restarts, replaces it at once each time`(isRestarted: Bool) throws {
        var core = Self.core()
        for life in 0..<40 {
            let now = Duration.milliseconds(Int64(life) * 250)
            var peer = RemotePeer(creation: isRestarted ? UInt32(life) + 1 : 1)
            peer.connect(to: &core, at: now)
            #expect(peer.isUp)
            #expect(Self.isReplaced(&core) == (life > 0))
            core.poll(at: now)
        }
    }

    @Test func `a handshake that its node has given up for another one replaces nothing`() throws {
        var core = Self.core()
        var (givenUp, peer) = (RemotePeer(), RemotePeer())
        givenUp.introduce(to: &core)
        peer.connect(to: &core)
        // Its last words were on the way.
        givenUp.prove(to: &core)
        #expect(!givenUp.isUp)
        #expect(!Self.isReplaced(&core))
        try peer.say([.monitor(from: Node.theirs.pid(9), .name("nobody"), Node.theirs.reference(1))], to: &core)
        #expect(try peer.hear(from: &core).count == 1)
    }

    @Test func `a node that restarts may complete its handshake after its earlier life has`() throws {
        var core = Self.core()
        var (earlier, later) = (RemotePeer(creation: 1), RemotePeer(creation: 2))
        later.introduce(to: &core)
        earlier.connect(to: &core)
        later.prove(to: &core)
        #expect(later.isUp)
        #expect(Self.isReplaced(&core))
    }

    // MARK: Nodes to which we connect

    /// Connects to the other node, which says `status`, and ends the connection.
    ///
    /// - Returns: Whether it was noticed that another node has our name.
    private static func visit(
        _ core: inout NodeCore, _ status: HandshakeStatus, isBroken: Bool, at now: Duration
    ) throws -> Bool {
        try core.connect(to: other, at: now)
        let dialed = core.takeActions().compactMap { if case .dial(let id, _) = $0 { id } else { nil } }
        let id = try #require(dialed.first)
        core.dialed(id, challenge: 7, at: now)
        var handshake = IncomingHandshake(as: Node.theirs, cookie: Node.cookie, challenge: 42)
        for _ in 0..<4 {
            let output = core.takeOutput(of: id)
            handshake.receive(output.span.bytes)
            while let event = try handshake.nextEvent() {
                if case .introduced = event { handshake.answer(status) }
            }
            let answer = handshake.takeOutput()
            core.receive(answer.span.bytes, on: id, at: now)
        }
        #expect(core.isConnected(other))
        core.ended(id, isBroken: isBroken, at: now)
        return core.takeActions().contains { if case .note(.otherOfOurName(at: other)) = $0 { true } else { false } }
    }

    @Test func `we give way to another node of our name that replaces our connection twice`() throws {
        var core = Self.core()
        #expect(try !Self.visit(&core, .ok, isBroken: false, at: .zero))
        #expect(try Self.visit(&core, .alive, isBroken: false, at: .zero))
        #expect(try Self.visit(&core, .alive, isBroken: false, at: .zero))
        #expect(throws: NodeFault.replacedTooOften) { try core.connect(to: Self.other, at: .milliseconds(999)) }
        #expect(try Self.visit(&core, .alive, isBroken: false, at: .seconds(1)))
        #expect(throws: NodeFault.replacedTooOften) { try core.connect(to: Self.other, at: .milliseconds(2_999)) }
        #expect(try Self.visit(&core, .alive, isBroken: false, at: .seconds(3)))
    }

    @Test func `a node that does not notice the end of our connection may be connected to at once each time`() throws {
        var core = Self.core()
        #expect(try !Self.visit(&core, .ok, isBroken: true, at: .zero))
        for _ in 0..<10 { #expect(try !Self.visit(&core, .alive, isBroken: true, at: .zero)) }
    }
}

extension ErlangPeer {
    fileprivate func pid(_ id: UInt32) -> ErlangPID {
        ErlangPID(node: name.atom, id: id, serial: 0, creation: creation)
    }

    fileprivate func reference(_ number: UInt32) throws -> ErlangReference {
        try #require(ErlangReference(node: name.atom, creation: creation, words: [number, 1, 2]))
    }
}
