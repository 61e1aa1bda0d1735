// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Scene
import Testing
import TestingSupport
import Wireline
import WirelineCodec
import WirelineTransport

/// What a running server reports about itself.
@Suite(.ahead)
struct ServerMetricsTests {
    private struct HandlerError: Error {}

    private static let hello = Cs_20001(sceneID: 1, line: 1, message: "")

    /// Runs a server with one client, and returns the counters after its end.
    private func counters(
        _ change: (inout ServerConfiguration) -> Void = { _ in },
        handler: @escaping @concurrent @Sendable (ServerConnection<SceneProtocol>) async throws -> Void = { client in
            while try await client.nextPacket() != nil {}
        },
        client: @escaping @Sendable (RawSocket) throws -> Void
    ) async throws -> ServerCounters {
        let ends = ConnectionEnds()
        let server = try await SceneServer.start(configuration: ends.configure(change), handler)
        let socket = try RawSocket.connect(to: server.address.port)
        // An error means that the server has closed first.
        try? await onThread { try client(socket) }
        _ = await ends.next()
        withExtendedLifetime(socket) {}
        await server.shutDown()
        return await server.counters()
    }

    private func expect(_ reason: ServerCounters.EndReason, in counters: ServerCounters) {
        #expect(counters.endedConnectionCounts == [reason: 1])
        #expect(counters.acceptedConnectionCount == 1)
    }

    @Test func `a connection that its client ends is a clean end`() async throws {
        expect(.clean, in: try await counters { $0.endOutput() })
    }

    @Test func `a malformed packet and a message that does not match the schema break the protocol`() async throws {
        expect(.brokenProtocol, in: try await counters { try $0.send([0, 0, 0, 1, 0, 0]) })
        let message = try packet(id: Cs_20001.messageID, payload: [7])
        let seen = try await counters {
            _ = $0
        } handler: { client in
            while try await client.nextMessage() != nil {}
        } client: {
            try $0.send(message)
        }
        expect(.brokenProtocol, in: seen)
    }

    @Test func `an HTTP request has a reason of its own`() async throws {
        let ends = ConnectionEnds()
        // A layout in which the first bytes of a request could be a packet.
        let server = try await PacketListener.start(
            at: "127.0.0.1", port: 0, layout: .erlangPacket1, packetLimit: 1 << 20, configuration: ends.configure(),
            handler: .batches { _ in { batch in while try batch.next() != nil {} } })
        let socket = try RawSocket.connect(to: server.address.port)
        let request = "POST /chosen-by-a-page HTTP/1.1\r\nHost: game.example\r\n\r\n"
        // The server may have closed before the second request.
        try? socket.send(Array((request + request).utf8))
        _ = await ends.next()
        expect(.httpRequest, in: await server.counters())
        await server.shutDown(within: .zero)
    }

    @Test func `a health check on a server of packets is no fault`() async throws {
        let seen = try await counters {
            $0.webSocket = ServerConfiguration.WebSocketOptions()
            $0.webSocket?.handshake.pages["/health"] = WebSocketPage("fine")
        } client: {
            try $0.send(Array("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
            _ = try $0.rest()
            $0.endOutput()
        }
        expect(.clean, in: seen)
    }

    @Test func `a page that would have to be made is 500 on a server of packets`() async throws {
        let answers = Seen<String>()
        _ = try await counters {
            $0.webSocket = ServerConfiguration.WebSocketOptions()
            $0.webSocket?.handshake.pages["/health"] = WebSocketPage { WebSocketPage("fine") }
        } client: { socket in
            try socket.send(Array("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
            answers.add(String(decoding: try socket.rest(), as: UTF8.self))
            socket.endOutput()
        }
        #expect(await answers.first(1)[0].hasPrefix("HTTP/1.1 500 "))
    }

    @Test func `a handler that throws its own error is told apart from a broken client`() async throws {
        let seen = try await counters {
            _ = $0
        } handler: { _ in
            throw HandlerError()
        } client: { _ in
        }
        expect(.handlerError, in: seen)
    }

    @Test func `a silent client times out`() async throws {
        let seen = try await counters {
            $0.firstPacketTimeout = .milliseconds(50)
        } client: { _ in
        }
        expect(.timedOut, in: seen)
        #expect(seen.timedOutConnectionCount == 1)
    }

    @Test func `a reset is a lost connection`() async throws {
        let (ends, begun) = (ConnectionEnds(), Gate())
        let server = try await SceneServer.start(configuration: ends.configure()) { client in
            begun.open()
            while try await client.nextPacket() != nil {}
        }
        do {
            let socket = try RawSocket.connect(to: server.address.port)
            // A connection that is reset before it is accepted does not count.
            await begun.wait()
            socket.resetWhenClosed()
        }
        _ = await ends.next()
        expect(.lost, in: await server.counters())
        await server.shutDown()
    }

    @Test(.enabled(if: OpenSSLTool.isWanted, Comment(rawValue: OpenSSLTool.absence)))
    func `bytes that are not TLS are a fault of TLS`() async throws {
        let context = try LocalCertificates.made.get().serverContext()
        let seen = try await counters {
            $0.listening.tls = context
        } client: {
            try $0.send(Array("this is not TLS at all".utf8))
        }
        expect(.tls, in: seen)
    }

    @Test func `a handler that blocks its loop is reported, and counted as a slow turn`() async throws {
        let group = try EventLoopGroup(threadCount: 1)
        let slow = Seen<Duration>()
        var configuration = ServerConfiguration.patient
        configuration.listening.slowTurn = { slow.add($0) }
        configuration.listening.slowTurnTime = .milliseconds(20)
        let server = try await PacketServer.start(
            at: "127.0.0.1", port: 0, protocol: SceneProtocol.self, on: group, configuration: configuration
        ) { client in
            while let packet = try await client.nextPacket() {
                let end = MonotonicTime.now + .milliseconds(30)
                while MonotonicTime.now < end {}
                try await client.forward(packet)
            }
        }
        let client = try await server.connect()
        try await client.send(Self.hello)
        #expect(try await client.nextPacket() != nil)
        // On a busy machine another turn may be slow, too, and the first one is reported.
        #expect(await slow.first(1)[0] >= .milliseconds(20))
        let metrics = await server.metrics()
        #expect(metrics.loops.count == 1 && metrics.loops[0].turns.longest >= .milliseconds(30))
        #expect(metrics.loops[0].socketCount == 2)
        #expect(metrics.counters.traffic.receivedPacketCount == 1 && !metrics.isDraining && !server.isDraining)
        client.close()
        await server.shutDown()
        #expect(server.isDraining)
        #expect(await server.metrics().isDraining)
        // After the end the server's watch is gone.
        _ = await group.counters()
        let count = slow.count
        await group.loops[0].run {
            let end = MonotonicTime.now + .milliseconds(30)
            while MonotonicTime.now < end {}
        }
        _ = await group.counters()
        #expect(slow.count == count)
    }

    @Test(.enabled(if: PrometheusTool.isWanted, "\(PrometheusTool.absence)"))
    func `Prometheus accepts the metrics of a running server`() async throws {
        let server = try await SceneServer.start { client in
            while let packet = try await client.nextPacket() { try await client.forward(packet) }
        }
        let client = try await server.connect()
        try await client.send(Self.hello)
        #expect(try await client.nextPacket() != nil)
        let text = await server.metrics().prometheusText(labels: ["server": "scene"])
        #expect(text.contains("wireline_received_packets_total{server=\"scene\"} 1\n"))
        #expect(try PrometheusTool.complaints(about: text) == "")
        client.close()
        await server.shutDown()
    }
}
