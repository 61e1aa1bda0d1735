// SPDX-License-Identifier: Apache-2.0

/// What was measured of each benchmark, one number a round.
struct Results {
    private var values: [String: [Double]] = [:]
    /// Cases and implementations, in the order in which they were first measured.
    private(set) var benchmarks: [Benchmark] = []

    mutating func add(_ value: Double, of benchmark: Benchmark) {
        if values[benchmark.fullName] == nil { benchmarks.append(benchmark) }
        values[benchmark.fullName, default: []].append(value)
    }

    /// The median over the rounds; nil when it was not measured.
    func median(_ caseName: String, _ implementation: String) -> Double? {
        values["\(caseName)/\(implementation)"]?.median
    }

    /// The median of the ratios inside each round, which a disturbance hits alike; nil when one was not measured.
    func ratio(_ caseName: String, _ implementation: String, to limit: String) -> Double? {
        guard let own = values["\(caseName)/\(implementation)"], let limits = values["\(caseName)/\(limit)"] else {
            return nil
        }
        return zip(own, limits).map { $0 / $1 }.median
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

extension [Double] {
    var median: Double? {
        guard !isEmpty else { return nil }
        let ordered = sorted()
        let middle = ordered.count / 2
        return ordered.count % 2 == 1 ? ordered[middle] : (ordered[middle - 1] + ordered[middle]) / 2
    }
}
