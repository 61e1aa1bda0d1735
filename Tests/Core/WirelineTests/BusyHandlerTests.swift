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

    @Test(arguments: [1, 2])
    func `a handler that blocks its loop does not hold up the end of the server`(threadCount: Int) async throws {
        let (isBlocking, mayEnd) = (Gate(), Seen<Void>())
        let server = try await SceneServer.start(on: EventLoopGroup(threadCount: threadCount)) { client in
            _ = try await client.nextPacket()
            isBlocking.open()
            mayEnd.block(until: 1)
        }
        let client = try await server.connect()
        try await client.send(Self.hello)
        await isBlocking.wait()
        await server.shutDown(within: .milliseconds(100))
        mayEnd.add(())
        client.close()
    }

    /// A server whose loop is blocked by the handler of one of three connections.
    private struct BlockedServer {
        /// Each timeout. The handler blocks for longer.
        private static let deadline = Duration.seconds(15)

        let server: SceneServer
        /// The client whose request the handler is about.
        let busy: PacketClient<SceneProtocol>
        /// A client that has sent a packet before, and one that has not.
        let old: PacketClient<SceneProtocol>, new: PacketClient<SceneProtocol>
        /// The reply to the busy client.
        private let late: Task<Sc_20001, any Error>
        /// Tells the handler to begin with its seconds.
        private let mayGoOn = Seen<Void>()

        /// Starts servers until the handler of one blocks before a timeout has ended a connection: on a busy machine, the
        /// steps before that may take longer than the timeouts.
        static func start() async throws -> BlockedServer {
            while true {
                let blocked = try await BlockedServer()
                if let blocked { return blocked }
            }
        }

        /// - Returns: nil if a connection has ended before the handler blocked.
        private init?() async throws {
            let isBlocking = Gate()
            let configuration = ConnectionEnds().configure {
                $0.firstPacketTimeout = Self.deadline
                $0.listening.idleTimeout = Self.deadline
                $0.listening.minimumRate = MinimumRate(window: Self.deadline)
                $0.limits.writeTimeout = Self.deadline
            }
            server = try await SceneServer.start(
                on: EventLoopGroup(threadCount: 1), configuration: configuration
            ) { [mayGoOn] client in
                while let received = try await client.nextMessage() {
                    guard case .cs20001(let enter) = received.message else { continue }
                    if enter.line == 0 {
                        isBlocking.open()
                        mayGoOn.block(until: 1)
                        BusyHandlerTests.block(for: 16)
                    }
                    try await client.send(Sc_20001.entered(enter))
                }
            }
            let clients = (try await server.connect(), try await server.connect(), try await server.connect())
            (busy, old, new) = clients
            let first = try? await old.request(BusyHandlerTests.hello)
            late = Task {
                // A request that fails ends the wait, too.
                defer { isBlocking.open() }
                return try await clients.0.request(Cs_20001(sceneID: 1, line: 0, message: ""))
            }
            await isBlocking.wait()
            // Nothing changes this number while the loop is blocked.
            if first != nil, server.connections.count == 3 { return }
            goOn()
            await shutDown()
            return nil
        }

        /// Lets the handler begin with its seconds.
        func goOn() { mayGoOn.add(()) }

        /// The reply to the busy client.
        func reply() async throws -> Sc_20001 { try await late.value }

        func shutDown() async {
            for client in [busy, old, new] { client.close() }
            await server.shutDown()
        }
    }

    @Test func `a handler that blocks for seconds loses no data, and no peer times out because of it`() async throws {
        let blocked = try await BlockedServer.start()
        defer { blocked.goOn() }
        // A packet of which no byte has come, the rest of a packet that has begun, and one that no task waited for.
        let requests = (1...500 as ClosedRange<UInt32>).map {
            Cs_20001(sceneID: 2, line: $0, message: String(repeating: "\($0)", count: 100))
        }
        let bytes = try requests.flatMap { try $0.encoded() }
        for client in [blocked.old, blocked.new] { try await client.connection.sendRaw(bytes) }
        blocked.goOn()
        for client in [blocked.old, blocked.new] {
            for request in requests {
                let packet = try #require(try await client.nextPacket())
                guard try packet.decode(Sc_20001.self) != Sc_20001.entered(request) else { continue }
                Issue.record("another answer than the one to \(request.line)")
                break
            }
        }
        #expect(try await blocked.reply().defaultCombat == 0)
        await blocked.shutDown()
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
