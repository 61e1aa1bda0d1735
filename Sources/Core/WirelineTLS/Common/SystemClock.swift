// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The system's calendar clock, for the dates of certificates; tests use another clock.
enum SystemClock {
    /// Returns the seconds since 1970.
    static let now: @Sendable () -> Int = { Int(time(nil)) }
}
