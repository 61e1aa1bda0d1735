// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineTransport

/// A cache in front of a resolver. The test controls the clock and the resolver.
@Suite(.ahead)
struct CachingResolverTests {
    /// What the resolver below answers, how often it was asked, and the time.
    final class World: Sendable {
        struct State {
            var seconds: Int64 = 1_000
            var outcomes: [AddressFamily: Result<ResolvedAddresses, TransportError>] = [:]
            var asked: [String] = []
            var held: [CheckedContinuation<Void, Never>]?
        }

        let state = Lock(State())
        /// Yields when the resolver below is asked.
        let questions: AsyncStream<Void>
        private let feed: AsyncStream<Void>.Continuation

        init() {
            (questions, feed) = AsyncStream.makeStream()
        }

        func resolver(_ policy: CachingResolver.Policy = .patient()) -> CachingResolver {
            CachingResolver(ClosureResolver(answer), policy: policy) {
                MonotonicTime(nanoseconds: self.state.withLock(\.seconds) * 1_000_000_000)
            }
        }

        private func answer(
            _ host: String, _ family: AddressFamily
        ) async throws(TransportError) -> ResolvedAddresses {
            await withCheckedContinuation { continuation in
                let goesOn = state.withLock { state in
                    state.asked.append("\(host) \(family)")
                    guard state.held != nil else { return true }
                    state.held?.append(continuation)
                    return false
                }
                feed.yield()
                if goesOn { continuation.resume() }
            }
            let outcome = state.withLock { $0.outcomes[family] }
            return try outcome?.get() ?? ResolvedAddresses([])
        }

        func says(_ address: String?, seconds: Int64?, _ family: AddressFamily = .ipv4) throws {
            let answer = try ResolvedAddresses(
                ipAddresses: address.map { [$0] } ?? [], timeToLive: seconds.map { .seconds($0) })
            state.withLock { $0.outcomes[family] = .success(answer) }
        }

        func fails(_ error: TransportError, _ family: AddressFamily = .ipv4) {
            state.withLock { $0.outcomes[family] = .failure(error) }
        }

        func wait(_ seconds: Int64) { state.withLock { $0.seconds += seconds } }

        /// From now on, questions are not answered until ``letGo()``.
        func hold() { state.withLock { $0.held = [] } }

        func letGo() {
            for continuation in answerFromNowOn() { continuation.resume() }
        }

        /// From now on, questions are answered, except those that already wait.
        func answerFromNowOn() -> [CheckedContinuation<Void, Never>] { state.withLock { $0.held.take() ?? [] } }

        var askedCount: Int { state.withLock(\.asked.count) }
    }

    static func answer(_ address: String, seconds: Int64) throws -> ResolvedAddresses {
        try ResolvedAddresses(ipAddresses: [address], timeToLive: .seconds(seconds))
    }

    static let failure = TransportError.lookupFailed("a.test", reason: "no answer")

    @Test func `an answer is valid for its time to live, and names ignore case`() async throws {
        let world = World()
        let resolver = world.resolver()
        try world.says("192.0.2.1", seconds: 30)
        #expect(try await resolver.addresses(of: "A.test", .ipv4) == Self.answer("192.0.2.1", seconds: 30))
        world.wait(29)
        try world.says("192.0.2.2", seconds: 30)
        #expect(try await resolver.addresses(of: "a.test", .ipv4) == Self.answer("192.0.2.1", seconds: 1))
        #expect(world.askedCount == 1)
        world.wait(1)
        #expect(try await resolver.addresses(of: "a.test", .ipv4) == Self.answer("192.0.2.2", seconds: 30))
        #expect(world.askedCount == 2)
    }

    @Test func `an expired host is looked up again, and no other host`() async throws {
        let world = World()
        let resolver = world.resolver()
        try world.says("192.0.2.1", seconds: 30)
        for host in ["a.test", "b.test"] { _ = try await resolver.addresses(of: host, .ipv4) }
        resolver.expire("A.test")
        try world.says("192.0.2.2", seconds: 30)
        #expect(try await resolver.addresses(of: "a.test", .ipv4) == Self.answer("192.0.2.2", seconds: 30))
        #expect(try await resolver.addresses(of: "b.test", .ipv4) == Self.answer("192.0.2.1", seconds: 30))
        #expect(world.askedCount == 3)
    }

    @Test func `an answer that was expired early is used while no new answer comes`() async throws {
        let world = World()
        let resolver = world.resolver()
        try world.says("192.0.2.1", seconds: 30)
        _ = try await resolver.addresses(of: "a.test", .ipv4)
        resolver.expire("a.test")
        world.fails(Self.failure)
        #expect(try await resolver.addresses(of: "a.test", .ipv4).addresses.map(\.ipAddress) == ["192.0.2.1"])
        #expect(world.askedCount == 2)
        // An answer that expired long ago is not used again.
        world.wait(86_400)
        resolver.expire("a.test")
        await #expect(throws: Self.failure) { try await resolver.addresses(of: "a.test", .ipv4) }
    }

    @Test func `an answer without a time to live is valid for a minute, any other for a day at most`() async throws {
        let world = World()
        let resolver = world.resolver()
        try world.says("192.0.2.1", seconds: nil)
        try world.says("2001:db8::1", seconds: 10_000_000, .ipv6)
        for _ in 0..<2 {
            _ = try await resolver.addresses(of: "a.test", .ipv4)
            _ = try await resolver.addresses(of: "a.test", .ipv6)
        }
        #expect(world.askedCount == 2)
        world.wait(59)
        #expect(try await resolver.addresses(of: "a.test", .ipv4) == Self.answer("192.0.2.1", seconds: 1))
        #expect(
            try await resolver.addresses(of: "a.test", .ipv6) == Self.answer("2001:db8::1", seconds: 86_400 - 59))
    }

    @Test func `an empty answer is cached, an error is not`() async throws {
        let world = World()
        let resolver = world.resolver()
        try world.says(nil, seconds: 30)
        for _ in 0..<2 { #expect(try await resolver.addresses(of: "a.test", .ipv4).addresses.isEmpty) }
        #expect(world.askedCount == 1)
        world.fails(Self.failure, .ipv6)
        for _ in 0..<2 {
            await #expect(throws: Self.failure) { try await resolver.addresses(of: "a.test", .ipv6) }
        }
        #expect(world.askedCount == 3)
    }

    @Test func `an old answer is used while lookups fail, for as long as the policy says`() async throws {
        let world = World()
        let resolver = world.resolver(.patient { $0.staleTime = .seconds(100) })
        try world.says("192.0.2.1", seconds: 30)
        _ = try await resolver.addresses(of: "a.test", .ipv4)
        world.fails(Self.failure)
        world.wait(129)
        #expect(try await resolver.addresses(of: "a.test", .ipv4) == Self.answer("192.0.2.1", seconds: 0))
        world.wait(1)
        await #expect(throws: Self.failure) { try await resolver.addresses(of: "a.test", .ipv4) }
        #expect(world.askedCount == 3)
    }

    @Test func `an unknown host removes its old answer`() async throws {
        let world = World()
        let resolver = world.resolver()
        try world.says("192.0.2.1", seconds: 30)
        _ = try await resolver.addresses(of: "a.test", .ipv4)
        world.wait(30)
        let gone = TransportError.unknownHost("a.test", reason: "gone")
        world.fails(gone)
        await #expect(throws: gone) { try await resolver.addresses(of: "a.test", .ipv4) }
        world.fails(Self.failure)
        await #expect(throws: Self.failure) { try await resolver.addresses(of: "a.test", .ipv4) }
    }

    @Test func `a slow answer does not delay a caller with an old one, and the next caller gets it`() async throws {
        let world = World()
        let resolver = world.resolver(.patient { $0.patience = .milliseconds(10) })
        try world.says("192.0.2.1", seconds: 30)
        _ = try await resolver.addresses(of: "a.test", .ipv4)
        world.wait(30)
        try world.says("192.0.2.2", seconds: 30)
        world.hold()
        #expect(try await resolver.addresses(of: "a.test", .ipv4) == Self.answer("192.0.2.1", seconds: 0))
        // The lookup is still running, so no new one starts.
        #expect(try await resolver.addresses(of: "a.test", .ipv4) == Self.answer("192.0.2.1", seconds: 0))
        // A caller that does not wait may be faster than the question.
        var questions = world.questions.makeAsyncIterator()
        for _ in 0..<2 { _ = await questions.next() }
        #expect(world.askedCount == 2)
        world.letGo()
        while try await resolver.addresses(of: "a.test", .ipv4) != Self.answer("192.0.2.2", seconds: 30) {}
        #expect(world.askedCount == 2)
    }

    @Test func `callers for one host wait for one lookup, and a cancelled caller stops waiting`() async throws {
        let world = World()
        let resolver = world.resolver()
        try world.says("192.0.2.1", seconds: 30)
        world.hold()
        let cancelled = Task { try await resolver.addresses(of: "a.test", .ipv4) }
        var questions = world.questions.makeAsyncIterator()
        _ = await questions.next()
        let others = (0..<10).map { _ in Task { try await resolver.addresses(of: "a.test", .ipv4) } }
        cancelled.cancel()
        await #expect(throws: TransportError.cancelled) { try await cancelled.value }
        world.letGo()
        for other in others {
            #expect(try await other.value.addresses == Self.answer("192.0.2.1", seconds: 30).addresses)
        }
        #expect(world.askedCount == 1)
    }

    @Test func `a lookup that hangs times out, a new one starts, and a late answer is cached`() async throws {
        let world = World()
        let resolver = world.resolver(.patient { $0.lookupTimeout = .milliseconds(20) })
        try world.says("192.0.2.1", seconds: 30)
        world.hold()
        for _ in 0..<2 {
            await #expect(throws: TransportError.timedOut) { try await resolver.addresses(of: "a.test", .ipv4) }
        }
        // The time may be over before the question is asked.
        var questions = world.questions.makeAsyncIterator()
        for _ in 0..<2 { _ = await questions.next() }
        #expect(world.askedCount == 2)
        world.letGo()
        // No later question is answered.
        world.hold()
        while (try? await resolver.addresses(of: "a.test", .ipv4)) == nil {}
        #expect(try await resolver.addresses(of: "a.test", .ipv4) == Self.answer("192.0.2.1", seconds: 30))
        world.letGo()
    }

    @Test func `a host that is resolved ahead is in the cache`() async throws {
        let world = World()
        let resolver = world.resolver()
        try world.says("192.0.2.1", seconds: 30)
        world.fails(Self.failure, .ipv6)
        try await resolver.resolveAhead("a.test")
        #expect(world.state.withLock(\.asked).sorted() == ["a.test IPv4", "a.test IPv6"])
        world.fails(Self.failure)
        #expect(try await resolver.addresses(of: "a.test", .ipv4) == Self.answer("192.0.2.1", seconds: 30))
        #expect(world.askedCount == 2)
    }

    @Test func `resolving ahead throws if there is no address`() async throws {
        let world = World()
        let resolver = world.resolver()
        await #expect(throws: TransportError.unknownHost("a.test", reason: "the name has no address")) {
            try await resolver.resolveAhead("a.test")
        }
        world.fails(Self.failure)
        world.wait(100)
        await #expect(throws: TransportError.self) { try await resolver.resolveAhead("b.test") }
    }

    /// Asks for addresses, and runs a closure while the lookup runs.
    private static func ask(
        _ resolver: CachingResolver, in world: World, questionCount: Int, meanwhile change: () -> Void
    ) async throws {
        world.hold()
        let task = Task { try await resolver.addresses(of: "a.test", .ipv4) }
        var questions = world.questions.makeAsyncIterator()
        for _ in 0..<questionCount { _ = await questions.next() }
        change()
        world.letGo()
        _ = try await task.value
    }

    @Test func `a forgotten host is looked up again, and a running lookup is not cached`() async throws {
        let world = World()
        let resolver = world.resolver()
        try world.says("192.0.2.1", seconds: 30)
        _ = try await resolver.addresses(of: "a.test", .ipv4)
        resolver.removeAll()
        try await Self.ask(resolver, in: world, questionCount: 2) { resolver.removeAll() }
        _ = try await resolver.addresses(of: "a.test", .ipv4)
        #expect(world.askedCount == 3)
    }

    @Test func `a running lookup is not cached if its host expires`() async throws {
        let world = World()
        let resolver = world.resolver()
        try world.says("192.0.2.1", seconds: 30)
        try await Self.ask(resolver, in: world, questionCount: 1) { resolver.expire("a.test") }
        _ = try await resolver.addresses(of: "a.test", .ipv4)
        #expect(world.askedCount == 2)
    }

    @Test func `a running lookup is cached if another host expires`() async throws {
        let world = World()
        let resolver = world.resolver()
        try world.says("192.0.2.1", seconds: 30)
        try await Self.ask(resolver, in: world, questionCount: 1) { resolver.expire("b.test") }
        #expect(try await resolver.addresses(of: "a.test", .ipv4) == Self.answer("192.0.2.1", seconds: 30))
        #expect(world.askedCount == 1)
    }

    @Test(arguments: [true, false])
    func `a lookup after a network change does not wait for one before it`(isAll: Bool) async throws {
        let world = World()
        let resolver = world.resolver()
        world.hold()
        let before = Task { try await resolver.addresses(of: "a.test", .ipv4) }
        var questions = world.questions.makeAsyncIterator()
        _ = await questions.next()
        if isAll { resolver.removeAll() } else { resolver.expire("A.test") }
        let held = world.answerFromNowOn()
        try world.says("192.0.2.2", seconds: 30)
        #expect(try await resolver.addresses(of: "a.test", .ipv4) == Self.answer("192.0.2.2", seconds: 30))
        // No answer of the old network counts, not even that the host does not exist.
        let gone = TransportError.unknownHost("a.test", reason: "gone")
        world.fails(gone)
        for continuation in held { continuation.resume() }
        await #expect(throws: gone) { try await before.value }
        #expect(try await resolver.addresses(of: "a.test", .ipv4) == Self.answer("192.0.2.2", seconds: 30))
        #expect(world.askedCount == 2)
    }

    @Test func `the cache holds no more names than the policy says`() async throws {
        let world = World()
        let resolver = world.resolver(.patient { $0.nameLimit = 2 })
        try world.says("192.0.2.1", seconds: 30)
        for name in ["a", "b"] {
            _ = try await resolver.addresses(of: name, .ipv4)
            world.wait(1)
        }
        _ = try await resolver.addresses(of: "c", .ipv4)
        _ = try await resolver.addresses(of: "b", .ipv4)
        #expect(world.askedCount == 3)
        _ = try await resolver.addresses(of: "a", .ipv4)
        #expect(world.askedCount == 4)
    }
}

extension CachingResolver.Policy {
    /// Waits as long as a busy machine may take, except for what a test sets.
    fileprivate static func patient(_ change: (inout CachingResolver.Policy) -> Void = { _ in }) -> Self {
        var policy = Self(patience: .seconds(3_000), lookupTimeout: .seconds(3_000))
        change(&policy)
        return policy
    }
}
