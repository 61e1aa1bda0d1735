// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import Wireline

/// The load of a restarted server from the clients that return.
struct StampedeTests {
    static let clientCount = 2_000
    static let restart = 100_000_000

    /// Clients that have been connected for a long time, and a server that restarts. The seed is fixed, because this
    /// test checks a law of chance, which correct code breaks once in a while.
    static func simulation(downtime: Int) -> Simulation {
        var configuration = SessionConfiguration(reconnect: ReconnectPolicy(retryLimit: nil))
        configuration.heartbeat = nil
        var scenario = Scenario(
            configuration: configuration, messages: Array(repeating: [], count: clientCount))
        scenario.restarts = [(restart, downtime)]
        let simulation = Simulation(scenario, using: SeededGenerator(seed: 20_261))
        simulation.run(until: restart + 200_000_000)
        #expect(simulation.clients.filter { !$0.isReady }.count == 0)
        return simulation
    }

    /// How far the distribution of numbers from 0 to 1 is from the uniform one, at most (Kolmogorov and Smirnov).
    static func distanceFromUniform(_ numbers: [Double]) -> Double {
        let count = Double(numbers.count)
        return numbers.sorted().enumerated().reduce(0) { distance, element in
            let (index, number) = element
            return max(distance, abs(number - Double(index) / count), abs(number - Double(index + 1) / count))
        }
    }

    @Test func `after a restart, clients return spread over the delay`() {
        let simulation = Self.simulation(downtime: 0)
        let seconds = simulation.connectTimes.filter { $0 >= Self.restart }
            .map { Double($0 - Self.restart) / 1_000_000 }
        // A client may learn of the end up to 150 ms after the restart.
        #expect(seconds.count == Self.clientCount)
        #expect(seconds.allSatisfy { 0...5.15 ~= $0 })
        let buckets = Dictionary(grouping: seconds) { Int($0) }.mapValues(\.count)
        // On average 400 per second, with a deviation of 18.
        #expect(buckets.values.allSatisfy { $0 < 480 })
    }

    @Test(arguments: [0, 3_000_000, 20_000_000])
    func `each delay is uniform up to its limit`(downtime: Int) {
        let simulation = Self.simulation(downtime: downtime)
        let policy = ReconnectPolicy()
        var shares: [Int: [Double]] = [:]
        for client in simulation.clients {
            for (delayIndex, wait) in client.waits.enumerated() {
                let longest = delayIndex == 0 ? policy.restartDelay : policy.longestDelay(delayIndex)
                shares[delayIndex, default: []].append(wait / longest)
            }
        }
        #expect(shares[0]?.count == Self.clientCount)
        #expect(shares.count > (downtime == 0 ? 0 : 3))
        for numbers in shares.values where numbers.count >= 100 {
            #expect(numbers.allSatisfy { 0...1 ~= $0 })
            // One in a hundred uniform samples is farther away.
            #expect(Self.distanceFromUniform(numbers) < 1.63 / Double(numbers.count).squareRoot())
        }
    }

    @Test func `a server that drains sends its clients away one after another, and all of them return`() {
        let (spread, timeout) = (20_000_000, 60_000_000)
        var configuration = SessionConfiguration(reconnect: ReconnectPolicy(retryLimit: nil))
        configuration.heartbeat = nil
        var scenario = Scenario(
            configuration: configuration, messages: Array(repeating: [], count: Self.clientCount))
        let policy = DrainPolicy(spread: .microseconds(spread), timeout: .microseconds(timeout))
        scenario.faultEnd = Self.restart + 200_000_000
        scenario.serverDrain = (Self.restart, policy, 1_000_000)
        let simulation = Simulation(scenario, using: SeededGenerator(seed: 20_261))
        simulation.run(until: Self.restart + 200_000_000)
        #expect(simulation.violations == [])
        #expect(simulation.clients.filter { !$0.isReady }.count == 0)
        let times = simulation.server.told.values.map { Double($0 - Self.restart) / Double(spread) }
        #expect(times.count == Self.clientCount)
        #expect(Self.distanceFromUniform(times) < 0.001)
        // No client had to be closed: each one that was told has gone.
        #expect(simulation.server.met == [.drained])
    }

    @Test func `a distribution that is not uniform is detected`() {
        var random = SeededGenerator(seed: 1)
        let numbers = (0..<2_000).map { _ in Double.random(in: 0...1, using: &random) }
        let limit = 1.63 / 2_000.squareRoot()
        #expect(Self.distanceFromUniform(numbers) < limit)
        #expect(Self.distanceFromUniform(numbers.map { 0.5 + $0 / 2 }) > limit)
        #expect(Self.distanceFromUniform(numbers.map { $0 * $0 }) > limit)
        #expect(Self.distanceFromUniform(numbers.map { $0 * 0.9 }) > limit)
    }
}
