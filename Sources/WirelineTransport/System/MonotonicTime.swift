// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A moment on the clock that never goes back: nanoseconds since some moment before the process began.
package struct MonotonicTime: Comparable, Hashable, Sendable {
    package let nanoseconds: Int64

    package init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// The present moment.
    package static var now: MonotonicTime {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    /// The moment that is so much later than the clock's origin; ``distantFuture`` where it is too far away to be said.
    package init(sinceOrigin duration: Duration) {
        self = MonotonicTime(nanoseconds: 0) + duration
    }

    /// How much later than the clock's origin it is: what machines that decide by a clock are handed.
    package var sinceOrigin: Duration { .nanoseconds(nanoseconds) }

    /// A moment that never comes.
    package static let distantFuture = MonotonicTime(nanoseconds: .max)

    package static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// The moment that is so much later; ``distantFuture`` where it is too far away to be said.
    package static func + (time: MonotonicTime, duration: Duration) -> MonotonicTime {
        // Parts of a duration of more than 292 billion years cannot even be asked for.
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
    /// How long it is from this moment to another one; negative to an earlier one.
    package func duration(to other: MonotonicTime) -> Duration {
        .nanoseconds(other.nanoseconds) - .nanoseconds(nanoseconds)
    }

    /// How long it is until then; zero when the moment has passed.
    package var timeLeft: Duration { .nanoseconds(max(0, nanoseconds - MonotonicTime.now.nanoseconds)) }
}
