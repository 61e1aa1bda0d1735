// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// How many messages a connection may send in a time.
final class MessageRate: Sendable {
    /// The most messages that may come at once.
    private let count: Double
    /// The time after which one more may come.
    private let secondsForOne: Double

    init(count: Int, time: Duration) {
        self.count = Double(max(1, count))
        secondsForOne = max(0, time / .seconds(1)) / self.count
    }

    /// What one connection has sent.
    struct Count {
        private var used = 0.0
        private var last: MonotonicTime?

        /// Counts a message, unless the limit is reached.
        ///
        /// - Returns: Whether it is within the limit.
        mutating func take(_ rate: MessageRate, at now: MonotonicTime) -> Bool {
            if let last {
                let seconds = last.duration(to: now) / .seconds(1)
                used = rate.secondsForOne > 0 ? max(0, used - seconds / rate.secondsForOne) : 0
            }
            last = now
            // Less than a thousandth of a message is the error of rounding.
            guard used + 1 <= rate.count + 0.001 else { return false }
            used += 1
            return true
        }
    }
}
