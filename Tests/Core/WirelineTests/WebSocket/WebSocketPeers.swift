// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import TestingSupport
import Wireline
import WirelineTransport
import WirelineWebSocket

extension WebSocketLimits {
    /// Limits without a timeout that a busy machine could miss.
    static var patient: WebSocketLimits {
        var limits = WebSocketLimits()
        limits.writeTimeout = nil
        limits.frames.closeTimeout = .seconds(600)
        return limits
    }
}

extension WebSocketClientConfiguration {
    static var patient: WebSocketClientConfiguration {
        var configuration = WebSocketClientConfiguration()
        configuration.dialing = ClientConfiguration.patient.dialing
        configuration.limits = .patient
        return configuration
    }

    static func patient(_ change: (inout WebSocketClientConfiguration) -> Void) -> WebSocketClientConfiguration {
        var configuration = patient
        change(&configuration)
        return configuration
    }
}

extension WebSocketServerConfiguration {
    static var patient: WebSocketServerConfiguration {
        var configuration = WebSocketServerConfiguration()
        configuration.listening.handshakeTimeout = nil
        configuration.listening.minimumRate = nil
        configuration.listening.minimumReadingRate = nil
        configuration.limits = .patient
        return configuration
    }

    static func patient(_ change: (inout WebSocketServerConfiguration) -> Void) -> WebSocketServerConfiguration {
        var configuration = patient
        change(&configuration)
        return configuration
    }
}

extension WebSocketServer {
    /// A server that sends everything back.
    static func echo(
        on group: EventLoopGroup? = nil, _ configuration: WebSocketServerConfiguration = .patient
    ) async throws -> WebSocketServer {
        try await serving(on: group, configuration) { client in
            for try await message in client.messages { try await client.send(message) }
        }
    }

    static func serving(
        on group: EventLoopGroup? = nil, _ configuration: WebSocketServerConfiguration = .patient,
        handler: @escaping @concurrent @Sendable (WebSocketServerConnection) async throws -> Void
    ) async throws -> WebSocketServer {
        try await start(
            at: "127.0.0.1", port: 0, on: group ?? ConnectionPair.group.get(), configuration: configuration,
            handler: handler)
    }

    func url(_ target: String = "/", isSecure: Bool = false) -> String {
        isSecure ? "wss://localhost:\(address.port)\(target)" : "ws://127.0.0.1:\(address.port)\(target)"
    }

    func connect(
        _ target: String = "/", _ configuration: WebSocketClientConfiguration = .patient
    ) async throws -> WebSocketClient {
        try await WebSocketClient.connect(
            to: url(target), on: ConnectionPair.group.get(), configuration: configuration)
    }
}

extension WebSocketSessionConfiguration {
    /// For machines that do many other things at the same time: the session reconnects at once, and retries for long.
    static func patient(_ change: (inout WebSocketSessionConfiguration) -> Void = { _ in }) -> Self {
        var configuration = WebSocketSessionConfiguration(
            client: .patient,
            reconnect: ReconnectPolicy(baseDelay: .milliseconds(1), maximumDelay: .milliseconds(50), retryLimit: nil),
            loginTimeout: .seconds(500))
        change(&configuration)
        return configuration
    }
}

extension WebSocketServer {
    /// A server that records the texts that it receives.
    static func remembering(
        at host: String = "127.0.0.1", port: UInt16 = 0
    ) async throws -> (server: WebSocketServer, seen: Seen<String>) {
        let seen = Seen<String>()
        let server = try await start(
            at: host, port: port, on: ConnectionPair.group.get(), configuration: .patient
        ) { client in
            while case .text(let text)? = try await client.receive() { seen.add(text) }
        }
        return (server, seen)
    }

    func session(
        _ target: String = "/", _ configuration: WebSocketSessionConfiguration = .patient(),
        login: (@Sendable (WebSocketSession.Login) async throws -> Void)? = nil
    ) throws -> WebSocketSession {
        let url = try WebSocketURL("ws://\(address.ipAddress):\(address.port)\(target)")
        return try WebSocketSession.start(to: [url], configuration: configuration, login: login)
    }

    func session(
        _ configuration: WebSocketSessionConfiguration,
        login: (@Sendable (WebSocketSession.Login) async throws -> Void)? = nil
    ) throws -> WebSocketSession {
        try session("/", configuration, login: login)
    }
}

/// What ended each connection of a WebSocket server, in order.
final class WebSocketEnds: Sendable {
    private let ends = Seen<String>()

    func configure(
        _ change: (inout WebSocketServerConfiguration) -> Void = { _ in }
    ) -> WebSocketServerConfiguration {
        .patient { configuration in
            configuration.listening.connectionEnded = { [ends] _, error in ends.add(error.map { "\($0)" } ?? "clean") }
            change(&configuration)
        }
    }

    /// The first ends, once there are so many.
    func first(_ count: Int) async -> [String] { await ends.first(count) }
}

/// A peer that sends exactly the bytes that it is told.
enum RawFrames {
    /// The request of RFC 6455 §1.3.
    static let request = Array(
        """
        GET /chat HTTP/1.1\r
        Host: 127.0.0.1\r
        Upgrade: websocket\r
        Connection: Upgrade\r
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
        Sec-WebSocket-Version: 13\r
        \r

        """.utf8)

    /// A frame of a client; its mask changes nothing.
    static func masked(_ opcode: UInt8, isFinal: Bool = true, _ payload: [UInt8]) -> [UInt8] {
        var frame = frame(opcode, isFinal: isFinal, payload)
        frame[1] |= 0x80
        frame.insert(contentsOf: [0, 0, 0, 0], at: frame.count - payload.count)
        return frame
    }

    /// A frame of a server.
    static func frame(_ opcode: UInt8, isFinal: Bool = true, _ payload: [UInt8]) -> [UInt8] {
        var frame: [UInt8] = [(isFinal ? 0x80 : 0) | opcode]
        switch payload.count {
        case ..<126: frame.append(UInt8(payload.count))
        case ..<65_536: frame += [126] + (0..<2).map { UInt8(truncatingIfNeeded: payload.count >> (8 - 8 * $0)) }
        default: frame += [127] + (0..<8).map { UInt8(truncatingIfNeeded: payload.count >> (56 - 8 * $0)) }
        }
        return frame + payload
    }

    static func close(_ code: UInt16) -> [UInt8] { [UInt8(code >> 8), UInt8(truncatingIfNeeded: code)] }
}

extension RawSocket {
    /// Accepts a WebSocket client.
    func acceptWebSocket() throws -> RawSocket {
        let socket = try accept()
        try socket.send(socket.answerToRequest())
        return socket
    }

    /// Waits for a client's request.
    ///
    /// - Returns: The answer of a server that accepts it.
    func answerToRequest() throws -> [UInt8] {
        var handshake = try WebSocketServerHandshake()
        while handshake.request == nil {
            let bytes = try receive()
            _ = try handshake.receive(bytes.span.bytes)
        }
        try handshake.answer(.accept())
        return handshake.takeOutput()
    }
}
