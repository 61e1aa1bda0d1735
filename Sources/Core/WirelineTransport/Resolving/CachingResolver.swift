// SPDX-License-Identifier: Apache-2.0

/// Caches the answers of another resolver for their time to live, and longer while the network is bad.
///
///     let resolver = CachingResolver(DNSResolver(servers: [server]))
///     try await resolver.resolveAhead("game.example.com")     // while the user still looks at the first screen
///
/// An expired answer is looked up again. If that fails, or takes longer than ``Policy/patience``, the old answer is
/// used for up to ``Policy/staleTime`` (RFC 8767). Callers that ask for the same name at the same time share one
/// lookup. If the resolver reports that a host has no address of a family, the cache keeps that too; it does not keep
/// errors.
public final class CachingResolver: HostResolver {
    /// How long answers are used.
    public struct Policy: Equatable, Sendable {
        /// The time to live of an answer that states none (default 60 s).
        public var assumedTimeToLive: Duration
        /// The upper bound of any time to live (default 1 day).
        public var maximumTimeToLive: Duration
        /// How long an expired answer is used if no new one can be had (default 1 day).
        public var staleTime: Duration
        /// How long to wait for a new answer while there is an old one (default 0.5 s).
        public var patience: Duration
        /// How long a lookup may run before the next caller begins a new one (default 30 s).
        /// If the old one still finds an answer, that is cached.
        public var lookupTimeout: Duration
        /// The largest number of cached names, counted for each family (default 1,000; at least 1).
        /// Beyond it, those that expire first are removed.
        public var nameLimit: Int

        /// Makes a policy; values left out have their default.
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
        /// The valid lookups by number, in the order in which they began.
        /// Lookups from before ``removeAll()`` or ``expire(_:)`` are not valid.
        var lookups: [Key: [Int]] = [:]
        /// The waiters of each lookup, by its number; no entry after ``Policy/lookupTimeout``.
        var waiters: [Int: [Waiter]] = [:]
        private var lookupCount = 0

        /// Joins the latest lookup of a name, unless that has timed out.
        ///
        /// - Returns: The number of a new lookup that the caller must begin; nil if one is running.
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
        /// - Parameter isAnswered: Whether it has found an answer.
        /// - Returns: Whether the answer is valid. An answer invalidates lookups that began earlier.
        mutating func end(_ lookup: Int, of key: Key, isAnswered: Bool) -> Bool {
            guard var running = lookups[key], let place = running.firstIndex(of: lookup) else { return false }
            running.removeSubrange((isAnswered ? 0 : place)...place)
            lookups[key] = running.isEmpty ? nil : running
            return isAnswered
        }
    }

    /// How long answers are used.
    public let policy: Policy
    private let resolver: any HostResolver
    private let group: EventLoopGroup?
    private let now: @Sendable () -> MonotonicTime
    private let state = Lock(State())

    /// Makes an empty cache.
    ///
    /// - Parameters:
    ///   - resolver: The resolver to ask.
    ///   - policy: How long answers are used.
    ///   - group: The loops whose timers limit the waiting; nil: `EventLoopGroup.shared`.
    public convenience init(
        _ resolver: any HostResolver = SystemResolver(), policy: Policy = Policy(), on group: EventLoopGroup? = nil
    ) {
        self.init(resolver, policy: policy, on: group) { .now }
    }

    package init(
        _ resolver: any HostResolver, policy: Policy, on group: EventLoopGroup? = nil,
        now: @escaping @Sendable () -> MonotonicTime
    ) {
        self.resolver = resolver
        self.policy = policy
        self.group = group
        self.now = now
    }

    /// Looks up a host ahead of time; asks nothing if its answer is cached.
    ///
    /// - Throws: The resolver's error, if it finds an address of neither family.
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

    /// Clears the cache, for example after a change of network. Running lookups are treated as in ``expire(_:)``.
    public func removeAll() {
        state.withLock { state in
            state.answers = [:]
            state.lookups = [:]
        }
    }

    /// Makes a host's answers expire now; until new ones arrive they are used like any expired ones.
    ///
    /// A running lookup may be from another network: its answer goes to its current waiters but is not cached. Later
    /// callers begin a new lookup.
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

    /// Nil if the answer has expired.
    private static func fresh(_ answer: Answer, at now: MonotonicTime) -> ResolvedAddresses? {
        let timeLeft = now.duration(to: answer.expiry)
        return timeLeft > .zero ? ResolvedAddresses(answer.addresses, timeToLive: timeLeft) : nil
    }

    /// Callers that ask for the same share a lookup.
    private func lookUp(_ key: Key, timeout: Duration?) async throws(TransportError) -> ResolvedAddresses {
        let loop = try EventLoopGroup.sharedUnless(group).nextLoop()
        return try await Attempt.run(on: loop, timeout: timeout) { attempt in
            self.join(key, on: loop) { outcome in loop.execute { attempt.finish(outcome) } }
        }
    }

    private func join(_ key: Key, on loop: EventLoop, _ waiter: @escaping Waiter) {
        let now = now()
        let (known, begun) = state.withLock { state in
            // Another caller's answer may have arrived meanwhile.
            let known = state.answers[key].flatMap { Self.fresh($0, at: now) }
            return (known, known == nil ? state.join(key, waiter) : nil)
        }
        if let known { return waiter(.success(known)) }
        guard let lookup = begun else { return }
        // Nobody awaits this task: it calls the waiters with its outcome. If they have left, its answer serves the next
        // caller.
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

    /// Whether an outcome is an answer; "no such host" is one.
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
