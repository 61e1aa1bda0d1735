// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The clock of the date; it may be wrong, and may be set at any time.
package enum WallClock {
    /// The number of seconds since 1970, without leap seconds.
    package static var secondsSince1970: Int { Int(now.tv_sec) }

    /// The number of microseconds since 1970, without leap seconds.
    package static var microsecondsSince1970: UInt64 {
        let now = now
        return UInt64(max(0, now.tv_sec)) * 1_000_000 + UInt64(now.tv_nsec / 1_000)
    }

    private static var now: timespec {
        var time = timespec()
        // SAFETY: the call fills a structure of its own type.
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return time
    }
}
