// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Scene
import Testing
import TestingSupport
import Wireline
import WirelineTransport

/// Connections through other implementations' proxies.
@Suite(
    .enabled(if: OpenSSLTool.isWanted, Comment(rawValue: OpenSSLTool.absence)),
    .enabled(if: ProxyTool.isWanted, Comment(rawValue: ProxyTool.absence)), .ahead)
struct RealProxyTests {
    private static let hello = Cs_20001(sceneID: 7, line: 2, message: "hi")

    private static func proxy(
        _ kind: ProxyTool.Kind, _ port: UInt16, _ credentials: Proxy.Credentials? = nil
    ) -> Proxy {
        switch kind {
        case .tinyproxy: .http(host: "127.0.0.1", port: port, credentials: credentials)
        case .microsocks: .socks5(host: "127.0.0.1", port: port, credentials: credentials)
        }
    }

    /// A server of one kind, and the configuration of its clients.
    private static func serve(
        secure: Bool, web: Bool
    ) async throws -> (server: SceneServer, configuration: ClientConfiguration) {
        var configuration = ServerConfiguration.patient
        var client = ClientConfiguration.patient
        if secure {
            configuration.listening.tls = try LocalTLS.contexts.get().server
            client.dialing.tls = try LocalTLS.contexts.get().client
        }
        if web {
            configuration.webSocket = ServerConfiguration.WebSocketOptions()
            client.webSocket = ClientConfiguration.WebSocketOptions()
        }
        let server = try await SceneServer.start(configuration: configuration) { client in
            while let received = try await client.nextMessage() {
                guard case .cs20001(let enter) = received.message else { continue }
                try await client.send(Sc_20001.entered(enter))
            }
        }
        return (server, client)
    }

    private static func connect(
        to host: String, _ port: UInt16, _ configuration: ClientConfiguration
    ) async throws(ConnectionError) -> PacketClient<SceneProtocol> {
        try await PacketClient.connect(
            to: host, port: port, protocol: SceneProtocol.self, configuration: configuration)
    }

    /// Why there is no connection; nil if there is one.
    private static func failure(to port: UInt16, _ configuration: ClientConfiguration) async -> ConnectionError? {
        do throws(ConnectionError) {
            try await connect(to: "127.0.0.1", port, configuration).close()
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: ProxyTool.Kind.allCases, ["127.0.0.1", "localhost"])
    func `packets pass through a proxy, with and without TLS and WebSockets`(
        kind: ProxyTool.Kind, host: String
    ) async throws {
        let tool = try await ProxyTool.start(kind)
        for (secure, web) in [(false, false), (true, false), (false, true), (true, true)] {
            var (server, configuration) = try await Self.serve(secure: secure, web: web)
            configuration.dialing.proxy = Self.proxy(kind, tool.port)
            let client = try await Self.connect(to: host, server.address.port, configuration)
            for _ in 0..<50 { #expect(try await client.request(Self.hello) == Sc_20001.entered(Self.hello)) }
            let long = Cs_20001(sceneID: 1, line: 1, message: String(repeating: "x", count: 60_000))
            for _ in 0..<50 { try await client.send(long) }
            for _ in 0..<50 {
                let reply = try #require(try await client.nextPacket())
                #expect(try Sc_20001(packet: reply.bytes) == Sc_20001.entered(long))
            }
            client.close()
            await server.shutDown()
        }
        withExtendedLifetime(tool) {}
    }

    @Test(arguments: ProxyTool.Kind.allCases)
    func `a WebSocket passes through a proxy, with and without TLS`(kind: ProxyTool.Kind) async throws {
        let tool = try await ProxyTool.start(kind)
        for secure in [false, true] {
            var serverConfiguration = WebSocketServerConfiguration.patient
            var configuration = WebSocketClientConfiguration.patient
            configuration.dialing.proxy = Self.proxy(kind, tool.port)
            if secure {
                serverConfiguration.listening.tls = try LocalTLS.contexts.get().server
                configuration.dialing.tls = try LocalTLS.contexts.get().client
            }
            let server = try await WebSocketServer.echo(serverConfiguration)
            let url = "\(secure ? "wss" : "ws")://localhost:\(server.address.port)/live"
            let client = try await WebSocketClient.connect(to: url, configuration: configuration)
            for text in ["hi", String(repeating: "长", count: 30_000)] {
                try await client.send(text)
                #expect(try await client.receive() == .text(text))
            }
            #expect(client.timeline.entries.contains { $0.event == .proxyEnded })
            try await client.close()
            await server.shutDown()
        }
        withExtendedLifetime(tool) {}
    }

    @Test(arguments: ProxyTool.Kind.allCases)
    func `a proxy accepts only the right name and password`(kind: ProxyTool.Kind) async throws {
        let tool = try await ProxyTool.start(kind, credentials: ("wang", "dich"))
        var (server, configuration) = try await Self.serve(secure: false, web: false)
        configuration.dialing.proxy = Self.proxy(kind, tool.port, Proxy.Credentials(user: "wang", password: "dich"))
        let client = try await Self.connect(to: "127.0.0.1", server.address.port, configuration)
        #expect(try await client.request(Self.hello) == Sc_20001.entered(Self.hello))
        client.close()

        for credentials in [nil, Proxy.Credentials(user: "wang", password: "mich")] {
            configuration.dialing.proxy = Self.proxy(kind, tool.port, credentials)
            let error = await Self.failure(to: server.address.port, configuration)
            switch (kind, credentials, error) {
            case (.tinyproxy, nil, .proxy(.refused(status: 407, reason: _))?),
                (.tinyproxy, .some, .proxy(.refused(status: 401, reason: _))?),
                (.microsocks, nil, .proxy(.noAcceptableMethod)?),
                (.microsocks, .some, .proxy(.loginRefused(status: _))?):
                break
            default: Issue.record("\(String(describing: error))")
            }
        }
        await server.shutDown()
        withExtendedLifetime(tool) {}
    }

    @Test(arguments: ProxyTool.Kind.allCases)
    func `a proxy reports that the server does not listen`(kind: ProxyTool.Kind) async throws {
        let tool = try await ProxyTool.start(kind)
        // A port that is in use and has no listener.
        let listener = try RawSocket.listen()
        let taken = try RawSocket.connect(to: listener.port())
        var configuration = ClientConfiguration.patient
        configuration.dialing.proxy = Self.proxy(kind, tool.port)
        let error = try await Self.failure(to: taken.port(), configuration)
        switch (kind, error) {
        case (.tinyproxy, .proxy(.refused(status: 500..., reason: _))?): break
        case (.microsocks, .proxy(.notConnected(.connectionRefused))?): break
        default: Issue.record("\(String(describing: error))")
        }
        withExtendedLifetime(tool) {}
    }

    @Test(arguments: ProxyTool.Kind.allCases)
    func `a session reconnects through its proxy`(kind: ProxyTool.Kind) async throws {
        let tool = try await ProxyTool.start(kind)
        let (server, client) = try await Self.serve(secure: true, web: true)
        var configuration = PacketSessionConfiguration.patient
        configuration.client = client
        configuration.client.dialing.proxy = Self.proxy(kind, tool.port)
        let session = try PacketSession.start(
            to: [server.endpoint], protocol: SceneProtocol.self, configuration: configuration)
        #expect(try await session.request(Self.hello) == Sc_20001.entered(Self.hello))
        for connection in server.connections { connection.close() }
        #expect(
            try await session.request(Self.hello, delivery: .atLeastOnce, timeout: .seconds(500))
                == Sc_20001.entered(Self.hello))
        session.end()
        await server.shutDown()
        withExtendedLifetime(tool) {}
    }
}
