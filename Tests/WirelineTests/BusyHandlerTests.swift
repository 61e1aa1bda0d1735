// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Foundation
import Scene
import Testing
import TestingSupport
import Wireline
import WirelineTransport

/// Handlers that block their loop or compute for long: all connections of the loop wait, and nothing else happens.
@Suite(.ahead)
struct BusyHandlerTests {
    private static let hello = Cs_20001(sceneID: 1, line: 1, message: "")

    /// Blocks the thread.
    private static func block(for duration: TimeInterval) {
        Thread.sleep(forTimeInterval: duration)
    }

    @Test func `a handler that blocks for seconds loses no data, and no peer times out because of it`() async throws {
        // The handler blocks for longer than each timeout. The steps before that may take seconds on a busy machine.
        let deadline = Duration.seconds(15)
        let (isBlocking, mayGoOn) = (Gate(), Seen<Void>())
        let ends = ConnectionEnds()
        let configuration = ends.configure {
            $0.firstPacketTimeout = deadline
            $0.listening.idleTimeout = deadline
            $0.listening.minimumRate = MinimumRate(window: deadline)
            $0.limits.writeTimeout = deadline
        }
        let server = try await SceneServer.start(configuration: configuration) { client in
            while let received = try await client.nextMessage() {
                guard case .cs20001(let enter) = received.message else { continue }
                if enter.line == 0 {
                    isBlocking.open()
                    mayGoOn.block(until: 1)
                    Self.block(for: 16)
                }
                try await client.send(Sc_20001.entered(enter))
            }
        }
        let (busy, old, new) = (
            try await server.connect(), try await server.connect(), try await server.connect()
        )
        let reply = try await old.request(Self.hello)
        #expect(reply.defaultCombat == 1)
        #expect(try await eventually { server.connections.count == 3 })
        let late = Task {
            // A request that fails ends the wait, too.
            defer { isBlocking.open() }
            return try await busy.request(Cs_20001(sceneID: 1, line: 0, message: ""))
        }
        await isBlocking.wait()
        defer { mayGoOn.add(()) }
        // A packet of which no byte has come, the rest of a packet that has begun, and one that no task waited for.
        let requests = (1...500 as ClosedRange<UInt32>).map {
            Cs_20001(sceneID: 2, line: $0, message: String(repeating: "\($0)", count: 100))
        }
        let bytes = try requests.flatMap { try $0.encoded() }
        for client in [old, new] { try await client.connection.sendRaw(bytes) }
        mayGoOn.add(())
        for client in [old, new] {
            for request in requests {
                let packet = try #require(try await client.nextPacket())
                guard try packet.decode(Sc_20001.self) != Sc_20001.entered(request) else { continue }
                Issue.record("another answer than the one to \(request.line)")
                break
            }
        }
        #expect(try await late.value.defaultCombat == 0)
        for client in [busy, old, new] { client.close() }
        await server.shutDown()
    }

    @Test func `the time of a busy handler does not count as the peer's silence`() async throws {
        let (silence, patience) = (Duration.milliseconds(300), Seen<Duration>())
        let configuration = ConnectionEnds().configure {
            $0.firstPacketTimeout = .seconds(500)
            $0.listening.idleTimeout = silence
        }
        let server = try await SceneServer.start(configuration: configuration) { client in
            guard try await client.nextPacket() != nil else { return }
            // Whatever read the loop's clock before.
            _ = client.connection.loop.now
            Self.block(for: 1)
            let start = ContinuousClock.now
            await #expect(throws: ConnectionError.transport(.timedOut)) { _ = try await client.nextPacket() }
            patience.add(ContinuousClock.now - start)
        }
        let socket = try RawSocket.connect(to: server.address.port)
        try socket.send(Self.hello.encoded())
        #expect(await patience.first(1)[0] >= silence)
        await server.shutDown()
    }

    @Test func `a busy WebSocket handler's time does not count as silence, even if reading stopped`() async throws {
        let (silence, patience) = (Duration.milliseconds(300), Seen<Duration>())
        let configuration = WebSocketServerConfiguration.patient {
            $0.listening.idleTimeout = silence
            $0.limits.unreadByteCount = 1
        }
        let server = try await WebSocketServer.serving(on: EventLoopGroup(threadCount: 1), configuration) { client in
            let first = try await client.receive()
            #expect(first == .text("1"))
            // The limit of unread bytes is reached now.
            _ = client.connection.loop.now
            Self.block(for: 1)
            let start = ContinuousClock.now
            let second = try await client.receive()
            #expect(second == .text("2"))
            await #expect(throws: ConnectionError.transport(.timedOut)) { _ = try await client.receive() }
            patience.add(ContinuousClock.now - start)
        }
        let socket = try RawSocket.connect(to: server.address.port)
        // All at once, so that nothing waits before.
        try socket.send(RawWebSocket.request + ["1", "2"].flatMap { RawWebSocket.frame(.text, Array($0.utf8)) })
        #expect(await patience.first(1)[0] >= silence)
        await server.shutDown()
    }
}
