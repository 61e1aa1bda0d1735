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
    package static var secondsSince1970: Int {
        var time = timespec()
        // SAFETY: the call fills a structure of its own type.
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int(time.tv_sec)
    }
}
