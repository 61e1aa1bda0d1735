// SPDX-License-Identifier: Apache-2.0

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
    /// Whether the endpoint was come back to, because a connection to it had ended.
    private var hasComeBack = false

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
        }
        let next = nextEndpoint(cause, wasReady: wasReady, wasStable: wasStable)
        hasComeBack = next == endpoint
        endpoint = next
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

    private func nextEndpoint(_ cause: DisconnectCause, wasReady: Bool, wasStable: Bool) -> Int {
        if wasReady, cause.showsThatEndpointLives {
            if wasStable { return 0 }
            if !hasComeBack { return endpoint }
        }
        return (endpoint + 1) % endpointCount
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

extension DisconnectCause {
    /// Whether it is heard from the endpoint itself, or from somebody on the way to it, that a connection has ended.
    fileprivate var showsThatEndpointLives: Bool {
        switch self {
        case .refused, .reset, .broken, .endedByPeer, .kicked, .loginRefused, .loginFailed: true
        case .timedOut, .unknownHost, .failed, .silent, .notTrusted, .misconfigured, .endedByUs: false
        }
    }

    /// Whether the addresses that are known may be why: nobody answers there any more, or there are none.
    package var makesAddressesDoubtful: Bool {
        switch self {
        case .timedOut, .unknownHost, .silent: true
        case .refused, .reset, .failed, .broken, .endedByPeer, .kicked, .loginRefused, .loginFailed, .notTrusted,
            .misconfigured, .endedByUs:
            false
        }
    }
}
