// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport
internal import CNetwork
internal import Foundation

/// What clients cost a gateway, beside the gateway that an Erlang team would write.
@main
enum GatewayBenchmarks {
    private static let ours = Gateway.wireline.rawValue

    static func main() {
        runProgram { try run(try GatewayOptions(CommandLine.arguments.dropFirst())) }
    }

    private static func run(_ options: GatewayOptions) throws {
        switch options.mode {
        case .help: print(GatewayOptions.help)
        case .serve(let epmdPort): OwnGateway.run(epmdPort: epmdPort, threadCount: options.threadCount)
        case .smoke, .table:
            guard (try? Command.output(of: ["which", "erl", "erlc", "escript", "epmd"])) != nil else {
                return try noteAbsence("no rows", "there is no Erlang (Debian: erlang-base)")
            }
            let site = try GatewaySite(threadCount: options.threadCount)
            defer { site.stop() }
            if case .smoke = options.mode { return try smoke(site) }
            print(try table(options, site))
        }
    }

    private static func smoke(_ site: GatewaySite) throws {
        let gateways = [Gateway.wireline, .erlang]
        for gateway in gateways {
            try site.run(gateway) { server in
                for load in GatewayLoad.all { _ = try load.figures(server, clients: 20, seconds: 0.1) }
            }
        }
        print("\(gateways.count) gateways answer all questions and publish to all members")
    }

    private static func table(_ options: GatewayOptions, _ site: GatewaySite) throws -> String {
        var samples = Samples()
        let loads = GatewayLoad.all.filter { load in options.load.map { load.name.hasSuffix($0) } ?? true }
        for round in 1...options.rounds {
            let inTurn = round.isMultiple(of: 2) ? Gateway.allCases.reversed() : Gateway.allCases
            for gateway in inTurn where options.only.map({ gateway.rawValue == $0 }) ?? true {
                for load in loads {
                    let figures = try site.run(gateway) { server in
                        try load.figures(server, clients: nil, seconds: options.seconds)
                    }
                    for value in load.values(of: figures) { samples.add(value.number, value.name, gateway.rawValue) }
                }
            }
            note("round \(round) of \(options.rounds)")
        }
        let rows = loads.flatMap(\.valueNames).map { name -> [String] in
            let cells = Gateway.allCases.map { samples.median(name, $0.rawValue)?.threeDigits ?? "–" }
            let ratios = Gateway.allCases.dropFirst().map {
                samples.ratio(name, ours, to: $0.rawValue)?.timesText ?? "–"
            }
            return [name] + cells + ratios
        }
        let heads =
            [""] + Gateway.allCases.map { "`\($0.rawValue)`" }
            + Gateway.allCases.dropFirst().map { "times `\($0.rawValue)`" }
        return """
            \(Machine.description) \(options.rounds) rounds of \(options.seconds) s.

            ### A gateway beside Erlang's

            \(markdownTable(heads, rows))

            Goals: processor time at most 0.4× of Erlang's, latency p99 at most 1×, an idle client at most 3 KiB.
            """
    }
}

/// What clients do.
struct GatewayLoad {
    private enum Kind {
        /// Each client has so many questions without an answer.
        case inFlight(Int)
        /// All clients together ask so many questions in a second.
        case rate(Int)
        /// So many packets are published to all at a time.
        case published(Int)
        /// Each client asks one question, and then nothing.
        case idle
    }

    private let kind: Kind
    private let clients: Int

    static let all = [
        GatewayLoad(kind: .inFlight(16), clients: 100), GatewayLoad(kind: .inFlight(1), clients: 100),
        GatewayLoad(kind: .inFlight(4), clients: 1_000), GatewayLoad(kind: .rate(4_000), clients: 100),
        GatewayLoad(kind: .published(1), clients: 1_000), GatewayLoad(kind: .published(16), clients: 1_000),
        GatewayLoad(kind: .idle, clients: 5_000),
    ]

    var name: String {
        switch kind {
        case .inFlight(let count): "\(clients) clients × \(count)"
        case .rate(let rate): "\(rate) a second of \(clients) clients"
        case .published(let count): "\(count) to a group of \(clients)"
        case .idle: "idle"
        }
    }

    var valueNames: [String] {
        switch kind {
        case .inFlight, .rate: ["µs an answer", "p50, µs", "p99, µs"].map { "\(name): \($0)" }
        case .published: ["\(name): µs a delivery"]
        case .idle: ["\(name): bytes a client"]
        }
    }

    /// What a measurement has found, in the order of ``valueNames``.
    func values(of figures: network_figures) -> [(name: String, number: Double)] {
        let time = Double(figures.server_nanoseconds) / 1_000 / Double(max(1, figures.packets))
        let numbers =
            switch kind {
            case .inFlight, .rate: [time, figures.median_latency / 1_000, figures.p99_latency / 1_000]
            case .published: [time]
            case .idle: [figures.bytes_per_connection]
            }
        return zip(valueNames, numbers).map { ($0, $1) }
    }

    /// Measures once. Throws unless all answers are right.
    ///
    /// - Parameter clients: How many clients there are; nil: as many as the load's name says.
    func figures(_ server: network_server, clients: Int?, seconds: Double) throws -> network_figures {
        var server = server
        let count = Int32(clients ?? self.clients)
        let figures =
            switch kind {
            case .inFlight(let inFlight): network_ask(&server, count, Int32(inFlight), 0, seconds)
            case .rate(let rate): network_ask(&server, count, 0, Int32(rate), seconds)
            case .published(let together): network_publish(&server, count, Int32(together), seconds)
            case .idle: network_keep(&server, count)
            }
        guard figures.failure.text.0 == 0 else { throw GatewayFailure(name, figures.failure) }
        return figures
    }
}
