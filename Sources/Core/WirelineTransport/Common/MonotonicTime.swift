// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A moment on a clock that never goes back: nanoseconds since some moment before the process began.
package struct MonotonicTime: Comparable, Hashable, Sendable {
    package let nanoseconds: Int64

    package init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    package static var now: MonotonicTime {
        var time = timespec()
        // SAFETY: the call fills a structure of its own type.
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    /// ``distantFuture`` if that is out of range.
    package init(sinceOrigin duration: Duration) {
        self = MonotonicTime(nanoseconds: 0) + duration
    }

    package var sinceOrigin: Duration { .nanoseconds(nanoseconds) }

    package static let distantFuture = MonotonicTime(nanoseconds: .max)

    package static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// ``distantFuture`` if the sum is out of range.
    package static func + (time: MonotonicTime, duration: Duration) -> MonotonicTime {
        // `components` traps beyond 292 billion years.
        guard duration < .nanoseconds(Int64.max) else { return distantFuture }
        guard duration > .nanoseconds(Int64.min) else { return MonotonicTime(nanoseconds: .min) }
        let (seconds, attoseconds) = duration.components
        let span = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        let (sum, isTooLate) = time.nanoseconds.addingReportingOverflow(span)
        guard isTooLate else { return MonotonicTime(nanoseconds: sum) }
        return span < 0 ? MonotonicTime(nanoseconds: .min) : distantFuture
    }

    package static func - (time: MonotonicTime, duration: Duration) -> MonotonicTime {
        time + (.zero - duration)
    }
}

extension MonotonicTime {
    /// Negative if the other moment is earlier.
    package func duration(to other: MonotonicTime) -> Duration {
        .nanoseconds(other.nanoseconds) - .nanoseconds(nanoseconds)
    }
}
