// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport

/// What was measured of each benchmark, one number a round.
struct Results {
    private(set) var samples = Samples()
    /// Cases and implementations, in the order in which they were first measured.
    private(set) var benchmarks: [Benchmark] = []

    mutating func add(_ value: Double, of benchmark: Benchmark) {
        if samples.median(benchmark.caseName, benchmark.implementation) == nil { benchmarks.append(benchmark) }
        samples.add(value, benchmark.caseName, benchmark.implementation)
    }

    /// Measures everything round by round; the implementations of a case, which stand together, take turns.
    static func measure(
        _ benchmarks: [Benchmark], rounds: Int, progress: (Int) -> Void
    ) throws -> Results {
        let cases = try benchmarks.map(CalibratedBenchmark.init).groupedByCase
        var results = Results()
        for round in 1...rounds {
            for candidates in cases {
                for (candidate, best) in zip(candidates, try CalibratedBenchmark.best(of: candidates)) {
                    results.add(best, of: candidate.benchmark)
                }
            }
            progress(round)
        }
        return results
    }
}

extension [CalibratedBenchmark] {
    fileprivate var groupedByCase: [[CalibratedBenchmark]] {
        reduce(into: []) { groups, candidate in
            if let last = groups.indices.last, groups[last][0].benchmark.caseName == candidate.benchmark.caseName {
                groups[last].append(candidate)
            } else {
                groups.append([candidate])
            }
        }
    }
}
