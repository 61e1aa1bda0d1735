// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport
internal import CNetwork
internal import Foundation

/// What a packet to all members of a large room costs a server, for each member.
@main
enum FanOutBenchmarks {
    private static let packetByteCount = 64
    private static let limit = FanOutServer.limit.rawValue
    private static let goal = 1.3

    static func main() {
        runProgram { try run(try FanOutOptions(CommandLine.arguments.dropFirst())) }
    }

    private static func run(_ options: FanOutOptions) throws {
        switch options.mode {
        case .help: print(FanOutOptions.help)
        case .serve(let server): try server.run()
        case .smoke:
            for server in FanOutServer.allCases { _ = try figures(of: server, members: 200, seconds: 0.2) }
            print("\(FanOutServer.allCases.count) servers send every packet to all members")
        case .table: print(try table(options))
        }
    }

    private static func table(_ options: FanOutOptions) throws -> String {
        var (times, rounds) = (Samples(), Samples())
        for round in 1...options.rounds {
            let inTurn = round.isMultiple(of: 2) ? FanOutServer.allCases.reversed() : FanOutServer.allCases
            for server in inTurn {
                let figures = try figures(of: server, members: options.members, seconds: options.seconds)
                times.add(Double(figures.server_nanoseconds) / Double(figures.packets), "", server.rawValue)
                rounds.add(figures.median_latency, "", server.rawValue)
            }
            note("round \(round) of \(options.rounds)")
        }
        let rows = FanOutServer.allCases.map(\.rawValue).map { server in
            [
                server, times.median("", server)?.threeDigits ?? "–",
                times.ratio("", server, to: limit)?.timesText ?? "–",
                rounds.median("", server).map { ($0 / 1e6).threeDigits } ?? "–",
            ]
        }
        let heads = ["server", "server CPU, ns a delivery", "of `\(limit)`", "ms until all have it"]
        let ratio = times.ratio("", FanOutServer.wireline.rawValue, to: limit) ?? .infinity
        return """
            \(Machine.description) \(options.rounds) rounds of \(options.seconds) s, \(options.members) members, \
            packets of \(packetByteCount) bytes.

            \(markdownTable(heads, rows))

            `\(FanOutServer.wireline.rawValue)` at most \(goal.timesText): \(ratio <= goal ? "met" : "**missed**")
            """
    }

    /// Measures once, in a new process. Throws unless all members get every packet.
    private static func figures(of server: FanOutServer, members: Int, seconds: Double) throws -> network_figures {
        var (serverProcessor, loadProcessor): (Int32, Int32) = (-1, -1)
        _ = network_processors(&serverProcessor, &loadProcessor)
        defer { network_stay_on(loadProcessor) }
        var (process, failure) = (network_server(), network_failure())
        let command: [String] = [CommandLine.arguments[0], "--serve", server.rawValue]
        let words = command.map { strdup($0) }
        defer {
            for word in words { free(word) }
        }
        guard network_start(words.map { UnsafePointer($0) } + [nil], serverProcessor, &process, &failure) else {
            throw failed(server, failure)
        }
        network_stay_on(loadProcessor)
        let figures = network_fan_out(&process, Int32(members), packetByteCount, seconds)
        let hasStopped = network_stop(&process, &failure)
        guard figures.failure.text.0 == 0 else { throw failed(server, figures.failure) }
        guard hasStopped else { throw failed(server, failure) }
        return figures
    }

    private static func failed(_ server: FanOutServer, _ failure: network_failure) -> FanOutFailure {
        let text = withUnsafeBytes(of: failure.text) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        return FanOutFailure(description: "\(server.rawValue): \(text)")
    }
}

/// A server has not done what all have to do.
struct FanOutFailure: Error, CustomStringConvertible {
    let description: String
}
