// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineErlang
import WirelineGateway

/// Clients and nodes that do not read.
struct BackPressureTests {
    private let owner = GatewayBench.process(1)
    private let second = GatewayBench.process(2, at: "b@h")

    private func closings(_ effects: [GatewayEffect]) -> [ErlangPID] {
        effects.compactMap { if case .end(let pid, reason: .tuple(["shutdown", "slow"])) = $0 { pid } else { nil } }
    }

    @Test func `a client that takes less than it is sent is closed`() {
        let bench = GatewayBench { $0.clientByteCount = 10 }
        let client = bench.open(ownedBy: owner)
        _ = bench.send(GatewayBench.said("0123456789"), to: client, from: owner)
        #expect(!bench.hasSlowClients)
        _ = bench.send(GatewayBench.said("x"), to: client, from: owner)
        #expect(bench.hasSlowClients)
        #expect(
            bench.effects { $0.closeSlowClients(at: $1) } == [
                .tell(owner.target, .close(client, reason: .tuple("shutdown", "slow")), from: client),
                .end(client, reason: .tuple("shutdown", "slow")), .close(client.number, .slow, isFlushed: false),
            ])
    }

    @Test func `a long packet alone makes no client slow`() {
        let bench = GatewayBench { $0.clientByteCount = 10 }
        let client = bench.open(ownedBy: owner)
        _ = bench.send(GatewayBench.said("0123456789 and more"), to: client, from: owner)
        bench.core.taken(19, by: client.number)
        #expect(bench.effects { $0.closeSlowClients(at: $1) } == [])
        #expect(!bench.hasSlowClients)
    }

    @Test func `when memory is short, the largest goes first`() {
        let bench = GatewayBench {
            $0.heldByteCount = 100
            $0.window = 8
        }
        let clients = (0..<3).map { _ in bench.open(ownedBy: owner) }
        _ = bench.send(GatewayBench.said(.init(repeating: "a", count: 30)), to: clients[0], from: owner)
        _ = bench.send(GatewayBench.said(.init(repeating: "a", count: 60)), to: clients[1], from: owner)
        #expect(!bench.hasSlowClients)
        // What a client says is kept, too.
        _ = bench.say("hello", by: clients[2])
        #expect(bench.hasSlowClients)
        #expect(closings(bench.effects { $0.closeSlowClients(at: $1) }) == [clients[1]])
        #expect(!bench.hasSlowClients)
    }

    @Test func `what a client chooses of its connection is kept, too`() {
        let bench = GatewayBench { $0.heldByteCount = 400 }
        var info = GatewayBench.info
        info.headers = [("x", .init(repeating: "a", count: 300))]
        info.tls = .init(version: "TLSv1.3", cipher: "c", certificate: .init(repeating: 0, count: 100))
        _ = bench.open()
        #expect(bench.core.clients.heldByteCount == 0)
        let client = GatewayBench.process(99, at: GatewayBench.node, creation: 7)
        bench.core.open(client, info, at: bench.now)
        #expect(bench.hasSlowClients)
        #expect(closings(bench.effects { $0.closeSlowClients(at: $1) }) == [client])
        #expect(bench.core.clients.heldByteCount == 0)
    }

    @Test func `states and groups are kept, too`() {
        let bench = GatewayBench { $0.heldByteCount = 100 }
        let client = bench.open(ownedBy: owner)
        _ = bench.tell(client, .tuple("join", "room"), from: owner)
        _ = bench.tell(client, .tuple("state", .binary(.init(repeating: 0, count: 40))), from: owner)
        #expect(closings(bench.effects { $0.closeSlowClients(at: $1) }) == [client])
        #expect(bench.core.clients.heldByteCount == 0)
    }

    @Test func `the clients of a node that does not read are not read, until half has left`() {
        let bench = GatewayBench { $0.nodeByteCount = 1_000 }
        let client = bench.open(ownedBy: owner)
        let other = bench.open(ownedBy: second)
        _ = bench.core.takeEffects()
        #expect(bench.effects { core, _ in core.nodeQueue(1_000, of: "a@h") } == [])
        #expect(bench.effects { core, _ in core.nodeQueue(1_001, of: "a@h") } == [.read(client.number, false)])
        // What was read already waits here.
        #expect(bench.say("a", by: client) == [])
        #expect(bench.say("b", by: other).count == 1)
        #expect(bench.effects { core, _ in core.nodeQueue(501, of: "a@h") } == [])
        #expect(
            bench.effects { core, _ in core.nodeQueue(500, of: "a@h") } == [
                .tell(owner.target, .message(client, GatewayBench.message("a"), number: nil), from: client)
            ])
        // Half is still much: the others go first.
        #expect(bench.effects { core, _ in core.nodeQueue(16, of: "a@h") } == [])
        #expect(bench.effects { core, _ in core.nodeQueue(15, of: "a@h") } == [.read(client.number, true)])
    }

    @Test func `while some waits for a node, each of its clients says something once`() {
        let bench = GatewayBench { $0.nodeByteCount = 32_000 }
        let (client, other, gone) = (bench.open(ownedBy: owner), bench.open(ownedBy: owner), bench.open(ownedBy: owner))
        _ = bench.core.takeEffects()
        #expect(bench.effects { core, _ in core.nodeQueue(1_001, of: "a@h") } == [])
        let first = GatewayEffect.tell(
            owner.target, .message(client, GatewayBench.message("a"), number: nil), from: client)
        #expect(bench.say("a", by: client) == [first, .read(client.number, false)])
        // What was read already waits here.
        #expect(bench.say("b", by: client) == [])
        #expect(bench.say("c", by: other).count == 2)
        #expect(bench.say("d", by: gone).count == 2)
        _ = bench.effects { $0.closed(gone.number, .normal, at: $1) }
        #expect(bench.effects { core, _ in core.nodeQueue(501, of: "a@h") } == [])
        let second = GatewayEffect.tell(
            owner.target, .message(client, GatewayBench.message("b"), number: nil), from: client)
        #expect(
            bench.effects { core, _ in core.nodeQueue(500, of: "a@h") } == [
                second, .read(client.number, true), .read(other.number, true),
            ])
        #expect(bench.say("e", by: client).count == 1)
    }

    @Test func `a client that rested for a node that is lost is read again when the node is back`() {
        let bench = GatewayBench { $0.nodeByteCount = 32_000 }
        let client = bench.open(ownedBy: owner)
        _ = bench.core.takeEffects()
        _ = bench.effects { core, _ in core.nodeQueue(1_001, of: "a@h") }
        #expect(bench.say("a", by: client).contains(.read(client.number, false)))
        let owner = owner
        let effects = bench.effects {
            $0.nodeDown("a@h", at: $1)
            $0.down(owner.target, at: $1)
        }
        #expect(effects.contains(.read(client.number, true)))
        bench.join(owner)
        _ = bench.rounds
        _ = bench.tell(client, .tuple("owner", .pid(owner)), from: owner)
        #expect(bench.say("b", by: client).count == 1)
    }

    @Test func `a client of a slow node that gets another owner is read again`() {
        let bench = GatewayBench { $0.nodeByteCount = 1_000 }
        let client = bench.open(ownedBy: owner)
        bench.join(second)
        _ = bench.effects { core, _ in core.nodeQueue(1_001, of: "a@h") }
        let owner = owner
        #expect(
            bench.effects {
                $0.nodeDown("a@h", at: $1)
                $0.down(owner.target, at: $1)
            }.contains(.read(client.number, true)))
    }

    @Test func `what waits for a node at once is limited, and the rest follows`() {
        let bench = GatewayBench { $0.nodeByteCount = 1_000 }
        let clients = (0..<20).map { _ in bench.open() }
        let text = String(repeating: "a", count: 400)
        for client in clients { bench.core.clientDidSend([GatewayBench.message(text)], by: client.number) }
        bench.join(owner)
        // Each offer counts for 480 bytes, each message for 512.
        let asked = bench.rounds
        #expect(asked.map(\.count).max() == 3 && asked.joined().count { $0.isOffer } == 20, "\(asked)")
        for client in clients {
            let term = ErlangTerm.tuple("wireline", .tuple("owner", .pid(owner)))
            bench.receive(term, for: client, from: owner)
        }
        let handed = bench.rounds
        #expect(handed.map(\.count).max() == 2 && handed.joined().count { $0.isMessage } == 20, "\(handed)")
        // What comes in between stays in order.
        for client in clients {
            bench.core.clientDidSend([GatewayBench.message(text), GatewayBench.message("b")], by: client.number)
        }
        let said = bench.rounds
        #expect(said.map(\.count).max() ?? 0 < 20 && said.joined().count { $0.isMessage } == 40, "\(said)")
        for client in clients {
            let own = said.joined().filter {
                if case .tell(_, .message(client, _, number: _), from: _) = $0 { true } else { false }
            }
            #expect(
                own
                    == [text, "b"].map {
                        .tell(owner.target, .message(client, GatewayBench.message($0), number: nil), from: client)
                    })
        }
    }

    @Test func `however many clients have messages for an owner, a round hands over a share of them`() {
        let bench = GatewayBench { $0.nodeByteCount = 1 << 30 }
        let clients = (0..<500).map { _ in bench.open(ownedBy: owner) }
        _ = bench.rounds
        bench.core.nodeQueue(1 << 31, of: "a@h")
        for client in clients {
            bench.core.clientDidSend((0..<10).map { GatewayBench.message("\($0)") }, by: client.number)
        }
        _ = bench.rounds
        bench.core.nodeQueue(0, of: "a@h")
        let handed = bench.rounds
        // One client may have a few more.
        #expect(handed.map(\.count).max() ?? 0 <= 1_100 && handed.joined().count { $0.isMessage } == 5_000)
        for client in [clients[0], clients[499]] {
            let own = handed.joined().compactMap {
                if case .tell(_, .message(client, let message, number: _), from: _) = $0 { message } else { nil }
            }
            #expect(own == (0..<10).map { GatewayBench.message("\($0)") })
        }
    }

    @Test func `a backend of a slow node is not asked, until the node reads`() {
        let bench = GatewayBench { $0.nodeByteCount = 1_000 }
        bench.join(owner)
        _ = bench.effects { core, _ in core.nodeQueue(1_001, of: "a@h") }
        let client = bench.open()
        #expect(bench.core.takeEffects() == [])
        #expect(bench.client(client)?.isParked == true)
        bench.core.nodeQueue(500, of: "a@h")
        #expect(bench.rounds.joined().count { $0.isOffer } == 1)
        // With another backend, that one is asked.
        _ = bench.effects { core, _ in core.nodeQueue(1_001, of: "a@h") }
        bench.join(second)
        let other = bench.open()
        #expect(bench.client(other)?.asked == [second.target])
    }

    @Test func `with a window, a client is read as far as it goes`() {
        let bench = GatewayBench { $0.window = 2 }
        let client = bench.open(ownedBy: owner)
        #expect(bench.say("a", by: client).count == 1)
        #expect(bench.say("b", by: client).last == .read(client.number, false))
        #expect(bench.tell(client, .tuple("confirm", 1), from: owner) == [.read(client.number, true)])
    }
}
