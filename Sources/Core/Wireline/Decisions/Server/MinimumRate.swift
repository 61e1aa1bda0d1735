// SPDX-License-Identifier: Apache-2.0

/// The slowest speed at which a peer may send a packet, or take output that waits for it.
public struct MinimumRate: Equatable, Sendable {
    /// How many bytes must arrive, or be taken, in each ``window`` (default 1,024).
    public var byteCount: Int
    /// The length of a window (default 10 s; at least 1 ms).
    public var window: Duration

    /// Makes a rate; values left out have their default.
    public init(byteCount: Int = 1_024, window: Duration = .seconds(10)) {
        self.byteCount = byteCount
        self.window = window
    }
}

/// Detects a peer that sends a packet, or takes output, too slowly and holds memory meanwhile.
///
/// The clock runs while this side waits for the rest of a packet. A packet that is complete within the window is never
/// too slow, however small. Pauses in which this side does not wait do not count.
package struct RateWatch: Sendable {
    private let rate: MinimumRate
    /// While the clock runs, `windowEnd` is set. While it stops, `windowRest` is the rest of the window.
    private var windowEnd: Duration?
    private var windowRest: Duration
    private var byteCount = 0

    /// Makes a watch that is stopped.
    public init(_ rate: MinimumRate) {
        var rate = rate
        rate.window = max(.milliseconds(1), rate.window)
        self.rate = rate
        windowRest = rate.window
    }

    /// When to call ``isTooSlow(at:)``; nil: never.
    public var deadline: Duration? { windowEnd }

    /// Starts the clock, unless it runs already.
    public mutating func waits(at now: Duration) {
        if windowEnd == nil { windowEnd = now + windowRest }
    }

    /// Stops the clock within a packet.
    public mutating func pauses(at now: Duration) {
        guard let windowEnd else { return }
        windowRest = max(.zero, windowEnd - now)
        self.windowEnd = nil
    }

    /// Counts bytes that have arrived or were taken.
    public mutating func moved(_ byteCount: Int) {
        // A sum that overflows is above any minimum.
        let (sum, overflow) = self.byteCount.addingReportingOverflow(byteCount)
        self.byteCount = overflow ? .max : sum
    }

    /// Notes that the packet is complete, and resets the watch for the next one.
    public mutating func finished() {
        windowEnd = nil
        windowRest = rate.window
        byteCount = 0
    }

    /// Whether a window has ended with too few bytes; otherwise starts the next window.
    public mutating func isTooSlow(at now: Duration) -> Bool {
        guard let windowEnd, windowEnd <= now else { return false }
        guard byteCount >= rate.byteCount else { return true }
        self.windowEnd = now + rate.window
        windowRest = rate.window
        byteCount = 0
        return false
    }
}
