// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport
internal import CNetwork
internal import Foundation

@main
enum NetworkBenchmarks {
    static func main() {
        runProgram { try run(try NetworkOptions(CommandLine.arguments.dropFirst())) }
    }

    private static func run(_ options: NetworkOptions) throws {
        switch options.mode {
        case .help: print(NetworkOptions.help)
        case .serve(let server): try server.run(options.identity)
        case .smoke: try withIdentity { try smoke(options, $0) }
        case .table: try withIdentity { try printTables(options, $0) }
        }
    }

    private static func withIdentity(_ body: (ServerIdentity?) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "benchmark-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let identity = try ServerIdentity.make(in: folder)
        if identity != nil, !OwnServer.nioSpeaksTLS { note("no rows of NIO with TLS: built without the trait NIOSSL") }
        try body(identity)
    }

    private static func smoke(_ options: NetworkOptions, _ identity: ServerIdentity?) throws {
        let generator = LoadGenerator(seconds: 0.1, idleConnections: 200, seed: options.seed)
        let servers = try options.servers(identity)
        note("random cuts of seed \(options.seed)")
        try generator.findFaults(identity)
        for server in servers { try generator.verify(server, in: Scenario.allCases) }
        print("\(servers.count) servers send the right bytes back, however the stream is cut")
    }

    private static func printTables(_ options: NetworkOptions, _ identity: ServerIdentity?) throws {
        let generator = LoadGenerator(seconds: options.seconds, idleConnections: 10_000, seed: options.seed)
        let servers = try options.servers(identity)
        note("random cuts of seed \(options.seed)")
        for server in servers { try generator.verify(server, in: []) }
        let results = try measure(servers + Server.controls(identity), with: generator, options)
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
                for server in inTurn where server.measures(scenario) {
                    results.add(try generator.figures(of: scenario, on: server), of: server.name, scenario)
                }
            }
            note("round \(round) of \(options.rounds)")
        }
        return results
    }
}
