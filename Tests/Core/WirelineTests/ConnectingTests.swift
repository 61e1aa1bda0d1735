// SPDX-License-Identifier: Apache-2.0

import Scene
import Synchronization
import Testing
import TestingSupport
import Wireline
import WirelineTransport

/// How a connection is made: which address of a host it uses, where it begins, and what its timeline reports.
@Suite(.ahead)
struct ConnectingTests {
    /// A resolver that answers as it is told.
    static func resolver(_ ipv6: [String], _ ipv4: [String]) -> ClosureResolver {
        ClosureResolver { _, family throws(TransportError) in
            try ResolvedAddresses(ipAddresses: family == .ipv6 ? ipv6 : ipv4)
        }
    }

    static let patience = CachingResolver.Policy(lookupTimeout: .seconds(500))

    static func configuration(
        _ resolver: any HostResolver, _ change: (inout ClientConfiguration) -> Void = { _ in }
    ) -> ClientConfiguration {
        var configuration = ClientConfiguration.patient
        configuration.dialing.resolver = resolver
        change(&configuration)
        return configuration
    }

    static func connect(
        _ port: UInt16, to host: String = "game.test", _ configuration: ClientConfiguration
    ) async throws(ConnectionError) -> PacketClient<SceneProtocol> {
        try await PacketClient.connect(
            to: host, port: port, protocol: SceneProtocol.self, configuration: configuration)
    }

    /// Connects until both families were looked up before the first attempt: a client does not wait long for a late
    /// family.
    static func connectKnowingBothFamilies(
        _ port: UInt16, _ configuration: ClientConfiguration
    ) async throws(ConnectionError) -> PacketClient<SceneProtocol> {
        while true {
            let client = try await connect(port, configuration)
            if client.timeline.knewBothFamilies { return client }
            client.close()
        }
    }

    /// An address of this machine that does not answer, not even with a refusal: Linux drops connection requests when
    /// the listener's backlog is full.
    final class DeadAddress {
        let listener: Listener
        private var waiting: [ByteStream] = []

        init(_ ipAddress: String, port: UInt16) async throws {
            let group = try EventLoopGroup.shared
            let address = try SocketAddress(ipAddress: ipAddress, port: port)
            listener = try Listener.bind(to: address, on: group, backlog: 0)
            // Fills the backlog; the first attempt that times out shows that it is full.
            while true {
                do {
                    let stream = try await ByteStream.connect(
                        to: address, on: group.nextLoop(), timeout: .milliseconds(300))
                    waiting.append(stream)
                } catch TransportError.timedOut {
                    return
                }
            }
        }

        deinit {
            let listener = listener
            listener.loop.execute { listener.close() }
        }
    }

    // MARK: Which address

    @Test func `an address that does not answer costs only the attempt delay`() async throws {
        let server = try await SceneServer.start { _ in }
        let dead = [
            try await DeadAddress("127.0.0.2", port: server.address.port),
            try await DeadAddress("127.0.0.3", port: server.address.port),
        ]
        let configuration = Self.configuration(Self.resolver([], ["127.0.0.2", "127.0.0.3", "127.0.0.1"])) {
            $0.dialing.attemptDelay = .milliseconds(100)
        }
        let client = try await Self.connect(server.address.port, configuration)
        #expect(client.connection.peerAddress == server.address)
        let begun = client.timeline.entries.filter { entry in
            if case .attemptBegan = entry.event { true } else { false }
        }
        #expect(begun.count == 3)
        // The time of a decision is that of the last entry before it, or later.
        let decision = try #require(
            client.timeline.entries.last { $0.time <= begun[0].time && $0.event != begun[0].event })
        for (number, attempt) in begun.enumerated() {
            // Timers and entries read the clock separately.
            #expect(attempt.time - decision.time >= .milliseconds(100) * number - .milliseconds(1))
        }
        let ports = dead.map(\.listener.address)
        let abandoned = client.timeline.entries.filter { entry in
            if case .attemptAbandoned(let address) = entry.event { ports.contains(address) } else { false }
        }
        #expect(abandoned.count == 2)
        client.close()
        await server.shutDown()
    }

    @Test func `if an address refuses, the client tries the next one`() async throws {
        let server = try await SceneServer.start { _ in }
        let configuration = Self.configuration(Self.resolver([], ["127.0.0.10", "127.0.0.9", "127.0.0.1"]))
        let client = try await Self.connect(server.address.port, configuration)
        #expect(client.connection.peerAddress == server.address)
        let failures = client.timeline.entries.compactMap { entry in
            if case .attemptFailed(_, let error) = entry.event { error } else { nil }
        }
        #expect(failures == [.refused, .refused])
        client.close()
        await server.shutDown()
    }

    @Test func `IPv6 is tried first`() async throws {
        let server = try await SceneServer.start(at: "::1") { _ in }
        let client = try await Self.connectKnowingBothFamilies(
            server.address.port, Self.configuration(Self.resolver(["::1"], ["127.0.0.1"])))
        #expect(client.connection.peerAddress == server.address)
        let begun = client.timeline.entries.first { entry in
            if case .attemptBegan = entry.event { true } else { false }
        }
        #expect(begun?.event == .attemptBegan(server.address))
        client.close()
        await server.shutDown()
    }

    @Test func `a family whose lookup never ends does not delay the other one`() async throws {
        let server = try await SceneServer.start { _ in }
        let never = Never6()
        let client = try await Self.connect(server.address.port, Self.configuration(never))
        #expect(client.connection.peerAddress == server.address)
        never.end()
        client.close()
        await server.shutDown()
    }

    /// A resolver with an IPv4 address or none. Its IPv6 lookup does not end, even if it is cancelled.
    final class Never6: HostResolver {
        private let waiting = Lock<[CheckedContinuation<Void, Never>]>([])
        private let knowsIPv4: Bool
        let asked: AsyncStream<Void>
        private let feed: AsyncStream<Void>.Continuation

        init(knowsIPv4: Bool = true) {
            self.knowsIPv4 = knowsIPv4
            (asked, feed) = AsyncStream.makeStream()
        }

        func addresses(of host: String, _ family: AddressFamily) async throws(TransportError) -> ResolvedAddresses {
            if family == .ipv6 || !knowsIPv4 {
                await withCheckedContinuation { continuation in
                    waiting.withLock { $0.append(continuation) }
                    feed.yield()
                }
            }
            return try ResolvedAddresses(ipAddresses: ["127.0.0.1"])
        }

        func end() {
            let all = waiting.withLock { waiting in
                defer { waiting = [] }
                return waiting
            }
            for continuation in all { continuation.resume() }
        }
    }

    @Test func `a timeout and a cancelled task both end a lookup that hangs`() async throws {
        let never = Never6(knowsIPv4: false)
        let configuration = Self.configuration(never) { $0.dialing.connectTimeout = .milliseconds(50) }
        await #expect(throws: ConnectionError.transport(.timedOut)) {
            _ = try await Self.connect(1, configuration)
        }
        let task = Task { try await Self.connect(1, Self.configuration(never)) }
        var asked = never.asked.makeAsyncIterator()
        for _ in 0..<4 { _ = await asked.next() }
        task.cancel()
        await #expect(throws: ConnectionError.cancelled) { _ = try await task.value }
        never.end()
    }

    @Test func `a timeout ends an attempt that gets no answer`() async throws {
        let server = try await SceneServer.start { _ in }
        let dead = try await DeadAddress("127.0.0.4", port: server.address.port)
        let configuration = Self.configuration(Self.resolver([], ["127.0.0.4"])) {
            $0.dialing.connectTimeout = .milliseconds(200)
        }
        await #expect(throws: ConnectionError.transport(.timedOut)) {
            _ = try await Self.connect(dead.listener.address.port, configuration)
        }
        await server.shutDown()
    }

    @Test func `if no address connects, the most useful error is thrown`() async throws {
        let server = try await SceneServer.start { _ in }
        let port = server.address.port
        await server.shutDown()
        await #expect(throws: ConnectionError.transport(.refused)) {
            _ = try await Self.connect(port, Self.configuration(Self.resolver(["::1"], [])))
        }
        await #expect(throws: ConnectionError.transport(.unknownHost("game.test", reason: "the name has no address"))) {
            _ = try await Self.connect(port, Self.configuration(Self.resolver([], [])))
        }
        let failed = TransportError.lookupFailed("game.test", reason: "no answer")
        await #expect(throws: ConnectionError.transport(failed)) {
            let resolver = ClosureResolver { _, _ throws(TransportError) in throw failed }
            _ = try await Self.connect(port, Self.configuration(resolver))
        }
    }

    @Test func `addresses of the wrong family are ignored`() async throws {
        let resolver = ClosureResolver { _, _ throws(TransportError) in
            try ResolvedAddresses(ipAddresses: ["::1", "127.0.0.1"])
        }
        let server = try await SceneServer.start { _ in }
        let client = try await Self.connectKnowingBothFamilies(server.address.port, Self.configuration(resolver))
        let found = client.timeline.entries.compactMap { entry in
            if case .lookupEnded(_, let addresses) = entry.event { addresses.map(\.ipAddress) } else { nil }
        }
        #expect(Set(found) == [["::1"], ["127.0.0.1"]])
        client.close()
        await server.shutDown()
    }

    @Test func `an IP address is not looked up`() async throws {
        let server = try await SceneServer.start { _ in }
        let resolver = ClosureResolver { _, _ throws(TransportError) in
            Issue.record("it was asked")
            return ResolvedAddresses([])
        }
        let client = try await Self.connect(server.address.port, to: "127.0.0.1", Self.configuration(resolver))
        client.close()
        await server.shutDown()
    }

    @Test func `a name that is resolved ahead connects although the network is down`() async throws {
        let isBad = Atomic(false)
        let server = try await SceneServer.start { _ in }
        let resolver = CachingResolver(
            ClosureResolver { host, family throws(TransportError) in
                guard !isBad.load(ordering: .relaxed) else { throw .lookupFailed(host, reason: "no network") }
                return try ResolvedAddresses(ipAddresses: family == .ipv4 ? ["127.0.0.1"] : [], timeToLive: .zero)
            }, policy: Self.patience)
        try await resolver.resolveAhead("game.test")
        isBad.store(true, ordering: .relaxed)
        let client = try await Self.connect(server.address.port, Self.configuration(resolver))
        client.close()
        await server.shutDown()
    }

    @Test func `a host with unreachable addresses is looked up again`() async throws {
        let server = try await SceneServer.start { _ in }
        let hasMoved = Atomic(false)
        let resolver = CachingResolver(
            ClosureResolver { _, family throws(TransportError) in
                guard family == .ipv4 else { return ResolvedAddresses([]) }
                // No one can connect to the broadcast address.
                let address = hasMoved.load(ordering: .relaxed) ? "127.0.0.1" : "255.255.255.255"
                return try ResolvedAddresses(ipAddresses: [address])
            }, policy: CachingResolver.Policy(patience: .seconds(500), lookupTimeout: .seconds(500)))
        let error = await #expect(throws: ConnectionError.self) {
            _ = try await Self.connect(server.address.port, Self.configuration(resolver))
        }
        guard case .transport(.system) = error else { throw try #require(error) }
        hasMoved.store(true, ordering: .relaxed)
        let client = try await Self.connect(server.address.port, Self.configuration(resolver))
        client.close()
        await server.shutDown()
    }

    // MARK: TLS

    @Test(.enabled(if: OpenSSLTool.isWanted, Comment(rawValue: OpenSSLTool.absence)))
    func `the certificate must match the host, whatever the resolver returns`() async throws {
        let root = try CertificateAuthority("root")
        let issued = try root.issue(to: ["DNS:game.test"])
        let identity = TLSIdentity(certificateChain: .text(issued.chain), privateKey: .text(issued.key))
        var trust = TLSConfiguration.client()
        trust.trustRoots = .only(.text(root.own.certificate))
        let names = Lock<[String?]>([])
        var serverConfiguration = ServerConfiguration.patient
        serverConfiguration.listening.tls = try TLSContext(.server(identity: identity))
        let server = try await SceneServer.start(configuration: serverConfiguration) { client in
            while try await client.nextMessage() != nil {
                let name = await client.connection.tlsDetails()?.requestedServerName
                names.withLock { $0.append(name) }
                try await client.send(Sc_20001.entered(Cs_20001(sceneID: 1, line: 1, message: "")))
            }
        }
        let timelines = Lock<[ConnectionTimeline]>([])
        let context = try TLSContext(trust)
        let resolver = CachingResolver(Self.resolver(["::1"], ["127.0.0.1"]), policy: Self.patience)
        let configuration = Self.configuration(resolver) {
            $0.dialing.tls = context
            $0.dialing.timelineHandler = { timeline in timelines.withLock { $0.append(timeline) } }
        }
        let client = try await Self.connect(server.address.port, configuration)
        _ = try await client.request(Cs_20001(sceneID: 1, line: 1, message: ""))
        #expect(names.withLock { $0 } == ["game.test"])
        let events = client.timeline.entries.map(\.event)
        #expect(events.suffix(4) == [.connected(server.address), .handshakeBegan, .handshakeEnded, .firstByte])
        client.close()

        let error = await #expect(throws: ConnectionError.self) {
            _ = try await Self.connect(server.address.port, to: "other.test", configuration)
        }
        guard case .tls = error else { throw try #require(error) }
        let ends = timelines.withLock { $0.last?.entries.suffix(2).map(\.event) }
        #expect(ends == [.handshakeBegan, .closed(error)])
        await server.shutDown()
    }

    // MARK: Local addresses

    @Test func `a connection uses the named interface`() async throws {
        let server = try await SceneServer.start { _ in }
        let configuration = Self.configuration(Self.resolver([], ["127.0.0.1"])) {
            $0.dialing.interface = loopbackInterface
        }
        let client = try await Self.connect(server.address.port, configuration)
        client.close()
        await server.shutDown()
    }

    @Test(arguments: ["none7", "", "a name that is too long for one", "lo\u{0}"])
    func `an unknown interface is an error that names it`(name: String) async throws {
        let server = try await SceneServer.start { _ in }
        let configuration = Self.configuration(Self.resolver(["::1"], ["127.0.0.1"])) { $0.dialing.interface = name }
        await #expect(throws: ConnectionError.transport(.noSuchInterface(name))) {
            _ = try await Self.connect(server.address.port, configuration)
        }
        await server.shutDown()
    }

    @Test func `a connection starts at the given address, and uses its family`() async throws {
        let (peers, feed) = AsyncStream<SocketAddress>.makeStream()
        let server = try await SceneServer.start { client in feed.yield(client.connection.peerAddress) }
        let local = try SocketAddress(ipAddress: "127.0.0.5", port: 0)
        let configuration = Self.configuration(Self.resolver(["::1"], ["127.0.0.1"])) {
            $0.dialing.localAddress = local
        }
        let client = try await Self.connect(server.address.port, configuration)
        var iterator = peers.makeAsyncIterator()
        #expect(await iterator.next()?.ipAddress == "127.0.0.5")
        let families = client.timeline.entries.compactMap { entry in
            if case .lookupBegan(let family) = entry.event { family } else { nil }
        }
        #expect(families == [.ipv4])
        await #expect(throws: ConnectionError.transport(.differentFamilies)) {
            _ = try await Self.connect(server.address.port, to: "::1", configuration)
        }
        client.close()
        await server.shutDown()
    }

    @Test func `a local address that this machine does not have is a system error`() async throws {
        let local = try SocketAddress(ipAddress: "192.0.2.77", port: 0)
        let configuration = Self.configuration(Self.resolver([], ["127.0.0.1"])) { $0.dialing.localAddress = local }
        let error = await #expect(throws: ConnectionError.self) {
            _ = try await Self.connect(1, configuration)
        }
        guard case .transport(.system(let refusal)) = error else { throw try #require(error) }
        #expect("\(refusal)" == "bind: Cannot assign requested address")
    }

    // MARK: The timeline

    @Test func `a timeline covers a connection from its first lookup to its end, and is reported once`() async throws {
        let server = try await SceneServer.start { client in
            try await client.send(Sc_20001.entered(Cs_20001(sceneID: 1, line: 1, message: "")))
        }
        var timeline: ConnectionTimeline
        repeat {
            let (timelines, feed) = AsyncStream<ConnectionTimeline>.makeStream()
            let configuration = Self.configuration(Self.resolver([], ["127.0.0.1"])) {
                $0.dialing.timelineHandler = { feed.yield($0) }
            }
            let client = try await Self.connect(server.address.port, configuration)
            while try await client.nextPacket() != nil {}
            client.close()
            client.close()
            var iterator = timelines.makeAsyncIterator()
            timeline = try #require(await iterator.next())
            feed.finish()
            #expect(await iterator.next() == nil)
            #expect(timeline == client.timeline)
            // A client does not wait long for a family that is looked up late.
        } while !timeline.knewBothFamilies
        let address = server.address
        let events = timeline.entries.map(\.event)
        #expect(
            Set(events.prefix(4).map { "\($0)" }) == [
                "looking up IPv6 addresses", "looking up IPv4 addresses", "IPv6: no address", "IPv4: 127.0.0.1",
            ])
        #expect(events.dropFirst(4) == [.attemptBegan(address), .connected(address), .firstByte, .closed(nil)])
        #expect(zip(timeline.entries, timeline.entries.dropFirst()).allSatisfy { $0.time <= $1.time })
        #expect(timeline.time { $0 == .firstByte } == timeline.entries[6].time)
        let lines = "\(timeline)".split(separator: "\n")
        #expect(lines.count == 9 && lines[0] == "game.test:\(address.port)")
        #expect(lines.dropFirst().allSatisfy { $0.wholeMatch(of: /[ 0-9,]{8}\.[0-9] ms  .+/) != nil })
        await server.shutDown()
    }

    @Test func `a connection that fails to open has a timeline too`() async throws {
        let timelines = Lock<[ConnectionTimeline]>([])
        // At its own address, where no other test gets the port.
        let server = try await SceneServer.start(at: "127.0.0.11") { _ in }
        let address = server.address
        await server.shutDown()
        let configuration = Self.configuration(Self.resolver([], ["127.0.0.11"])) {
            $0.dialing.timelineHandler = { timeline in timelines.withLock { $0.append(timeline) } }
        }
        await #expect(throws: ConnectionError.transport(.refused)) {
            _ = try await Self.connect(address.port, configuration)
        }
        let events = timelines.withLock { $0.map { $0.entries.map(\.event) } }
        #expect(events.count == 1 && events[0].last == .closed(.transport(.refused)))
        #expect(events[0].contains(.attemptFailed(address, .refused)))
    }

    @Test func `a connection's end tells which side ended it`() async throws {
        let server = try await SceneServer.start { client in while try await client.nextMessage() != nil {} }
        let configuration = Self.configuration(Self.resolver([], ["127.0.0.1"]))
        let client = try await Self.connect(server.address.port, configuration)
        client.close()
        await client.connection.loop.run {}
        #expect(client.timeline.entries.last?.event == .closed(.transport(.closed)))
        await server.shutDown()
    }

    @Test func `a server's connections have no timeline`() async throws {
        let (timelines, feed) = AsyncStream<ConnectionTimeline?>.makeStream()
        let server = try await SceneServer.start { client in feed.yield(client.connection.timeline) }
        let client = try await server.connect()
        var iterator = timelines.makeAsyncIterator()
        #expect(await iterator.next() == .some(nil))
        client.close()
        await server.shutDown()
    }
}

/// The interface of the loopback address.
#if os(Linux)
    private let loopbackInterface = "lo"
#else
    private let loopbackInterface = "lo0"
#endif

extension ConnectionTimeline {
    /// Whether both families were looked up before the first attempt began.
    fileprivate var knewBothFamilies: Bool {
        let before = entries.prefix { entry in
            if case .attemptBegan = entry.event { false } else { true }
        }
        return before.count { entry in
            if case .lookupEnded = entry.event { true } else { false }
        } == 2
    }
}
