// SPDX-License-Identifier: Apache-2.0

internal import CLimit

/// A benchmark that knows how many iterations are long enough to be timed.
struct CalibratedBenchmark {
    let benchmark: Benchmark
    private let iterationCount: Int
    /// A long iteration (a slow splitter takes more than a second) is timed once a round.
    let isLong: Bool

    static let sampleCount = 5
    /// Long beside the clock's resolution, short beside the time slices of a busy machine.
    private static let sampleNanoseconds = 5e6

    /// Runs the benchmark until a sample is long enough.
    init(_ benchmark: Benchmark) throws {
        self.benchmark = benchmark
        var count = 1
        var nanoseconds = try Self.time(benchmark, iterations: count)
        while nanoseconds < Self.sampleNanoseconds {
            let missing = Self.sampleNanoseconds / max(nanoseconds, 1)
            count = missing > 16 ? count * 8 : Int(Double(count) * missing * 1.1) + 1
            nanoseconds = try Self.time(benchmark, iterations: count)
        }
        iterationCount = count
        isLong = nanoseconds > 50 * Self.sampleNanoseconds
    }

    /// The nanoseconds of one iteration.
    func sample() throws -> Double {
        try Self.time(benchmark, iterations: iterationCount) / Double(iterationCount)
    }

    /// The nanoseconds of one iteration of each: the best of five samples, because a disturbance only ever adds. All
    /// take turns, so that a disturbance that lasts hits all of them.
    static func best(of benchmarks: [CalibratedBenchmark]) throws -> [Double] {
        var best = Array(repeating: Double.infinity, count: benchmarks.count)
        for turn in 0..<sampleCount {
            for (index, benchmark) in benchmarks.enumerated() where turn == 0 || !benchmark.isLong {
                best[index] = min(best[index], try benchmark.sample())
            }
        }
        return best
    }

    private static func time(_ benchmark: Benchmark, iterations: Int) throws -> Double {
        let start = limit_thread_nanoseconds()
        try benchmark.repeats(iterations)
        return Double(limit_thread_nanoseconds() - start)
    }
}

/// Keeps the compiler from dropping the work that made a number.
@inline(__always)
func observe(_ number: some FixedWidthInteger) {
    withUnsafePointer(to: number) { limit_observe($0) }
}
