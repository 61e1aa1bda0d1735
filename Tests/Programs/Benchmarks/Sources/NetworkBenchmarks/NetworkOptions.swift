// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport
internal import Foundation

/// What the command line asks for.
struct NetworkOptions {
    enum Mode {
        /// All tables.
        case table
        /// Every server and scenario for a moment, for its replies only.
        case smoke
        /// One of the servers, until it is ended.
        case serve(OwnServer)
        case help
    }

    var mode = Mode.table
    var rounds = 5
    var seconds = 1.5
    /// Parts of the names of the servers to measure; empty for all.
    var selection: [String] = []
    private var chosenScenarios: [Scenario] = []
    var scenarios: [Scenario] { chosenScenarios.isEmpty ? Scenario.allCases : chosenScenarios }
    /// Servers that are programs of their own.
    var others: [Server] = []
    private var certificate: String?
    private var key: String?
    /// What a server shows; without it, it speaks no TLS.
    var identity: ServerIdentity? {
        guard let certificate, let key else { return nil }
        return ServerIdentity(certificate: certificate, key: key)
    }
    var seed: UInt64

    static let help = """
        Servers of packets under the same load, beside hand-written C.

          (no option)            measures everything in interleaved rounds and prints tables
          --smoke                a few seconds: does every server send the right bytes back?
          --serve NAME           is a server itself, for a profiler: \(OwnServer.allCases.map(\.rawValue).joined(separator: " "))
          --certificate FILE     with --serve and --key: the server speaks TLS 1.3 and shows this
          --key FILE             the certificate's key
          --only NAME            only servers with this in their name, and the limits; may be repeated
          --scenario NAME        only this scenario; may be repeated: \(Scenario.allCases.map(\.rawValue).joined(separator: " "))
          --server NAME=COMMAND  measures a program beside them that follows the contract in CNetwork.h
          --websocket-server NAME=COMMAND    the same of a server of WebSockets
          --rounds N             how many rounds the tables are the median of (default 5)
          --milliseconds N       how long a measurement takes (default 1500)

        WIRELINE_SEED repeats the random cuts of a run that has printed this seed.

        Example: swift run -c release --package-path Tests/Programs/Benchmarks NetworkBenchmarks --scenario pipelined
        """

    init(_ arguments: some Sequence<String>) throws(BadUsage) {
        seed = ProcessInfo.processInfo.environment["WIRELINE_SEED"].flatMap(UInt64.init) ?? .random(in: 0...999_999)
        var arguments = Arguments(arguments)
        while let argument = arguments.next() {
            switch argument {
            case "--smoke": mode = .smoke
            case "--help": mode = .help
            case "--serve": mode = .serve(try Self.choice(try arguments.value()))
            case "--certificate": certificate = try arguments.value()
            case "--key": key = try arguments.value()
            case "--only": selection.append(try arguments.value())
            case "--scenario": chosenScenarios.append(try Self.choice(try arguments.value()))
            case "--server": others.append(try Server(description: try arguments.value()))
            case "--websocket-server":
                others.append(try Server(description: try arguments.value(), speaksWebSocket: true))
            case "--rounds": rounds = try arguments.number(from: 1)
            case "--milliseconds": seconds = Double(try arguments.number(from: 10)) / 1000
            default: throw BadUsage(description: "unknown option `\(argument)`")
            }
        }
    }

    private static func choice<Choice: CaseIterable & RawRepresentable<String>>(
        _ name: String
    ) throws(BadUsage) -> Choice {
        guard let choice = Choice(rawValue: name) else {
            let names = Choice.allCases.map(\.rawValue).joined(separator: " ")
            throw BadUsage(description: "nothing is called `\(name)`; there are: \(names)")
        }
        return choice
    }

    /// What is to be measured; the limits are always there.
    func servers(_ identity: ServerIdentity?) throws -> [Server] {
        let all = try Server.all(identity) + others
        return all.filter { server in
            guard scenarios.contains(where: server.measures) else { return false }
            return selection.isEmpty || server.isLimit || selection.contains { server.name.contains($0) }
        }
    }
}
