// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport
internal import CNetwork

@main
enum NetworkBenchmarks {
    static func main() {
        runProgram { try run(try NetworkOptions(CommandLine.arguments.dropFirst())) }
    }

    private static func run(_ options: NetworkOptions) throws {
        switch options.mode {
        case .help: print(NetworkOptions.help)
        case .serve(let server): try server.run()
        case .smoke: try smoke(options)
        case .table: try printTables(options)
        }
    }

    private static func smoke(_ options: NetworkOptions) throws {
        let generator = LoadGenerator(seconds: 0.1, idleConnections: 200, seed: options.seed)
        let servers = try options.servers()
        note("random cuts of seed \(options.seed)")
        try generator.findFaults(of: OwnServer.faulty.map(Server.init))
        for server in servers { try generator.verify(server, in: Scenario.allCases) }
        print("\(servers.count) servers send the right bytes back, however the stream is cut")
    }

    private static func printTables(_ options: NetworkOptions) throws {
        let generator = LoadGenerator(seconds: options.seconds, idleConnections: 10_000, seed: options.seed)
        let servers = try options.servers()
        note("random cuts of seed \(options.seed)")
        for server in servers { try generator.verify(server, in: []) }
        let results = try measure(servers + [Server.control], with: generator, options)
        let preface = "\(Machine.description) \(options.rounds) rounds of \(options.seconds) s. \(generator.processors)"
        print(NetworkReport(results: results).markdown(preface: preface))
    }

    private static func measure(
        _ servers: [Server], with generator: LoadGenerator, _ options: NetworkOptions
    ) throws -> NetworkResults {
        var results = NetworkResults(servers: servers.map(\.name), scenarios: options.scenarios)
        for round in 1...options.rounds {
            // There and back, so that no server is always the first one.
            let inTurn = round.isMultiple(of: 2) ? servers.reversed() : servers
            for scenario in options.scenarios {
                for server in inTurn {
                    results.add(try generator.figures(of: scenario, on: server), of: server.name, scenario)
                }
            }
            note("round \(round) of \(options.rounds)")
        }
        return results
    }
}
