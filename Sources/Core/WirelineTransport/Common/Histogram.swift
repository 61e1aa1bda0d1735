// SPDX-License-Identifier: Apache-2.0

/// How often durations of different lengths were measured.
///
/// Each bucket counts the durations up to its bound and above the bound before it. One more bucket counts the longer
/// ones. A histogram is a plain value without a lock: each thread keeps its own, and a reader merges them.
public struct Histogram: Equatable, Sendable {
    /// The bounds of most histograms: 10 µs to 10 s, two or three in each power of ten.
    public static let usualBounds: [Duration] = [
        .microseconds(10), .microseconds(50), .microseconds(100), .microseconds(250), .microseconds(500),
        .milliseconds(1), .microseconds(2_500), .milliseconds(5), .milliseconds(10), .milliseconds(25),
        .milliseconds(50), .milliseconds(100), .milliseconds(250), .milliseconds(500), .seconds(1),
        .milliseconds(2_500), .seconds(10),
    ]
    private static let usual = usualBounds.map(\.wholeNanoseconds)

    /// The bounds in nanoseconds, ascending.
    private let limits: [Int64]
    /// The number of durations in each bucket; the last bucket has no bound.
    public private(set) var bucketCounts: [Int]
    private var totalNanoseconds: Int64 = 0
    private var longestNanoseconds: Int64 = 0

    /// Makes an empty histogram with the usual bounds.
    public init() {
        limits = Self.usual
        bucketCounts = Array(repeating: 0, count: limits.count + 1)
    }

    /// Makes an empty histogram.
    ///
    /// - Parameter bounds: The largest duration of each bucket, ascending; at most 292 years.
    public init(bounds: [Duration]) {
        limits = bounds.map(\.wholeNanoseconds)
        precondition(zip(limits, limits.dropFirst()).allSatisfy(<), "the bounds of a histogram ascend")
        bucketCounts = Array(repeating: 0, count: limits.count + 1)
    }

    /// The largest duration of each bucket but the last one, ascending.
    public var bounds: [Duration] { limits.map { .nanoseconds($0) } }

    /// The number of durations.
    public var count: Int { bucketCounts.reduce(0, +) }

    /// The sum of the durations; it stays at 292 years.
    public var sum: Duration { .nanoseconds(totalNanoseconds) }

    /// The longest duration; zero if there is none.
    public var longest: Duration { .nanoseconds(longestNanoseconds) }

    /// Counts a duration; a negative one counts as zero.
    public mutating func record(_ duration: Duration) { record(nanoseconds: duration.wholeNanoseconds) }

    /// Counts a duration; a negative one counts as zero.
    ///
    /// - Complexity: The number of bounds below the duration. Most durations are short.
    package mutating func record(nanoseconds: Int64) {
        let nanoseconds = max(0, nanoseconds)
        var bucket = 0
        while bucket < limits.count, limits[bucket] < nanoseconds { bucket += 1 }
        bucketCounts[bucket] += 1
        totalNanoseconds = totalNanoseconds.addingUpTo(.max, nanoseconds)
        if nanoseconds > longestNanoseconds { longestNanoseconds = nanoseconds }
    }

    /// Adds the counts of another histogram.
    ///
    /// - Precondition: Both have the same bounds.
    public static func += (left: inout Histogram, right: Histogram) {
        precondition(left.limits == right.limits, "only histograms with the same bounds can be added")
        for bucket in left.bucketCounts.indices { left.bucketCounts[bucket] += right.bucketCounts[bucket] }
        left.totalNanoseconds = left.totalNanoseconds.addingUpTo(.max, right.totalNanoseconds)
        left.longestNanoseconds = max(left.longestNanoseconds, right.longestNanoseconds)
    }
}

extension Int64 {
    /// Neither number may be negative.
    fileprivate func addingUpTo(_ limit: Int64, _ other: Int64) -> Int64 {
        let (sum, isTooLarge) = addingReportingOverflow(other)
        return isTooLarge ? limit : sum
    }
}

extension Duration {
    /// The duration in nanoseconds, rounded towards zero; the nearest number if it is out of range.
    package var wholeNanoseconds: Int64 {
        // `components` traps beyond 292 billion years.
        guard self < .nanoseconds(Int64.max) else { return .max }
        guard self > .nanoseconds(Int64.min) else { return .min }
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
