// SPDX-License-Identifier: Apache-2.0

/// Decides which endpoint is tried next, and when.
package struct Reconnector: Sendable {
    package enum Decision: Equatable, Sendable {
        case connect
        /// `earliest`: the server accepts clients from then on. Even ``SessionEvent/hurry`` waits for it.
        case wait(until: Duration, earliest: Duration)
        case stop(outOfRetries: Bool)
    }

    private let policy: ReconnectPolicy
    private let endpointCount: Int
    /// The index of the endpoint of the current attempt or connection.
    package private(set) var endpoint = 0
    /// The attempts since the first one, or since the last stable connection.
    package private(set) var retryCount = 0
    private var delayCount = 0
    private var triedInRound = 0
    private var readySince: Duration?
    /// Whether the current endpoint is retried because a connection to it ended.
    private var hasComeBack = false

    package init(policy: ReconnectPolicy, endpointCount: Int) {
        precondition(endpointCount > 0, "a session needs an endpoint")
        self.policy = policy
        self.endpointCount = endpointCount
    }

    package mutating func ready(at now: Duration) {
        readySince = now
    }

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
        case .loginRefused, .misconfigured, .endedByUs: return .stop(outOfRetries: false)
        case .kicked(let kick):
            switch kick.advice {
            case .stop: return .stop(outOfRetries: false)
            case .wait(let delay): leastDelay = max(.zero, delay)
            }
            triedInRound = 0
        case .refusedByHTTP(let status) where DisconnectCause.isFinal(status: status):
            return .stop(outOfRetries: false)
        case .refused, .reset, .timedOut, .unknownHost, .failed, .broken, .silent, .endedByPeer, .loginFailed,
            .refusedByHTTP, .notTrusted, .wrongKey:
            break
        }
        if triedInRound > 0, triedInRound < endpointCount {
            retryCount += 1
            return .connect
        }
        if let limit = policy.retryLimit, delayCount >= limit { return .stop(outOfRetries: true) }
        retryCount += 1
        triedInRound = 0
        let spread = policy.spread(
            delayCount, after: leastDelay, serverHasEnded: wasReady && cause.showsThatEndpointLives)
        delayCount += 1
        let earliest = now + leastDelay
        return .wait(until: earliest + Self.random(upTo: spread, using: &random), earliest: earliest)
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
        // Clamps to 292 years.
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, carry) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return .nanoseconds(Int64.random(in: 0...(overflow || carry ? .max : sum), using: &random))
    }
}

extension DisconnectCause {
    /// Whether the cause shows that the endpoint, or a device on the path, still answers.
    fileprivate var showsThatEndpointLives: Bool {
        switch self {
        case .refused, .reset, .broken, .endedByPeer, .kicked, .loginRefused, .loginFailed, .refusedByHTTP: true
        case .timedOut, .unknownHost, .failed, .silent, .notTrusted, .wrongKey, .misconfigured, .endedByUs: false
        }
    }

    /// Whether the known addresses may be the cause.
    /// They do not answer, there are none, or a captive portal answers every name with its own address.
    package var makesAddressesDoubtful: Bool {
        switch self {
        case .timedOut, .unknownHost, .silent, .notTrusted, .wrongKey: true
        case .refused, .reset, .failed, .broken, .endedByPeer, .kicked, .loginRefused, .loginFailed, .refusedByHTTP,
            .misconfigured, .endedByUs:
            false
        }
    }
}
