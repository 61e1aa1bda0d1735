// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import Wireline

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Runs sessions against a server and a network with every kind of fault.
///
/// `WIRELINE_SIMULATION_SEED` is the seed of a single run, whose events are printed.
struct SimulationTests {
    @Test(arguments: 0..<partCount)
    func `whatever breaks, promises hold and no session hangs`(part: Int) {
        if let seed = Self.environment("WIRELINE_SIMULATION_SEED") {
            guard part == 0 else { return }
            let simulation = Self.run(seed: seed, tracing: true)
            print(simulation.trace?.joined(separator: "\n") ?? "")
            #expect(simulation.violations == [])
            return
        }
        let count = Depth.rounds(500)
        var seeds = Self.seeds
        seeds.skip(part)
        for _ in stride(from: part, to: count, by: Self.partCount) {
            let seed = seeds.next()
            let simulation = Self.run(seed: seed)
            guard simulation.violations.isEmpty else {
                Issue.record("\(simulation.violations); repeat with WIRELINE_SIMULATION_SEED=\(seed)")
                return
            }
            seeds.skip(Self.partCount - 1)
        }
    }

    @Test func `promises hold in runs with many messages, too`() {
        let seeds = SeededGenerator.forThisRun()
        var random = seeds
        for _ in 0..<60 {
            let seed = random.next()
            let simulation = Self.run(seed: seed, messageCount: 100 + random.below(200))
            #expect(simulation.violations == [], "\(seeds.seedComment)")
        }
    }

    @Test(arguments: Mutation.allCases)
    func `a deliberate fault in the driver or in the server is found`(mutation: Mutation) {
        let isFound = (UInt64(0)..<2_000).contains { seed in
            Self.run(seed: seed, mutation: mutation).violations.contains { $0.contains(mutation.symptom) }
        }
        #expect(isFound)
    }

    @Test(arguments: UInt64(0)..<20)
    func `the same seed repeats the same run`(seed: UInt64) {
        let trace = Self.run(seed: seed, tracing: true).trace ?? []
        #expect(trace.count > 10)
        #expect(trace == Self.run(seed: seed, tracing: true).trace)
    }

    @Test func `the runs cover everything that can happen`() {
        var met = Coverage()
        for seed in UInt64(0)..<2_000 {
            met.add(Self.run(seed: seed))
        }
        #expect(met.repetitionCount > 500)
        #expect(met.progressCount > 500)
        #expect(met.ignoredReplyCount > 20)
        #expect(SimulatedServer.Met.allCases.filter { !met.server.contains($0) } == [])
        #expect(Coverage.expectedStates.filter { !met.states.contains($0) } == [])
        let outcomes = Coverage.expectedOutcomes
        #expect(outcomes.filter { !met.outcomes.contains($0) } == [])
    }

    /// The runs are divided into parts, which run in parallel.
    static let partCount = 4
    static let seeds = SeededGenerator.forThisRun("SimulationTests")

    static func run(
        seed: UInt64, messageCount: Int? = nil, mutation: Mutation? = nil, tracing: Bool = false
    ) -> Simulation {
        var random = SeededGenerator(seed: seed)
        var scenario = Scenario(messageCount: messageCount, using: &random)
        scenario.mutation = mutation
        let simulation = Simulation(scenario, using: random, tracing: tracing)
        simulation.run()
        simulation.check()
        return simulation
    }

    static func environment(_ name: String) -> UInt64? {
        getenv(name).flatMap { UInt64(String(cString: $0)) }
    }
}

extension SeededGenerator {
    fileprivate mutating func skip(_ count: Int) {
        for _ in 0..<count { _ = next() }
    }
}
