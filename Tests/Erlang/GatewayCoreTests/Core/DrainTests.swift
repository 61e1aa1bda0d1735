// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineErlang
import WirelineGateway

struct DrainTests {
    private let owner = GatewayBench.process(1)
    private let second = GatewayBench.process(2, at: "b@h")

    private func drainTerm(_ milliseconds: Int64) -> GatewayTerm { .drain("gw@h", milliseconds: milliseconds) }

    @Test func `owners are told once, clients get the goodbye, and the rest is closed at the end`() {
        let bench = GatewayBench { $0.goodbye = [9] }
        let clients = (0..<2).map { _ in bench.open(ownedBy: owner) }
        _ = bench.core.takeEffects()
        let service = GatewayBench.service
        #expect(
            bench.effects { $0.drain(for: .seconds(30), at: $1) } == [
                .draining(.seconds(30)), .tell(owner.target, drainTerm(30_000), from: service),
                .write(clients[0].number, [9]), .write(clients[1].number, [9]),
            ])
        #expect(bench.effects { $0.drain(for: .seconds(60), at: $1) } == [])
        bench.core.listenersClosed(at: bench.now)
        bench.core.closed(clients[0].number, .normal, at: bench.now)
        _ = bench.core.takeEffects()
        #expect(
            bench.pass(.seconds(30)) == [
                .tell(owner.target, .close(clients[1], reason: .tuple("shutdown", "drain")), from: clients[1]),
                .end(clients[1], reason: .tuple("shutdown", "drain")),
                .close(clients[1].number, .drain, isFlushed: true),
            ])
        #expect(bench.effects { $0.connectionEnded(clients[1].number, at: $1) } == [.drained])
    }

    @Test func `a second drain can only shorten the first one, and tells nobody`() {
        let bench = GatewayBench { $0.goodbye = [9] }
        let client = bench.open(ownedBy: owner)
        _ = bench.effects { $0.drain(for: .seconds(600), at: $1) }
        #expect(bench.effects { $0.drain(for: .seconds(30), at: $1) } == [])
        #expect(bench.pass(.seconds(29)) == [])
        #expect(bench.pass(.seconds(1)).last == .close(client.number, .drain, isFlushed: true))
        #expect(bench.effects { $0.drain(for: .zero, at: $1) } == [])
    }

    @Test func `it is over when the last client leaves`() {
        let bench = GatewayBench()
        let client = bench.open(ownedBy: owner)
        _ = bench.effects { $0.drain(for: .seconds(30), at: $1) }
        #expect(bench.effects { $0.listenersClosed(at: $1) } == [])
        #expect(bench.effects { $0.closed(client.number, .normal, at: $1) }.last == .drained)
        #expect(bench.pass(.seconds(60)) == [])
    }

    @Test func `it is over although the connection of a client does not end`() {
        let bench = GatewayBench()
        let client = bench.open(ownedBy: owner)
        _ = bench.effects { $0.drain(for: .seconds(30), at: $1) }
        #expect(bench.pass(.seconds(30)).last == .close(client.number, .drain, isFlushed: true))
        // Its last bytes have five seconds to leave.
        #expect(bench.pass(.milliseconds(5_999)) == [])
        #expect(bench.pass(.milliseconds(1)) == [.drained])
        #expect(bench.effects { $0.connectionEnded(client.number, at: $1) } == [])
        #expect(bench.pass(.seconds(60)) == [])
    }

    @Test func `without clients it waits for those that wait to be accepted`() {
        let bench = GatewayBench { $0.goodbye = [9] }
        #expect(bench.effects { $0.drain(for: .seconds(30), at: $1) } == [.draining(.seconds(30))])
        let client = bench.open()
        #expect(bench.core.takeEffects() == [.write(client.number, [9])])
        #expect(bench.effects { $0.listenersClosed(at: $1) } == [])
        #expect(bench.effects { $0.closed(client.number, .normal, at: $1) }.last == .drained)
    }

    @Test func `a new owner is told how much time is left`() {
        let bench = GatewayBench()
        let client = bench.open(ownedBy: owner)
        _ = bench.effects { $0.drain(for: .seconds(30), at: $1) }
        _ = bench.pass(.seconds(10))
        #expect(
            bench.tell(client, .tuple("owner", .pid(second)), from: owner).last
                == .tell(second.target, drainTerm(20_000), from: GatewayBench.service))
        // The first one has been told.
        #expect(
            bench.tell(client, .tuple("owner", .pid(owner)), from: second) == [.demonitor(second.target)])
    }
}
