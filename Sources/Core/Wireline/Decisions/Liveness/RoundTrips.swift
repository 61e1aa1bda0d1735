// SPDX-License-Identifier: Apache-2.0

/// The round-trip times of a connection's heartbeats.
public struct RoundTrips: Equatable, Sendable {
    /// The last one.
    public private(set) var last = Duration.zero
    /// The smoothed average: `SRTT` of RFC 6298 §2.
    public private(set) var smoothed = Duration.zero
    /// The mean deviation from the average: `RTTVAR` of RFC 6298 §2.
    public private(set) var variation = Duration.zero
    /// The shortest one.
    public private(set) var minimum = Duration.zero
    /// The number of round trips; if 0, all other values are zero.
    public private(set) var count = 0

    /// Makes statistics without round trips.
    public init() {}

    mutating func add(_ roundTrip: Duration) {
        last = roundTrip
        count += 1
        guard count > 1 else {
            smoothed = roundTrip
            variation = roundTrip / 2
            minimum = roundTrip
            return
        }
        // RFC 6298 §2.3: first the variation, with the old average; alpha 1/8, beta 1/4.
        let distance = smoothed > roundTrip ? smoothed - roundTrip : roundTrip - smoothed
        variation += (distance - variation) / 4
        smoothed += (roundTrip - smoothed) / 8
        minimum = min(minimum, roundTrip)
    }
}
