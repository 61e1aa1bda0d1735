// SPDX-License-Identifier: Apache-2.0

/// Runs checks one after another, and compares their outcomes with the expected ones.
struct ConformanceRun {
    let title: String
    let cases: [ConformanceCase]
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

    /// Runs the checks, and prints a line for each unexpected result.
    func results(_ console: Console) async throws(CommandError) -> [Result] {
        var results: [Result] = []
        let clock = ContinuousClock()
        var progress = ProgressLine(of: title)
        defer { progress.clear() }
        var isHeard = true
        for item in cases {
            guard !interruption.isRequested else { break }
            let start = clock.now
            progress.showSometimes(Double(results.count) / Double(cases.count))
            let outcome = try await item.run()
            // The outcome of an interrupted check is not counted.
            guard !interruption.isRequested else { break }
            let verdict = verdict(on: outcome, of: item.name)
            let result = Result(name: item.name, verdict: verdict, duration: clock.now - start)
            results.append(result)
            if isHeard, let line = line(of: result) {
                progress.clear()
                isHeard = try print(line, console)
            }
        }
        if isHeard, let line = line(ofThoseNotMade: results) {
            progress.clear()
            isHeard = try print(line, console)
        }
        guard isWhole, !interruption.isRequested else { return results }
        let known = Set(cases.map(\.name))
        for name in expectedFailures.names.subtracting(known).sorted() {
            let text = "it is expected to fail, and there is no such check"
            results.append(Result(name: name, verdict: .failed(text), duration: .zero))
            if isHeard, let line = line(of: results[results.count - 1]) { isHeard = try print(line, console) }
        }
        return results
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

    /// Returns the line about the checks that did not run; nil if all did.
    private func line(ofThoseNotMade results: [Result]) -> String? {
        let reasons = results.compactMap { if case .notMade(let text) = $0.verdict { text } else { nil } }
        return reasons.first.map { "FAIL \(reasons.count) more check\(reasons.count == 1 ? "" : "s"): \($0)" }
    }

    /// Returns the line of a result. nil if the check did not run, or if the result was expected and the output is not
    /// verbose.
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

    /// Returns the number of checks with each verdict.
    func summary(of results: [Result]) -> String {
        func count(_ words: String, _ isIncluded: (Verdict) -> Bool) -> String? {
            let count = results.count { isIncluded($0.verdict) }
            return count == 0 ? nil : "\(count) \(words)"
        }
        let parts = [
            count("passed") { $0 == .passed },
            count("failed") { if case .failed = $0 { true } else { false } },
            count("passed that should fail") { $0 == .passedUnexpectedly },
            count("failed as expected") { if case .failedAsExpected = $0 { true } else { false } },
            count("not made") { if case .notMade = $0 { true } else { false } },
            count("skipped") { if case .skipped = $0 { true } else { false } },
        ].compactMap(\.self)
        guard !results.isEmpty else { return TextStyle.harmless("\(title): no check was made") }
        let checks = results.count == 1 ? "1 check" : "\(results.count) checks"
        return TextStyle.harmless("\(title): \(checks): " + parts.joined(separator: ", "))
    }
}
