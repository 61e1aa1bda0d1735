// SPDX-License-Identifier: Apache-2.0

/// Remembers what another resolver has found, for as long as that holds, and longer where the network is bad.
///
///     let resolver = CachingResolver(DNSResolver(servers: [server]))
///     try await resolver.resolveAhead("game.example.com")     // while the user still looks at the first screen
///
/// An answer that has expired is asked for anew; where that fails, or takes longer than ``Policy/patience``, the old one
/// serves for up to ``Policy/staleTime`` (RFC 8767). Who asks for a name that somebody asks for already waits for the same
/// answer. That a host has no address of a family is remembered too, where the resolver says so; errors are not.
public final class CachingResolver: HostResolver {
    /// How long answers serve.
    public struct Policy: Equatable, Sendable {
        /// For how long an answer holds that does not say (default 60 s).
        public var assumedTimeToLive: Duration
        /// For how long any answer holds at the most (default a day), whatever it says.
        public var maximumTimeToLive: Duration
        /// For how long after it has expired an answer serves when no new one can be had (default a day).
        public var staleTime: Duration
        /// How long a new answer is waited for while there is an old one (default 0.5 s).
        public var patience: Duration
        /// After which time a lookup that has not ended is given up, and the next who asks begins a new one (default 30 s).
        /// What it finds after all is remembered.
        public var lookupTimeout: Duration
        /// How many names are remembered, each family for itself (default 1,000, less than 1 counts as 1); of more, those
        /// that expire first are forgotten.
        public var nameLimit: Int

        /// Makes a policy; what is left out has its default.
        public init(
            assumedTimeToLive: Duration = .seconds(60), maximumTimeToLive: Duration = .seconds(86_400),
            staleTime: Duration = .seconds(86_400), patience: Duration = .milliseconds(500),
            lookupTimeout: Duration = .seconds(30), nameLimit: Int = 1_000
        ) {
            self.assumedTimeToLive = assumedTimeToLive
            self.maximumTimeToLive = maximumTimeToLive
            self.staleTime = staleTime
            self.patience = patience
            self.lookupTimeout = lookupTimeout
            self.nameLimit = nameLimit
        }
    }

    private struct Key: Hashable {
        let host: String
        let family: AddressFamily
    }

    private struct Answer {
        let addresses: [SocketAddress]
        var expiry: MonotonicTime
    }

    private typealias Outcome = Result<ResolvedAddresses, TransportError>
    private typealias Waiter = @Sendable (Outcome) -> Void

    private struct State {
        var answers: [Key: Answer] = [:]
        /// The lookups whose answers will hold, by their numbers, in the order in which they have begun: not those of before
        /// something was forgotten or made to expire.
        var lookups: [Key: [Int]] = [:]
        /// Who waits for a lookup, by its number; it has no entry where it has been given up.
        var waiters: [Int: [Waiter]] = [:]
        private var lookupCount = 0

        /// Waits for the latest lookup of a name; whoever began an earlier one has given it up.
        ///
        /// - Returns: The number of a lookup that has to be begun for that; nil where there is one.
        mutating func join(_ key: Key, _ waiter: @escaping Waiter) -> Int? {
            if let latest = lookups[key]?.last, waiters[latest] != nil {
                waiters[latest]?.append(waiter)
                return nil
            }
            lookupCount += 1
            lookups[key, default: []].append(lookupCount)
            waiters[lookupCount] = [waiter]
            return lookupCount
        }

        /// Ends a lookup.
        ///
        /// - Parameter isAnswered: Whether something has been found out.
        /// - Returns: Whether that holds. What lookups that began earlier find out does not any more.
        mutating func end(_ lookup: Int, of key: Key, isAnswered: Bool) -> Bool {
            guard var running = lookups[key], let place = running.firstIndex(of: lookup) else { return false }
            running.removeSubrange((isAnswered ? 0 : place)...place)
            lookups[key] = running.isEmpty ? nil : running
            return isAnswered
        }
    }

    /// What holds.
    public let policy: Policy
    private let resolver: any HostResolver
    private let group: EventLoopGroup?
    private let now: @Sendable () -> MonotonicTime
    private let state = Lock(State())

    /// Makes a memory that is empty.
    ///
    /// - Parameters:
    ///   - resolver: Who is asked.
    ///   - policy: How long answers serve.
    ///   - group: Whose timers limit the waiting; nil: `EventLoopGroup.shared`.
    public convenience init(
        _ resolver: any HostResolver = SystemResolver(), policy: Policy = Policy(), on group: EventLoopGroup? = nil
    ) {
        self.init(resolver, policy: policy, on: group) { .now }
    }

    /// - Parameter now: The clock.
    package init(
        _ resolver: any HostResolver, policy: Policy, on group: EventLoopGroup? = nil,
        now: @escaping @Sendable () -> MonotonicTime
    ) {
        self.resolver = resolver
        self.policy = policy
        self.group = group
        self.now = now
    }

    /// Looks a host up so that the answer is there when it is needed; where it is, nothing is asked.
    ///
    /// - Throws: What the resolver says, where it has an address of neither family.
    public func resolveAhead(_ host: String) async throws(TransportError) {
        async let later = outcome(host, .ipv4)
        let outcomes = [await outcome(host, .ipv6), await later]
        let answers = outcomes.compactMap { try? $0.get() }
        guard answers.allSatisfy(\.addresses.isEmpty) else { return }
        for outcome in outcomes { _ = try outcome.get() }
        throw .unknownHost(host, reason: "the name has no address")
    }

    private func outcome(_ host: String, _ family: AddressFamily) async -> Outcome {
        do throws(TransportError) {
            return .success(try await addresses(of: host, family))
        } catch {
            return .failure(error)
        }
    }

    /// Forgets everything, for when the machine has come into another network. What is on its way is dealt with as
    /// ``expire(_:)`` does.
    public func removeAll() {
        state.withLock { state in
            state.answers = [:]
            state.lookups = [:]
        }
    }

    /// Has a host's answers expire now. Until new ones are there they serve as any that have expired. An answer that is on
    /// its way may be from another network: it serves those who wait for it already, and is not remembered, and who asks
    /// from now on is asked for anew.
    public func expire(_ host: String) {
        let now = now()
        let host = host.lowercased()
        state.withLock { state in
            for family in AddressFamily.allCases {
                let key = Key(host: host, family: family)
                if let answer = state.answers[key] { state.answers[key]?.expiry = min(answer.expiry, now) }
                state.lookups[key] = nil
            }
        }
    }

    public func addresses(
        of host: String, _ family: AddressFamily
    ) async throws(TransportError) -> ResolvedAddresses {
        let key = Key(host: host.lowercased(), family: family)
        let old = state.withLock { $0.answers[key] }
        guard let old, old.expiry + policy.staleTime > now() else { return try await lookUp(key, timeout: nil) }
        if let fresh = Self.fresh(old, at: now()) { return fresh }
        do throws(TransportError) {
            return try await lookUp(key, timeout: policy.patience)
        } catch {
            switch error {
            case .cancelled, .unknownHost: throw error
            default: return ResolvedAddresses(old.addresses, timeToLive: .zero)
            }
        }
    }

    /// An answer that has not expired.
    private static func fresh(_ answer: Answer, at now: MonotonicTime) -> ResolvedAddresses? {
        let timeLeft = now.duration(to: answer.expiry)
        return timeLeft > .zero ? ResolvedAddresses(answer.addresses, timeToLive: timeLeft) : nil
    }

    /// Waits for an answer, together with all who ask for the same.
    private func lookUp(_ key: Key, timeout: Duration?) async throws(TransportError) -> ResolvedAddresses {
        let loop = try EventLoopGroup.sharedUnless(group).nextLoop()
        return try await Attempt.run(on: loop, timeout: timeout) { attempt in
            self.join(key, on: loop) { outcome in loop.execute { attempt.finish(outcome) } }
        }
    }

    private func join(_ key: Key, on loop: EventLoop, _ waiter: @escaping Waiter) {
        let now = now()
        let (known, begun) = state.withLock { state in
            // Somebody else's answer may have come in the meantime.
            let known = state.answers[key].flatMap { Self.fresh($0, at: now) }
            return (known, known == nil ? state.join(key, waiter) : nil)
        }
        if let known { return waiter(.success(known)) }
        guard let lookup = begun else { return }
        // Those who asked wait for what it tells them, and not for the task: what it has found serves the next who asks,
        // although these may have gone.
        Task {
            let outcome: Outcome
            do throws(TransportError) {
                outcome = .success(
                    try await Attempt.run(on: loop, timeout: policy.lookupTimeout) { attempt in
                        Task {
                            let outcome = await self.ask(key, lookup)
                            loop.execute { attempt.finish(outcome) }
                        }
                    })
            } catch {
                outcome = .failure(error)
            }
            let waiters = state.withLock { $0.waiters.removeValue(forKey: lookup) ?? [] }
            for waiter in waiters { waiter(outcome) }
        }
    }

    /// Asks the resolver, and remembers what it says.
    private func ask(_ key: Key, _ lookup: Int) async -> Outcome {
        let outcome: Outcome
        do throws(TransportError) {
            outcome = .success(try await resolver.addresses(of: key.host, key.family))
        } catch {
            outcome = .failure(error)
        }
        let now = now()
        state.withLock { state in
            guard state.end(lookup, of: key, isAnswered: Self.isAnswer(outcome)) else { return }
            switch outcome {
            case .success(let answer): remember(answer, key, &state, at: now)
            case .failure: state.answers[key] = nil
            }
        }
        return outcome
    }

    /// Whether an outcome says what is so; that there is no such host does.
    private static func isAnswer(_ outcome: Outcome) -> Bool {
        switch outcome {
        case .success, .failure(.unknownHost): true
        case .failure: false
        }
    }

    private func remember(_ answer: ResolvedAddresses, _ key: Key, _ state: inout State, at now: MonotonicTime) {
        let time = min(answer.timeToLive ?? policy.assumedTimeToLive, policy.maximumTimeToLive)
        state.answers[key] = Answer(addresses: answer.addresses, expiry: now + time)
        while state.answers.count > max(1, policy.nameLimit) {
            let first = state.answers.filter { $0.key != key }.min { $0.value.expiry < $1.value.expiry }
            guard let first else { return }
            state.answers[first.key] = nil
        }
    }
}
