// SPDX-License-Identifier: Apache-2.0

import Scene
import Testing
import TestingSupport
import Wireline
import WirelineTransport

/// Packets, WebSockets and sessions over Unix domain sockets, and servers that listen at several addresses.
@Suite(.ahead)
struct UnixSocketTests {
    private static let hello = Cs_20001(sceneID: 7, line: 2, message: "hi")

    /// A server at the path and at a port, and the configuration of its clients.
    private static func serve(
        at path: SocketPath, secure: Bool, web: Bool
    ) async throws -> (server: SceneServer, configuration: ClientConfiguration) {
        var configuration = ServerConfiguration.patient
        var client = ClientConfiguration.patient
        client.dialing.unixPath = path.path
        if secure {
            configuration.listening.tls = try LocalTLS.contexts.get().server
            client.dialing.tls = try LocalTLS.contexts.get().client
        }
        if web {
            configuration.webSocket = ServerConfiguration.WebSocketOptions()
            client.webSocket = ClientConfiguration.WebSocketOptions()
        }
        let server = try await PacketServer.start(
            at: [.host("127.0.0.1", port: 0), .unix(path.path)], protocol: SceneProtocol.self,
            configuration: configuration
        ) { client in
            while let received = try await client.nextMessage() {
                guard case .cs20001(let enter) = received.message else { continue }
                try await client.send(Sc_20001.entered(enter))
            }
        }
        return (server, client)
    }

    @Test(
        .enabled(if: OpenSSLTool.isWanted, Comment(rawValue: OpenSSLTool.absence)), arguments: [false, true],
        [false, true])
    func `packets pass at a path and at a port of one server, with and without TLS and WebSockets`(
        secure: Bool, web: Bool
    ) async throws {
        let path = try SocketPath()
        var (server, configuration) = try await Self.serve(at: path, secure: secure, web: web)
        // The port is not used.
        let local = try await PacketClient.connect(
            to: "localhost", port: 80, protocol: SceneProtocol.self, configuration: configuration)
        #expect(local.connection.peerAddress.unixPath == path.path)
        configuration.dialing.unixPath = nil
        let remote = try await PacketClient.connect(
            to: "localhost", port: server.addresses[0].port, protocol: SceneProtocol.self, configuration: configuration)
        let long = Cs_20001(sceneID: 1, line: 1, message: String(repeating: "x", count: 60_000))
        for client in [local, remote] {
            #expect(try await client.request(Self.hello) == Sc_20001.entered(Self.hello))
            for _ in 0..<50 { #expect(try await client.request(long) == Sc_20001.entered(long)) }
        }
        #expect(Set(server.connections.map { $0.connection.peerAddress.unixPath }) == ["", nil])
        #expect(server.addresses.map(\.unixPath) == [nil, path.path])
        local.close()
        remote.close()
        await server.shutDown()
        #expect(!path.exists)
    }

    @Test(.enabled(if: OpenSSLTool.isWanted, Comment(rawValue: OpenSSLTool.absence)), arguments: [false, true])
    func `a WebSocket passes over a Unix domain socket, whatever its host is called`(secure: Bool) async throws {
        let path = try SocketPath()
        var serverConfiguration = WebSocketServerConfiguration.patient
        var configuration = WebSocketClientConfiguration.patient
        configuration.dialing.unixPath = path.path
        if secure {
            serverConfiguration.listening.tls = try LocalTLS.contexts.get().server
            configuration.dialing.tls = try LocalTLS.contexts.get().client
        }
        let hosts = Seen<String?>()
        let server = try await WebSocketServer.start(at: [.unix(path.path)], configuration: serverConfiguration) {
            request in
            hosts.add(request.headers["Host"])
            return .accept()
        } handler: { client in
            while let message = try await client.receive() { try await client.send(message) }
        }
        let host = secure ? "localhost" : "game.example.com"
        let client = try await WebSocketClient.connect(
            to: "\(secure ? "wss" : "ws")://\(host)/live", configuration: configuration)
        for text in ["hi", String(repeating: "长", count: 30_000)] {
            try await client.send(text)
            #expect(try await client.receive() == .text(text))
        }
        #expect(await hosts.first(1) == [host])
        try await client.close()
        await server.shutDown()
    }

    @Test(.enabled(if: OpenSSLTool.isWanted, Comment(rawValue: OpenSSLTool.absence)))
    func `a session connects again over a Unix domain socket`() async throws {
        let path = try SocketPath()
        let (server, client) = try await Self.serve(at: path, secure: true, web: true)
        var configuration = PacketSessionConfiguration.patient
        configuration.client = client
        let session = try PacketSession.start(
            to: [ServerEndpoint("localhost", port: 80)], protocol: SceneProtocol.self, configuration: configuration)
        #expect(try await session.request(Self.hello) == Sc_20001.entered(Self.hello))
        for connection in server.connections { connection.close() }
        #expect(
            try await session.request(Self.hello, delivery: .atLeastOnce, timeout: .seconds(500))
                == Sc_20001.entered(Self.hello))
        session.end()
        await server.shutDown()
    }

    @Test func `a path without a server and a path that is none are errors`() async throws {
        var configuration = ClientConfiguration.patient
        configuration.dialing.unixPath = "/tmp/wireline-nobody"
        await #expect(throws: ConnectionError.self) {
            _ = try await PacketClient.connect(
                to: "localhost", port: 80, protocol: SceneProtocol.self, configuration: configuration)
        }
        configuration.dialing.unixPath = ""
        await #expect(throws: ConnectionError.transport(.invalidPath(""))) {
            _ = try await PacketClient.connect(
                to: "localhost", port: 80, protocol: SceneProtocol.self, configuration: configuration)
        }
    }

    @Test func `a server without an address is an error`() async throws {
        await #expect(throws: ConnectionError.transport(.noAddress)) {
            _ = try await PacketServer.start(
                at: ServiceManager.inheritedAddresses(), protocol: SceneProtocol.self
            ) { _ in }
        }
    }

    @Test func `clients of a Unix domain socket do not count against the limit per address`() async throws {
        let path = try SocketPath()
        var configuration = ServerConfiguration.patient
        configuration.listening.connectionLimitPerAddress = 1
        let server = try await PacketServer.startBatched(
            at: [.unix(path.path)], protocol: SceneProtocol.self, configuration: configuration
        ) { client in
            { batch in while let packet = try batch.next() { try client.write(packet: packet.bytes) } }
        }
        var client = ClientConfiguration.patient
        client.dialing.unixPath = path.path
        for _ in 0..<3 {
            let client = try await PacketClient.connect(
                to: "localhost", port: 80, protocol: SceneProtocol.self, configuration: client)
            try await client.send(Self.hello)
            #expect(try await client.nextPacket() != nil)
        }
        #expect(await server.counters().refusedConnectionCount == 0)
        await server.shutDown()
    }
}
