// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport
internal import Foundation
internal import WirelineErlang

/// What is measured, by its word in `erlang_peer.escript`.
enum Scenario: String, CaseIterable {
    /// Records of 64 bytes to a process of an Erlang node, until it has counted them.
    case send
    /// Records of 64 bytes from a process of an Erlang node.
    case receive
    /// Calls of a `gen_server`, one after another.
    case calls
}

/// A node of ours beside an Erlang node that does the same: both talk to another Erlang node.
@main
enum ErlangBenchmarks {
    static let help = """
        A node of Wireline beside an Erlang node in its place.

          (no option)        prints the table
          --smoke            a moment of each: does all arrive?
          --rounds N         how many rounds the table is the median of (default 5)
          --count N          how many records a round (default 200000); a tenth as many calls

        Example: swift run -c release --package-path Tests/Programs/Benchmarks ErlangBenchmarks
        """

    private struct Options {
        var isSmoke = false
        var wantsHelp = false
        var rounds = 5
        var count = 200_000

        init(_ arguments: some Sequence<String>) throws(BadUsage) {
            var arguments = Arguments(arguments)
            while let argument = arguments.next() {
                switch argument {
                case "--smoke": isSmoke = true
                case "--help": wantsHelp = true
                case "--rounds": rounds = try arguments.number(from: 1)
                case "--count": count = try arguments.number(from: 10)
                default: throw BadUsage(description: "unknown option `\(argument)`")
                }
            }
            if isSmoke { (rounds, count) = (1, 1_000) }
        }
    }

    static func main() async {
        do {
            try await run(Options(CommandLine.arguments.dropFirst()))
        } catch {
            runProgram { throw error }
        }
    }

    private static func run(_ options: Options) async throws {
        if options.wantsHelp { return print(help) }
        guard (try? Command.output(of: ["which", "escript", "epmd"])) != nil else {
            return try noteAbsence("no rows", "there is no `escript` (Debian: erlang-base)")
        }
        let cluster = try ErlangCluster()
        defer { cluster.stop() }
        let script = "erlang_peer.escript"
        let (peer, rival) = (try cluster.start("peer@127.0.0.1", script), try cluster.start("rival@127.0.0.1", script))
        let ours = try await WirelineNode(epmdPort: cluster.epmdPort)
        let samples = try await measure(options, peer, rival, ours)
        await ours.stop()
        print(options.isSmoke ? "all records and replies have come" : table(samples, options))
    }

    private static func measure(
        _ options: Options, _ peer: ErlangPeer, _ rival: ErlangPeer, _ ours: WirelineNode
    ) async throws -> Samples {
        var samples = Samples()
        let name = ErlangNodeName(stringLiteral: peer.name)
        for round in 1...options.rounds {
            for scenario in Scenario.allCases {
                let count = scenario == .calls ? options.count / 10 : options.count
                let wireline = try await ours.run(scenario, with: name, count: count)
                let erlang = try rival.run(scenario.rawValue, with: peer.name, count: count)
                for (implementation, numbers) in [("wireline", wireline), ("erlang", erlang)] {
                    for (column, number) in zip(columns(scenario), numbers) {
                        let isPerMessage = !column.hasPrefix("p")
                        let value = isPerMessage ? number / Double(count) : number
                        samples.add(value, "\(scenario.rawValue) \(column)", implementation)
                    }
                }
            }
            if !options.isSmoke { note("round \(round) of \(options.rounds)") }
        }
        return samples
    }

    private static func columns(_ scenario: Scenario) -> [String] {
        scenario == .calls ? ["p50", "p99", "CPU"] : ["time", "CPU"]
    }

    private static func table(_ samples: Samples, _ options: Options) -> String {
        let rows = Scenario.allCases.flatMap { scenario in
            columns(scenario).map { column in
                let name = "\(scenario.rawValue) \(column)"
                let cells = ["wireline", "erlang"].map {
                    samples.median(name, $0).map { ($0 / 1000).threeDigits } ?? "–"
                }
                return ["`\(scenario.rawValue)`: \(title(column))"] + cells
                    + [samples.ratio(name, "wireline", to: "erlang")?.timesText ?? "–"]
            }
        }
        return """
            \(Machine.description) \(options.rounds) rounds of \(options.count) records.

            ### A node beside an Erlang node in its place: µs

            \(markdownTable(["scenario", "wireline", "erlang", "times `erlang`"], rows))

            Goals: `send` and `receive` at most 1× the time and 0.7× the processor time of Erlang, `calls` at most 1.05× its p50.
            """
    }

    private static func title(_ column: String) -> String {
        switch column {
        case "time": "time a record"
        case "CPU": "processor time each"
        default: column
        }
    }
}
