// SPDX-License-Identifier: Apache-2.0

/// When a session connects again, and when it gives up.
///
/// A *round* tries the endpoints one after another; an attempt that fails goes on to the next one at once. Before each
/// new round stands a delay with full jitter: delay number n, counted from 0, is uniform between nothing and
/// `min(maximumDelay, baseDelay * 2^n)`. So clients that a restart has thrown off together do not come back together.
///
/// A connection that has been ready for ``stableTime`` starts everything anew: delays, retries, and the list of endpoints
/// from its first.
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

/// Which endpoint is tried next, and when.
package struct Reconnector: Sendable {
    package enum Decision: Equatable, Sendable {
        case connect
        /// `earliest` is when the server lets clients back in; no hurry of ours goes before it.
        case wait(until: Duration, earliest: Duration)
        case stop(outOfRetries: Bool)
    }

    private let policy: ReconnectPolicy
    private let endpointCount: Int
    /// The place in the list of the endpoint that is tried, or connected to.
    package private(set) var endpoint = 0
    /// Attempts since the first one, or since the last stable connection.
    package private(set) var retryCount = 0
    private var delayCount = 0
    private var triedInRound = 0
    private var readySince: Duration?

    package init(policy: ReconnectPolicy, endpointCount: Int) {
        precondition(endpointCount > 0, "a session needs an endpoint")
        self.policy = policy
        self.endpointCount = endpointCount
    }

    /// The login is done.
    package mutating func ready(at now: Duration) {
        readySince = now
    }

    /// What follows the end of a connection, or of an attempt.
    package mutating func lost(
        _ cause: DisconnectCause, at now: Duration, using random: inout some RandomNumberGenerator
    ) -> Decision {
        let wasReady = readySince != nil
        let wasStable = readySince.map { now - $0 >= policy.stableTime } ?? false
        readySince = nil
        if wasStable {
            retryCount = 0
            delayCount = 0
            endpoint = 0
        } else {
            endpoint = (endpoint + 1) % endpointCount
        }
        triedInRound = wasReady ? 0 : triedInRound + 1

        var leastDelay = Duration.zero
        switch cause {
        case .loginRefused, .notTrusted, .misconfigured, .endedByUs: return .stop(outOfRetries: false)
        case .kicked(let kick):
            switch kick.advice {
            case .stop: return .stop(outOfRetries: false)
            case .wait(let delay): leastDelay = max(.zero, delay)
            }
            triedInRound = 0
        case .refused, .reset, .timedOut, .unknownHost, .failed, .broken, .silent, .endedByPeer, .loginFailed: break
        }
        if triedInRound > 0, triedInRound < endpointCount {
            retryCount += 1
            return .connect
        }
        if let limit = policy.retryLimit, delayCount >= limit { return .stop(outOfRetries: true) }
        retryCount += 1
        triedInRound = 0
        let delay = leastDelay + Self.random(upTo: policy.longestDelay(delayCount), using: &random)
        delayCount += 1
        return .wait(until: now + delay, earliest: now + leastDelay)
    }

    /// A uniform duration, in whole nanoseconds.
    static func random(upTo longest: Duration, using random: inout some RandomNumberGenerator) -> Duration {
        let (seconds, attoseconds) = longest.components
        // Longer than 292 years is as good as that.
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, carry) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return .nanoseconds(Int64.random(in: 0...(overflow || carry ? .max : sum), using: &random))
    }
}
