// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport

/// What Wireline promises of its servers.
struct NetworkGoal {
    enum Bound {
        /// At most so many times what the limit has.
        case mostTimes(Double)
        /// At least so many times.
        case leastTimes(Double)
        /// At most so much.
        case most(Double)
    }

    let title: String
    let server: String
    let scenario: Scenario
    let metric: Metric
    let bound: Bound

    /// The ratios are told from what the best peers reach, and from what C rewritten in Swift does: 1.0.
    static let all =
        both("pipelined, server CPU", .pipelined, .serverNanoseconds, .mostTimes(1.6), .mostTimes(1.2))
        + both("64 connections, server CPU", .connections, .serverNanoseconds, .mostTimes(1.2), .mostTimes(1.1))
        + both("64 connections, packets/s", .connections, .packetsPerSecond, .leastTimes(0.9), .leastTimes(0.9))
        + both("ingest, server CPU", .ingest, .serverNanoseconds, .mostTimes(2), .mostTimes(2))
        + both("ping-pong, p99", .pingPong, .p99Latency, .mostTimes(1.2), .mostTimes(1.1))
        + both("idle, bytes a connection", .idle, .bytesPerConnection, .most(2500), .most(1000))

    private static func both(
        _ title: String, _ scenario: Scenario, _ metric: Metric, _ async: Bound, _ batch: Bound
    ) -> [NetworkGoal] {
        [("wireline-async", async), ("wireline-batch", batch)].map { server, bound in
            NetworkGoal(
                title: "\(title), `\(server)`", server: server, scenario: scenario, metric: metric, bound: bound)
        }
    }

    /// Title, bound, what was measured, and whether that is met; nil when it was not measured.
    func row(of results: NetworkResults) -> [String]? {
        let isRatio = if case .most = bound { false } else { true }
        let measured =
            isRatio ? results.ratio(metric, of: server, scenario) : results.median(metric, of: server, scenario)
        guard let measured else { return nil }
        let (text, isMet) =
            switch bound {
            case .mostTimes(let most): ("≤ \(most.timesText)", measured <= most)
            case .leastTimes(let least): ("≥ \(least.timesText)", measured >= least)
            case .most(let most): ("≤ \(most.threeDigits)", measured <= most)
            }
        return [title, text, isRatio ? measured.timesText : measured.threeDigits, isMet ? "met" : "**missed**"]
    }
}
