// SPDX-License-Identifier: Apache-2.0

/// The timing of connection attempts (RFC 8305).
package struct RacePolicy: Equatable, Sendable {
    /// The allowed range of the delay between two attempts (RFC 8305 §8).
    package static let attemptDelays: ClosedRange<Duration> = .milliseconds(100) ... .seconds(2)

    /// The wait for IPv6 addresses after the IPv4 ones are known (RFC 8305 §8: 50 ms).
    package let resolutionDelay = Duration.milliseconds(50)
    /// The delay before the next attempt starts while another one runs (RFC 8305 §8: 250 ms).
    package let attemptDelay: Duration
    /// When the race ends in any case.
    package let deadline: Duration

    package init(attemptDelay: Duration = .milliseconds(250), deadline: Duration) {
        self.attemptDelay = min(max(attemptDelay, Self.attemptDelays.lowerBound), Self.attemptDelays.upperBound)
        self.deadline = deadline
    }
}

/// Chooses the address of a host to connect to: the first that answers (happy eyeballs, RFC 8305).
///
/// Both families are looked up at the same time. Attempts begin with the first IPv6 address, or with an IPv4 one if no
/// IPv6 address is known 50 ms later. Then the families alternate. The next attempt begins after
/// ``RacePolicy/attemptDelay``, or at once when one fails; earlier attempts continue. So an address that does not
/// answer costs one delay, not a timeout.
///
/// If all fail, or time is up, the race reports the most telling failure. An answer (refused, reset) ranks first, then
/// silence, then a system error, then a missing address. Among equals it reports the first.
///
/// Times are durations since any fixed moment. Hand in ``Event/timerFired`` at `deadline`.
package struct ConnectionRace<Address: Hashable & Sendable, Failure: Error & Equatable>: Sendable {
    package enum Family: Sendable {
        case ipv6, ipv4
    }

    package enum Event: Sendable {
        /// A lookup has ended, perhaps without addresses.
        case found(Family, [Address])
        case lookupFailed(Family, Failure, DisconnectCause)
        case connected(attempt: Int)
        case attemptFailed(Int, Failure, DisconnectCause)
        case timerFired
    }

    package enum Action: Equatable, Sendable {
        /// Begin an attempt; the first has number 1.
        case begin(attempt: Int, Address)
        case abandon(attempt: Int)
        /// The attempt has made the connection. No action follows.
        case won(attempt: Int)
        /// There is no connection; nil: there are no addresses. No action follows.
        case lost(Failure?)
    }

    /// The most addresses of a family. With the usual delay, no deadline leaves time for more.
    package static var addressLimit: Int { 32 }

    private struct Side {
        var isLookedUp = false
        var addresses: [Address] = []
    }

    private let policy: RacePolicy
    private let timeout: Failure
    private var ipv6 = Side()
    private var ipv4 = Side()
    private var lastFamily: Family?
    private var attemptCount = 0
    private var running: [Int] = []
    /// Before this time, the race waits for IPv6 addresses.
    private var patience: Duration?
    private var nextAttempt = Duration.zero
    private var failure: (failure: Failure, weight: Int)?
    private var isOver = false

    /// - Parameters:
    ///   - lookups: The families whose addresses are being looked up.
    ///   - timeout: The failure to report at the deadline.
    package init(_ policy: RacePolicy, lookups: Set<Family>, timeout: Failure) {
        self.policy = policy
        self.timeout = timeout
        ipv6.isLookedUp = lookups.contains(.ipv6)
        ipv4.isLookedUp = lookups.contains(.ipv4)
    }

    /// Hand in ``Event/timerFired`` by then; nil: never.
    package var deadline: Duration? {
        guard !isOver else { return nil }
        guard nextFamily != nil else { return policy.deadline }
        return min(policy.deadline, attemptCount == 0 ? patience ?? policy.deadline : nextAttempt)
    }

    package mutating func handle(_ event: Event, at now: Duration, into actions: inout [Action]) {
        guard !isOver else { return }
        switch event {
        case .found(let family, let addresses): found(addresses, family)
        case .lookupFailed(let family, let failure, let cause):
            found([], family)
            consider(failure, cause)
        case .connected(let attempt):
            running.removeAll { $0 == attempt }
            return end(.won(attempt: attempt), into: &actions)
        case .attemptFailed(let attempt, let failure, let cause):
            running.removeAll { $0 == attempt }
            consider(failure, cause)
            nextAttempt = now
        case .timerFired:
            guard now >= policy.deadline else { break }
            consider(timeout, .timedOut)
            return end(.lost(failure?.failure), into: &actions)
        }
        beginAttempt(at: now, into: &actions)
        guard running.isEmpty, nextFamily == nil, !ipv6.isLookedUp, !ipv4.isLookedUp else { return }
        end(.lost(failure?.failure), into: &actions)
    }

    private mutating func found(_ addresses: [Address], _ family: Family) {
        var side = Side()
        for address in addresses where side.addresses.count < Self.addressLimit && !side.addresses.contains(address) {
            side.addresses.append(address)
        }
        if family == .ipv6 { ipv6 = side } else { ipv4 = side }
    }

    /// The family of the next address; nil: none is left (RFC 8305 §4, with one address of the first family).
    private var nextFamily: Family? {
        switch (ipv6.addresses.isEmpty, ipv4.addresses.isEmpty) {
        case (true, true): nil
        case (true, false): .ipv4
        case (false, true): .ipv6
        case (false, false): lastFamily == .ipv6 ? .ipv4 : .ipv6
        }
    }

    private mutating func beginAttempt(at now: Duration, into actions: inout [Action]) {
        guard let family = nextFamily else { return }
        if attemptCount == 0, family == .ipv4, ipv6.isLookedUp {
            let patience = patience ?? now + policy.resolutionDelay
            self.patience = patience
            guard now >= patience else { return }
        } else if !running.isEmpty, now < nextAttempt {
            return
        }
        let address = family == .ipv6 ? ipv6.addresses.removeFirst() : ipv4.addresses.removeFirst()
        lastFamily = family
        attemptCount += 1
        running.append(attemptCount)
        nextAttempt = now + policy.attemptDelay
        actions.append(.begin(attempt: attemptCount, address))
    }

    /// Keeps the failure that says most.
    private mutating func consider(_ failure: Failure, _ cause: DisconnectCause) {
        let weight =
            switch cause {
            case .refused, .reset: 3
            case .timedOut: 2
            case .unknownHost: 0
            default: 1
            }
        if weight > self.failure?.weight ?? -1 { self.failure = (failure, weight) }
    }

    private mutating func end(_ action: Action, into actions: inout [Action]) {
        isOver = true
        for attempt in running { actions.append(.abandon(attempt: attempt)) }
        actions.append(action)
        running = []
    }
}
