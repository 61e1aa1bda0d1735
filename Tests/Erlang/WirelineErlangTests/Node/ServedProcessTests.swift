// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineErlang

/// Processes for which the program acts at once, such as the clients of a gateway.
struct ServedProcessTests {
    private let other = ErlangPID(node: "a@127.0.0.1", id: 9, serial: 0, creation: Node.theirs.creation)

    /// What concerns served processes, in order.
    private func told(_ core: inout NodeCore) -> [NodeCore.Action] {
        core.takeActions().filter { action in
            switch action {
            case .servedMessage, .servedEvent, .servedExit: true
            default: false
            }
        }
    }

    @Test func `messages stay bytes, and exit signals end nothing by themselves`() throws {
        var core = NodeCore(Node.ours, cookie: Node.cookie)
        let ours = try core.startServed(name: "wireline")
        var peer = RemotePeer()
        peer.connect(to: &core)
        _ = core.takeActions()
        try peer.say(
            [
                .send(.tuple("a", 1), from: other, to: ours), .sendNamed("b", from: other, to: "wireline"),
                .exitSignal(reason: "normal", from: other, to: ours), .link(from: other, to: ours),
                .exit(reason: "boom", from: other, to: ours), .exitSignal(reason: "kill", from: other, to: ours),
            ], to: &core)
        #expect(
            told(&core) == [
                .servedMessage(ours, content: try ErlangTerm.tuple("a", 1).content(), from: other),
                .servedMessage(ours, content: try ErlangTerm.atom("b").content(), from: other),
                .servedExit(ours, reason: "normal", isKill: false), .servedExit(ours, reason: "boom", isKill: false),
                .servedExit(ours, reason: "kill", isKill: true),
            ])
        #expect(core.isAlive(ours))
    }

    @Test func `the end of a served process is told to those that monitor it`() throws {
        var core = NodeCore(Node.ours, cookie: Node.cookie)
        let ours = try core.startServed()
        var peer = RemotePeer()
        peer.connect(to: &core)
        let reference = try #require(
            ErlangReference(node: "a@127.0.0.1", creation: Node.theirs.creation, words: [1, 2, 3]))
        try peer.say([.monitor(from: other, .process(ours), reference)], to: &core)
        _ = try peer.hear(from: &core)
        let content = try ErlangTerm.tuple("wireline", "close").content()
        try core.send(encoded: content, to: .pid(other), from: ours, at: .zero)
        try core.end(ours, reason: "over", at: .zero)
        #expect(
            try peer.hear(from: &core) == [
                .send(from: ours, to: other), .down(.process(ours), to: other, reference),
            ])
        #expect(!core.isAlive(ours))
    }

    @Test func `what a served process monitors is told at once`() throws {
        var core = NodeCore(Node.ours, cookie: Node.cookie)
        let ours = try core.startServed()
        var peer = RemotePeer()
        peer.connect(to: &core)
        _ = core.takeActions()
        let monitor = try core.monitor(.pid(other), by: ours, at: .zero)
        try peer.say([.down(.process(other), reason: "over", to: ours, monitor.reference)], to: &core)
        #expect(told(&core) == [.servedEvent(ours, .down(monitor, reason: "over"))])
    }

    @Test func `processes of the node itself reach a served one`() throws {
        var core = NodeCore(Node.ours, cookie: Node.cookie)
        let ours = try core.startServed(name: "wireline")
        let box = try core.start()
        try core.send(.tuple("a", 1), to: .name("wireline"), from: box, at: .zero)
        let content = try ErlangTerm.tuple("a", 1).content()
        #expect(told(&core) == [.servedMessage(ours, content: content, from: box)])
        try core.send(encoded: content, to: .pid(box), from: ours, at: .zero)
        #expect(core.takeEvents(of: box) == [.message(.tuple("a", 1), from: ours)])
    }
}
