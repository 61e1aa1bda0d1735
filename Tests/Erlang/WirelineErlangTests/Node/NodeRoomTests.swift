// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineErlang

/// Senders that are faster than a node reads.
struct NodeRoomTests {
    private static let box = ErlangDestination.name("box", at: "a@127.0.0.1")

    @Test func `a sender that was refused is told when there is room, once`() throws {
        var settings = NodeSettings()
        settings.limits.pendingByteCount = 1_000
        var core = NodeCore(Node.ours, cookie: Node.cookie, settings: settings)
        var peer = RemotePeer()
        peer.connect(to: &core)
        _ = core.takeActions()
        let message = ErlangTerm.binary([UInt8](repeating: 0, count: 600))
        for _ in 0..<2 { try core.send(message, to: Self.box, at: .zero) }
        #expect(core.busyNode(of: Self.box) == nil)
        #expect(throws: NodeFault.busy(limit: 1_000)) { try core.send(message, to: Self.box, at: .zero) }
        #expect(core.busyNode(of: Self.box) == "a@127.0.0.1")
        let id = try #require(peer.id)
        let byteCount = core.takeOutput(of: id).count
        _ = core.takeActions()
        core.noteUnsent(byteCount, on: id)
        core.noteUnsent(501, on: id)
        #expect(core.takeActions() == [])
        core.noteUnsent(500, on: id)
        #expect(core.takeActions() == [.hasRoom("a@127.0.0.1")])
        core.noteUnsent(0, on: id)
        #expect(core.takeActions() == [])
        #expect(core.busyNode(of: Self.box) == nil)
        try core.send(message, to: Self.box, at: .zero)
    }

    @Test func `replies to a node that does not read end its connection, which says why`() throws {
        var settings = NodeSettings()
        settings.limits.pendingByteCount = 4_000
        settings.limits.terms.byteCount = 2_000
        var core = NodeCore(Node.ours, cookie: Node.cookie, settings: settings)
        var peer = RemotePeer()
        peer.connect(to: &core)
        let ours = try core.start(name: "box")
        let caller = ErlangPID(node: "a@127.0.0.1", id: 9, serial: 0, creation: Node.theirs.creation)
        let call = try #require(ErlangCall(request: "get", from: .tuple(.pid(caller), "tag")))
        var count = 0
        while core.isConnected("a@127.0.0.1") {
            count += 1
            try #require(count < 1_000)
            try core.reply(.binary([UInt8](repeating: 0, count: 600)), to: call, from: ours, at: .zero)
        }
        let isTold = core.takeActions().contains(.nodeDown("a@127.0.0.1", .busy(limit: 10_000)))
        #expect(isTold)
    }

    @Test func `who ends a connection may say why`() throws {
        var core = NodeCore(Node.ours, cookie: Node.cookie, settings: NodeSettings())
        var peer = RemotePeer()
        peer.connect(to: &core)
        core.disconnect(from: "a@127.0.0.1", because: .busy(limit: 7), at: .zero)
        let isTold = core.takeActions().contains(.nodeDown("a@127.0.0.1", .busy(limit: 7)))
        #expect(isTold)
    }

    @Test func `a sender that was refused is told when the node is gone`() throws {
        var settings = NodeSettings()
        settings.limits.pendingByteCount = 1_000
        var core = NodeCore(Node.ours, cookie: Node.cookie, settings: settings)
        let message = ErlangTerm.binary([UInt8](repeating: 0, count: 600))
        // It is not connected: what is sent waits for that.
        for _ in 0..<2 { try core.send(message, to: Self.box, at: .zero) }
        #expect(throws: NodeFault.busy(limit: 1_000)) { try core.send(message, to: Self.box, at: .zero) }
        guard case .dial(let id, _)? = core.takeActions().first else {
            Issue.record("no attempt to connect")
            return
        }
        core.dialFailed(id, at: .zero)
        let isTold = core.takeActions().contains(.hasRoom("a@127.0.0.1"))
        #expect(isTold)
    }

    /// Connects to the node, as far as is needed for what waits.
    ///
    /// - Returns: The connection.
    private static func connect(_ core: inout NodeCore) throws -> NodeConnectionID {
        var dialed: NodeConnectionID?
        for case .dial(let id, _) in core.takeActions() { dialed = id }
        let id = try #require(dialed)
        core.dialed(id, challenge: 1, at: .zero)
        var handshake = IncomingHandshake(as: Node.theirs, cookie: Node.cookie, challenge: 7)
        for _ in 0..<2 {
            let output = core.takeOutput(of: id)
            handshake.receive(output.span.bytes)
            while let event = try handshake.nextEvent() {
                if case .introduced = event { handshake.answer(.ok) }
            }
            let answer = handshake.takeOutput()
            core.receive(answer.span.bytes, on: id, at: .zero)
        }
        return id
    }

    @Test(arguments: [1, 255 - 10])
    func `what waits for a node does not close its connection, however long the names are`(nameByteCount: Int) throws {
        var settings = NodeSettings()
        settings.limits.pendingByteCount = 20_000
        var core = NodeCore(Node.ours, cookie: Node.cookie, settings: settings)
        let name = ErlangAtom(String(repeating: "x", count: nameByteCount))
        var count = 0
        while true {
            do throws(NodeFault) {
                try core.send("hello", to: .name(name, at: "a@127.0.0.1"), at: .zero)
                count += 1
            } catch {
                #expect(error == .busy(limit: 20_000))
                break
            }
        }
        let id = try Self.connect(&core)
        // It asks while all that waits.
        let pid = ErlangPID(node: "a@127.0.0.1", id: 9, serial: 0, creation: Node.theirs.creation)
        let reference = try #require(
            ErlangReference(node: "a@127.0.0.1", creation: Node.theirs.creation, words: [1, 1, 2]))
        var question: [UInt8] = []
        let encoder = PacketEncoder(ourselves: Node.theirs.name, peer: Node.ours)
        #expect(try encoder.append(.monitor(from: pid, .name("nobody"), reference), to: &question))
        core.receive(question.span.bytes, on: id, at: .zero)
        let heard = core.takeOutput(of: id).count
        #expect(core.isConnected("a@127.0.0.1"))
        // The bytes that were counted are a little more than those of the packets.
        #expect((15_000...21_000).contains(heard) && count > 50)
    }

    @Test func `one message that is longer than all that may wait goes to a node that is not connected`() throws {
        var settings = NodeSettings()
        settings.limits.pendingByteCount = 1_000
        var core = NodeCore(Node.ours, cookie: Node.cookie, settings: settings)
        try core.send(.binary([UInt8](repeating: 0, count: 100_000)), to: Self.box, at: .zero)
        #expect(throws: NodeFault.busy(limit: 1_000)) { try core.send("hello", to: Self.box, at: .zero) }
        let id = try Self.connect(&core)
        #expect(core.takeOutput(of: id).count > 100_000)
        #expect(core.isConnected("a@127.0.0.1"))
    }
}
