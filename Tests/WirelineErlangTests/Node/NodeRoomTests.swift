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
        #expect(core.crowdedNode(of: Self.box) == nil)
        #expect(throws: NodeFault.busy(limit: 1_000)) { try core.send(message, to: Self.box, at: .zero) }
        #expect(core.crowdedNode(of: Self.box) == "a@127.0.0.1")
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
        #expect(core.crowdedNode(of: Self.box) == nil)
        try core.send(message, to: Self.box, at: .zero)
    }

    @Test func `a sender that was refused is told when the node is gone`() throws {
        var settings = NodeSettings()
        settings.limits.pendingByteCount = 1_000
        var core = NodeCore(Node.ours, cookie: Node.cookie, settings: settings)
        let message = ErlangTerm.binary([UInt8](repeating: 0, count: 600))
        // It is not connected: what is sent waits for that.
        try core.send(message, to: Self.box, at: .zero)
        #expect(throws: NodeFault.busy(limit: 1_000)) { try core.send(message, to: Self.box, at: .zero) }
        guard case .dial(let id, _)? = core.takeActions().first else {
            Issue.record("no attempt to connect")
            return
        }
        core.dialFailed(id, at: .zero)
        let isTold = core.takeActions().contains(.hasRoom("a@127.0.0.1"))
        #expect(isTold)
    }
}
