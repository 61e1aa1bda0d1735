// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport
internal import CNetwork

/// What a measurement says, one number each.
enum Metric: String {
    case packetsPerSecond
    case serverNanoseconds
    case medianLatency
    case p99Latency
    case bytesPerConnection
    /// Which part of the time a processor was busy.
    case serverBusy
    case loadBusy
}

/// What was measured of each server in each scenario, once a round.
struct NetworkResults {
    let servers: [String]
    let scenarios: [Scenario]
    private var samples = Samples()

    init(servers: [String], scenarios: [Scenario]) {
        self.servers = servers
        self.scenarios = scenarios
    }

    mutating func add(_ figures: network_figures, of server: String, _ scenario: Scenario) {
        let seconds = figures.seconds
        let numbers: [(Metric, Double)] =
            scenario.isIdle
            ? [(.bytesPerConnection, figures.bytes_per_connection)]
            : [
                (.packetsPerSecond, Double(figures.packets) / seconds),
                (.serverNanoseconds, Double(figures.server_nanoseconds) / Double(figures.packets)),
                (.medianLatency, figures.median_latency),
                (.p99Latency, figures.p99_latency),
                (.serverBusy, Double(figures.server_nanoseconds) / seconds / 1e9),
                (.loadBusy, Double(figures.load_nanoseconds) / seconds / 1e9),
            ]
        for (metric, number) in numbers { samples.add(number, Self.caseName(scenario, metric), server) }
    }

    private static func caseName(_ scenario: Scenario, _ metric: Metric) -> String {
        "\(scenario.rawValue) \(metric.rawValue)"
    }

    /// The median over the rounds; nil when it was not measured.
    func median(_ metric: Metric, of server: String, _ scenario: Scenario) -> Double? {
        samples.median(Self.caseName(scenario, metric), server)
    }

    /// The median of the ratios to another server, the limit unless told otherwise, inside each round; nil when it was
    /// not measured.
    func ratio(
        _ metric: Metric, of server: String, _ scenario: Scenario, to other: String? = nil
    ) -> Double? {
        samples.ratio(Self.caseName(scenario, metric), server, to: other ?? scenario.limit.rawValue)
    }
}
