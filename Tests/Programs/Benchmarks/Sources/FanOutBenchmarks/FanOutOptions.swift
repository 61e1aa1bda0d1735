// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport

/// What the command line asks for.
struct FanOutOptions {
    enum Mode {
        case table
        /// Every server for a moment: do all members get every packet?
        case smoke
        /// One of the servers, until it is ended.
        case serve(FanOutServer)
        case help
    }

    var mode = Mode.table
    var rounds = 5
    var seconds = 2.0
    var members = 10_000

    static let help = """
        What one packet to all members of a room costs a server, beside hand-written C.

          (no option)       measures in interleaved rounds and prints a table
          --smoke           a few seconds: do all members get every packet?
          --serve NAME      is a server itself, for a profiler: \(FanOutServer.allCases.map(\.rawValue).joined(separator: " "))
          --members N       how many members the room has (default 10000; two descriptors for each)
          --rounds N        how many rounds the table is the median of (default 5)
          --milliseconds N  how long a measurement takes (default 2000)
        """

    init(_ arguments: some Sequence<String>) throws(BadUsage) {
        var arguments = Arguments(arguments)
        while let argument = arguments.next() {
            switch argument {
            case "--help": mode = .help
            case "--smoke": mode = .smoke
            case "--serve":
                let name = try arguments.value()
                guard let server = FanOutServer(rawValue: name) else {
                    throw BadUsage(description: "no server is called `\(name)`")
                }
                mode = .serve(server)
            case "--members": members = try arguments.number(from: 2)
            case "--rounds": rounds = try arguments.number(from: 1)
            case "--milliseconds": seconds = Double(try arguments.number(from: 10)) / 1000
            default: throw BadUsage(description: "unknown option `\(argument)`")
            }
        }
    }
}
