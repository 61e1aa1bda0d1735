// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import Wireline

struct ConnectionLimiterTests {
    @Test func `a peer has at most as many connections as the limit, independent of other peers`() {
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

    @Test func `peers without connections are forgotten`() {
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

    @Test func `without a limit connections are not counted, and with a limit of zero none is admitted`() {
        var limiter = ConnectionLimiter(limit: nil)
        for _ in 0..<10 { #expect(limiter.admit(from: PeerNetwork(ipv4: 1)) == true) }
        limiter.ended(from: PeerNetwork(ipv4: 1))
        #expect(limiter.networkCount == 0)
        limiter = ConnectionLimiter(limit: 0)
        #expect(limiter.admit(from: PeerNetwork(ipv4: 1)) == false)
    }

    @Test func `an IPv6 network of 64 bits is one peer, and a mapped address equals its IPv4 address`() {
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

    @Test func `a peer below the minimum rate is too slow at the end of the window`() {
        var watch = Self.watch()
        #expect(watch.deadline == nil)
        watch.waits(at: .seconds(5))
        watch.moved(99)
        watch.waits(at: .seconds(9))
        #expect(watch.deadline == .seconds(15))
        #expect(watch.isTooSlow(at: .milliseconds(14_999)) == false)
        #expect(watch.isTooSlow(at: .seconds(15)) == true)
    }

    @Test func `a peer that reaches the minimum rate gets another window`() {
        var watch = Self.watch()
        watch.waits(at: .zero)
        watch.moved(100)
        #expect(watch.isTooSlow(at: .seconds(11)) == false)
        #expect(watch.deadline == .seconds(21))
        watch.moved(99)
        #expect(watch.isTooSlow(at: .seconds(21)) == true)
    }

    @Test func `a message that is complete in time is never too slow`() {
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

    @Test func `time in which the server does not wait does not count`() {
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

    @Test func `connections that wait get memory in the order of their requests`() {
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

    @Test func `a request that exceeds the whole budget closes the connection`() {
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

    @Test func `if all connections with memory wait, the one with the most memory is closed`() {
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

    @Test func `of two connections with equal memory, the last one to ask is closed`() {
        var budget = ByteBudget<Int>(limit: 100)
        var actions: [Action] = []
        for holder in 1...2 { budget.request(50, for: holder, into: &actions) }
        for holder in 1...2 { budget.request(1, for: holder, into: &actions) }
        #expect(actions == [.grant(1), .grant(2), .close(2)])
    }

    @Test func `taking bytes never waits, and connections that wait come first`() {
        var budget = ByteBudget<Int>(limit: 100)
        var actions: [Action] = []
        let areTaken = [budget.take(60, for: 1), budget.take(41, for: 1), budget.take(41, for: 2)]
        #expect(areTaken == [true, false, false])
        #expect(budget.byteCount(of: 1) == 60 && budget.byteCount(of: 2) == 0)
        budget.request(50, for: 3, into: &actions)
        // The first one does not wait, so it may release some memory.
        #expect(actions == [])
        #expect(budget.isWaiting(3))
        let isTaken = budget.take(10, for: 2)
        #expect(!isTaken)
        budget.release(10, by: 1, into: &actions)
        #expect(actions == [.grant(3)])
        #expect(!budget.isWaiting(3))
    }

    @Test func `withdrawing a request lets the next one go on, and keeps what was granted`() {
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

    // MARK: Slow connections

    /// A budget of 1,200 bytes: 1, 2 and 3 have 400 each, and 4 waits for more.
    private static func crowded(byteCount: Int = 500) -> ByteBudget<Int> {
        var budget = ByteBudget<Int>(limit: 1_200)
        var actions: [Action] = []
        for holder in 1...3 { budget.request(400, for: holder, into: &actions) }
        budget.request(byteCount, for: 4, into: &actions)
        return budget
    }

    /// Runs one round. `moved` has the bytes that each holder has moved since the beginning.
    private static func round(_ budget: inout ByteBudget<Int>, _ moved: KeyValuePairs<Int, UInt64>) -> [Action] {
        var asked: [Action] = []
        _ = budget.beginRound(into: &asked)
        var actions: [Action] = []
        for (holder, count) in moved where asked.contains(.measure(holder)) {
            budget.measured(count, for: holder, into: &actions)
        }
        return actions
    }

    @Test func `connections that move no bytes are closed for one that has waited, as many as necessary`() {
        var budget = Self.crowded()
        let closed1 = Self.round(&budget, [1: 0, 2: 0, 3: 7_000])
        #expect(closed1 == [])
        // The newest one is closed first, and the one that moves bytes stays.
        let closed2 = Self.round(&budget, [1: 0, 2: 0, 3: 7_017])
        #expect(closed2 == [.close(2), .close(1)])
        var actions: [Action] = []
        budget.remove(2, into: &actions)
        #expect(actions == [])
        budget.remove(1, into: &actions)
        #expect(actions == [.grant(4)])
    }

    @Test func `the slowest connection is closed first, and no other if its memory is enough`() {
        var budget = Self.crowded(byteCount: 100)
        var actions: [Action] = []
        let closed3 = Self.round(&budget, [1: 0, 2: 0, 3: 0])
        #expect(closed3 == [])
        let closed4 = Self.round(&budget, [1: 5, 2: 3, 3: 4])
        #expect(closed4 == [.close(2)])
        let closed5 = Self.round(&budget, [1: 5, 3: 4])
        #expect(closed5 == [])
        budget.remove(2, into: &actions)
        #expect(actions.suffix(1) == [.grant(4)])
    }

    @Test func `while all connections with memory move enough bytes, none is closed`() {
        var budget = Self.crowded()
        // 400 bytes a minute are 16 and two thirds a round.
        for moved: UInt64 in 0...9 {
            let closed6 = Self.round(&budget, [1: 16 * moved, 2: 17 * moved, 3: 100 * moved])
            #expect(closed6 == [])
        }
        let closed7 = Self.round(&budget, [1: 159, 2: 170, 3: 1_000])
        #expect(closed7 == [.close(1)])
    }

    @Test func `a connection that waits, or has just got more memory, is not too slow`() {
        var budget = ByteBudget<Int>(limit: 100)
        var actions: [Action] = []
        budget.request(40, for: 1, into: &actions)
        budget.request(40, for: 2, into: &actions)
        budget.request(40, for: 2, into: &actions)
        budget.request(10, for: 3, into: &actions)
        actions = []
        let isWanted = budget.beginRound(into: &actions)
        #expect(isWanted)
        #expect(actions == [.measure(1)])
        budget.measured(5, for: 1, into: &actions)
        // It gets more in the next round.
        budget.release(30, by: 1, into: &actions)
        #expect(actions == [.measure(1), .grant(2), .grant(3)])
        budget.request(30, for: 4, into: &actions)
        actions = []
        let closed8 = Self.round(&budget, [1: 5, 2: 0, 3: 0])
        #expect(closed8 == [])
        #expect(!budget.isWaiting(3) && budget.isWaiting(4))
    }

    @Test func `without a waiting connection there is no next round, and the patience starts again`() {
        var budget = Self.crowded()
        var actions: [Action] = []
        let closed9 = Self.round(&budget, [1: 0, 2: 0, 3: 0])
        #expect(closed9 == [])
        budget.withdraw(4, into: &actions)
        let isWanted = budget.beginRound(into: &actions)
        #expect(!isWanted)
        #expect(actions == [])
        budget.request(500, for: 4, into: &actions)
        let closed10 = Self.round(&budget, [1: 0, 2: 0, 3: 0])
        #expect(closed10 == [])
        let closed11 = Self.round(&budget, [1: 0, 2: 0, 3: 0])
        #expect(closed11 == [.close(3), .close(2)])
    }

    @Test func `a connection that ends during a round counts as answered`() {
        var budget = Self.crowded()
        let closed12 = Self.round(&budget, [1: 0, 2: 0, 3: 0])
        #expect(closed12 == [])
        let closed13 = Self.round(&budget, [1: 0, 2: 0])
        #expect(closed13 == [])
        var actions: [Action] = []
        budget.remove(3, into: &actions)
        #expect(actions == [.close(2)])
        budget.remove(2, into: &actions)
        #expect(actions == [.close(2), .grant(4)])
    }

    @Test func `the budget holds after any events, and some connection can always continue`() {
        var random = SeededGenerator.forThisRun()
        for _ in 0..<200 {
            var model = BudgetModel(limit: 1 + random.below(100))
            for _ in 0..<200 { model.step(using: &random) }
            model.finish()
            #expect(model.faults == [], random.seedComment)
        }
    }
}

/// Connections that ask, release and end at random.
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
        switch random.below(8) {
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
        case 5:
            if budget.beginRound(into: &actions) == asked.isEmpty { faults.append("a round for nobody, or none") }
        case 6:
            budget.measured(UInt64(random.below(20)), for: holder, into: &actions)
        default:
            end(holder, into: &actions)
        }
        take(actions)
    }

    /// Ends all connections, one after another.
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
            case .measure(let holder):
                if held[holder, default: 0] == 0 { faults.append("\(holder) is measured and holds nothing") }
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
    @Test func `a server without connections is drained at once`() {
        var random = SeededGenerator(seed: 1)
        var actions: [Drain<Int>.Action] = []
        let drain = Drain<Int>(of: [], at: .seconds(5), using: &random, into: &actions)
        #expect(actions == [.stopAccepting, .finished])
        #expect(drain.deadline == nil)
    }

    @Test func `without a spread all clients are told at once, and those that stay are closed`() {
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

    @Test func `clients are told one after another in random order, except those that have already gone`() {
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

    @Test func `a drain waits for clients that connect late, and can get an earlier deadline`() {
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
