// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineErlang
import WirelineGateway

/// Who is asked, who accepts, and what becomes of a client without an owner.
struct OwnershipTests {
    @Test func `members that hang and then end make no client wait longer`() {
        let bench = GatewayBench()
        for id in 1...3 as ClosedRange<UInt32> { bench.join(GatewayBench.process(id)) }
        let client = bench.open()
        // Each one that was asked ends before it is late.
        for id in 1...2 as ClosedRange<UInt32> {
            #expect(bench.client(client)?.asked == [GatewayBench.process(id).target])
            bench.now += .seconds(2)
            bench.core.poll(at: bench.now)
            bench.core.down(GatewayBench.process(id).target, at: bench.now)
        }
        #expect(bench.client(client)?.asked == [GatewayBench.process(3).target])
        let prompt = GatewayBench.process(4)
        bench.join(prompt)
        _ = bench.pass(.milliseconds(999))
        #expect(bench.client(client)?.asked.count == 1)
        _ = bench.pass(.milliseconds(1))
        #expect(bench.client(client)?.asked == [GatewayBench.process(3).target, prompt.target])
        #expect(bench.core.counters.ranOutOfferCount == 0)
    }

    @Test(arguments: [60, 400, 600])
    func `however many offers run out together, a member that accepts at once has all clients a second later`(
        count: Int
    ) {
        let bench = GatewayBench()
        for id in 1...10 as ClosedRange<UInt32> { bench.join(GatewayBench.process(id)) }
        let clients = (0..<count).map { _ in bench.open() }
        _ = bench.rounds
        let prompt = GatewayBench.process(99, at: "b@h")
        bench.join(prompt)
        for _ in 0..<60 {
            bench.now += .milliseconds(100)
            bench.core.poll(at: bench.now)
            var offered: [ErlangPID] = []
            repeat {
                offered = bench.rounds.joined().compactMap {
                    if case .tell(prompt.target, .open(let client, _), from: _) = $0 { client } else { nil }
                }
                for client in offered {
                    bench.receive(.tuple("wireline", .tuple("owner", .pid(prompt))), for: client, from: prompt)
                }
            } while !offered.isEmpty
        }
        #expect(clients.count { bench.client($0)?.owner == prompt } == count)
    }

    @Test func `clients that wait are parked or asked for`() {
        let bench = GatewayBench()
        let clients = (0..<3).map { _ in bench.open() }
        #expect((bench.core.clients.parkedCount, bench.core.clients.askedCount) == (3, 0))
        bench.join(GatewayBench.process(1))
        #expect((bench.core.clients.parkedCount, bench.core.clients.askedCount) == (0, 3))
        _ = bench.tell(clients[0], .tuple("owner", .pid(GatewayBench.process(1))), from: GatewayBench.process(1))
        #expect((bench.core.clients.parkedCount, bench.core.clients.askedCount) == (0, 2))
        bench.core.closed(clients[1].number, .normal, at: .zero)
        #expect((bench.core.clients.parkedCount, bench.core.clients.askedCount) == (0, 1))
        bench.core.backendLeft(GatewayBench.process(1).target, at: bench.now)
        bench.core.down(GatewayBench.process(1).target, at: .zero)
        #expect((bench.core.clients.parkedCount, bench.core.clients.askedCount) == (2, 0))
        for client in clients { bench.core.closed(client.number, .normal, at: .zero) }
        #expect((bench.core.clients.parkedCount, bench.core.clients.askedCount) == (0, 0))
    }

    private let first = GatewayBench.process(1)
    private let second = GatewayBench.process(2, at: "b@h")

    /// Whether an effect asks a process to own a client.
    private func isOffer(_ effect: GatewayEffect, of client: ErlangPID, to process: ErlangPID, resume: Bool) -> Bool {
        switch effect {
        case .tell(process.target, .open(client, _), from: client): !resume
        case .tell(process.target, .resume(client, _), from: client): resume
        default: false
        }
    }

    @Test func `a client is offered, and nothing it says is handed on before it has an owner`() {
        let bench = GatewayBench()
        bench.join(first)
        #expect(bench.core.takeEffects() == [.monitor(first.target)])
        let client = bench.open()
        let effects = bench.core.takeEffects()
        #expect(effects.count == 1 && isOffer(effects[0], of: client, to: first, resume: false))
        #expect(bench.say("hi", by: client) == [])
        #expect(
            bench.tell(client, .tuple("owner", .pid(first)), from: first)
                == [.tell(first.target, .message(client, GatewayBench.message("hi"), number: nil), from: client)])
        #expect(bench.client(client)?.snapshot.received == 1)
    }

    @Test func `any process of the asked node may accept, for itself or for another one`() {
        let bench = GatewayBench()
        bench.join(first)
        let client = bench.open()
        _ = bench.core.takeEffects()
        let (stranger, worker) = (GatewayBench.process(8, at: "c@h"), GatewayBench.process(9))
        let late = GatewayBench.process(9, creation: 2)
        let action = ErlangTerm.tuple("owner", .pid(worker))
        for sender in [stranger, late] {
            #expect(bench.tell(client, action, from: sender) == [.refusal(.notOwner, of: client, to: sender)])
        }
        #expect(
            bench.tell(client, action, from: GatewayBench.process(4)) == [.monitor(worker.target)])
        #expect(bench.client(client)?.owner == worker)
        // There is an owner now, so the asked node may say no more.
        #expect(bench.tell(client, action, from: first) == [.refusal(.notOwner, of: client, to: first)])
    }

    @Test func `a client that is not accepted in time is offered to another, and whoever accepts it first owns it`() {
        let bench = GatewayBench()
        bench.join(first)
        bench.join(second)
        let (client, other) = (bench.open(), bench.open())
        _ = bench.core.takeEffects()
        #expect(bench.client(client)?.asked == [first.target])
        #expect(bench.pass(.milliseconds(4_999)) == [])
        let effects = bench.pass(.milliseconds(1))
        #expect(isOffer(effects[0], of: client, to: second, resume: false))
        #expect(isOffer(effects[1], of: other, to: first, resume: false))
        #expect(effects.count == 2)
        // The first one is late, and nobody was faster.
        let accept = { (owner: ErlangPID) in ErlangTerm.tuple("owner", .pid(owner)) }
        #expect(bench.tell(client, accept(first), from: first) == [])
        #expect(bench.client(client)?.owner == first)
        #expect(
            bench.tell(client, accept(second), from: second) == [.refusal(.notOwner, of: client, to: second)])
        _ = bench.tell(other, accept(second), from: second)
        #expect(bench.pass(.seconds(60)) == [])
        #expect(bench.core.counters.ranOutOfferCount == 3)
    }

    @Test func `members that give each client back do not keep it from a third one`() {
        let bench = GatewayBench()
        let third = GatewayBench.process(3)
        for _ in 0..<3 { _ = bench.open(ownedBy: third) }
        let client = bench.open(ownedBy: first)
        bench.join(second)
        _ = bench.tell(client, .tuple("owner", "none"), from: first)
        #expect(bench.client(client)?.asked == [second.target])
        _ = bench.tell(client, .tuple("owner", .pid(second)), from: second)
        _ = bench.tell(client, .tuple("owner", "none"), from: second)
        #expect(bench.client(client)?.asked == [third.target])
    }

    @Test func `who is asked again has all of its time again`() {
        let bench = GatewayBench()
        let client = bench.open(ownedBy: first)
        _ = bench.pass(.seconds(3))
        #expect(bench.tell(client, .tuple("owner", "none"), from: first).count { $0.isOffer } == 1)
        _ = bench.pass(.milliseconds(4_999))
        #expect(bench.core.counters.ranOutOfferCount == 0)
        _ = bench.pass(.milliseconds(1))
        #expect(bench.core.counters.ranOutOfferCount == 1)
    }

    @Test func `nobody is asked again before it has answered, and a client that nobody accepts is closed`() {
        let bench = GatewayBench()
        bench.join(first)
        let client = bench.open()
        _ = bench.core.takeEffects()
        #expect(bench.pass(.milliseconds(59_999)) == [])
        let reason: ErlangTerm = .tuple("shutdown", "no_backend")
        #expect(
            bench.pass(.milliseconds(1)) == [
                .tell(first.target, .close(client, reason: reason), from: client), .end(client, reason: reason),
                .close(client.number, .noBackend, isFlushed: true),
            ])
    }

    /// The seventh promise.
    @Test(arguments: [1, 2, 10, 300])
    func `however many hang, a client is owned soon if one accepts at once`(hungCount: Int) {
        let bench = GatewayBench()
        let hung = (0..<hungCount).map { GatewayBench.process(UInt32($0) + 10) }
        for backend in hung { bench.join(backend) }
        bench.join(second)
        _ = bench.core.takeEffects()
        for count in [1, 1, 100] {
            let clients = (0..<count).map { _ in bench.open() }
            var effects = bench.core.takeEffects()
            // The time to accept, and a second.
            for _ in 0..<60 {
                while !effects.isEmpty || bench.hasEffects {
                    for effect in effects where effect.isOffer {
                        guard case .tell(second.target, _, from: let client) = effect else { continue }
                        bench.receive(.tuple("wireline", .tuple("owner", .pid(second))), for: client, from: second)
                    }
                    effects = bench.core.takeEffects()
                    bench.core.resumePostponed(at: bench.now)
                    effects += bench.core.takeEffects()
                }
                effects = bench.pass(.milliseconds(100))
            }
            #expect(clients.allSatisfy { bench.client($0)?.owner == second })
        }
        // They are asked last now.
        let next = bench.open()
        #expect(bench.client(next)?.asked == [second.target])
    }

    @Test func `a client that has asked all is offered to a member that joins`() {
        let bench = GatewayBench()
        let hung = (0..<100).map { GatewayBench.process(UInt32($0) + 10) }
        for backend in hung { bench.join(backend) }
        let client = bench.open()
        while bench.client(client)?.asked.count != hung.count, bench.now < .seconds(60) {
            _ = bench.pass(.milliseconds(100))
        }
        // It wants as many others as it has asked.
        _ = bench.pass(.seconds(5))
        #expect(bench.client(client)?.vainSearch == bench.core.backends.placeChangeCount)
        bench.join(second)
        #expect(bench.client(client)?.asked.last == second.target)
    }

    #if DEBUG
        @Test func `a client that has asked all is not compared with them again until one may be new`() {
            let bench = GatewayBench()
            for id in 10..<14 { bench.join(GatewayBench.process(UInt32(id))) }
            let client = bench.open()
            _ = bench.pass(.seconds(6))
            for _ in 0..<10 { _ = bench.pass(.milliseconds(100)) }
            #expect(bench.client(client)?.asked.count == 4)
            // Each newcomer is offered at once, which takes one search, and lets clients go on that wait for others.
            let before = bench.core.counters.searchCount
            for _ in 0..<50 { _ = bench.open() }
            #expect(bench.core.counters.searchCount == before + 50)
            bench.join(second)
            #expect(bench.client(client)?.asked.last == second.target)
        }
    #endif

    @Test func `a backend that does not answer in time is reported once until it answers`() {
        let bench = GatewayBench()
        bench.join(first)
        let clients = (0..<3).map { _ in bench.open() }
        _ = bench.pass(.seconds(6))
        #expect(bench.core.takeLateBackends() == [first.target])
        _ = bench.open()
        _ = bench.pass(.seconds(6))
        #expect(bench.core.takeLateBackends() == [])
        _ = bench.tell(clients[0], .tuple("owner", .pid(first)), from: first)
        _ = bench.open()
        _ = bench.pass(.seconds(6))
        #expect(bench.core.takeLateBackends() == [first.target])
    }

    @Test func `a backend has few offers open, and each answer makes room for a client that waits`() {
        let bench = GatewayBench()
        bench.join(first)
        let clients = (0..<200).map { _ in bench.open() }
        let offers = bench.core.takeEffects().filter(\.isOffer)
        #expect(offers.count == Backends.offerLimit)
        #expect(bench.core.clients.parkedCount == 200 - Backends.offerLimit)
        let effects = bench.tell(clients[0], .tuple("owner", .pid(first)), from: first)
        #expect(effects.count == 1 && isOffer(effects[0], of: clients[64], to: first, resume: false))
        bench.core.closed(clients[1].number, .normal, at: bench.now)
        #expect(bench.core.takeEffects().filter(\.isOffer).count == 1)
    }

    @Test func `without any backend a client is parked, and closed after the park time`() {
        let bench = GatewayBench()
        let client = bench.open()
        #expect(bench.core.takeEffects() == [])
        #expect(bench.core.clients.parkedCount == 1)
        #expect(bench.pass(.milliseconds(59_999)) == [])
        #expect(
            bench.pass(.milliseconds(1)) == [
                .end(client, reason: .tuple("shutdown", "no_backend")),
                .close(client.number, .noBackend, isFlushed: true),
            ])
        #expect(bench.core.clients.count == 0)
        bench.core.connectionEnded(client.number, at: bench.now)
        #expect(bench.core.clients.isEmpty)
    }

    @Test(arguments: [(0, 64), (3, 3)])
    func `a parked client may say so much`(window: Int, count: Int) {
        let bench = GatewayBench { $0.window = window }
        let client = bench.open()
        for _ in 1..<count { #expect(bench.say("x", by: client) == []) }
        #expect(bench.say("x", by: client) == [.read(client.number, false)])
        bench.join(first)
        _ = bench.core.takeEffects()
        let effects = bench.tell(client, .tuple("owner", .pid(first)), from: first)
        #expect(effects.count == count + (window == 0 ? 1 : 0))
        // With a window, the owner must confirm first.
        #expect((effects.last == .read(client.number, true)) == (window == 0))
    }

    @Test func `clients are spread over the backends, and counted for those that got them`() {
        let bench = GatewayBench()
        bench.join(first)
        bench.join(second)
        let clients = (0..<4).map { _ in bench.open() }
        _ = bench.core.takeEffects()
        let askedFirst = clients.filter { bench.client($0)?.asked == [first.target] }
        #expect(askedFirst.count == 2)
        // The first one passes its clients on to the second one.
        for client in askedFirst {
            _ = bench.tell(client, .tuple("owner", .pid(second)), from: first)
            #expect(bench.client(client)?.backend == second.target)
        }
        let next = bench.open()
        #expect(bench.client(next)?.asked == [first.target])
    }

    @Test func `a member that leaves gets no new clients and keeps its own`() {
        let bench = GatewayBench()
        let client = bench.open(ownedBy: first)
        bench.core.backendLeft(first.target, at: bench.now)
        #expect(bench.core.takeEffects() == [])
        #expect(bench.client(client)?.owner == first)
        _ = bench.open()
        #expect(bench.core.clients.parkedCount == 1)
    }

    /// The ways in which a client loses its owner.
    enum Loss: CaseIterable {
        case ended, givenBack
    }

    @Test(arguments: Loss.allCases)
    func `a client that has lost its owner is resumed with what is confirmed`(loss: Loss) throws {
        let bench = GatewayBench { $0.window = 8 }
        let client = bench.open(ownedBy: first)
        bench.join(second)
        for text in ["a", "b", "c"] { _ = bench.say(text, by: client) }
        _ = bench.tell(client, [.tuple("confirm", 1), .tuple("state", "player")], from: first)
        let first = first
        let effects =
            switch loss {
            case .ended: bench.effects { $0.down(first.target, at: $1) }
            case .givenBack: bench.tell(client, .tuple("owner", "none"), from: first)
            }
        let offer = try #require(effects.first { if case .tell = $0 { true } else { false } })
        guard case .tell(second.target, .resume(client, let info), from: client) = offer else {
            Issue.record("\(offer)")
            return
        }
        #expect((info.confirmed, info.received, info.state) == (1, 3, "player"))
        #expect(
            bench.tell(client, .tuple("owner", .pid(second)), from: second)
                == ["b", "c"].enumerated().map { index, text in
                    .tell(
                        second.target, .message(client, GatewayBench.message(text), number: UInt64(index) + 2),
                        from: client)
                })
        #expect(bench.core.counters.resumedCount == 1)
        #expect(bench.core.counters.resentCount == 2)
    }

    @Test func `an owner that was replaced can do nothing an owner may`() {
        let bench = GatewayBench { $0.window = 8 }
        let client = bench.open(ownedBy: first)
        bench.join(second)
        for text in ["a", "b"] { _ = bench.say(text, by: client) }
        let first = first
        _ = bench.effects { $0.down(first.target, at: $1) }
        let answer: ErlangTerm = [.tuple("send", GatewayBench.said("1")), .tuple("confirm", 1)]
        #expect(bench.tell(client, answer, from: first) == [.refusal(.notOwner, of: client, to: first)])
        _ = bench.tell(client, .tuple("owner", .pid(second)), from: second)
        #expect(bench.tell(client, answer, from: second) == [.write(client.number, [0x31])])
        #expect(bench.tell(client, answer, from: first) == [.refusal(.notOwner, of: client, to: first)])
    }

    @Test func `an owner that becomes one again doubles nothing`() {
        let bench = GatewayBench { $0.window = 8 }
        let client = bench.open(ownedBy: first)
        for text in ["a", "b", "c"] { _ = bench.say(text, by: client) }
        _ = bench.tell(client, .tuple("owner", .pid(second)), from: first)
        _ = bench.tell(client, .tuple("confirm", 2), from: second)
        _ = bench.tell(client, .tuple("owner", .pid(first)), from: second)
        for number in [1, 2] as [Int64] {
            let answer: ErlangTerm = [.tuple("send", GatewayBench.said("x")), .tuple("confirm", .integer(number))]
            #expect(
                bench.tell(client, answer, from: first)
                    == [.refusal(.outOfRange(UInt64(number), lowest: 3, highest: 3), of: client, to: first)])
        }
    }

    @Test func `an owner that names itself again is handed nothing twice`() {
        let bench = GatewayBench { $0.window = 8 }
        let client = bench.open(ownedBy: first)
        _ = bench.say("a", by: client)
        #expect(bench.tell(client, .tuple("owner", .pid(first)), from: first) == [])
    }

    @Test func `without a window, what was handed over is gone with the owner`() {
        let bench = GatewayBench()
        let client = bench.open(ownedBy: first)
        _ = bench.say("a", by: client)
        let first = first
        _ = bench.effects { $0.down(first.target, at: $1) }
        #expect(bench.core.clients.parkedCount == 1)
        _ = bench.say("b", by: client)
        bench.join(second)
        _ = bench.core.takeEffects()
        #expect(
            bench.tell(client, .tuple("owner", .pid(second)), from: second)
                == [.tell(second.target, .message(client, GatewayBench.message("b"), number: nil), from: client)])
    }

    @Test func `a process is monitored once, and no longer than it is needed`() {
        let bench = GatewayBench()
        let client = bench.open(ownedBy: first)
        let other = bench.open(ownedBy: first)
        _ = bench.core.takeEffects()
        #expect(bench.tell(client, .tuple("owner", .pid(second)), from: first) == [.monitor(second.target)])
        #expect(bench.tell(client, .tuple("owner", .pid(first)), from: second) == [.demonitor(second.target)])
        bench.core.backendLeft(first.target, at: bench.now)
        for pid in [client, other] { bench.core.closed(pid.number, .normal, at: .zero) }
        #expect(bench.core.takeEffects().last == .demonitor(first.target))
    }
}
