// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport
internal import CNetwork
internal import Foundation

/// What the other clients do.
enum DelayLoad: String, CaseIterable {
    /// Nothing: what is measured without them.
    case none
    /// Packets of 23 bytes, as many as the server takes.
    case packets
    /// The same to `wire serve --script`.
    case script
    /// WebSocket messages of one byte.
    case shortMessages = "short-messages"
    /// WebSocket messages of 15 MiB that are 15 KiB on the wire.
    case inflating
    /// WebSocket messages of 15 MiB that the server has to compress.
    case deflating
    /// New connections, each with a TLS handshake.
    case handshakes
    /// Packets of 1 MB whose 6 MiB the server inflates, and compresses with zlib for the echo.
    case sealing
    /// The same with brotli.
    case sealingBrotli = "sealing-brotli"
    /// Packets of 200 bytes with 65,000 packets inside.
    case bundles
    /// Packets of 1 MB that come in single bytes at last, while the memory of all connections is nearly used up.
    case torn
    /// Packets of 23 bytes through `wire proxy`.
    case relay
    /// One client whose packets the server sends to all others.
    case broadcast
    /// Silent clients, while one asks for the metrics without a pause.
    case metrics
    /// Connections that the server refuses.
    case refused
    /// 10,000 connections that send packets of 23 bytes (fewer if there are not so many descriptors). The delay is measured on
    /// new connections, from the call that connects to the echo.
    case newcomers
    /// Packets of 23 bytes through `wire gateway` to processes of an Erlang node, which return them. There is no window.
    case owned
    /// 50,000 clients of `wire gateway` that wait for an owner (fewer if there are not so many descriptors). All of 1,000
    /// backends hang, so none gets one. The groups have 100,000 memberships. The delay is that of `/health`.
    case parked

    /// How many clients make the load, whatever was asked for; nil: as many as that.
    var ownCount: Int? {
        // The load has a descriptor for each, and so has the server.
        let most = Int(network_raise_descriptor_limit()) - 500
        return switch self {
        case .newcomers: min(10_000, most)
        case .parked: min(50_000, most)
        default: nil
        }
    }
}

/// What the command line asks for.
struct DelayOptions {
    enum Mode {
        case table
        /// Every load for a moment: does the client get the right bytes?
        case smoke
        /// The server, until it is ended.
        case serve(DelayIdentity?)
        case help
    }

    var mode = Mode.table
    var isSmoke: Bool { if case .smoke = mode { true } else { false } }
    var seconds = 5.0
    private var chosenLoads: [DelayLoad] = []
    var loads: [DelayLoad] { chosenLoads.isEmpty ? DelayLoad.allCases : chosenLoads }
    private var chosenCounts: [Int] = []
    var attackers: [Int] { chosenCounts.isEmpty ? [10, 50, 500] : chosenCounts }
    /// The program `wire`; nil where it has not been built.
    var wire: String?

    static let help = """
        How long one client waits for the echo of a packet while others keep a server's only loop busy.

          (no option)       measures under all loads and prints a table
          --smoke           a few seconds: does the client get the right bytes under every load?
          --load NAME       only under this load; may be repeated: \(DelayLoad.allCases.map(\.rawValue).joined(separator: " "))
          --clients N       how many clients make the load; may be repeated (default 10, 50 and 500)
          --milliseconds N  how long each is measured (default 5000)
          --wire FILE       the program that serves scripts (default: the package's, built with -c release)

        Example: swift run -c release --package-path Tests/Programs/Benchmarks DelayBenchmarks --load inflating --clients 50
        """

    init(_ arguments: some Sequence<String>) throws(BadUsage) {
        let built = Machine.packageDirectory.appending(path: "../../../.build/release/wire").standardized.path
        if FileManager.default.isExecutableFile(atPath: built) { wire = built }
        var arguments = Arguments(arguments)
        while let argument = arguments.next() {
            switch argument {
            case "--help": mode = .help
            case "--smoke": mode = .smoke
            case "--serve":
                let folder = try arguments.value()
                mode = .serve(folder == "-" ? nil : DelayIdentity(in: folder))
            case "--load":
                let name = try arguments.value()
                guard let load = DelayLoad(rawValue: name) else {
                    throw BadUsage(description: "no load is called `\(name)`")
                }
                chosenLoads.append(load)
            case "--clients": chosenCounts.append(try arguments.number(from: 1))
            case "--milliseconds": seconds = Double(try arguments.number(from: 10)) / 1000
            case "--wire": wire = try arguments.value()
            default: throw BadUsage(description: "unknown option `\(argument)`")
            }
        }
    }
}
