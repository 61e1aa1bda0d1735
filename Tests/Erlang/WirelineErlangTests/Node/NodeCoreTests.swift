// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineCodec
import WirelineErlang

/// What a node makes of others that ask too much, lie, or fall silent.
struct NodeCoreTests {
    private static let other: ErlangNodeName = "a@127.0.0.1"

    private static func core(_ change: (inout ErlangNodeLimits) -> Void = { _ in }) -> NodeCore {
        var settings = NodeSettings()
        change(&settings.limits)
        return NodeCore(Node.ours, cookie: Node.cookie, settings: settings)
    }

    private static func pid(_ id: UInt32) -> ErlangPID {
        ErlangPID(node: other.atom, id: id, serial: 0, creation: Node.theirs.creation)
    }

    private static func reference(_ number: UInt32) throws -> ErlangReference {
        try #require(ErlangReference(node: other.atom, creation: Node.theirs.creation, words: [number, 1, 2]))
    }

    // MARK: Processes

    @Test func `an unlink is acknowledged before anything else is said to that process`() throws {
        var core = Self.core()
        let ours = try core.start(trapsExits: true)
        var peer = RemotePeer()
        peer.connect(to: &core)
        let id = try #require(UnlinkID(7))
        try peer.say([.link(from: Self.pid(9), to: ours), .unlink(id, from: Self.pid(9), to: ours)], to: &core)
        try core.end(ours, reason: "over", at: .zero)
        #expect(try peer.hear(from: &core) == [.unlinkAcknowledgement(id, from: ours, to: Self.pid(9))])
    }

    @Test func `a monitor or a link of what is not there is answered at once`() throws {
        var core = Self.core()
        let ours = try core.start()
        try core.end(ours, reason: "normal", at: .zero)
        var peer = RemotePeer()
        peer.connect(to: &core)
        try peer.say(
            [
                .monitor(from: Self.pid(9), .name("nobody"), Self.reference(1)),
                .monitor(from: Self.pid(9), .process(ours), Self.reference(2)), .link(from: Self.pid(9), to: ours),
            ], to: &core)
        #expect(
            try peer.hear(from: &core) == [
                .down(.name("nobody"), to: Self.pid(9), Self.reference(1)),
                .down(.process(ours), to: Self.pid(9), Self.reference(2)), .exit(from: ours, to: Self.pid(9)),
            ])
    }

    @Test func `a process of an earlier life of our node is dead to who links to it, and is unlinked from`() throws {
        let later = ErlangPeer(name: Node.ours.name, creation: Node.ours.creation + 1)
        var core = NodeCore(later, cookie: Node.cookie, settings: NodeSettings())
        let ours = try core.start()
        let old = ErlangPID(node: ours.node, id: ours.id, serial: ours.serial, creation: Node.ours.creation)
        // It speaks as to the earlier life.
        var peer = RemotePeer()
        peer.connect(to: &core)
        let id = try #require(UnlinkID(7))
        try peer.say([.link(from: Self.pid(9), to: old), .unlink(id, from: Self.pid(9), to: old)], to: &core)
        #expect(
            try peer.hear(from: &core) == [
                .exit(from: old, to: Self.pid(9)), .unlinkAcknowledgement(id, from: old, to: Self.pid(9)),
            ])
    }

    @Test func `a link or a monitor beyond the limit is refused, and the node stays`() throws {
        var core = Self.core {
            $0.linkCount = 10
            $0.monitorCount = 10
        }
        let ours = try core.start(name: "box", trapsExits: true)
        var peer = RemotePeer()
        peer.connect(to: &core)
        for number in UInt32(1)...10 {
            try peer.say(
                [
                    .link(from: Self.pid(number), to: ours),
                    .monitor(from: Self.pid(1), .name("box"), try Self.reference(number)),
                ], to: &core)
        }
        #expect(try peer.hear(from: &core) == [])
        let beyond: [OutgoingMessage] = [
            .link(from: Self.pid(10), to: ours), .link(from: Self.pid(11), to: ours),
            .monitor(from: Self.pid(1), .name("box"), try Self.reference(11)),
        ]
        try peer.say(beyond, to: &core)
        #expect(
            try peer.hear(from: &core) == [
                .exit(from: ours, to: Self.pid(11)), .down(.name("box"), to: Self.pid(1), try Self.reference(11)),
            ])
        #expect(core.isConnected(Self.other) && core.isAlive(ours))
        try peer.say([.demonitor(from: Self.pid(1), .name("box"), try Self.reference(1)), beyond[2]], to: &core)
        try core.end(ours, reason: "over", at: .zero)
        #expect(try peer.hear(from: &core).count == 20)
    }

    @Test func `a node that asks and does not read is cut off`() throws {
        var core = Self.core {
            $0.pendingByteCount = 4_000
            $0.terms.byteCount = 2_000
        }
        var peer = RemotePeer()
        peer.connect(to: &core)
        var count: UInt32 = 0
        while core.isConnected(Self.other) {
            count += 1
            try #require(count < 1_000)
            try peer.say([.monitor(from: Self.pid(9), .name("nobody"), try Self.reference(count))], to: &core)
        }
        #expect(core.takeActions().contains(.nodeDown(Self.other, .busy(limit: 10_000))))
    }

    @Test func `what stands behind a fault is not heard, also in the same read`() throws {
        var core = Self.core {
            $0.pendingByteCount = 4_000
            $0.terms.byteCount = 2_000
        }
        let ours = try core.start(name: "box")
        var peer = RemotePeer()
        peer.connect(to: &core)
        let message = OutgoingMessage.sendNamed("hello", from: Self.pid(9), to: "box")
        try peer.say([message], to: &core)
        #expect(core.takeEvents(of: ours).count == 1)
        let tooMany = try (1...1_000).map { number in
            OutgoingMessage.monitor(from: Self.pid(9), .name("nobody"), try Self.reference(number))
        }
        try peer.say(tooMany + [message], to: &core)
        #expect(core.takeActions().contains(.nodeDown(Self.other, .busy(limit: 10_000))))
        #expect(core.takeEvents(of: ours) == [])
    }

    @Test func `a message that is no term is dropped, one for nobody is not read, and the connection stays`() throws {
        var core = Self.core()
        let ours = try core.start(name: "box")
        var peer = RemotePeer()
        peer.connect(to: &core)
        // {box, a map with a key twice}
        let head = try Hexadecimal.bytes(of: "8344006804610658770b61403132372e302e302e3100000009000000006b03a6987700")
        let damaged = try Hexadecimal.bytes(of: "74000000026101610161016101")
        for name in ["nobody", "box"] {
            let packet = head + [0x77, UInt8(name.utf8.count)] + Array(name.utf8) + damaged
            peer.deliver([0, 0, 0, UInt8(packet.count)] + packet, to: &core)
            let notes = core.takeActions().filter { if case .note = $0 { true } else { false } }
            #expect(notes.count == (name == "box" ? 1 : 0))
        }
        #expect(core.isConnected(Self.other))
        #expect(core.takeEvents(of: ours) == [])
    }

    // MARK: Connections

    @Test(.amongAll)
    func `a node that cannot be reached costs no more with many processes`() throws {
        var core = Self.core()
        for _ in 0..<50_000 { _ = try core.startServed() }
        let ours = try core.start(trapsExits: true)
        // Each attempt used to sort all processes, and the test would exceed the time of its turn.
        for _ in 0..<10_000 {
            try core.connect(to: Self.other, at: .zero)
            let monitor = try core.monitor(.name("box", at: Self.other), by: ours, at: .zero)
            try core.link(ours, to: Self.pid(9), at: .zero)
            guard case .dial(let id, _)? = core.takeActions().first else {
                Issue.record("no attempt to connect")
                return
            }
            core.dialFailed(id, at: .zero)
            let told = core.takeEvents(of: ours)
            let ends: [ErlangEvent] = [
                .exit(Self.pid(9), reason: "noconnection"), .down(monitor, reason: "noconnection"),
            ]
            try #require(told == ends)
            _ = core.takeActions()
        }
    }

    @Test func `strangers who say a connected node's name do not harm it`() throws {
        var core = Self.core()
        var peer = RemotePeer()
        peer.connect(to: &core)
        var stranger = RemotePeer(cookie: "guessed")
        stranger.connect(to: &core)
        #expect(stranger.failure == .handshake(.cookieRefused))
        #expect(core.isConnected(Self.other))
        #expect(core.takeActions().contains(.note(.refused(Self.other, from: "", .handshake(.wrongCookie)))))
    }

    @Test func `connections that prove nothing are few, and end after seven seconds`() throws {
        var core = Self.core { $0.handshakeCount = 2 }
        #expect(core.accepted(challenge: 1, at: .zero) != nil)
        #expect(core.accepted(challenge: 2, at: .zero) != nil)
        #expect(core.accepted(from: "192.0.2.1:9", challenge: 3, at: .zero) == nil)
        #expect(core.takeActions() == [.note(.crowded(from: "192.0.2.1:9", limit: 2))])
        #expect(core.deadline == .seconds(7))
        core.poll(at: .seconds(7))
        #expect(core.takeActions().count { if case .close = $0 { true } else { false } } == 2)
        #expect(core.accepted(challenge: 4, at: .seconds(7)) != nil)
    }

    @Test func `a node is ticked at a quarter of the tick time, and given up after it`() throws {
        var core = Self.core()
        var peer = RemotePeer()
        peer.connect(to: &core)
        for second in stride(from: Int64(1), to: 60, by: 1) { core.poll(at: .seconds(second)) }
        #expect(peer.takeBytes(from: &core) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        #expect(core.isConnected(Self.other))
        core.poll(at: .seconds(60))
        #expect(core.takeActions().contains(.nodeDown(Self.other, .silent)))
    }

    @Test func `bytes with mistakes end the connection or nothing`() throws {
        var random = SeededGenerator.forThisRun()
        let comment = random.seedComment
        var downCount = 0
        for _ in 0..<3_000 {
            var core = Self.core()
            let ours = try core.start(name: "box", trapsExits: true)
            var peer = RemotePeer()
            peer.connect(to: &core)
            _ = core.takeActions()
            let id = try #require(UnlinkID(7))
            var bytes = try peer.bytes([
                .link(from: Self.pid(9), to: ours), .monitor(from: Self.pid(9), .name("box"), Self.reference(1)),
                .sendNamed(.tuple("hello", [1, 2.5, .text("three")]), from: Self.pid(9), to: "box"),
                .unlink(id, from: Self.pid(9), to: ours), .exitSignal(reason: "no", from: Self.pid(9), to: ours),
            ])
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            peer.deliver(bytes, to: &core)
            let isDown = core.takeActions().contains { if case .nodeDown = $0 { true } else { false } }
            try #require(isDown != core.isConnected(Self.other), comment)
            try #require(core.isAlive(ours) || !isDown, comment)
            if isDown { downCount += 1 }
        }
        #expect(downCount > 100, comment)
    }
}
