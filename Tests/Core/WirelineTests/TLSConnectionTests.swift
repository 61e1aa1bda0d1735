// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Scene
import Testing
import TestingSupport
import Wireline
import WirelineCodec
import WirelineTLS

@testable import WirelineTransport

/// Packets over TLS: everything that works over TCP works here, and only with trusted peers.
@Suite(.enabled(if: OpenSSLTool.isWanted, Comment(rawValue: OpenSSLTool.absence)), .ahead)
struct TLSConnectionTests {
    private let certificates: LocalCertificates
    private static let hello = Cs_20001(sceneID: 7, line: 2, message: "hi")

    init() throws {
        certificates = try LocalCertificates.made.get()
    }

    // MARK: Valid peers

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `a client asks, and the server answers`(version: TLSVersion) async throws {
        let details = Lock<[TLSDetails?]>([])
        let serverContext = try certificates.serverContext { $0.applicationProtocols = ["scene"] }
        let server = try await SceneServer.start(configuration: Self.configuration(serverContext)) { client in
            while try await client.nextMessage() != nil {
                let seen = await client.connection.tlsDetails()
                details.withLock { $0.append(seen) }
                try await client.send(Sc_20001.entered(Self.hello))
            }
        }
        let context = try certificates.clientContext {
            $0.maximumVersion = version
            $0.applicationProtocols = ["scene"]
        }
        let client = try await connect(to: server, context)
        #expect(try await client.request(Self.hello) == Sc_20001.entered(Self.hello))
        let agreed = try #require(await client.connection.tlsDetails())
        #expect(agreed.version == version)
        #expect(agreed.applicationProtocol == "scene")
        #expect(agreed.peerKeyHash == (try TLSKeyHash(certificates.server.keyHash)))
        let seen = try #require(details.withLock { $0.first ?? nil })
        #expect(seen.requestedServerName == "localhost")
        #expect(seen.cipher == agreed.cipher)
        client.close()
        await server.shutDown()
    }

    @Test func `a second connection resumes the session of the first`() async throws {
        let server = try await echo(certificates.serverContext())
        let context = try certificates.clientContext()
        for isResumed in [false, true] {
            let client = try await connect(to: server, context)
            _ = try await client.request(Self.hello)
            #expect(await client.connection.tlsDetails()?.isResumed == isResumed)
            client.close()
        }
        await server.shutDown()
    }

    @Test(arguments: [true, false])
    func `packets of every length come back as they were sent`(isBatched: Bool) async throws {
        var random = SeededGenerator.forThisRun()
        let context = try certificates.serverContext()
        let configuration = Self.configuration(context)
        let server =
            isBatched
            ? try await SceneServer.startBatched(
                at: "127.0.0.1", port: 0, protocol: SceneProtocol.self, configuration: configuration
            ) { client in
                { batch in while let packet = try batch.next() { try client.write(packet: packet.bytes) } }
            }
            : try await SceneServer.start(configuration: configuration) { client in
                while let packet = try await client.nextPacket() { try await client.forward(packet) }
            }
        let client = try await connect(
            to: server, certificates.clientContext(), limits: Self.patientLimits)
        var byteCounts = (0..<2_000).map { _ in Int.random(in: 0...300, using: &random) }
        byteCounts += [16_378, 16_379, 16_384, 65_536, 131_066, 1_000_000, 3_000_000, 0, 1]
        byteCounts.shuffle(using: &random)
        let packets = try byteCounts.enumerated().map { index, count in
            try packet(id: UInt64(index), payload: [UInt8](repeating: UInt8(index % 251), count: count))
        }
        let sending = Task { for packet in packets { try await client.connection.send(packet: packet) } }
        for expected in packets {
            let bytes = try await client.connection.nextBytes()
            guard bytes != expected else { continue }
            #expect(bytes == expected)
            break
        }
        try await sending.value
        client.close()
        await server.shutDown()
    }

    @Test func `a sender waits while its peer reads nothing, and nothing is lost`() async throws {
        let mayRead = AsyncStream<Void>.makeStream()
        let server = try await SceneServer.start(configuration: Self.configuration(certificates.serverContext())) {
            client in
            for await _ in mayRead.stream { break }
            var count = 0
            while let packet = try await client.nextPacket(), packet.byteCount > 6 { count += packet.byteCount }
            try await client.send(Sc_20001.entered(Cs_20001(sceneID: 0, line: numericCast(count), message: "")))
        }
        let client = try await connect(to: server, certificates.clientContext())
        let big = try packet(payload: [UInt8](repeating: 7, count: 100_000))
        let last = try packet(payload: [])
        let sending = Task {
            for _ in 0..<600 { try await client.connection.send(packet: big) }
            try await client.connection.send(packet: last)
        }
        // 60 MB are more than the systems buffer: the rest waits, here no more than the limit and a packet. Less is left
        // if a system takes some of it later: the sender waits until it has taken all.
        #expect(try await eventually { await client.connection.counters().waitingSenderCount == 1 })
        #expect(try await client.connection.onLoop { $0.stream.pendingByteCount } <= (64 << 10) + big.count)
        mayRead.continuation.yield()
        try await sending.value
        let reply = try #require(try await client.nextPacket())
        #expect(try Sc_20001(packet: reply.bytes).defaultCombat == UInt32(600 * big.count))
        client.close()
        await server.shutDown()
    }

    @Test func `a handler's output arrives even if the handler ends at once, and the end is clean`() async throws {
        let server = try await SceneServer.start(configuration: Self.configuration(certificates.serverContext())) {
            client in
            for _ in 0..<50 { try await client.send(packet: packet(payload: [UInt8](repeating: 1, count: 10_000))) }
        }
        let client = try await connect(to: server, certificates.clientContext())
        var count = 0
        while try await client.nextPacket() != nil { count += 1 }
        #expect(count == 50)
        await server.shutDown()
    }

    // MARK: Invalid peers

    @Test func `a client refuses a wrong issuer, host name or key`() async throws {
        let (ended, endings) = AsyncStream<(any Error)?>.makeStream()
        let server = try await echo(certificates.serverContext()) { _, error in endings.yield(error) }
        var iterator = ended.makeAsyncIterator()

        await #expect(throws: ConnectionError.tls(.unknownIssuer(depth: 0))) {
            _ = try await connect(to: server, TLSContext(.client()))
        }
        guard case .tls(.alert)? = await iterator.next() as? ConnectionError else {
            Issue.record("the server is not told why")
            return
        }
        await #expect(throws: ConnectionError.tls(.wrongHost(expected: "other.test"))) {
            _ = try await connect(to: server, certificates.clientContext(), name: "other.test")
        }
        let otherKey = try CertificateAuthority.selfSigned(for: ["DNS:localhost"]).keyHash
        let pinned = try certificates.clientContext { $0.pins = try? TLSPins([otherKey]) }
        let error = await #expect(throws: ConnectionError.self) { _ = try await connect(to: server, pinned) }
        guard case .tls(.pinMismatch)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        await server.shutDown()
    }

    @Test func `an invalid host name is refused before connecting`() async throws {
        let context = try certificates.clientContext()
        await #expect(throws: ConnectionError.tls(.invalidServerName("a b"))) {
            _ = try await PacketClient.connect(
                to: "a b", port: 1, protocol: SceneProtocol.self,
                configuration: ClientConfiguration(dialing: DialingOptions(tls: context)))
        }
    }

    @Test func `a client without TLS is refused, and the error says so`() async throws {
        let (ended, endings) = AsyncStream<(any Error)?>.makeStream()
        let server = try await echo(certificates.serverContext()) { _, error in endings.yield(error) }
        let client = try await server.connect()
        try await client.send(Self.hello)
        var iterator = ended.makeAsyncIterator()
        let bytes = try Array(Self.hello.encoded().prefix(8))
        #expect(await iterator.next() as? ConnectionError == .tls(.notTLS(firstBytes: bytes)))
        // The client knows nothing of TLS, and still gets the alert.
        let error = await #expect(throws: ConnectionError.self) { try await client.nextPacket() }
        #expect("\(String(describing: error))".contains("is this a TLS server?"))
        await server.shutDown()
    }

    @Test func `a connection over the limit per address is closed before TLS`() async throws {
        let ends = ConnectionEnds()
        let context = try certificates.serverContext()
        let server = try await SceneServer.start(
            configuration: ends.configure {
                $0.listening.connectionLimitPerAddress = 0
                $0.listening.tls = context
            }
        ) { _ in }
        await #expect(throws: ConnectionError.self) { _ = try await connect(to: server, certificates.clientContext()) }
        #expect(await ends.next() as? ConnectionError == .tooManyConnections(limit: 0))
        await server.shutDown()
    }

    @Test func `a server without TLS is refused`() async throws {
        let server = try await SceneServer.start { client in
            // This arrives without a question, and is no TLS record.
            try await client.send(packet: Self.hello.encoded())
            while try await client.nextPacket() != nil {}
        }
        let error = await #expect(throws: ConnectionError.self) {
            _ = try await connect(to: server, certificates.clientContext())
        }
        guard case .tls(.notTLS)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        await server.shutDown()
    }

    @Test func `a handshake without an answer ends at the connect timeout`() async throws {
        let group = try ConnectionPair.group.get()
        let listener = try Listener.bind(to: .loopback(port: 0), on: group)
        let kept = Lock<[ByteStream]>([])
        listener.start { stream in kept.withLock { $0.append(stream) } }
        let context = try certificates.clientContext()
        await #expect(throws: ConnectionError.transport(.timedOut)) {
            _ = try await PacketClient.connect(
                to: "127.0.0.1", port: listener.address.port, protocol: SceneProtocol.self,
                configuration: ClientConfiguration(
                    dialing: DialingOptions(connectTimeout: .milliseconds(300), tls: context)))
        }
        listener.loop.execute { listener.close() }
    }

    @Test func `a client without a handshake is closed, whether the handler waits for packets or not`() async throws {
        let (ended, endings) = AsyncStream<(any Error)?>.makeStream()
        var configuration = Self.configuration(try certificates.serverContext()) { _, error in endings.yield(error) }
        configuration.listening.handshakeTimeout = .milliseconds(200)
        for waits in [true, false] {
            let server = try await SceneServer.start(configuration: configuration) { client in
                if waits { _ = try await client.nextPacket() } else { try? await Task.sleep(for: .seconds(600)) }
            }
            let client = try await ByteStream.connect(
                to: server.address, on: EventLoopGroup.shared.nextLoop(), timeout: .seconds(500))
            var iterator = ended.makeAsyncIterator()
            #expect(await iterator.next() as? ConnectionError == .transport(.timedOut))
            await server.shutDown()
            withExtendedLifetime(client) {}
        }
    }

    @Test func `a task that is cancelled during the handshake ends`() async throws {
        let group = try ConnectionPair.group.get()
        let listener = try Listener.bind(to: .loopback(port: 0), on: group)
        let (accepted, feed) = AsyncStream<ByteStream>.makeStream()
        listener.start { feed.yield($0) }
        let (context, port) = (try certificates.clientContext(), listener.address.port)
        let connecting = Task {
            try await PacketClient.connect(
                to: "127.0.0.1", port: port, protocol: SceneProtocol.self,
                configuration: ClientConfiguration(
                    dialing: DialingOptions(connectTimeout: .seconds(500), tls: context)))
        }
        var iterator = accepted.makeAsyncIterator()
        let stream = await iterator.next()
        connecting.cancel()
        await #expect(throws: ConnectionError.cancelled) { _ = try await connecting.value }
        withExtendedLifetime(stream) {}
        listener.loop.execute { listener.close() }
    }

    @Test func `an end of stream without a TLS close is an error`() async throws {
        let pair = try await pair()
        try await pair.client.send(Self.hello)
        #expect(try await pair.server.nextBytes() == Self.hello.encoded())
        // The system's own end of stream, without a TLS close.
        try await pair.client.onLoop { SystemCall.shutdownSending($0.stream.number) }
        await #expect(throws: ConnectionError.tls(.truncated(duringHandshake: false))) {
            _ = try await pair.server.nextBytes()
        }
        pair.close()
    }

    @Test func `a waiting connection holds no block`() async throws {
        let pair = try await pair()
        let waiting = Task { try await pair.server.nextBytes() }
        try await pair.client.send(Self.hello)
        #expect(try await waiting.value == Self.hello.encoded())
        let waitingAgain = Task { try await pair.server.nextBytes() }
        #expect(try await eventually { try await pair.server.onLoop({ $0.stream.wantsToRead }) })
        // The client has read what came with the handshake, and has not asked for more.
        for end in [pair.client, pair.server] {
            let hasBlock = try await end.onLoop { $0.stream.transformState?.hasBlock }
            #expect(hasBlock == false)
        }
        pair.close()
        _ = try? await waitingAgain.value
    }

    @Test func `an end of stream with a TLS close is a clean end`() async throws {
        let pair = try await pair()
        try await pair.client.send(Self.hello)
        pair.client.endOutput()
        #expect(try await pair.server.nextBytes() == Self.hello.encoded())
        #expect(try await pair.server.nextBytes() == nil)
        // The other direction stays open.
        try await pair.server.send(Self.hello)
        #expect(try await pair.client.nextBytes() == Self.hello.encoded())
        pair.close()
    }

    @Test func `changed bytes end the connection after the packets before them`() async throws {
        let pair = try await pair()
        try await pair.client.send(Self.hello)
        #expect(try await pair.server.nextBytes() == Self.hello.encoded())
        try await pair.client.onLoop { connection in
            let record: [UInt8] = [0x17, 0x03, 0x03, 0x00, 0x20] + [UInt8](repeating: 0x55, count: 32)
            _ = unsafe record.withUnsafeBytes { bytes in
                unsafe SystemCall.send(connection.stream.number, bytes.baseAddress!, byteCount: bytes.count)
            }
        }
        let error = await #expect(throws: ConnectionError.self) { _ = try await pair.server.nextBytes() }
        guard case .tls(.violation)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        pair.close()
    }

    @Test func `a session retries an untrusted server, and tells a wrong key from a wrong issuer`() async throws {
        let server = try await SceneServer.start(configuration: Self.configuration(try certificates.serverContext())) {
            client in
            while let received = try await client.nextMessage() {
                guard case .cs20001(let enter) = received.message else { continue }
                try await client.send(Sc_20001.entered(enter))
            }
        }
        let otherKey = String(repeating: "00", count: 32)
        let contexts = [
            (try TLSContext(.client()), DisconnectCause.notTrusted(.unknownIssuer)),
            (try certificates.clientContext { $0.pins = try TLSPins([otherKey]) }, .wrongKey),
        ]
        var configuration = PacketSessionConfiguration.patient
        for (context, cause) in contexts {
            configuration.client.dialing.tls = context
            let doubtful = try PacketSession.start(
                to: [ServerEndpoint("localhost", port: server.address.port)], protocol: SceneProtocol.self,
                configuration: configuration)
            // It retries until its user ends it.
            #expect(await doubtful.states.causes(3) { doubtful.end() } == [cause, cause, cause])
        }
        configuration.client.dialing.tls = try certificates.clientContext()
        let misnamed = try PacketSession.start(
            to: [ServerEndpoint("127.0.0.1", port: server.address.port, tlsServerName: "other.test")],
            protocol: SceneProtocol.self, configuration: configuration)
        let wrongHost = DisconnectCause.notTrusted(.wrongHost(expected: "other.test"))
        #expect(await misnamed.states.causes(1) { misnamed.end() } == [wrongHost])
        #expect(wrongHost.description == "the server's certificate is not trusted: it is not for other.test")
        // By an IP address, with the name of the certificate.
        let named = ServerEndpoint("127.0.0.1", port: server.address.port, tlsServerName: "localhost")
        let session = try PacketSession.start(to: [named], protocol: SceneProtocol.self, configuration: configuration)
        #expect(try await session.request(Self.hello) == Sc_20001.entered(Self.hello))
        session.end()
        await server.shutDown()
    }

    @Test func `a client that is kicked before the handshake is closed when the time is over`() async throws {
        let ends = Seen<String>()
        let configuration = try Self.configuration(certificates.serverContext()) { _, error in
            ends.add(error.map { "\($0)" } ?? "clean")
        }
        let server = try await SceneServer.start(configuration: configuration) { client in
            try client.kick(with: Sc_20001.entered(Self.hello), within: .seconds(1))
            while try await client.nextPacket() != nil {}
        }
        // It stays, and reads nothing. On a busy machine it may come too late for the handshake.
        let client = try? await connect(to: server, certificates.clientContext())
        #expect(await ends.first(1) == ["\(ConnectionError.kicked)"])
        client?.close()
        await server.shutDown()
    }

    @Test func `whole packets before a reset are read, even if a sender meets the reset first`() async throws {
        let pair = try await pair()
        try await pair.server.send(Self.hello)
        #expect(try await pair.client.next()?.decode(Cs_20001.self) == Self.hello)
        let large = try packet(id: 20_001, payload: [UInt8](repeating: 1, count: 1 << 20))
        let sending = Task {
            while true { try await pair.client.send(packet: large) }
        }
        // The peer reads nothing.
        #expect(try await eventually { try await pair.client.onLoop { $0.stream.isOutputStalled } })
        for _ in 0..<1_000 { try await pair.server.send(Self.hello) }
        // A reset drops what has not reached the peer's system.
        #expect(
            try await eventually {
                try await pair.server.onLoop { connection in
                    connection.stream.flush()
                    return connection.stream.acknowledgedByteCount == connection.stream.sentByteCount
                }
            })
        try await pair.server.onLoop { $0.stream.reset() }
        await #expect(throws: ConnectionError.transport(.reset)) { try await sending.value }
        for number in 0..<1_000 {
            #expect(try await pair.client.next()?.decode(Cs_20001.self) == Self.hello, "\(number)")
        }
        await #expect(throws: ConnectionError.transport(.reset)) { try await pair.client.next() }
        pair.close()
    }

    @Test func `the server's alert is read, even if a sender meets its reset first`() async throws {
        let serverContext = try certificates.serverContext {
            $0.trustRoots = .only(.text(certificates.root.own.certificate))
            $0.clientCertificates = .required
        }
        let clientContext = try certificates.clientContext { $0.minimumVersion = .tls13 }
        let pair = try await ConnectionPair.make(
            SceneProtocol.layout, limits: Self.patientLimits,
            tls: (clientContext.connect(to: "localhost"), serverContext.accept()))
        // No task reads, so that the alert is in the socket when the reset comes.
        while true {
            do throws(ConnectionError) {
                try await pair.client.send(Self.hello)
            } catch {
                guard case .tls(.alert) = error else {
                    Issue.record("\(error)")
                    break
                }
                break
            }
            await Task.yield()
        }
        pair.close()
    }

    // MARK: Making them

    private func pair() async throws -> ConnectionPair {
        try await ConnectionPair.make(
            SceneProtocol.layout, limits: Self.patientLimits,
            tls: (certificates.clientContext().connect(to: "localhost"), certificates.serverContext().accept()))
    }

    /// A busy machine is slow at handshakes, and writes wait for those.
    private static let patientLimits = ConnectionLimits(maximumPacketByteCount: 4 << 20, writeTimeout: nil)

    private static func configuration(
        _ context: TLSContext, connectionEnded: (@Sendable (SocketAddress, (any Error)?) -> Void)? = nil
    ) -> ServerConfiguration {
        ServerConfiguration(
            listening: ListeningOptions(
                tls: context, handshakeTimeout: nil, minimumRate: nil, minimumReadingRate: nil,
                connectionEnded: connectionEnded),
            firstPacketTimeout: nil, limits: patientLimits)
    }

    private func echo(
        _ context: TLSContext, connectionEnded: (@Sendable (SocketAddress, (any Error)?) -> Void)? = nil
    ) async throws -> SceneServer {
        try await SceneServer.start(configuration: Self.configuration(context, connectionEnded: connectionEnded)) {
            client in
            while let received = try await client.nextMessage() {
                guard case .cs20001(let enter) = received.message else { continue }
                try await client.send(Sc_20001.entered(enter))
            }
        }
    }

    private func connect(
        to server: SceneServer, _ context: TLSContext, name: String = "localhost",
        limits: ConnectionLimits = patientLimits
    ) async throws -> PacketClient<SceneProtocol> {
        try await PacketClient.connect(
            to: server.address.ipAddress, port: server.address.port, protocol: SceneProtocol.self,
            configuration: ClientConfiguration(
                dialing: DialingOptions(connectTimeout: .seconds(500), tls: context, tlsServerName: name),
                requestTimeout: .seconds(500), limits: limits))
    }
}
