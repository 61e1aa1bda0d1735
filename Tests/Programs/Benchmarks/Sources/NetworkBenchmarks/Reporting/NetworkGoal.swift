// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport

/// What Wireline promises of its servers.
struct NetworkGoal {
    enum Bound {
        /// At most so many times what the limit has.
        case mostTimes(Double)
        /// At least so many times.
        case leastTimes(Double)
        /// At most so many times what another server has.
        case mostTimesThat(Double, of: String)
        /// Less than each of some servers has, as far as they are there.
        case lessThan([String])
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
        + typed("pipelined, server CPU", .pipelined, .mostTimes(1.9))
        + typed("64 connections, server CPU", .connections, .mostTimes(1.3))
        + typed("ingest, server CPU", .ingest, .mostTimes(6))
        + replies("pipelined, server CPU", .pipelined, .mostTimes(2.1))
        + [
            NetworkGoal(
                title: "idle, bytes a connection with handlers in a room", server: OwnServer.roomWireline.rawValue,
                scenario: .idle, metric: .bytesPerConnection, bound: .most(2500))
        ]
        + both("idle, bytes a connection", .idle, .bytesPerConnection, .most(2500), .most(1000))
        + aheadOfNIO("TLS, pipelined, server CPU", .sealedPipelined, .serverNanoseconds)
        + aheadOfNIO("TLS, 64 connections, server CPU", .sealedConnections, .serverNanoseconds)
        + aheadOfNIO("TLS, 16 KiB, server CPU", .sealedLong, .serverNanoseconds)
        + aheadOfNIO("TLS, handshake, server CPU", .sealedHandshakes, .serverNanoseconds)
        + aheadOfNIO("TLS, resumption, server CPU", .sealedResumptions, .serverNanoseconds)
        + aheadOfNIO("TLS, idle, bytes a connection", .sealedIdle, .bytesPerConnection)
        + [
            besidePackets("WebSocket, 64 B", .webSocketShort, 2.5),
            besidePackets("WebSocket, 1 KiB", .webSocketMedium, 1.5),
            aheadOfAll("WebSocket, 64 B", .webSocketShort), aheadOfAll("WebSocket, 1 KiB", .webSocketMedium),
            aheadOfAll("WebSocket, 64 KiB", .webSocketLong), aheadOfAll("64 WebSockets, 64 B", .webSocketsShort),
            aheadOfAll("64 WebSockets, 1 KiB", .webSocketsMedium), aheadOfAll("64 WebSockets, 64 KiB", .webSocketsLong),
        ]

    /// A goal of messages, compared with packets that have as many bytes.
    private static func besidePackets(_ title: String, _ scenario: Scenario, _ most: Double) -> NetworkGoal {
        let (server, packets) = (OwnServer.webSocketWireline.rawValue, OwnServer.asyncWireline.rawValue)
        return NetworkGoal(
            title: "\(title), server CPU, `\(server)`", server: server, scenario: scenario, metric: .serverNanoseconds,
            bound: .mostTimesThat(most, of: packets))
    }

    private static func aheadOfAll(_ title: String, _ scenario: Scenario) -> NetworkGoal {
        let server = OwnServer.webSocketWireline.rawValue
        return NetworkGoal(
            title: "\(title), server CPU, `\(server)`", server: server, scenario: scenario, metric: .serverNanoseconds,
            bound: .lessThan(["nio-websocket", "python-websockets", "node-ws"]))
    }

    private static func aheadOfNIO(_ title: String, _ scenario: Scenario, _ metric: Metric) -> [NetworkGoal] {
        // Task for task, and handler for handler.
        both(title, scenario, metric, .lessThan(["nio-async"]), .lessThan(["nio-tuned"]))
    }

    /// A goal of both ways to receive typed messages.
    private static func typed(_ title: String, _ scenario: Scenario, _ bound: Bound) -> [NetworkGoal] {
        [OwnServer.documentedWireline, .handlersWireline].map { server in
            NetworkGoal(
                title: "\(title), `\(server.rawValue)`", server: server.rawValue, scenario: scenario,
                metric: .serverNanoseconds, bound: bound)
        }
    }

    /// A goal of replies with a sequence number, also beside messages without one.
    private static func replies(_ title: String, _ scenario: Scenario, _ bound: Bound) -> [NetworkGoal] {
        let server = OwnServer.repliesWireline.rawValue
        let sender = OwnServer.handlersWireline.rawValue
        return [bound, .mostTimesThat(1.1, of: sender)].map { bound in
            NetworkGoal(
                title: "\(title), `\(server)`", server: server, scenario: scenario, metric: .serverNanoseconds,
                bound: bound)
        }
    }

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
        guard let measured = measured(results) else { return nil }
        let (text, isMet) =
            switch bound {
            case .mostTimes(let most): ("≤ \(most.timesText)", measured <= most)
            case .mostTimesThat(let most, let name): ("≤ \(most.timesText) of `\(name)`", measured <= most)
            case .leastTimes(let least): ("≥ \(least.timesText)", measured >= least)
            case .lessThan(let names): ("< \(names.map { "`\($0)`" }.joined(separator: ", "))", measured < 1)
            case .most(let most): ("≤ \(most.threeDigits)", measured <= most)
            }
        return [title, text, isRatio ? measured.timesText : measured.threeDigits, isMet ? "met" : "**missed**"]
    }

    /// Of several servers the nearest counts.
    private func measured(_ results: NetworkResults) -> Double? {
        switch bound {
        case .most: results.median(metric, of: server, scenario)
        case .mostTimesThat(_, let other): results.ratio(metric, of: server, scenario, to: other)
        case .mostTimes, .leastTimes: results.ratio(metric, of: server, scenario)
        case .lessThan(let names): names.compactMap { results.ratio(metric, of: server, scenario, to: $0) }.max()
        }
    }
}
