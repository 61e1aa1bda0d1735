// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport

/// What the command line asks for.
struct Options {
    enum Mode {
        /// All tables.
        case table
        /// Every implementation once, for its results only.
        case smoke
        /// One JSON line a benchmark, for a harness that compares programs.
        case json
        /// Instructions instead of time.
        case instructions
        /// Untimed repetitions, for a profiler.
        case repetitions(Int)
        case help
    }

    var mode = Mode.table
    /// Part of the names of the benchmarks to run; nil for all.
    var selection: String?
    var rounds = 7
    /// How long the streams are that are split, and the bytes that are masked outside of the cache.
    var mebibytes = 64

    static let help = """
        Encoding, decoding, splitting, masking, the check of texts and layers beside SwiftNIO, swift-protobuf and hand-written C.

          (no option)        measures everything in interleaved rounds and prints tables
          --smoke            checks that every implementation makes the right bytes and values
          --json             prints one line a benchmark of Wireline: case, impl, ns, bytes
          --instructions     counts instructions of packets with valgrind
          --case NAME        only the benchmarks with this in their name, or exactly one CASE/IMPLEMENTATION
          --iters N          with --case: runs it N times, untimed, for a profiler
          --rounds N         how many rounds the tables are the median of (default 7)
          --mib N            how much is split or masked an iteration (default 64)

        Example: swift run -c release --package-path Tests/Programs/Benchmarks Benchmarks --case cs_enc
        """

    init(_ arguments: some Sequence<String>) throws(BadUsage) {
        var arguments = Arguments(arguments)
        while let argument = arguments.next() {
            switch argument {
            case "--smoke": mode = .smoke
            case "--json": mode = .json
            case "--instructions": mode = .instructions
            case "--help": mode = .help
            case "--case": selection = try arguments.value()
            case "--iters": mode = .repetitions(try arguments.number(from: 0))
            case "--rounds": rounds = try arguments.number(from: 1)
            case "--mib": mebibytes = try arguments.number(from: 1)
            default: throw BadUsage(description: "unknown option `\(argument)`")
            }
        }
    }
}
