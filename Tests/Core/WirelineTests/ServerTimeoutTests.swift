// SPDX-License-Identifier: Apache-2.0

import Scene
import Testing
import TestingSupport
import Wireline
import WirelineTesting

/// A server's timeouts, on a clock that the tests move.
struct ServerTimeoutTests {
    private static let hello = Cs_20001(sceneID: 1, line: 1, message: "")

    /// A server without timeouts, except those that a test sets.
    private func serve(
        _ configure: (inout ServerConfiguration) -> Void,
        handler: @escaping @concurrent @Sendable (ServerConnection<SceneProtocol>) async throws -> Void
    ) async throws -> TestServer<SceneProtocol> {
        var configuration = ServerConfiguration(firstPacketTimeout: nil)
        configuration.listening.minimumRate = nil
        configuration.listening.minimumReadingRate = nil
        configuration.listening.keepAliveTime = nil
        configuration.limits.writeTimeout = nil
        configure(&configuration)
        return try await TestNetwork().serve(SceneProtocol.self, configuration: configuration, handler: handler)
    }

    private func ends(of server: TestServer<SceneProtocol>) -> [ConnectionError?] {
        server.ends.map { $0 as? ConnectionError }
    }

    @Test func `a connection without a packet is closed, even if it sends single bytes`() async throws {
        let server = try await serve {
            $0.firstPacketTimeout = .seconds(50)
        } handler: { client in
            while try await client.nextPacket() != nil {}
        }
        let client = try await server.network.connect(to: server)
        // A packet of 1 MiB, a byte at a time.
        try await client.send(bytes: [0x00, 0x10, 0x00, 0x00, 0x00, 0x01])
        for _ in 0..<49 {
            await server.network.advance(by: .seconds(1))
            try await client.send(bytes: [7])
        }
        try await client.expectNothing()
        await server.network.advance(by: .seconds(1))
        try await client.expectEnd()
        #expect(ends(of: server) == [.transport(.timedOut)])
    }

    @Test func `silence ends a connection, but not while its handler is busy`() async throws {
        let server = try await serve {
            $0.listening.idleTimeout = .seconds(60)
        } handler: { client in
            guard try await client.nextPacket() != nil else { return }
            // Longer than the timeout: this is the handler's time, and not the peer's.
            try await client.loop.sleep(for: .seconds(150))
            try await client.send(Sc_20001.entered(Self.hello))
            _ = try await client.nextPacket()
        }
        let client = try await server.network.connect(to: server)
        try await client.send(Self.hello)
        try await client.expectNothing(for: .seconds(149))
        try await client.expect(Sc_20001.entered(Self.hello), within: .seconds(1))
        try await client.expectNothing(for: .seconds(59))
        try await client.expectEnd(within: .seconds(1))
        #expect(ends(of: server) == [.transport(.timedOut)])
    }

    @Test(arguments: [false, true])
    func `a silent peer times out, even during short requests and short waits`(isAsked: Bool) async throws {
        let server = try await serve {
            $0.listening.idleTimeout = .seconds(30)
        } handler: { client in
            while client.connection.stream.isOpen {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { _ = try? await client.nextPacket() }
                    if isAsked {
                        group.addTask {
                            for _ in 0..<10 {
                                _ = try? await client.connection.request(Self.hello, timeout: .seconds(2))
                            }
                        }
                    } else {
                        group.addTask { try await client.loop.sleep(for: .seconds(2)) }
                    }
                    try await group.next()
                    group.cancelAll()
                }
            }
        }
        let client = try await server.network.connect(to: server)
        await server.network.advance(by: .seconds(29))
        #expect(client.isOpen)
        await server.network.advance(by: .seconds(1))
        // What was sent to it comes first.
        if isAsked { await client.skipAll() }
        try await client.expectEnd()
    }

    @Test func `a peer that reads nothing times out`() async throws {
        let server = try await serve {
            $0.limits.writeTimeout = .seconds(50)
        } handler: { client in
            _ = try await client.nextPacket()
            let message = Sc_20001.entered(Cs_20001(sceneID: 1, line: 1, message: String(repeating: "x", count: 999)))
            while true { try await client.send(message) }
        }
        let client = try await server.network.connect(to: server)
        await client.pauseReading()
        try await client.send(Self.hello)
        await server.network.advance(by: .seconds(49))
        #expect(server.connectionCount == 1)
        await server.network.advance(by: .seconds(14))
        #expect(ends(of: server) == [.transport(.timedOut)])
    }

    /// A server that sends without end, to clients that must take 1,000 bytes in 100 s.
    private func pour(_ rate: MinimumRate) async throws -> TestServer<SceneProtocol> {
        try await serve {
            $0.listening.minimumReadingRate = rate
        } handler: { client in
            _ = try await client.nextPacket()
            let message = Sc_20001.entered(Cs_20001(sceneID: 1, line: 1, message: String(repeating: "x", count: 999)))
            while true { try await client.send(message) }
        }
    }

    @Test func `a peer that takes output too slowly is closed`() async throws {
        let rate = MinimumRate(byteCount: 1_000, window: .seconds(100))
        let server = try await pour(rate)
        let client = try await server.network.connect(to: server)
        await client.pauseReading()
        try await client.send(Self.hello)
        // In the first 100 s, the client's system takes what fits into its buffers.
        await server.network.advance(by: .seconds(199))
        #expect(server.connectionCount == 1)
        await server.network.advance(by: .seconds(2))
        #expect(ends(of: server) == [.readTooSlowly(rate)])
        let counters = await server.server.counters()
        #expect(counters.endedConnectionCounts == [.readTooSlowly: 1])
        #expect(counters.readTooSlowlyConnectionCount == 1)
    }

    @Test func `a peer that takes all output that waits has time again`() async throws {
        let count = 300
        let server = try await serve {
            $0.listening.minimumReadingRate = MinimumRate(byteCount: 1_000, window: .seconds(100))
        } handler: { client in
            let message = Sc_20001.entered(Cs_20001(sceneID: 1, line: 1, message: String(repeating: "x", count: 999)))
            while try await client.nextPacket() != nil { for _ in 0..<count { try await client.send(message) } }
        }
        let client = try await server.network.connect(to: server)
        for _ in 0..<3 {
            await client.pauseReading()
            try await client.send(Self.hello)
            await server.network.advance(by: .seconds(190))
            await client.resumeReading()
            for _ in 0..<count { _ = try await client.expectMessage() }
        }
        #expect(server.connectionCount == 1)
        await client.close()
    }

    @Test func `a peer is not slow while no output waits`() async throws {
        let server = try await serve {
            $0.listening.minimumReadingRate = MinimumRate(byteCount: 1_000_000, window: .seconds(10))
        } handler: { client in
            while try await client.nextPacket() != nil { try await client.send(Sc_20001.entered(Self.hello)) }
        }
        let client = try await server.network.connect(to: server)
        for _ in 0..<5 {
            try await client.send(Self.hello)
            try await client.expect(Sc_20001.entered(Self.hello))
            await server.network.advance(by: .seconds(100))
        }
        #expect(server.connectionCount == 1)
        await client.close()
    }

    @Test func `a peer that sends a packet too slowly is closed`() async throws {
        let rate = MinimumRate(byteCount: 1_000, window: .seconds(100))
        let server = try await serve {
            $0.listening.minimumRate = rate
        } handler: { client in
            while try await client.nextPacket() != nil {}
        }
        let client = try await server.network.connect(to: server)
        try await client.send(bytes: [0, 0, 0xFF, 0xFF, 0, 1])
        for _ in 0..<9 {
            await server.network.advance(by: .seconds(10))
            try await client.send(bytes: [UInt8](repeating: 7, count: 101))
        }
        try await client.expectNothing()
        for _ in 0..<21 where client.isOpen {
            await server.network.advance(by: .seconds(10))
            if client.isOpen { try await client.send(bytes: [7]) }
        }
        try await client.expectEnd()
        #expect(ends(of: server) == [.tooSlow(rate)])
        #expect(await server.server.counters().tooSlowConnectionCount == 1)
    }

    @Test func `a handler that does not end in time is cancelled`() async throws {
        let cancelled = Seen<Bool>()
        let server = try await serve { _ in
        } handler: { client in
            try? await client.loop.sleep(for: .seconds(1_000))
            cancelled.add(Task.isCancelled)
        }
        _ = try await server.network.connect(to: server)
        let start = server.network.time
        try await server.shutDown(within: .seconds(30))
        #expect((server.network.time - start) / .seconds(1) >= 30)
        await server.network.settle()
        #expect(await cancelled.first(1) == [true])
    }
}
