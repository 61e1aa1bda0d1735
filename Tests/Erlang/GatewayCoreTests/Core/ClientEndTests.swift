// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineErlang
import WirelineGateway

/// How clients end: who is told, and in which order.
struct ClientEndTests {
    private let owner = GatewayBench.process(1)

    @Test func `close comes behind every message and before the process ends`() {
        let bench = GatewayBench { $0.window = 1 }
        let client = bench.open(ownedBy: owner)
        for text in ["a", "b", "c"] { _ = bench.say(text, by: client) }
        let effects = bench.effects { $0.closed(client.number, .reset, at: $1) }
        let target = owner.target
        #expect(
            effects == [
                .tell(target, .message(client, GatewayBench.message("b"), number: 2), from: client),
                .tell(target, .message(client, GatewayBench.message("c"), number: 3), from: client),
                .tell(target, .close(client, reason: .tuple("shutdown", "reset")), from: client),
                .end(client, reason: .tuple("shutdown", "reset")),
            ])
        #expect(bench.core.clients.isEmpty)
        #expect(bench.core.clients.heldByteCount == 0)
        #expect(bench.core.counters.closedCounts == ["reset": 1])
    }

    @Test func `who was asked is told of the end, and gets no message`() {
        let bench = GatewayBench()
        bench.join(owner)
        let client = bench.open()
        _ = bench.say("a", by: client)
        _ = bench.core.takeEffects()
        #expect(
            bench.effects { $0.closed(client.number, .normal, at: $1) } == [
                .tell(owner.target, .close(client, reason: "normal"), from: client), .end(client, reason: "normal"),
            ])
    }

    @Test(arguments: [0, 1])
    func `a client whose messages nobody gets has ended unread`(window: Int) {
        let bench = GatewayBench { $0.window = window }
        // One that has said nothing loses nothing, and one that has an owner neither.
        let (silent, owned) = (bench.open(), bench.open(ownedBy: owner))
        for text in ["a", "b"] { _ = bench.say(text, by: owned) }
        for client in [silent, owned] { bench.core.closed(client.number, .reset, at: .zero) }
        #expect(bench.core.counters.unreadEndCount == 0)
        // What its owner has not confirmed is lost with the owner.
        let left = bench.open(ownedBy: owner)
        _ = bench.say("a", by: left)
        bench.core.backendLeft(owner.target, at: bench.now)
        bench.core.down(owner.target, at: .zero)
        bench.core.closed(left.number, .normal, at: .zero)
        #expect(bench.core.counters.unreadEndCount == UInt64(window))
        // Whoever was asked gets no message.
        let (asked, late) = (bench.open(), bench.open())
        bench.join(GatewayBench.process(2))
        for client in [asked, late] { _ = bench.say("a", by: client) }
        bench.core.closed(asked.number, .normal, at: .zero)
        #expect(bench.core.counters.unreadEndCount == UInt64(window) + 1)
        _ = bench.pass(.seconds(60))
        #expect(bench.core.counters.closedCounts["no_backend"] == 1)
        #expect(bench.core.counters.unreadEndCount == UInt64(window) + 2)
    }

    @Test func `a client that was not read has ended unread, and counts once`() {
        let bench = GatewayBench { $0.window = 1 }
        for client in [bench.open(), bench.open(ownedBy: owner)] {
            _ = bench.say("a", by: client)
            bench.core.closed(client.number, .reset, isUnread: true, at: .zero)
        }
        #expect(bench.core.counters.unreadEndCount == 2)
    }

    @Test func `exit with normal is ignored`() {
        let bench = GatewayBench()
        let client = bench.open(ownedBy: owner)
        #expect(bench.effects { $0.exit(client, "normal", isKill: false, at: $1) } == [])
        #expect(bench.client(client)?.owner == owner)
    }

    static let signals: [(ErlangTerm, Bool, ClientEnd, isFlushed: Bool)] = [
        ("boom", false, .exited("boom"), true),
        (.tuple("shutdown", "x"), false, .exited(.tuple("shutdown", "x")), true),
        // A link that ends with `kill` is no kill.
        ("kill", false, .exited("kill"), true), ("kill", true, .killed, false),
    ]

    @Test(arguments: signals)
    func `exit closes a client after what was sent before, and kill at once`(
        reason: ErlangTerm, isKill: Bool, end: ClientEnd, isFlushed: Bool
    ) {
        let bench = GatewayBench()
        let client = bench.open(ownedBy: owner)
        _ = bench.send(GatewayBench.said("a"), to: client, from: owner)
        #expect(
            bench.effects { $0.exit(client, reason, isKill: isKill, at: $1) } == [
                .tell(owner.target, .close(client, reason: end.term), from: client), .end(client, reason: end.term),
                .close(client.number, end, isFlushed: isFlushed),
            ])
        // What was written counts until the connection has ended.
        #expect(bench.core.clients.heldByteCount == (isFlushed ? 1 : 0))
        bench.core.connectionEnded(client.number, at: .zero)
        #expect(bench.core.clients.isEmpty)
    }

    @Test func `a client that is closing says and does nothing more`() {
        let bench = GatewayBench()
        let client = bench.open(ownedBy: owner)
        _ = bench.tell(client, [.tuple("join", "room"), .tuple("kick", "bye")], from: owner)
        #expect(bench.say("late", by: client) == [])
        #expect(bench.send(GatewayBench.said("late"), to: client, from: owner) == [])
        #expect(bench.effects { $0.exit(client, "boom", isKill: true, at: $1) } == [])
        #expect(bench.core.groups.count == 0)
        #expect(bench.core.clients.count == 0)
        // The connection breaks before all has left.
        #expect(bench.effects { $0.closed(client.number, .reset, at: $1) } == [])
        #expect(bench.core.clients.isEmpty)
    }
}
