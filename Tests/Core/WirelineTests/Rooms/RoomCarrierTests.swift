// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Scene
import Testing
import TestingSupport
import Wireline
import WirelineTransport

/// Rooms over TCP, TLS and WebSockets.
@Suite(.enabled(if: OpenSSLTool.isWanted, Comment(rawValue: OpenSSLTool.absence)), .ahead)
struct RoomCarrierTests {
    enum Carrier: CaseIterable {
        case tls, webSocket, compressedWebSocket, sharedCompression, secureWebSocket, secureSharedCompression

        var isSecure: Bool { self == .tls || self == .secureWebSocket || self == .secureSharedCompression }

        var deflate: WebSocketDeflate? {
            switch self {
            case .tls, .webSocket, .secureWebSocket: return nil
            case .compressedWebSocket: return WebSocketDeflate()
            case .sharedCompression, .secureSharedCompression:
                var deflate = WebSocketDeflate()
                deflate.takesContextOver = false
                return deflate
            }
        }
    }

    private static func server(_ carrier: Carrier) throws -> ServerConfiguration {
        var configuration = ServerConfiguration.patient
        if carrier.isSecure { configuration.listening.tls = try LocalTLS.contexts.get().server }
        guard carrier != .tls else { return configuration }
        configuration.webSocket = ServerConfiguration.WebSocketOptions()
        configuration.webSocket?.handshake.deflate = carrier.deflate
        return configuration
    }

    private static func client(_ carrier: Carrier, windowBits: Int = 15) throws -> ClientConfiguration {
        var configuration = ClientConfiguration.patient
        if carrier.isSecure {
            configuration.dialing.tls = try LocalTLS.contexts.get().client
            configuration.dialing.tlsServerName = "localhost"
        }
        guard carrier != .tls else { return configuration }
        configuration.webSocket = ClientConfiguration.WebSocketOptions()
        configuration.webSocket?.deflate = carrier.deflate
        configuration.webSocket?.deflate?.peerWindowBits = windowBits
        return configuration
    }

    @Test(arguments: Carrier.allCases)
    func `all members get all messages, in order with single sends`(carrier: Carrier) async throws {
        let rooms = try await RoomServer.start(
            on: EventLoopGroup(threadCount: 2), configuration: Self.server(carrier))
        // Frames with different windows are not the same.
        var clients = try await rooms.connect(4, configuration: Self.client(carrier))
        clients += try await rooms.connect(2, configuration: Self.client(carrier, windowBits: 10))
        let author = clients[3].member
        try await author.connection.onLoop { _ in
            try author.write(RoomServer.line(1))
            for number in 2...40 { try rooms.room.send(RoomServer.line(number)) }
            try author.write(RoomServer.line(41))
            try rooms.room.send(RoomServer.line(42, text: String(repeating: "x", count: 50_000)))
        }
        for number in 43...60 { try rooms.room.send(RoomServer.line(number)) }
        for (index, client) in clients.enumerated() {
            let expected = (1...60).filter { index == 3 || $0 != 1 && $0 != 41 }
            #expect(try await client.lines(expected.count) == expected)
        }
        #expect(await author.connection.counters().sentPacketCount == 60)
        await rooms.server.shutDown(within: .zero)
    }

    @Test(arguments: Carrier.allCases)
    func `members that read nothing drop messages, and hold a bounded amount`(carrier: Carrier) async throws {
        var configuration = try Self.server(carrier)
        configuration.limits.pendingByteCount = 20_000
        let rooms = try await RoomServer.start(configuration: configuration)
        let clients = try await rooms.connect(2, configuration: Self.client(carrier))
        var random = SeededGenerator(seed: 7)
        // Not compressible. The second client takes no packets, so that its connection reads nothing.
        let message = try packet(id: 1, payload: random.bytes(10_000))
        while await rooms.room.counters().droppedCount < 10 {
            rooms.room.send(packet: message)
            #expect(try await clients[0].nextPacket()?.id == 1)
        }
        #expect(await rooms.server.counters().traffic.pendingByteCount <= 20_000 + message.count)
        await rooms.server.shutDown(within: .zero)
    }
}
