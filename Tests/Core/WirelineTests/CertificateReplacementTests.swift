// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Scene
import Testing
import TestingSupport
import Wireline
import WirelineTransport

/// Certificates that are replaced while servers run, and what a server knows of its clients' certificates.
@Suite(.enabled(if: OpenSSLTool.isWanted, Comment(rawValue: OpenSSLTool.absence)), .ahead)
struct CertificateReplacementTests {
    private let certificates: LocalCertificates
    private static let hello = Cs_20001(sceneID: 7, line: 2, message: "hi")

    init() throws {
        certificates = try LocalCertificates.made.get()
    }

    private func serverConfiguration(_ certificate: IssuedCertificate) -> TLSConfiguration {
        .server(identity: TLSIdentity(certificateChain: .text(certificate.chain), privateKey: .text(certificate.key)))
    }

    private func start(
        _ context: TLSContext, ended: (@Sendable (SocketAddress, (any Error)?) -> Void)? = nil,
        seen: @escaping @Sendable (TLSDetails?) -> Void = { _ in }
    ) async throws -> SceneServer {
        var handlers = MessageHandlers<SceneProtocol, Void>()
        handlers.reply(to: Cs_20001.self) { enter, client in
            seen(client.tls)
            return Sc_20001.entered(enter)
        }
        let configuration = ServerConfiguration(
            listening: ListeningOptions(
                tls: context, handshakeTimeout: nil, minimumRate: nil, connectionEnded: ended),
            firstPacketTimeout: nil)
        return try await PacketServer.start(
            at: "127.0.0.1", port: 0, configuration: configuration, handlers: handlers)
    }

    private func connect(to server: SceneServer, _ context: TLSContext) async throws -> PacketClient<SceneProtocol> {
        try await PacketClient.connect(
            to: server.address.ipAddress, port: server.address.port, protocol: SceneProtocol.self,
            configuration: ClientConfiguration(
                dialing: DialingOptions(connectTimeout: .seconds(500), tls: context, tlsServerName: "localhost"),
                requestTimeout: .seconds(500)))
    }

    @Test func `a context for the other side is an error of start and of connect`() async throws {
        let (own, other) = (try certificates.serverContext(), try certificates.clientContext())
        await #expect(throws: ConnectionError.tls(.wrongSide)) { _ = try await start(other) }
        await #expect(throws: ConnectionError.tls(.wrongSide)) {
            _ = try await WebSocketServer.echo(.patient { $0.listening.tls = other })
        }
        let server = try await start(own)
        await #expect(throws: ConnectionError.tls(.wrongSide)) { _ = try await connect(to: server, own) }
        await server.shutDown()
    }

    @Test func `certificates are replaced under load without one failed connection`() async throws {
        let renewed = try certificates.root.issue(to: ["DNS:localhost"])
        let context = try certificates.serverContext()
        let faults = Lock<[ConnectionError]>([])
        let server = try await start(
            context,
            ended: { _, error in
                if let error = error as? ConnectionError { faults.withLock { $0.append(error) } }
            })
        let load = Load()
        let lasting = try await connect(to: server, certificates.clientContext())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<6 {
                // Half of the clients resume sessions.
                let clientContext = try certificates.clientContext { $0.resumesSessions = index.isMultiple(of: 2) }
                group.addTask {
                    while !load.isOver.withLock({ $0 }) {
                        let client = try await connect(to: server, clientContext)
                        #expect(try await client.request(Self.hello) == Sc_20001.entered(Self.hello))
                        if let hash = await client.connection.tlsDetails()?.peerKeyHash {
                            _ = load.hashes.withLock { $0.insert(hash) }
                        }
                        client.close()
                        load.count.withLock { $0 += 1 }
                    }
                }
            }
            for round in 0..<20 {
                try context.replace(with: serverConfiguration(round.isMultiple(of: 2) ? renewed : certificates.server))
                #expect(throws: TLSError.self) { try context.replace(with: Self.broken) }
                let goal = load.count.withLock { $0 } + 12
                #expect(try await eventually { load.count.withLock { $0 } >= goal })
                #expect(try await lasting.request(Self.hello) == Sc_20001.entered(Self.hello))
            }
            load.isOver.withLock { $0 = true }
            try await group.waitForAll()
        }
        #expect(
            try load.hashes.withLock { $0 } == [TLSKeyHash(renewed.keyHash), TLSKeyHash(certificates.server.keyHash)])
        let details = try #require(await lasting.connection.tlsDetails())
        #expect(try details.peerKeyHash == TLSKeyHash(certificates.server.keyHash))
        lasting.close()
        await server.shutDown()
        #expect(faults.withLock { $0 } == [])
    }

    /// What the clients under load have done.
    private final class Load: Sendable {
        let count = Lock(0)
        let isOver = Lock(false)
        /// The hashes of the keys that servers have shown.
        let hashes = Lock<Set<TLSKeyHash>>([])
    }

    private static let broken = TLSConfiguration.server(
        identity: TLSIdentity(certificateChain: .text("nothing"), privateKey: .text("nothing")))

    @Test func `servers of packets and of WebSockets with one context get the new certificate together`() async throws {
        let renewed = try certificates.root.issue(to: ["DNS:localhost"])
        let context = try certificates.serverContext()
        let packets = try await start(context)
        let webSockets = try await WebSocketServer.echo(.patient { $0.listening.tls = context })
        try context.replace(with: serverConfiguration(renewed))
        let client = try await connect(to: packets, certificates.clientContext())
        var configuration = WebSocketClientConfiguration.patient
        configuration.dialing.tls = try certificates.clientContext()
        let webSocket = try await WebSocketClient.connect(
            to: webSockets.url(isSecure: true), on: ConnectionPair.group.get(), configuration: configuration)
        let expected = try TLSKeyHash(renewed.keyHash)
        #expect(await client.connection.tlsDetails()?.peerKeyHash == expected)
        #expect(await webSocket.tlsDetails()?.peerKeyHash == expected)
        client.close()
        try await webSocket.close()
        await packets.shutDown()
        await webSockets.shutDown()
    }

    // MARK: Certificates of clients

    private func clientContext(_ certificate: IssuedCertificate?) throws -> TLSContext {
        try certificates.clientContext {
            $0.identity = certificate.map {
                TLSIdentity(certificateChain: .text($0.chain), privateKey: .text($0.key))
            }
        }
    }

    private func askingContext() throws -> TLSContext {
        try certificates.serverContext {
            $0.trustRoots = .only(.text(certificates.root.own.certificate))
            $0.clientCertificates = .requested
        }
    }

    @Test func `a handler knows the names in its client's certificate, and that there is none`() async throws {
        let seen = Lock<[TLSPeerCertificate?]>([])
        let server = try await start(
            askingContext(), seen: { details in seen.withLock { $0.append(details?.peerCertificate) } })
        let certificate = try certificates.root.issue(
            to: ["DNS:mo.test", "email:mo@example.test"], for: .client, subject: "/O=Example/CN=Mo")
        for shown in [certificate, nil] {
            let client = try await connect(to: server, clientContext(shown))
            for _ in 0..<2 { _ = try await client.request(Self.hello) }
            client.close()
        }
        await server.shutDown()
        let names = seen.withLock { $0 }
        #expect(names.map { $0?.subject } == ["CN=Mo,O=Example", "CN=Mo,O=Example", nil, nil])
        #expect(names.first??.hostNames == ["mo.test"])
        #expect(names.first??.emailAddresses == ["mo@example.test"])
    }

    @Test func `a WebSocket's handler knows the names in its client's certificate`() async throws {
        let context = try askingContext()
        let server = try await WebSocketServer.serving(.patient { $0.listening.tls = context }) { client in
            let certificate = await client.tlsDetails()?.peerCertificate
            try await client.send(certificate?.commonName ?? "nobody")
        }
        let certificate = try certificates.root.issue(to: ["DNS:mo.test"], for: .client, subject: "/CN=Mo")
        for (shown, name) in [(certificate, "Mo"), (nil, "nobody")] {
            var configuration = WebSocketClientConfiguration.patient
            configuration.dialing.tls = try clientContext(shown)
            let client = try await WebSocketClient.connect(
                to: server.url(isSecure: true), on: ConnectionPair.group.get(), configuration: configuration)
            #expect(try await client.receive() == .text(name))
            try await client.close()
        }
        await server.shutDown()
    }

    @Test func `without TLS a handler knows of none`() async throws {
        let seen = Lock<[TLSDetails?]>([])
        var handlers = MessageHandlers<SceneProtocol, Void>()
        handlers.reply(to: Cs_20001.self) { enter, client in
            seen.withLock { $0.append(client.tls) }
            return Sc_20001.entered(enter)
        }
        let server = try await PacketServer.start(
            at: "127.0.0.1", port: 0, configuration: .patient, handlers: handlers)
        let client = try await server.connect()
        _ = try await client.request(Self.hello)
        #expect(seen.withLock { $0 } == [nil])
        client.close()
        await server.shutDown()
    }
}
