// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The clock that tells the date; it may be wrong, and be set at any time.
package enum WallClock {
    /// How many seconds have gone by since 1970, without leap seconds.
    package static var secondsSince1970: Int {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int(time.tv_sec)
    }
}
