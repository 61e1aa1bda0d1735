// SPDX-License-Identifier: Apache-2.0

import WirelineSchema

/// Runs checks one after another, and compares their outcomes with the expected ones.
struct ConformanceRun {
    let title: String
    let vectors: ConformanceVectors
    /// Returns the checks of a vector. They are made one vector after another, because those of a million take
    /// gigabytes.
    let cases: (ConformanceVector) -> [ConformanceCase]
    let expectedFailures: ExpectedFailures
    /// Whether all checks of the protocol run. Then an unknown name in the list of expected failures is an error.
    let isWhole: Bool
    let isVerbose: Bool
    let interruption: Interruption

    enum Verdict: Equatable {
        case passed
        case failed(String)
        case skipped(String)
        /// The check did not run because of the implementation.
        case notMade(String)
        case failedAsExpected(String)
        /// The check passed, although the list of expected failures contains it.
        case passedUnexpectedly

        /// In the order of a summary.
        static let kinds = [
            "passed", "failed", "passed that should fail", "failed as expected", "not made", "skipped",
        ]

        /// One of ``kinds``.
        var kind: String {
            switch self {
            case .passed: "passed"
            case .failed: "failed"
            case .passedUnexpectedly: "passed that should fail"
            case .failedAsExpected: "failed as expected"
            case .notMade: "not made"
            case .skipped: "skipped"
            }
        }

        var isGood: Bool {
            switch self {
            case .passed, .skipped, .failedAsExpected: true
            case .failed, .notMade, .passedUnexpectedly: false
            }
        }
    }

    struct Result {
        var name: String
        var verdict: Verdict
        var duration: Duration
    }

    /// Prints a line for each unexpected result.
    ///
    /// - Parameter keepsResults: Whether the results are kept, and not only counted.
    func tally(keepsResults: Bool, _ console: Console) async throws(CommandError) -> Tally {
        var tally = Tally(keepsResults: keepsResults)
        let clock = ContinuousClock()
        var progress = ProgressLine(of: title)
        defer { progress.clear() }
        var isHeard = true
        var unknown = expectedFailures.names
        var vectors = vectors.makeIterator()
        while tally.missedCount <= Tally.mostMissed, let vector = vectors.next() {
            progress.showSometimes(vectors.progress)
            for item in cases(vector) {
                let start = clock.now
                let outcome = interruption.isRequested ? nil : try await item.run()
                // The result of an interrupted check does not count.
                guard let outcome, !interruption.isRequested else {
                    tally.missedCount += 1
                    continue
                }
                unknown.remove(item.name)
                let verdict = verdict(on: outcome, of: item.name)
                let result = Result(name: item.name, verdict: verdict, duration: clock.now - start)
                tally.add(result)
                if isHeard, let line = line(of: result) {
                    progress.clear()
                    isHeard = try print(line, console)
                }
            }
        }
        if isHeard, let line = tally.lineOfThoseNotMade {
            progress.clear()
            isHeard = try print(line, console)
        }
        guard isWhole, !interruption.isRequested else { return tally }
        for name in unknown.sorted() {
            let text = "it is expected to fail, and there is no such check"
            let result = Result(name: name, verdict: .failed(text), duration: .zero)
            tally.add(result)
            if isHeard, let line = line(of: result) { isHeard = try print(line, console) }
        }
        return tally
    }

    /// Returns whether the output still has a reader. Without a reader, the checks go on and the exit status stays the
    /// same.
    private func print(_ line: String, _ console: Console) throws(CommandError) -> Bool {
        do throws(CommandError) {
            try console.print(line)
            try console.flush()
            return true
        } catch .outputIsClosed {
            return false
        }
    }

    private func verdict(on outcome: ConformanceOutcome, of name: String) -> Verdict {
        let isExpected = expectedFailures.names.contains(name)
        switch outcome {
        case .passed: return isExpected ? .passedUnexpectedly : .passed
        case .failed(let text): return isExpected ? .failedAsExpected(text) : .failed(text)
        case .skipped(let text): return .skipped(text)
        case .notMade(let text): return isExpected ? .failedAsExpected(text) : .notMade(text)
        }
    }

    /// Returns nil for a check that did not run. Also nil for an expected result, unless the output is verbose.
    private func line(of result: Result) -> String? {
        let line: String
        switch result.verdict {
        case .passed where !isVerbose, .failedAsExpected where !isVerbose, .notMade: return nil
        case .passed: line = "ok   \(result.name)"
        case .failed(let text): line = "FAIL \(result.name): \(text)"
        case .skipped(let text): line = "skip \(result.name): \(text)"
        case .failedAsExpected(let text): line = "ok   \(result.name) fails as expected: \(text)"
        case .passedUnexpectedly: line = "FAIL \(result.name): it passes, and is expected to fail"
        }
        return TextStyle.harmless(line)
    }

    func summary(of tally: Tally) -> String {
        guard tally.count > 0 else { return TextStyle.harmless("\(title): no check was made") }
        let checks = tally.count == 1 ? "1 check" : "\(tally.count) checks"
        let parts = Verdict.kinds.filter { tally.counts[$0] != nil }.map { "\(tally.counts[$0, default: 0]) \($0)" }
        return TextStyle.harmless("\(title): \(checks): " + parts.joined(separator: ", "))
    }
}

extension ConformanceRun {
    /// The results by verdict, and only on request the results themselves: a million vectors have over three million.
    struct Tally {
        /// So that an interruption ends soon, no more are counted.
        static let mostMissed = 100_000

        let keepsResults: Bool
        /// The checks that were not made because of an interruption.
        var missedCount = 0
        private(set) var results: [Result] = []
        private(set) var count = 0
        private(set) var counts: [String: Int] = [:]
        private(set) var isGood = true
        private var firstReason = ""

        init(keepsResults: Bool) { self.keepsResults = keepsResults }

        mutating func add(_ result: Result) {
            count += 1
            counts[result.verdict.kind, default: 0] += 1
            isGood = isGood && result.verdict.isGood
            if case .notMade(let text) = result.verdict, firstReason.isEmpty { firstReason = text }
            if keepsResults { results.append(result) }
        }

        var textOfMissed: String {
            let count = missedCount > Self.mostMissed ? "over \(Self.mostMissed)" : "\(missedCount)"
            return "interrupted: \(count) checks were not made"
        }

        /// Nil if all checks have run.
        var lineOfThoseNotMade: String? {
            counts["not made"].map { "FAIL \($0) more check\($0 == 1 ? "" : "s"): \(firstReason)" }
        }
    }
}
