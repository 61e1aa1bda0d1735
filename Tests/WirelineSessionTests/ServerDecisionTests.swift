// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineSession

struct ConnectionLimiterTests {
    @Test func `a peer has as many connections as the limit says, and others have theirs`() {
        var limiter = ConnectionLimiter(limit: 2)
        let one = PeerNetwork(ipv4: 0x0A00_0001)
        let other = PeerNetwork(ipv4: 0x0A00_0002)
        #expect(limiter.admit(from: one) == true)
        #expect(limiter.admit(from: one) == true)
        #expect(limiter.admit(from: one) == false)
        #expect(limiter.admit(from: other) == true)
        limiter.ended(from: one)
        #expect(limiter.admit(from: one) == true)
        #expect(limiter.admit(from: one) == false)
    }

    @Test func `nothing is remembered of those that are gone`() {
        var limiter = ConnectionLimiter(limit: 5)
        for address: UInt32 in 0..<100 {
            #expect(limiter.admit(from: PeerNetwork(ipv4: address)) == true)
            #expect(limiter.admit(from: PeerNetwork(ipv4: address)) == true)
        }
        #expect(limiter.networkCount == 100)
        for address: UInt32 in 0..<100 {
            limiter.ended(from: PeerNetwork(ipv4: address))
            limiter.ended(from: PeerNetwork(ipv4: address))
        }
        #expect(limiter.networkCount == 0)
    }

    @Test func `without a limit nothing is counted, and with none nobody comes in`() {
        var limiter = ConnectionLimiter(limit: nil)
        for _ in 0..<10 { #expect(limiter.admit(from: PeerNetwork(ipv4: 1)) == true) }
        limiter.ended(from: PeerNetwork(ipv4: 1))
        #expect(limiter.networkCount == 0)
        limiter = ConnectionLimiter(limit: 0)
        #expect(limiter.admit(from: PeerNetwork(ipv4: 1)) == false)
    }

    @Test func `an IPv6 network of 64 bits is one peer, and a mapped IPv4 address is that address`() {
        let network: UInt64 = 0x2001_0DB8_0000_0001
        #expect(PeerNetwork(ipv6: network, 1) == PeerNetwork(ipv6: network, .max))
        #expect(PeerNetwork(ipv6: network, 1) != PeerNetwork(ipv6: network + 1, 1))
        #expect(PeerNetwork(ipv6: 0, 0xFFFF_0A00_0001) == PeerNetwork(ipv4: 0x0A00_0001))
        #expect(PeerNetwork(ipv6: 0, 0xFFFF_0A00_0001) != PeerNetwork(ipv6: 0, 0xFFFE_0A00_0001))
        #expect(PeerNetwork(ipv6: 7, 0xFFFF_0A00_0001) == PeerNetwork(ipv6: 7, 1))
        #expect(PeerNetwork(ipv6: 7, 1) != PeerNetwork(ipv4: 7))
    }
}

struct RateWatchTests {
    static func watch() -> RateWatch { RateWatch(MinimumRate(byteCount: 100, window: .seconds(10))) }

    @Test func `a peer that dribbles is too slow at the end of the window`() {
        var watch = Self.watch()
        #expect(watch.deadline == nil)
        watch.waits(at: .seconds(5))
        watch.moved(99)
        watch.waits(at: .seconds(9))
        #expect(watch.deadline == .seconds(15))
        #expect(watch.isTooSlow(at: .milliseconds(14_999)) == false)
        #expect(watch.isTooSlow(at: .seconds(15)) == true)
    }

    @Test func `a peer that brings enough has the next window`() {
        var watch = Self.watch()
        watch.waits(at: .zero)
        watch.moved(100)
        #expect(watch.isTooSlow(at: .seconds(11)) == false)
        #expect(watch.deadline == .seconds(21))
        watch.moved(99)
        #expect(watch.isTooSlow(at: .seconds(21)) == true)
    }

    @Test func `what is whole in time is never too slow`() {
        var watch = Self.watch()
        watch.waits(at: .zero)
        watch.moved(3)
        watch.finished()
        #expect(watch.deadline == nil)
        #expect(watch.isTooSlow(at: .seconds(100)) == false)
        watch.waits(at: .seconds(100))
        #expect(watch.deadline == .seconds(110))
        #expect(watch.isTooSlow(at: .seconds(110)) == true)
    }

    @Test func `time in which nobody waits does not count`() {
        var watch = Self.watch()
        watch.pauses(at: .zero)
        watch.waits(at: .zero)
        watch.pauses(at: .seconds(7))
        #expect(watch.deadline == nil)
        watch.moved(60)
        watch.waits(at: .seconds(100))
        #expect(watch.deadline == .seconds(103))
        watch.moved(.max)
        #expect(watch.isTooSlow(at: .seconds(103)) == false)
        #expect(watch.deadline == .seconds(113))
    }
}

struct ByteBudgetTests {
    typealias Action = ByteBudget<Int>.Action

    @Test func `those who wait get room in the order in which they came`() {
        var budget = ByteBudget<Int>(limit: 100)
        var actions: [Action] = []
        budget.request(60, for: 1, into: &actions)
        budget.request(50, for: 2, into: &actions)
        budget.request(10, for: 3, into: &actions)
        #expect(actions == [.grant(1)])
        #expect(budget.byteCount == 60)
        actions = []
        budget.release(5, by: 1, into: &actions)
        #expect(actions == [])
        budget.release(5, by: 1, into: &actions)
        #expect(actions == [.grant(2)])
        budget.remove(1, into: &actions)
        #expect(actions == [.grant(2), .grant(3)])
        budget.remove(2, into: &actions)
        budget.remove(2, into: &actions)
        budget.release(10, by: 3, into: &actions)
        #expect(budget.byteCount == 0)
        #expect(budget.holderCount == 0)
    }

    @Test func `what could never be granted closes the connection`() {
        var budget = ByteBudget<Int>(limit: 100)
        var actions: [Action] = []
        budget.request(101, for: 1, into: &actions)
        #expect(actions == [.close(1)])
        budget.request(1, for: 1, into: &actions)
        #expect(actions == [.close(1)])
        budget.remove(1, into: &actions)
        budget.request(40, for: 2, into: &actions)
        budget.request(61, for: 2, into: &actions)
        #expect(actions == [.close(1), .grant(2), .close(2)])
    }

    @Test func `where all who hold bytes wait, the one that holds the most is closed`() {
        var budget = ByteBudget<Int>(limit: 100)
        var actions: [Action] = []
        budget.request(40, for: 1, into: &actions)
        budget.request(50, for: 2, into: &actions)
        budget.request(30, for: 1, into: &actions)
        #expect(actions == [.grant(1), .grant(2)])
        budget.request(20, for: 2, into: &actions)
        #expect(actions == [.grant(1), .grant(2), .close(2)])
        actions = []
        budget.remove(2, into: &actions)
        #expect(actions == [.grant(1)])
        #expect(budget.byteCount == 70)
    }

    @Test func `of two that hold the same, the one that asked last is closed`() {
        var budget = ByteBudget<Int>(limit: 100)
        var actions: [Action] = []
        for holder in 1...2 { budget.request(50, for: holder, into: &actions) }
        for holder in 1...2 { budget.request(1, for: holder, into: &actions) }
        #expect(actions == [.grant(1), .grant(2), .close(2)])
    }

    @Test func `what is taken or not is never waited for, and those who wait come first`() {
        var budget = ByteBudget<Int>(limit: 100)
        var actions: [Action] = []
        let areTaken = [budget.take(60, for: 1), budget.take(41, for: 1), budget.take(41, for: 2)]
        #expect(areTaken == [true, false, false])
        #expect(budget.byteCount(of: 1) == 60 && budget.byteCount(of: 2) == 0)
        budget.request(50, for: 3, into: &actions)
        // The first one does not wait, so it may give some back.
        #expect(actions == [])
        #expect(budget.isWaiting(3))
        let isTaken = budget.take(10, for: 2)
        #expect(!isTaken)
        budget.release(10, by: 1, into: &actions)
        #expect(actions == [.grant(3)])
        #expect(!budget.isWaiting(3))
    }

    @Test func `who withdraws lets the next one go on, and keeps what it holds`() {
        var budget = ByteBudget<Int>(limit: 100)
        var actions: [Action] = []
        budget.request(60, for: 1, into: &actions)
        budget.request(30, for: 2, into: &actions)
        budget.request(30, for: 1, into: &actions)
        budget.request(5, for: 3, into: &actions)
        actions = []
        budget.withdraw(1, into: &actions)
        #expect(actions == [.grant(3)])
        #expect(budget.byteCount(of: 1) == 60)
        budget.withdraw(1, into: &actions)
        budget.request(50, for: 4, into: &actions)
        budget.withdraw(4, into: &actions)
        #expect(actions == [.grant(3)])
        #expect(budget.holderCount == 3)
    }

    @Test func `a long queue keeps its order`() {
        var budget = ByteBudget<Int>(limit: 1)
        var actions: [Action] = []
        for holder in 0..<300 { budget.request(1, for: holder, into: &actions) }
        for holder in 0..<300 { budget.release(1, by: holder, into: &actions) }
        #expect(actions == (0..<300).map { .grant($0) })
        #expect(budget.holderCount == 0)
    }

    @Test func `in any order of events the budget holds, and somebody can always go on`() {
        var random = SeededGenerator.forThisRun()
        for _ in 0..<200 {
            var model = BudgetModel(limit: 1 + random.below(100))
            for _ in 0..<200 { model.step(using: &random) }
            model.finish()
            #expect(model.faults == [], random.seedComment)
        }
    }
}

/// Connections that ask, give back and end at random.
struct BudgetModel {
    private var budget: ByteBudget<Int>
    private var held: [Int: Int] = [:]
    private var asked: [(holder: Int, byteCount: Int)] = []
    private var closing: Set<Int> = []
    private(set) var faults: [String] = []

    init(limit: Int) {
        budget = ByteBudget(limit: limit)
    }

    mutating func step(using random: inout SeededGenerator) {
        let holder = random.below(8)
        var actions: [ByteBudget<Int>.Action] = []
        switch random.below(6) {
        case 0, 1:
            guard !closing.contains(holder), !asked.contains(where: { $0.holder == holder }) else { return }
            let byteCount = random.below(budget.limit)
            asked.append((holder, byteCount))
            budget.request(byteCount, for: holder, into: &actions)
        case 2:
            guard let count = held[holder], count > 0 else { return }
            let byteCount = 1 + random.below(count)
            held[holder] = count - byteCount
            budget.release(byteCount, by: holder, into: &actions)
        case 3:
            asked.removeAll { $0.holder == holder }
            budget.withdraw(holder, into: &actions)
        case 4:
            let byteCount = 1 + random.below(budget.limit)
            let hasRoom = byteCount <= budget.limit - held.values.reduce(0, +)
            let isTaken = budget.take(byteCount, for: holder)
            let mayTake = hasRoom && asked.isEmpty && !closing.contains(holder)
            if isTaken != mayTake { faults.append("\(holder) has taken \(isTaken)") }
            if isTaken { held[holder, default: 0] += byteCount }
        default:
            end(holder, into: &actions)
        }
        take(actions)
    }

    /// Lets everybody go, one after another.
    mutating func finish() {
        for holder in 0..<8 {
            var actions: [ByteBudget<Int>.Action] = []
            end(holder, into: &actions)
            take(actions)
        }
        if budget.byteCount != 0 || budget.holderCount != 0 { faults.append("something is left") }
    }

    private mutating func end(_ holder: Int, into actions: inout [ByteBudget<Int>.Action]) {
        held[holder] = nil
        closing.remove(holder)
        asked.removeAll { $0.holder == holder }
        budget.remove(holder, into: &actions)
    }

    private mutating func take(_ actions: [ByteBudget<Int>.Action]) {
        for action in actions {
            switch action {
            case .grant(let holder):
                if asked.first?.holder != holder { faults.append("\(holder) is granted out of turn") }
                guard let index = asked.firstIndex(where: { $0.holder == holder }) else { continue }
                held[holder, default: 0] += asked.remove(at: index).byteCount
            case .close(let holder):
                closing.insert(holder)
                asked.removeAll { $0.holder == holder }
            }
        }
        let sum = held.values.reduce(0, +)
        if sum != budget.byteCount { faults.append("\(budget.byteCount) bytes are counted, and \(sum) held") }
        if sum > budget.limit { faults.append("\(sum) bytes are held of \(budget.limit)") }
        let isWaiting = Set(asked.map(\.holder))
        let canGoOn = held.contains { $0.value > 0 && !isWaiting.contains($0.key) } || !closing.isEmpty
        if !asked.isEmpty, !canGoOn { faults.append("all wait for each other") }
    }
}

struct DrainTests {
    @Test func `a server with no connection is drained at once`() {
        var random = SeededGenerator(seed: 1)
        var actions: [Drain<Int>.Action] = []
        let drain = Drain<Int>(of: [], at: .seconds(5), using: &random, into: &actions)
        #expect(actions == [.stopAccepting, .finished])
        #expect(drain.deadline == nil)
    }

    @Test func `everybody is told at once where nothing is spread, and who has not gone is closed`() {
        var random = SeededGenerator(seed: 1)
        var actions: [Drain<Int>.Action] = []
        var drain = Drain(of: [1, 2, 3], at: .seconds(5), using: &random, into: &actions)
        #expect(actions.first == .stopAccepting)
        for connection in 1...3 { #expect(actions.contains(.tell(connection))) }
        #expect(actions.count == 4)
        #expect(drain.deadline == .seconds(35))
        actions = []
        drain.ended(1, into: &actions)
        drain.ended(1, into: &actions)
        drain.ended(2, into: &actions)
        drain.timerFired(at: .seconds(34), into: &actions)
        #expect(actions == [])
        drain.timerFired(at: .seconds(35), into: &actions)
        drain.timerFired(at: .seconds(36), into: &actions)
        #expect(actions == [.close(3)])
        #expect(drain.deadline == nil)
        drain.ended(3, into: &actions)
        #expect(actions == [.close(3), .finished])
        #expect(drain.connectionCount == 0)
    }

    @Test func `clients are told one after another in an order of chance, but for those that have gone`() {
        var random = SeededGenerator(seed: 1)
        var actions: [Drain<Int>.Action] = []
        let policy = DrainPolicy(spread: .seconds(10), timeout: .seconds(60))
        var drain = Drain(of: Array(0..<100), policy, at: .zero, using: &random, into: &actions)
        drain.ended(50, into: &actions)
        var told: [Int] = []
        var now = Duration.zero
        while told.count < 99, let deadline = drain.deadline, deadline < .seconds(60) {
            now = deadline
            drain.timerFired(at: now, into: &actions)
            told = actions.compactMap { if case .tell(let connection) = $0 { connection } else { nil } }
            #expect(told.count <= 1 + Int(now / .milliseconds(100)))
        }
        #expect(now <= .seconds(10))
        #expect(told.sorted() == Array(0..<100).filter { $0 != 50 })
        #expect(told != told.sorted())
        #expect(drain.deadline == .seconds(60))
    }

    @Test func `who comes late is waited for, and an earlier end holds`() {
        var random = SeededGenerator(seed: 1)
        var actions: [Drain<Int>.Action] = []
        var drain = Drain(of: [1], at: .zero, using: &random, into: &actions)
        actions = []
        drain.came(2)
        drain.ended(1, into: &actions)
        #expect(actions == [])
        drain.mustEnd(by: .seconds(50))
        #expect(drain.deadline == .seconds(30))
        drain.mustEnd(by: .seconds(3))
        #expect(drain.deadline == .seconds(3))
        drain.timerFired(at: .seconds(3), into: &actions)
        #expect(actions == [.close(2)])
        drain.ended(2, into: &actions)
        drain.came(3)
        #expect(actions == [.close(2), .finished])
        #expect(drain.connectionCount == 0)
    }
}
