// SPDX-License-Identifier: Apache-2.0

import Scene
import Testing
import TestingSupport
import Wireline
import WirelineTransport

/// Servers behind HAProxy, which tells them the addresses of their clients.
@Suite(.enabled(if: HAProxyTool.isWanted, Comment(rawValue: HAProxyTool.absence)), .ahead)
struct HAProxyTests {
    private static let hello = Cs_20001(sceneID: 7, line: 2, message: "hi")

    private static let carriers: [(secure: Bool, web: Bool)] = [
        (false, false), (true, false), (false, true), (true, true),
    ]

    private static func listening(_ options: inout ListeningOptions, secure: Bool) throws {
        options.proxyProtocol = ListeningOptions.ProxyProtocol(
            from: [try IPNetwork("127.0.0.1")], trustsUnixSockets: true)
        options.proxyProtocol?.timeout = .seconds(500)
        if secure { options.tls = try LocalTLS.contexts.get().server }
    }

    /// The address that clients connect from. TLS passes through HAProxy unread.
    private static let origin = Result { try SocketAddress(ipAddress: "127.0.0.7", port: 0) }

    @Test(
        .enabled(if: OpenSSLTool.isWanted, Comment(rawValue: OpenSSLTool.absence)),
        arguments: ["send-proxy", "send-proxy-v2", "send-proxy-v2 proxy-v2-options crc32c,unique-id,authority"],
        carriers)
    func `a server learns the address of each client, and packets pass`(
        option: String, carrier: (secure: Bool, web: Bool)
    ) async throws {
        let path = try SocketPath()
        var configuration = ServerConfiguration.patient
        try Self.listening(&configuration.listening, secure: carrier.secure)
        if carrier.web { configuration.webSocket = ServerConfiguration.WebSocketOptions() }
        let peers = Seen<String>()
        let server = try await PacketServer.start(
            at: [.host("127.0.0.1", port: 0), .unix(path.path)], protocol: SceneProtocol.self,
            configuration: configuration
        ) { client in
            while let received = try await client.nextMessage() {
                guard case .cs20001(let enter) = received.message else { continue }
                peers.add(client.connection.peerAddress.ipAddress)
                try await client.send(Sc_20001.entered(enter))
            }
        }
        var client = ClientConfiguration.patient
        client.dialing.localAddress = try Self.origin.get()
        if carrier.secure { client.dialing.tls = try LocalTLS.contexts.get().client }
        if carrier.web { client.webSocket = ClientConfiguration.WebSocketOptions() }
        for target in ["127.0.0.1:\(server.address.port)", "unix@" + path.path] {
            let tool = try await HAProxyTool.start(to: target, option)
            let connection = try await PacketClient.connect(
                to: "localhost", port: tool.port, protocol: SceneProtocol.self, configuration: client)
            #expect(try await connection.request(Self.hello) == Sc_20001.entered(Self.hello))
            connection.close()
            withExtendedLifetime(tool) {}
        }
        #expect(await peers.first(2) == ["127.0.0.7", "127.0.0.7"])
        await server.shutDown()
    }

    @Test(arguments: ["send-proxy", "send-proxy-v2"])
    func `a WebSocket server learns the address of its client`(option: String) async throws {
        var serverConfiguration = WebSocketServerConfiguration.patient
        try Self.listening(&serverConfiguration.listening, secure: false)
        let peers = Seen<String>()
        let server = try await WebSocketServer.start(at: "127.0.0.1", port: 0, configuration: serverConfiguration) {
            client in
            peers.add(client.connection.peerAddress.ipAddress)
            while let message = try await client.receive() { try await client.send(message) }
        }
        let tool = try await HAProxyTool.start(to: "127.0.0.1:\(server.address.port)", option)
        var configuration = WebSocketClientConfiguration.patient
        configuration.dialing.localAddress = try Self.origin.get()
        let client = try await WebSocketClient.connect(
            to: "ws://localhost:\(tool.port)/live", configuration: configuration)
        try await client.send("hi")
        #expect(try await client.receive() == .text("hi"))
        #expect(await peers.first(1) == ["127.0.0.7"])
        try await client.close()
        withExtendedLifetime(tool) {}
        await server.shutDown()
    }
}
