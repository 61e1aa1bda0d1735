// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineErlang
import WirelineGateway

/// Events that affect thousands of clients are handled in many rounds, so that they delay no other client.
struct CrowdTests {
    private static let count = 3_000
    /// The most clients that change in a round: those of a round's effects, of which each client has three at least.
    private static let most = 512
    private let owner = GatewayBench.process(1)
    private let second = GatewayBench.process(2, at: "b@h")

    private func crowd(
        _ change: (inout GatewaySettings) -> Void = { _ in }
    ) -> (bench: GatewayBench, clients: [ErlangPID]) {
        let bench = GatewayBench(change)
        let clients = (0..<Self.count).map { _ in bench.open(ownedBy: owner) }
        _ = bench.rounds
        return (bench, clients)
    }

    /// Carries out all effects, and returns the most clients that were changed in a round.
    private func mostInRound(_ bench: GatewayBench, _ count: (borrowing GatewayCore) -> Int) -> Int {
        var (last, most) = (0, 0)
        while true {
            let now = count(bench.core)
            most = max(most, now - last)
            last = now
            guard bench.hasEffects else { return most }
            _ = bench.core.takeEffects()
            bench.core.resumePostponed(at: bench.now)
        }
    }

    /// Does something again and again, and returns the most clients that it closed at once.
    private func mostClosed(_ bench: GatewayBench, while goesOn: () -> Bool, by closing: () -> Void) -> Int {
        var (last, most) = (Self.count, 0)
        while goesOn() {
            closing()
            let count = bench.core.clients.count
            most = max(most, last - count)
            last = count
            _ = bench.rounds
        }
        return most
    }

    /// The members of a group get packets in rounds. It returns what each client gets, and the ends among that.
    private func rounds(_ bench: GatewayBench, _ most: Int = 1_024) -> [ClientNumber: [String]] {
        var received: [ClientNumber: [String]] = [:]
        while bench.hasEffects {
            var count = 0
            for effect in bench.core.takeEffects() {
                switch effect {
                case .writeAll(let numbers, .bytes(let packet)):
                    count += numbers.count
                    for number in numbers {
                        received[number, default: []].append(String(decoding: packet, as: UTF8.self))
                    }
                case .write(let number, .bytes(let packet)):
                    received[number, default: []].append(String(decoding: packet, as: UTF8.self))
                case .close(let number, _, isFlushed: _): received[number, default: []].append("end")
                default: break
                }
            }
            #expect(count <= most)
            bench.core.resumePostponed(at: bench.now)
        }
        return received
    }

    /// A crowd in the group `room`.
    private func room() -> (bench: GatewayBench, clients: [ErlangPID]) {
        let (bench, clients) = crowd()
        for client in clients { _ = bench.tell(client, .tuple("join", "room"), from: owner) }
        return (bench, clients)
    }

    private func publish(_ text: String, _ bench: GatewayBench) {
        bench.receive(.tuple("publish", "room", GatewayBench.said(text)), for: GatewayBench.service, from: owner)
    }

    @Test func `however much is published at once, some members are visited at a time`() {
        let (bench, clients) = room()
        for text in ["1", "2", "3", "4", "5"] { publish(text, bench) }
        let received = rounds(bench)
        #expect(clients.allSatisfy { received[$0.number] == ["1", "2", "3", "4", "5"] })
    }

    @Test func `a list of clients is visited some at a time`() {
        let (bench, clients) = room()
        let list = ErlangTerm.list(clients.map { .pid($0) })
        for text in ["1", "2"] {
            bench.receive(.tuple("send", list, GatewayBench.said(text)), for: GatewayBench.service, from: owner)
        }
        let received = rounds(bench)
        #expect(clients.allSatisfy { received[$0.number] == ["1", "2"] })
    }

    @Test func `what nodes say and do after a publish takes effect after it`() throws {
        let (bench, clients) = room()
        let (newcomer, last) = (bench.open(ownedBy: owner), Array(clients.suffix(4)))
        _ = bench.rounds
        publish("1", bench)
        bench.receive(GatewayBench.said("2"), for: last[0], from: owner)
        bench.receive(.tuple("wireline", .tuple("kick", "bye")), for: last[1], from: owner)
        bench.core.exit(last[2], "boom", isKill: true, at: bench.now)
        bench.receive(.tuple("wireline", .tuple("leave", "room")), for: last[3], from: owner)
        bench.receive(
            .tuple("wireline", [.tuple("send", GatewayBench.said("3")), .tuple("join", "room")]), for: newcomer,
            from: owner)
        // The owner ends after it has said all that.
        bench.core.down(owner.target, at: bench.now)
        publish("4", bench)
        bench.core.backendJoined(second.target, at: bench.now)
        // What clients do does not wait.
        bench.core.closed(clients[0].number, .normal, at: bench.now)
        #expect(bench.client(newcomer)?.owner == owner)
        let received = rounds(bench)
        let got = ([clients[1]] + last + [newcomer]).map { received[$0.number] }
        #expect(got == [["1", "4"], ["1", "2", "4"], ["1", "end"], ["1", "end"], ["1"], ["3", "4"]])
        #expect(bench.client(newcomer)?.isWaiting == true)
        #expect(bench.client(clients[1])?.asked == [second.target])
        #expect(bench.client(clients[0]) == nil)
    }

    @Test func `nodes are not to be read while much of what they said waits`() {
        let (bench, _) = room()
        publish("1", bench)
        #expect(!bench.isBehind)
        var count = 0
        while !bench.isBehind, count < 100_000 {
            publish(String(repeating: "x", count: 900), bench)
            count += 1
        }
        #expect((900...1_100).contains(count))
        while bench.isBehind, bench.hasEffects {
            _ = bench.core.takeEffects()
            bench.core.resumePostponed(at: bench.now)
        }
        #expect(!bench.isBehind && bench.hasEffects)
    }

    @Test func `the clients of a lost owner notice it some at a time`() {
        let (bench, clients) = crowd()
        bench.core.down(owner.target, at: bench.now)
        #expect(mostInRound(bench) { $0.clients.parkedCount } <= Self.most)
        #expect(clients.allSatisfy { bench.client($0)?.isParked == true })
    }

    @Test func `what happens to a client that has not noticed yet is as if it had`() throws {
        let (bench, clients) = crowd()
        bench.join(second)
        let other = bench.open(ownedBy: second)
        _ = bench.rounds
        bench.core.down(owner.target, at: bench.now)
        let last = Array(clients.suffix(3))
        #expect(last.allSatisfy { bench.client($0)?.owner == owner })
        // The lost owner gets nothing any more, and may do nothing.
        #expect(!bench.say("hello", by: last[0]).contains { $0.isMessage })
        #expect(
            bench.tell(last[1], .tuple("owner", .pid(owner)), from: owner).contains(
                .refusal(.notOwner, of: last[1], to: owner)))
        let effects = bench.effects { $0.closed(last[2].number, .normal, at: $1) }
        #expect(!effects.contains { if case .tell(owner.target, _, from: _) = $0 { true } else { false } })
        // It may be there again before all have noticed, and have new clients.
        bench.join(owner)
        _ = bench.tell(other, .tuple("owner", .pid(owner)), from: second)
        #expect(!bench.rounds.joined().contains { $0.isMessage })
        #expect(bench.client(other)?.owner == owner)
        #expect(bench.client(last[0])?.window.isEmpty == false)
        #expect(clients.dropLast().allSatisfy { bench.client($0)?.isWaiting == true })
    }

    @Test func `clients that nobody owns in time are closed some at a time`() {
        let (bench, _) = crowd()
        bench.core.down(owner.target, at: bench.now)
        _ = bench.rounds
        bench.now += .seconds(60)
        // The deadline of the others stays due.
        let most = mostClosed(
            bench, while: { bench.core.deadline.map { $0 <= bench.now } ?? false },
            by: { bench.core.poll(at: bench.now) })
        #expect(most <= Self.most)
        #expect(bench.core.clients.count == 0)
    }

    @Test func `clients are told of a drain some at a time, and all before the first is closed`() {
        let (bench, clients) = crowd { $0.goodbye = [9] }
        bench.core.drain(for: .zero, at: bench.now)
        bench.core.poll(at: bench.now)
        var goodbyes: [Int] = []
        var closed = 0
        while bench.hasEffects {
            let effects = bench.core.takeEffects()
            bench.core.resumePostponed(at: bench.now)
            let count = effects.count { if case .write = $0 { true } else { false } }
            #expect(count == 0 || closed == 0)
            goodbyes.append(count)
            closed += effects.count { if case .close = $0 { true } else { false } }
        }
        #expect(goodbyes.max()! <= 2 * Self.most)
        #expect(goodbyes.reduce(0, +) == clients.count)
        #expect(closed == clients.count)
    }

    @Test func `clients that are left at the end of a drain are closed some at a time`() {
        let (bench, _) = crowd()
        bench.core.drain(for: .seconds(30), at: bench.now)
        _ = bench.rounds
        bench.now += .seconds(30)
        bench.core.poll(at: bench.now)
        #expect(mostInRound(bench) { Self.count - $0.clients.count } <= Self.most)
        #expect(bench.core.clients.count == 0)
    }

    @Test func `clients are closed some at a time when memory is short`() {
        let (bench, clients) = crowd {
            $0.heldByteCount = 0
            $0.window = 8
        }
        for client in clients { _ = bench.say("x", by: client) }
        _ = bench.rounds
        let most = mostClosed(
            bench, while: { bench.hasSlowClients }, by: { bench.core.closeSlowClients(at: bench.now) })
        #expect(most <= Self.most)
        #expect(bench.core.clients.count == 0)
    }

    @Test func `clients for which too much waits are closed some at a time`() {
        let (bench, clients) = crowd { $0.clientByteCount = 10 }
        for client in clients { _ = bench.send(GatewayBench.said("more than 10 bytes"), to: client, from: owner) }
        _ = bench.rounds
        let most = mostClosed(
            bench, while: { bench.hasSlowClients }, by: { bench.core.closeSlowClients(at: bench.now) })
        #expect(most <= Self.most)
        #expect(bench.core.clients.count == 0)
    }
}
