// SPDX-License-Identifier: Apache-2.0

/// When a session connects again, and when it gives up.
///
/// A *round* tries the endpoints one after another; an attempt that fails goes on to the next one at once. Before each
/// new round stands a delay with full jitter: delay number n, counted from 0, is uniform between nothing and
/// `min(maximumDelay, baseDelay * 2^n)`. So clients that a restart has thrown off together do not come back together.
///
/// What has happened says where it goes on, and whether the addresses that are known of the hosts still serve. Where a
/// connection was ready, a delay and a round follow:
///
/// | what has ended | why (``DisconnectCause``) | goes on with | addresses |
/// |---|---|---|---|
/// | an attempt | `timedOut`, `unknownHost` | the next endpoint | are looked up anew |
/// | an attempt | `failed`, for the system could reach none of the addresses | the next endpoint | are looked up anew |
/// | an attempt | `kicked`, to come back | the next endpoint, after the time it is told | are kept |
/// | an attempt | `refused`, `reset` and the like | the next endpoint | are kept |
/// | a connection | `reset`, `endedByPeer`, `broken` | the same endpoint | are kept |
/// | a connection | `kicked`, to come back | the same endpoint, after the time it is told | are kept |
/// | a connection | `silent`, `timedOut` | the next endpoint | are looked up anew |
/// | a connection | `failed` | the next endpoint | are kept |
/// | either | `kicked`, to stay away; `loginRefused`, `notTrusted`, `misconfigured` | nothing: it ends | |
///
/// Who refuses is a machine without the program. Who ends a connection that was ready has restarted, or somebody between has
/// forgotten it: the endpoint is come back to, once, and where the next connection ends too before it was stable, the next
/// endpoint has its turn. Where nobody answers, the path is gone or the addresses are those of another network.
///
/// A connection that has been ready for ``stableTime`` starts everything anew: delays, retries, and, where the endpoint itself
/// would be come back to, the list of endpoints from its first.
public struct ReconnectPolicy: Equatable, Sendable {
    /// The longest that the first delay may be (default 0.5 s).
    public var baseDelay: Duration
    /// What no delay goes beyond (default 30 s), but for what a server has asked for.
    public var maximumDelay: Duration
    /// How many rounds may follow the first one, or the end of a stable connection, before the session ends (default 100,
    /// which are about 25 minutes); nil: any number. With 0 no endpoint is tried twice.
    public var retryLimit: Int?
    /// How long a connection must have been ready to count as stable (default 60 s).
    public var stableTime: Duration

    /// Makes a policy; what is left out has its default.
    public init(
        baseDelay: Duration = .milliseconds(500), maximumDelay: Duration = .seconds(30), retryLimit: Int? = 100,
        stableTime: Duration = .seconds(60)
    ) {
        self.baseDelay = baseDelay
        self.maximumDelay = maximumDelay
        self.retryLimit = retryLimit
        self.stableTime = stableTime
    }

    /// One round, and no other.
    public static let never = ReconnectPolicy(retryLimit: 0)

    /// The longest that a delay may be.
    ///
    /// - Parameter delayIndex: How many delays were there since the last stable connection.
    public func longestDelay(_ delayIndex: Int) -> Duration {
        var delay = max(.zero, baseDelay)
        for _ in 0..<delayIndex {
            // Doubled no further than to the limit, so it cannot overflow; and what is zero stays zero.
            guard delay > .zero, maximumDelay > delay else { break }
            delay += delay
        }
        return max(.zero, min(delay, maximumDelay))
    }
}
