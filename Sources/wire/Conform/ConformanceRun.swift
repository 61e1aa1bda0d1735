// SPDX-License-Identifier: Apache-2.0

/// Makes checks one after another, and holds them against what was expected.
struct ConformanceRun {
    /// What it is called in reports: the protocol.
    let title: String
    let cases: [ConformanceCase]
    let expectedFailures: ExpectedFailures
    /// Whether all checks are made that there are, so that a name which is none of them is a mistake.
    let isWhole: Bool
    let isVerbose: Bool
    let interruption: Interruption

    /// How one check counts.
    enum Verdict: Equatable {
        case passed
        case failed(String)
        case skipped(String)
        /// It was the implementation's fault that it was not made.
        case notMade(String)
        /// It fails, and that is known.
        case failedAsExpected(String)
        /// It does not fail, though it was said that it would.
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

    /// Makes the checks, and prints a line for each that is not as it should be.
    func results(_ console: Console) async throws(CommandError) -> [Result] {
        var results: [Result] = []
        let clock = ContinuousClock()
        var progress = ProgressLine(of: title)
        defer { progress.clear() }
        var isHeard = true
        for item in cases {
            guard !interruption.hasCome else { break }
            let start = clock.now
            progress.showSometimes(Double(results.count) / Double(cases.count))
            let outcome = try await item.run()
            // What was interrupted says nothing about the implementation.
            guard !interruption.hasCome else { break }
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
        guard isWhole, !interruption.hasCome else { return results }
        let known = Set(cases.map(\.name))
        for name in expectedFailures.names.subtracting(known).sorted() {
            let text = "it is expected to fail, and there is no such check"
            results.append(Result(name: name, verdict: .failed(text), duration: .zero))
            if isHeard, let line = line(of: results[results.count - 1]) { isHeard = try print(line, console) }
        }
        return results
    }

    /// - Returns: Whether anybody reads on. Where nobody does, the verdict is still what it is.
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

    /// One line for all checks that were not made; nil where there are none.
    private func line(ofThoseNotMade results: [Result]) -> String? {
        let reasons = results.compactMap { if case .notMade(let text) = $0.verdict { text } else { nil } }
        return reasons.first.map { "FAIL \(reasons.count) more check\(reasons.count == 1 ? "" : "s"): \($0)" }
    }

    /// What is printed of a check; nil for one that is as it should be, unless everything is to be seen, and for one that
    /// was not made.
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

    /// How many checks came out how.
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
