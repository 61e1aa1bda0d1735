// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineTransport

/// The memory in front of a resolver, with a clock and a resolver that the test moves.
@Suite(.ahead, .timeLimit(.minutes(300)))
struct CachingResolverTests {
    /// What the resolver behind says, how often it was asked, and what time it is.
    final class World: Sendable {
        struct State {
            var seconds: Int64 = 1_000
            var outcomes: [AddressFamily: Result<ResolvedAddresses, TransportError>] = [:]
            var asked: [String] = []
            var held: [CheckedContinuation<Void, Never>]?
        }

        let state = Lock(State())
        /// Yields when the resolver behind has been asked.
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

        /// From now on questions are not answered until ``letGo()``.
        func hold() { state.withLock { $0.held = [] } }

        func letGo() {
            for continuation in answerFromNowOn() { continuation.resume() }
        }

        /// From now on questions are answered, but for those that are held already.
        func answerFromNowOn() -> [CheckedContinuation<Void, Never>] { state.withLock { $0.held.take() ?? [] } }

        var askedCount: Int { state.withLock(\.asked.count) }
    }

    static func answer(_ address: String, seconds: Int64) throws -> ResolvedAddresses {
        try ResolvedAddresses(ipAddresses: [address], timeToLive: .seconds(seconds))
    }

    static let failure = TransportError.lookupFailed("a.test", reason: "no answer")

    @Test func `an answer holds as long as it says, whatever the name's case`() async throws {
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

    @Test func `a host that is to expire is asked for anew, and no other`() async throws {
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

    @Test func `what has expired before its time serves while no new answer can be had`() async throws {
        let world = World()
        let resolver = world.resolver()
        try world.says("192.0.2.1", seconds: 30)
        _ = try await resolver.addresses(of: "a.test", .ipv4)
        resolver.expire("a.test")
        world.fails(Self.failure)
        #expect(try await resolver.addresses(of: "a.test", .ipv4).addresses.map(\.ipAddress) == ["192.0.2.1"])
        #expect(world.askedCount == 2)
        // An answer that has expired long ago does not come to life again.
        world.wait(86_400)
        resolver.expire("a.test")
        await #expect(throws: Self.failure) { try await resolver.addresses(of: "a.test", .ipv4) }
    }

    @Test func `an answer that does not say holds a minute, and none longer than a day`() async throws {
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

    @Test func `that there are no addresses is remembered, errors are not`() async throws {
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

    @Test func `an old answer serves while no new one can be had, for as long as the policy says`() async throws {
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

    @Test func `that a host is gone ends the old answer`() async throws {
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

    @Test func `a slow answer is not waited for where there is an old one, and serves the next`() async throws {
        let world = World()
        let resolver = world.resolver(.patient { $0.patience = .milliseconds(10) })
        try world.says("192.0.2.1", seconds: 30)
        _ = try await resolver.addresses(of: "a.test", .ipv4)
        world.wait(30)
        try world.says("192.0.2.2", seconds: 30)
        world.hold()
        #expect(try await resolver.addresses(of: "a.test", .ipv4) == Self.answer("192.0.2.1", seconds: 0))
        // It is still being looked up, so nothing is asked again.
        #expect(try await resolver.addresses(of: "a.test", .ipv4) == Self.answer("192.0.2.1", seconds: 0))
        // Who does not wait may be ahead of the question.
        var questions = world.questions.makeAsyncIterator()
        for _ in 0..<2 { _ = await questions.next() }
        #expect(world.askedCount == 2)
        world.letGo()
        while try await resolver.addresses(of: "a.test", .ipv4) != Self.answer("192.0.2.2", seconds: 30) {}
        #expect(world.askedCount == 2)
    }

    @Test func `who asks for the same waits for one answer, and who is cancelled for none`() async throws {
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

    @Test func `a lookup that does not end is given up, the next one is another, and its late answer is remembered`()
        async throws
    {
        let world = World()
        let resolver = world.resolver(.patient { $0.lookupTimeout = .milliseconds(20) })
        try world.says("192.0.2.1", seconds: 30)
        world.hold()
        for _ in 0..<2 {
            await #expect(throws: TransportError.timedOut) { try await resolver.addresses(of: "a.test", .ipv4) }
        }
        // The time may be over before the question has been asked.
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

    @Test func `what is resolved ahead is there when it is needed`() async throws {
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

    @Test func `resolving ahead says when there is nothing`() async throws {
        let world = World()
        let resolver = world.resolver()
        await #expect(throws: TransportError.unknownHost("a.test", reason: "the name has no address")) {
            try await resolver.resolveAhead("a.test")
        }
        world.fails(Self.failure)
        world.wait(100)
        await #expect(throws: TransportError.self) { try await resolver.resolveAhead("b.test") }
    }

    /// Asks for addresses, and does something as long as they are on their way.
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

    @Test func `what is forgotten is asked for anew, and what was on its way is not remembered`() async throws {
        let world = World()
        let resolver = world.resolver()
        try world.says("192.0.2.1", seconds: 30)
        _ = try await resolver.addresses(of: "a.test", .ipv4)
        resolver.removeAll()
        try await Self.ask(resolver, in: world, questionCount: 2) { resolver.removeAll() }
        _ = try await resolver.addresses(of: "a.test", .ipv4)
        #expect(world.askedCount == 3)
    }

    @Test func `what was on its way when its host expired is not remembered`() async throws {
        let world = World()
        let resolver = world.resolver()
        try world.says("192.0.2.1", seconds: 30)
        try await Self.ask(resolver, in: world, questionCount: 1) { resolver.expire("a.test") }
        _ = try await resolver.addresses(of: "a.test", .ipv4)
        #expect(world.askedCount == 2)
    }

    @Test func `what was on its way when another host expired is remembered`() async throws {
        let world = World()
        let resolver = world.resolver()
        try world.says("192.0.2.1", seconds: 30)
        try await Self.ask(resolver, in: world, questionCount: 1) { resolver.expire("b.test") }
        #expect(try await resolver.addresses(of: "a.test", .ipv4) == Self.answer("192.0.2.1", seconds: 30))
        #expect(world.askedCount == 1)
    }

    @Test(arguments: [true, false])
    func `who asks behind a change of network does not wait for what was asked before it`(isAll: Bool) async throws {
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
        // Nothing that the old network says counts, not even that there is no such host.
        let gone = TransportError.unknownHost("a.test", reason: "gone")
        world.fails(gone)
        for continuation in held { continuation.resume() }
        await #expect(throws: gone) { try await before.value }
        #expect(try await resolver.addresses(of: "a.test", .ipv4) == Self.answer("192.0.2.2", seconds: 30))
        #expect(world.askedCount == 2)
    }

    @Test func `no more names are remembered than the policy says`() async throws {
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
    /// Waits as long as a busy machine may take, except for what a test says.
    fileprivate static func patient(_ change: (inout CachingResolver.Policy) -> Void = { _ in }) -> Self {
        var policy = Self(patience: .seconds(3_000), lookupTimeout: .seconds(3_000))
        change(&policy)
        return policy
    }
}
