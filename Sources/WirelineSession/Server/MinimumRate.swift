// SPDX-License-Identifier: Apache-2.0

/// How slow a peer may be while it is waited for.
public struct MinimumRate: Equatable, Sendable {
    /// How many bytes must come in each ``window`` (default 1,024).
    public var byteCount: Int
    /// How long it is looked at (default 10 s; less than a millisecond counts as one).
    public var window: Duration

    /// Makes a rate; what is left out has its default.
    public init(byteCount: Int = 1_024, window: Duration = .seconds(10)) {
        self.byteCount = byteCount
        self.window = window
    }
}

/// Whether a peer is too slow: one that dribbles a packet holds memory for as long as it likes.
///
/// The clock runs while somebody waits for the rest of a packet that has begun. What ends in time, however small, is never
/// too slow; nor is a pause in which the peer is not waited for.
public struct RateWatch: Sendable {
    private let rate: MinimumRate
    /// When the window ends, while the clock runs; how much of it is left, while it does not.
    private var windowEnd: Duration?
    private var windowRest: Duration
    private var byteCount = 0

    /// Makes a watch that does not run.
    public init(_ rate: MinimumRate) {
        var rate = rate
        rate.window = max(.milliseconds(1), rate.window)
        self.rate = rate
        windowRest = rate.window
    }

    /// When ``isTooSlow(at:)`` is to be asked; nil: never.
    public var deadline: Duration? { windowEnd }

    /// Somebody waits from now on, or still does.
    public mutating func waits(at now: Duration) {
        if windowEnd == nil { windowEnd = now + windowRest }
    }

    /// Nobody waits for a while, though what was waited for has not come whole.
    public mutating func pauses(at now: Duration) {
        guard let windowEnd else { return }
        windowRest = max(.zero, windowEnd - now)
        self.windowEnd = nil
    }

    /// Bytes have come, or were taken.
    public mutating func moved(_ byteCount: Int) {
        // Sums that overflow are enough in any case.
        let (sum, overflow) = self.byteCount.addingReportingOverflow(byteCount)
        self.byteCount = overflow ? .max : sum
    }

    /// What was waited for is whole: the next begins anew.
    public mutating func finished() {
        windowEnd = nil
        windowRest = rate.window
        byteCount = 0
    }

    /// Whether a window has gone by with too little in it; the next one begins otherwise.
    public mutating func isTooSlow(at now: Duration) -> Bool {
        guard let windowEnd, windowEnd <= now else { return false }
        guard byteCount >= rate.byteCount else { return true }
        self.windowEnd = now + rate.window
        windowRest = rate.window
        byteCount = 0
        return false
    }
}
