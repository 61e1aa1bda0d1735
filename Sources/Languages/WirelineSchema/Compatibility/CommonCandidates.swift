// SPDX-License-Identifier: Apache-2.0

/// The values that are tried for every change of a message, the most promising first.
///
/// They are the same each time, so their results can be kept.
struct CommonCandidates {
    /// Numbers for operands of conditions; every other random value has one of them.
    private let choices: [OperandValues]
    let count: Int

    private static let edges: [ExampleValues.Style] = [.plain, .zero, .most, .least]
    /// The fewest and the most random values with each message.
    private static let randomCounts = 10...400
    /// The number of random values that all messages of a change share.
    private static let sharedRandomCount = 4000
    /// One in this many random values has up to 255 more bytes or items, to reach every limit of a one-byte size.
    ///
    /// It is odd, so that half of these values have a choice, too.
    private static let filledInterval = 3

    /// - Parameter messageCount: The number of messages with which a change is tried.
    init(_ choices: [OperandValues] = [], forEachOf messageCount: Int) {
        self.choices = choices
        let share = Self.sharedRandomCount / max(1, messageCount)
        count = Self.edges.count + min(max(share, Self.randomCounts.lowerBound), Self.randomCounts.upperBound)
    }

    subscript(index: Int) -> Candidate {
        guard index >= Self.edges.count else { return Candidate(values: Self.edges[index]) }
        let number = index - Self.edges.count
        var random = SplitMix64(seed: UInt64(number))
        var candidate = Candidate(values: .random(seed: random.next()))
        if number % Self.filledInterval == 0 { candidate.extra = Int.random(in: 1...255, using: &random) }
        if number % 2 == 1, !choices.isEmpty { candidate.operands = choices[number / 2 % choices.count] }
        return candidate
    }
}
