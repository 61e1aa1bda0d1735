// SPDX-License-Identifier: Apache-2.0

/// Finds the word that the author probably meant.
package struct Spelling {
    /// The work left, because the search is quadratic in the number of words.
    ///
    /// One budget counts candidates seen, the other those compared letter by letter. After either is used up, unknown
    /// words get no suggestion.
    private var candidateBudget = 2_000_000
    private var comparisonBudget = 50_000

    package init() {}

    /// Returns the candidate closest to `word`, if it is close enough; otherwise nil.
    ///
    /// Close means: a few letters missing, added, exchanged or in the wrong case.
    package mutating func suggestion(for word: String, among candidates: some Sequence<String>) -> String? {
        let limit = min(word.utf8.count / 3, 3)
        guard limit > 0, word.utf8.count <= 64, candidateBudget > 0, comparisonBudget > 0 else { return nil }
        var best: (distance: Int, candidate: String)?
        let lowercased = word.lowercased()
        for candidate in candidates {
            candidateBudget -= 1
            guard abs(candidate.utf8.count - word.utf8.count) <= limit else { continue }
            comparisonBudget -= 1
            guard Self.distance(lowercased, candidate.lowercased()) <= limit else { continue }
            let distance = Self.distance(word, candidate)
            if distance < best?.distance ?? .max { best = (distance, candidate) }
        }
        return best?.candidate
    }

    /// Returns advice such as "did you mean `uint8`?"; nil if no candidate is close enough.
    mutating func help(for word: String, among candidates: some Sequence<String>) -> String? {
        suggestion(for: word, among: candidates).map { "did you mean `\($0)`?" }
    }

    /// Returns advice such as "did you mean `uint8`?" for a single word; nil if no candidate is close enough.
    package static func help(for word: String, among candidates: some Sequence<String>) -> String? {
        var spelling = Spelling()
        return spelling.help(for: word, among: candidates)
    }

    /// Returns the number of single-letter edits and swaps of neighbours between two words (optimal string alignment).
    static func distance(_ left: String, _ right: String) -> Int {
        let left = Array(left.utf8)
        let right = Array(right.utf8)
        var beforePrevious: [Int] = []
        var previous = Array(0...right.count)
        for row in left.indices {
            var current = [row + 1]
            for column in right.indices {
                let change = previous[column] + (left[row] == right[column] ? 0 : 1)
                var best = min(change, previous[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    best = min(best, beforePrevious[column - 1] + 1)
                }
                current.append(best)
            }
            beforePrevious = previous
            previous = current
        }
        return previous[right.count]
    }
}
