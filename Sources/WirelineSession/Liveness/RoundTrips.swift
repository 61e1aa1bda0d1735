// SPDX-License-Identifier: Apache-2.0

/// How long a connection's heartbeats took to be answered.
public struct RoundTrips: Equatable, Sendable {
    /// The last one.
    public private(set) var last = Duration.zero
    /// The average, in which an older one counts ever less: `SRTT` of RFC 6298 §2.
    public private(set) var smoothed = Duration.zero
    /// How far they lie from the average, on average: `RTTVAR` of RFC 6298 §2.
    public private(set) var variation = Duration.zero
    /// The shortest one.
    public private(set) var minimum = Duration.zero
    /// How many there were; with none, everything else is zero.
    public private(set) var count = 0

    /// No round trip yet.
    public init() {}

    /// Takes note of one.
    mutating func add(_ roundTrip: Duration) {
        last = roundTrip
        count += 1
        guard count > 1 else {
            smoothed = roundTrip
            variation = roundTrip / 2
            minimum = roundTrip
            return
        }
        // RFC 6298 §2.3: the variation first, with the old average; alpha 1/8, beta 1/4.
        let distance = smoothed > roundTrip ? smoothed - roundTrip : roundTrip - smoothed
        variation += (distance - variation) / 4
        smoothed += (roundTrip - smoothed) / 8
        minimum = min(minimum, roundTrip)
    }
}
