// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import Wireline

/// Happy Eyeballs in virtual time: which address is tried when, and how the race ends.
struct ConnectionRaceTests {
    enum Failure: Error, Equatable {
        case refused, unreachable, noSuchHost, timedOut
    }

    typealias Race = ConnectionRace<String, Failure>

    /// A network for one test.
    struct Network {
        /// When a lookup answers, and with what; nil: never.
        var ipv6: (time: Int, addresses: [String]?)?
        var ipv4: (time: Int, addresses: [String]?)?
        /// How many milliseconds an address takes, and whether it then connects, refuses or cannot be reached. An
        /// address that is missing here never answers.
        var addresses: [String: (time: Int, failure: Failure?)] = [:]
    }

    /// The actions of a race in a network, as lines with their milliseconds.
    static func run(
        _ network: Network, attemptDelay: Int = 250, deadline: Int = 10_000, lookups: Set<Race.Family> = [.ipv6, .ipv4]
    ) -> [String] {
        let policy = RacePolicy(attemptDelay: .milliseconds(attemptDelay), deadline: .milliseconds(deadline))
        var race = Race(policy, lookups: lookups, timeout: .timedOut)
        var log: [String] = []
        var coming: [(time: Duration, event: Race.Event)] = []
        for (family, answer) in [(Race.Family.ipv6, network.ipv6), (.ipv4, network.ipv4)] {
            guard let answer else { continue }
            coming.append(
                (
                    .milliseconds(answer.time),
                    answer.addresses.map { .found(family, $0) } ?? .lookupFailed(family, .noSuchHost, .unknownHost)
                ))
        }
        while let deadline = race.deadline {
            // The next event. If several happen at the same time, the timer comes last.
            let next = coming.indices.min { coming[$0].time < coming[$1].time }
            var event = Race.Event.timerFired
            var now = deadline
            if let next, coming[next].time <= deadline { (now, event) = coming.remove(at: next) }
            var actions: [Race.Action] = []
            race.handle(event, at: now, into: &actions)
            for action in actions {
                let milliseconds = now / .milliseconds(1)
                switch action {
                case .begin(let attempt, let address):
                    log.append("\(Int(milliseconds)) \(address)")
                    guard let answer = network.addresses[address] else { continue }
                    coming.append(
                        (
                            now + .milliseconds(answer.time),
                            answer.failure.map {
                                .attemptFailed(attempt, $0, $0 == .refused ? .refused : .failed(""))
                            } ?? .connected(attempt: attempt)
                        ))
                case .abandon(let attempt): log.append("\(Int(milliseconds)) abandon \(attempt)")
                case .won(let attempt): log.append("\(Int(milliseconds)) won \(attempt)")
                case .lost(let failure): log.append("\(Int(milliseconds)) lost \(failure.map { "\($0)" } ?? "nothing")")
                }
            }
        }
        return log
    }

    @Test func `IPv6 is tried first if both families answer, and the families alternate`() {
        let network = Network(ipv6: (5, ["six1", "six2", "six3"]), ipv4: (3, ["four1"]))
        #expect(
            Self.run(network, deadline: 1_500) == [
                "5 six1", "255 four1", "505 six2", "755 six3", "1500 abandon 1", "1500 abandon 2", "1500 abandon 3",
                "1500 abandon 4", "1500 lost timedOut",
            ])
    }

    @Test func `a lookup with IPv6 addresses does not wait for IPv4`() {
        let network = Network(ipv6: (5, ["six"]), ipv4: nil, addresses: ["six": (40, nil)])
        #expect(Self.run(network) == ["5 six", "45 won 1"])
    }

    @Test func `IPv4 waits 50 ms for IPv6, and no longer`() {
        let network = Network(ipv6: (200, ["six"]), ipv4: (10, ["four1", "four2"]), addresses: ["six": (30, nil)])
        #expect(
            Self.run(network) == ["60 four1", "310 six", "340 abandon 1", "340 won 2"])
    }

    @Test(arguments: [[], nil] as [[String]?])
    func `IPv4 is tried at once if IPv6 has no addresses`(addresses: [String]?) {
        let network = Network(ipv6: (20, addresses), ipv4: (10, ["four"]), addresses: ["four": (30, nil)])
        #expect(Self.run(network) == ["20 four", "50 won 1"])
    }

    @Test func `a lookup that never ends delays no attempt for long`() {
        let network = Network(ipv6: nil, ipv4: (10, ["four"]), addresses: ["four": (30, nil)])
        #expect(Self.run(network) == ["60 four", "90 won 1"])
    }

    @Test func `a dead first address costs the delay, and not the whole deadline`() {
        let network = Network(ipv6: (0, ["dead"]), ipv4: (0, ["four"]), addresses: ["four": (30, nil)])
        #expect(Self.run(network) == ["0 dead", "250 four", "280 abandon 1", "280 won 2"])
    }

    @Test func `after a failed address the next one is tried at once, and a slow one can still win`() {
        let network = Network(
            ipv6: (0, ["refusing", "slow"]), ipv4: (0, ["lost", "dead"]),
            addresses: ["refusing": (10, .refused), "lost": (0, .unreachable), "slow": (400, nil)])
        #expect(
            Self.run(network) == [
                "0 refusing", "10 lost", "10 slow", "260 dead", "410 abandon 4", "410 won 3",
            ])
    }

    @Test func `addresses that arrive late are tried, even if all earlier ones have failed`() {
        let network = Network(
            ipv6: (500, ["six"]), ipv4: (0, ["four"]), addresses: ["four": (10, .refused), "six": (20, nil)])
        #expect(Self.run(network) == ["50 four", "500 six", "520 won 2"])
    }

    @Test func `a repeated address is tried once, and of very many addresses only some are tried`() {
        let many = (0..<100).map { "a\($0)" }
        let network = Network(
            ipv6: (0, ["a", "b", "a"]), ipv4: (0, many),
            addresses: Dictionary(uniqueKeysWithValues: (["a", "b"] + many).map { ($0, (1, .refused)) }))
        #expect(Self.run(network).count == 2 + Race.addressLimit + 1)
    }

    @Test(
        arguments: [
            (Network(ipv6: (0, []), ipv4: (0, [])), "0 lost nothing"),
            (Network(ipv6: (0, nil), ipv4: (7, [])), "7 lost noSuchHost"),
            (Network(ipv6: (0, nil), ipv4: nil), "10000 lost timedOut"),
            (
                Network(ipv6: (0, ["a"]), ipv4: (0, nil), addresses: ["a": (3, .unreachable)]), "3 lost unreachable"
            ),
            (
                Network(
                    ipv6: (0, ["a"]), ipv4: (0, ["b"]), addresses: ["a": (3, .unreachable), "b": (3, .refused)]),
                "6 lost refused"
            ),
            (
                Network(ipv6: (0, ["dead"]), ipv4: (0, ["b"]), addresses: ["b": (3, .refused)]), "10000 lost refused"
            ),
            (
                Network(ipv6: (0, ["dead"]), ipv4: (0, ["b"]), addresses: ["b": (3, .unreachable)]),
                "10000 lost timedOut"
            ),
        ] as [(Network, String)])
    func `the most useful error is reported at the end`(network: Network, end: String) {
        #expect(Self.run(network).last == end)
    }

    @Test(arguments: [(0, 100), (99, 100), (101, 101), (2_001, 2_000), (60_000, 2_000)])
    func `the delay between attempts has a minimum and a maximum`(delay: Int, milliseconds: Int) {
        let policy = RacePolicy(attemptDelay: .milliseconds(delay), deadline: .seconds(1))
        #expect(policy.attemptDelay == .milliseconds(milliseconds))
    }

    @Test func `no action follows the end`() {
        var race = Race(RacePolicy(deadline: .seconds(1)), lookups: [.ipv4], timeout: .timedOut)
        var actions: [Race.Action] = []
        race.handle(.found(.ipv4, ["a", "b"]), at: .zero, into: &actions)
        race.handle(.connected(attempt: 1), at: .milliseconds(1), into: &actions)
        #expect(actions == [.begin(attempt: 1, "a"), .won(attempt: 1)])
        race.handle(.found(.ipv6, ["c"]), at: .milliseconds(2), into: &actions)
        race.handle(.timerFired, at: .seconds(2), into: &actions)
        #expect(actions.count == 2 && race.deadline == nil)
    }

    // MARK: Any network

    /// In any network: the race ends by its deadline; it connects if an address would have answered in time; no address
    /// is tried twice; each attempt ends or is abandoned; and while an attempt is running alone, the next one waits for
    /// its delay.
    @Test func `in any network the race ends as it should`() {
        let first = SeededGenerator.forThisRun().seed
        var wonCount = 0
        for seed in (0..<2_000).map({ first &+ $0 }) {
            var random = SeededGenerator(seed: seed)
            let network = Self.randomNetwork(using: &random)
            let delay = Int.random(in: 100...2_000, using: &random)
            let deadline = Int.random(in: 1...12_000, using: &random)
            let log = Self.run(network, attemptDelay: delay, deadline: deadline)
            if log.last?.contains("won") == true { wonCount += 1 }
            let problem = Self.problem(of: log, network, attemptDelay: delay, deadline: deadline)
            #expect(problem == nil, "repeat with WIRELINE_SEED=\(seed): \(log)")
        }
        // Both ends occur.
        #expect((200..<1_900).contains(wonCount))
    }

    static func randomNetwork(using random: inout SeededGenerator) -> Network {
        var network = Network()
        func lookup(_ name: String) -> (time: Int, addresses: [String]?)? {
            let addresses = (0..<Int.random(in: 0...5, using: &random)).map { "\(name)\($0)" }
            for address in addresses {
                let time = Int.random(in: 0...3_000, using: &random)
                switch Int.random(in: 0..<6, using: &random) {
                case 0, 1: network.addresses[address] = (time, nil)
                case 2: network.addresses[address] = (time, .refused)
                case 3: network.addresses[address] = (0, .unreachable)
                default: break
                }
            }
            switch Int.random(in: 0..<8, using: &random) {
            case 0: return nil
            case 1: return (Int.random(in: 0...3_000, using: &random), nil)
            default: return (Int.random(in: 0...300, using: &random), addresses)
            }
        }
        network.ipv6 = lookup("six")
        network.ipv4 = lookup("four")
        return network
    }

    static func problem(of log: [String], _ network: Network, attemptDelay: Int, deadline: Int) -> String? {
        let lines = log.map { $0.split(separator: " ") }
        let begun = lines.filter { $0.count == 2 }
        let (end, time) = (lines.last?[1] ?? "", lines.last.flatMap { Int($0[0]) } ?? .max)
        guard end == "won" || end == "lost" else { return "it does not end" }
        guard time <= deadline else { return "it ends late" }
        guard Set(begun.map { $0[1] }).count == begun.count else { return "an address is tried twice" }
        // When each attempt would end without being abandoned.
        let ends = begun.map { line in
            (network.addresses[String(line[1])]?.time).map { (Int(line[0]) ?? 0) + $0 } ?? .max
        }
        let abandoned = Set(lines.filter { $0[1] == "abandon" }.compactMap { Int($0[2]) })
        for (index, end) in ends.enumerated() where (end > time) != abandoned.contains(index + 1) {
            // An attempt that ends in the same moment may be reported or abandoned.
            if end != time { return "attempt \(index + 1) is left behind, or given up when it is over" }
        }
        for index in begun.indices.dropFirst() {
            let start = Int(begun[index][0]) ?? 0
            let before = Int(begun[index - 1][0]) ?? 0
            let hasFailed = ends[..<index].contains { $0 <= start && $0 >= before }
            let isAlone = ends[..<index].contains { $0 > start }
            if start - before < attemptDelay, isAlone, !hasFailed { return "attempt \(index + 1) is too early" }
        }
        // An address answers in time, even after all others with their delays.
        let known = [network.ipv6, network.ipv4].compactMap { $0 }
        let addressCount = known.reduce(0) { $0 + ($1.addresses?.count ?? 0) }
        for lookup in known {
            for address in lookup.addresses ?? [] {
                guard let answer = network.addresses[address], answer.failure == nil else { continue }
                // The other family's addresses may come later and be tried before it.
                let latest = lookup.time + 50 + addressCount * attemptDelay + answer.time
                if latest < deadline, end != "won" { return "\(address) would have answered" }
            }
        }
        return nil
    }
}
