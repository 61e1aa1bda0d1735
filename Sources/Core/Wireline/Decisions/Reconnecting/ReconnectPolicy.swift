// SPDX-License-Identifier: Apache-2.0

/// When a session reconnects, and when it stops trying.
///
/// A *round* tries the endpoints one after another; after a failed attempt the next one starts at once. A delay with
/// full jitter precedes each new round. Delay number n, counted from 0, is uniform between 0 and `min(maximumDelay,
/// baseDelay * 2^n)`. Two events widen the range, so that clients that a server lost together do not return together:
///
/// | event | the delay is uniform between |
/// |---|---|
/// | the server ended a ready connection: it may have crashed, with all its clients | 0 and `min(maximumDelay, restartDelay)` |
/// | the server asked for a wait of d | d and d + `min(maximumDelay, d)` |
///
/// The widest range applies. 50,000 clients of a crashed server return over 5 s, or over 30 s if it asks for 30 s.
///
/// The cause decides which endpoint is next, and whether the hosts' addresses are looked up again. After a ready
/// connection, a delay and a new round follow:
///
/// | what ended | cause (``DisconnectCause``) | next | addresses |
/// |---|---|---|---|
/// | an attempt | `timedOut`, `unknownHost` | the next endpoint | looked up again |
/// | an attempt | `failed`: the system could reach none of the addresses | the next endpoint | looked up again |
/// | an attempt | `kicked` with `wait` | the next endpoint, after the requested time | kept |
/// | an attempt | `notTrusted`, `wrongKey` | the next endpoint | looked up again |
/// | an attempt | `refused`, `reset` and similar | the next endpoint | kept |
/// | a connection | `reset`, `endedByPeer`, `broken` | the same endpoint | kept |
/// | a connection | `kicked` with `wait` | the same endpoint, after the requested time | kept |
/// | a connection | `silent`, `timedOut` | the next endpoint | looked up again |
/// | a connection | `failed` | the next endpoint | kept |
/// | either | a final cause of ``DisconnectCause`` | the session ends | |
///
/// A refused attempt means a machine without the program. If a ready connection is ended, the server has restarted, or
/// a device on the path has dropped its state: the session retries the same endpoint once. If that connection also ends
/// before it is stable, the next endpoint follows. Silence means that the path is gone, or that the addresses belong to
/// another network.
///
/// A connection that has been ready for ``stableTime`` resets delays and retries. If the same endpoint would be retried
/// after it, the list of endpoints starts again at the first.
public struct ReconnectPolicy: Equatable, Sendable {
    /// The upper bound of the first delay (default 0.5 s).
    public var baseDelay: Duration
    /// The upper bound of every delay (default 30 s), except for the wait that a server asks for.
    public var maximumDelay: Duration
    /// The upper bound of the delay after the server has ended a ready connection (default 5 s).
    /// It applies if it is longer than the regular bound. A program that knows better calls `hurry()`.
    public var restartDelay: Duration
    /// How many rounds may follow the first one, or a stable connection, before the session ends. nil: no limit (the
    /// default), so a session outlives an evening without a network. 0: no endpoint is tried twice.
    public var retryLimit: Int?
    /// How long a connection must have been ready to count as stable (default 60 s).
    public var stableTime: Duration

    /// Makes a policy; values left out have their default.
    public init(
        baseDelay: Duration = .milliseconds(500), maximumDelay: Duration = .seconds(30), retryLimit: Int? = nil,
        stableTime: Duration = .seconds(60), restartDelay: Duration = .seconds(5)
    ) {
        self.baseDelay = baseDelay
        self.maximumDelay = maximumDelay
        self.restartDelay = restartDelay
        self.retryLimit = retryLimit
        self.stableTime = stableTime
    }

    /// One round, no retries.
    public static let never = ReconnectPolicy(retryLimit: 0)

    /// The upper bound of a delay after a failed attempt, or after a connection that the server did not end.
    ///
    /// - Parameter delayIndex: The number of delays since the last stable connection.
    public func longestDelay(_ delayIndex: Int) -> Duration {
        var delay = max(.zero, baseDelay)
        for _ in 0..<delayIndex {
            // Doubling stops at the limit, so it cannot overflow; zero stays zero.
            guard delay > .zero, maximumDelay > delay else { break }
            delay += delay
        }
        return max(.zero, min(delay, maximumDelay))
    }

    /// The width of a delay's range, beyond the wait that the server asked for.
    ///
    /// - Parameters:
    ///   - delayIndex: As in ``longestDelay(_:)``.
    ///   - wait: The wait that the server asked for.
    ///   - serverHasEnded: Whether the server ended a ready connection.
    func spread(_ delayIndex: Int, after wait: Duration, serverHasEnded: Bool) -> Duration {
        var spread = max(longestDelay(delayIndex), min(wait, maximumDelay))
        if serverHasEnded { spread = max(spread, min(restartDelay, maximumDelay)) }
        return spread
    }
}
