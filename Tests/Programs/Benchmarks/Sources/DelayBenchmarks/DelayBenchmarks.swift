// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport
internal import CNetwork
internal import Foundation

/// How long a client waits for its echo while others keep the server's only loop busy.
@main
enum DelayBenchmarks {
    /// No client may delay another by more.
    private static let goal = 0.1

    static func main() {
        runProgram { try run(try DelayOptions(CommandLine.arguments.dropFirst())) }
    }

    private static func run(_ options: DelayOptions) throws {
        switch options.mode {
        case .help: print(DelayOptions.help)
        case .serve(let identity): serve(identity)
        case .smoke:
            let loads = try measure(options, seconds: 0.1, attackers: [4])
            print("the client gets its echoes under \(loads.count) loads")
        case .table: printTable(try measure(options, seconds: options.seconds, attackers: options.attackers), options)
        }
    }

    private struct Row {
        let load: DelayLoad
        let attackerCount: Int
        let delays: Delays
    }

    private static func measure(
        _ options: DelayOptions, seconds: Double, attackers: [Int]
    ) throws -> [Row] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "delays-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var server: Int32 = -1
        var load: Int32 = -1
        if !network_processors(&server, &load) { note("one processor: server and load share it") }
        var rows: [Row] = []
        for load_ in options.loads {
            for count in options.isSmoke ? attackers : load_.ownCount.map({ [$0] }) ?? attackers {
                network_stay_on(server)
                defer { network_stay_on(load) }
                guard let process = try DelayServer.start(for: load_, in: folder, options) else { break }
                network_stay_on(load)
                defer { process.stop() }
                let delays = try process.delays(under: load_, from: count, for: seconds)
                rows.append(Row(load: load_, attackerCount: count, delays: delays))
                note("\(load_.rawValue), \(count) clients: at most \(milliseconds(delays.longest)) ms")
            }
        }
        return rows
    }

    private static func milliseconds(_ seconds: Double) -> String { (seconds * 1000).threeDigits }

    private static func printTable(_ rows: [Row], _ options: DelayOptions) {
        print(
            "\(Machine.description) \(options.seconds) s a row. One loop, on a processor of its own where there are two.\n"
        )
        let lines = rows.map { row in
            [
                row.load.rawValue, "\(row.attackerCount)", "\(row.delays.count)",
                milliseconds(row.delays.quantile(0.5)),
                milliseconds(row.delays.quantile(0.99)), milliseconds(row.delays.longest),
                row.delays.longest <= goal ? "yes" : "no",
            ]
        }
        print(
            markdownTable(
                ["load", "clients", "echoes", "median ms", "p99 ms", "longest ms", "within 100 ms"], lines))
    }
}

/// How long echoes took, in seconds.
struct Delays {
    private var sorted: [Double]

    init(_ delays: [Double]) { sorted = delays.sorted() }

    var count: Int { sorted.count }
    var longest: Double { sorted.last ?? .infinity }

    func quantile(_ part: Double) -> Double {
        sorted.isEmpty ? .infinity : sorted[Int(part * Double(sorted.count - 1))]
    }
}
