// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport

/// What the command line asks for.
struct GatewayOptions {
    enum Mode {
        case table
        /// Each load for a moment, with few clients: are all answers right?
        case smoke
        /// Our gateway, until it is ended.
        case serve(epmdPort: UInt16)
        case help
    }

    var mode = Mode.table
    var rounds = 5
    var seconds = 2.0
    var threadCount = 1
    var only: String?
    var load: String?

    static let help = """
        What clients cost a gateway, beside the gateway that an Erlang team would write.

          (no option)       measures in interleaved rounds and prints a table
          --smoke           a few seconds: are all answers right?
          --only GATEWAY    measures only one of \(Gateway.allCases.map(\.rawValue).joined(separator: ", "))
          --load TEXT       measures only the loads whose names end so: × 16, a group of 1000, idle
          --threads N       our gateway's threads (default: 1, as `wire gateway`)
          --rounds N        how many rounds the table is the median of (default 5)
          --milliseconds N  how long a measurement takes (default 2000)
          --serve PORT      is our gateway itself, with the epmd at this port
        """

    init(_ arguments: some Sequence<String>) throws(BadUsage) {
        var arguments = Arguments(arguments)
        while let argument = arguments.next() {
            switch argument {
            case "--help": mode = .help
            case "--smoke": mode = .smoke
            case "--serve": mode = .serve(epmdPort: UInt16(truncatingIfNeeded: try arguments.number(from: 1)))
            case "--only": only = try arguments.value()
            case "--load": load = try arguments.value()
            case "--threads": threadCount = try arguments.number(from: 1)
            case "--rounds": rounds = try arguments.number(from: 1)
            case "--milliseconds": seconds = Double(try arguments.number(from: 10)) / 1000
            default: throw BadUsage(description: "unknown option `\(argument)`")
            }
        }
    }
}
