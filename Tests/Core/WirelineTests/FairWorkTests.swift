// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Scene
import Testing
import TestingSupport
import Wireline
import WirelineTransport
import WirelineWebSocket

/// Long work of one connection is done in steps, and the loop serves others in between.
@Suite(.ahead)
struct FairWorkTests {
    /// How many turns a loop takes. Only the loop uses it, so it needs no lock.
    private final class TurnCounter: @unchecked Sendable {
        private let loop: EventLoop
        private(set) var count = 0
        private var timer: EventLoop.Timer?

        init(on loop: EventLoop) { self.loop = loop }

        func start() {
            timer = loop.schedule(at: loop.now) {
                self.count += 1
                self.start()
            }
        }

        func stop() { loop.cancel(&timer) }
    }

    /// How many turns a loop takes while a closure runs.
    private func turns(of loop: EventLoop, during body: () async throws -> Void) async throws -> Int {
        let counter = TurnCounter(on: loop)
        await loop.run { counter.start() }
        try await body()
        return await loop.run {
            counter.stop()
            return counter.count
        }
    }

    private static let deflating = WebSocketClientConfiguration.patient { $0.deflate = WebSocketDeflate() }

    private static let messageByteCount = 8 << 20
    /// The least number of steps, of 1 MiB each.
    private static let leastTurns = 8

    @Test func `a loop takes many turns while a compressed message is decompressed`() async throws {
        let configuration = WebSocketServerConfiguration.patient { $0.handshake.deflate = WebSocketDeflate() }
        let hasCome = Gate()
        let loops = Seen<EventLoop>()
        let group = try EventLoopGroup(threadCount: 1)
        let server = try await WebSocketServer.serving(on: group, configuration) { client in
            loops.add(client.loop)
            let message = try await client.receive()
            #expect(message == .binary([UInt8](repeating: 0, count: Self.messageByteCount)))
            hasCome.open()
        }
        let client = try await server.connect("/", Self.deflating)
        let loop = await loops.first(1)[0]
        let count = try await turns(of: loop) {
            try await client.send([UInt8](repeating: 0, count: Self.messageByteCount))
            await hasCome.wait()
        }
        #expect(count >= Self.leastTurns)
        client.abort()
        await server.shutDown()
    }

    /// A server that compresses, on a loop of its own, and its one client.
    private struct CompressingPair {
        let server: WebSocketServer
        let client: WebSocketClient
        /// The server's side of the connection.
        let connection: WebSocketServerConnection
        private let mayEnd = Gate()

        init(_ change: (inout WebSocketServerConfiguration) -> Void = { _ in }) async throws {
            let configuration = WebSocketServerConfiguration.patient {
                $0.handshake.deflate = WebSocketDeflate()
                change(&$0)
            }
            let mayEnd = mayEnd
            let server = try await WebSocketServer.serving(on: EventLoopGroup(threadCount: 1), configuration) { _ in
                await mayEnd.wait()
            }
            self.server = server
            client = try await server.connect("/", FairWorkTests.deflating)
            #expect(try await eventually { server.connections.count == 1 })
            connection = try #require(server.connections.first)
        }

        func end() async {
            client.abort()
            mayEnd.open()
            await server.shutDown()
        }
    }

    enum Sending: CaseIterable {
        case whole, text, part, broadcast
    }

    @Test(arguments: Sending.allCases)
    func `a loop takes many turns while a long message is compressed`(_ sending: Sending) async throws {
        let pair = try await CompressingPair { $0.limits.frames.outputLimit = 1 << 30 }
        let (server, connection, client) = (pair.server, pair.connection, pair.client)
        var generator = SeededGenerator(seed: 15)
        // Longer than the window of compression, so that a repetition is not found.
        let block = (0..<65_536).map { _ in UInt8.random(in: 65...80, using: &generator) }
        var bytes: [UInt8] = []
        while bytes.count < Self.messageByteCount { bytes += block }
        let content = bytes
        let text = String(decoding: content, as: UTF8.self)
        let count = try await turns(of: connection.loop) {
            switch sending {
            case .whole: try await connection.send(content)
            case .text: try await connection.send(text)
            case .part: try await connection.sendMessage(as: .binary) { try await $0.send(content) }
            case .broadcast: #expect(await server.broadcast(.binary(content)).isEmpty)
            }
            // The next message leaves after it, with the same compression stream.
            try await connection.send("after " + text.prefix(100))
        }
        #expect(count >= Self.leastTurns)
        let message = try await client.receive()
        #expect(message == (sending == .text ? .text(text) : .binary(content)))
        #expect(try await client.receive() == .text("after " + text.prefix(100)))
        await pair.end()
    }

    @Test func `a message that is cancelled while it is compressed is not sent, and the next one is intact`()
        async throws
    {
        let pair = try await CompressingPair()
        let (connection, client) = (pair.connection, pair.client)
        let beginning = String(repeating: "what both have seen ", count: 100)
        try await connection.send(beginning)
        let content = [UInt8](repeating: 7, count: Self.messageByteCount)
        let sending = Task(executorPreference: connection.loop) {
            let sending = Task(executorPreference: connection.loop) { try await connection.send(content) }
            // It has begun, and waits for the loop's next turn.
            while await connection.counters().waitingSenderCount == 0 { await Task.yield() }
            sending.cancel()
            return await sending.result
        }
        let result = await sending.value
        #expect(throws: ConnectionError.cancelled) { try result.get() }
        try await connection.send(beginning)
        #expect(try await client.receive() == .text(beginning))
        #expect(try await client.receive() == .text(beginning))
        await pair.end()
    }

    @Test func `a loop takes many turns while short messages are read and received`() async throws {
        let messageCount = 20_000
        let hasCome = Gate()
        let loops = Seen<EventLoop>()
        // The client never answers a close frame.
        let configuration = WebSocketServerConfiguration.patient { $0.limits.frames.closeTimeout = .milliseconds(100) }
        let server = try await WebSocketServer.serving(on: EventLoopGroup(threadCount: 1), configuration) { client in
            loops.add(client.loop)
            for _ in 0..<messageCount {
                let message = try await client.receive()
                #expect(message == .binary([7]))
            }
            hasCome.open()
        }
        let socket = try await onThread {
            let socket = try RawSocket.connect(to: server.address.port)
            try socket.send(RawFrames.request)
            _ = try socket.head()
            return socket
        }
        let loop = await loops.first(1)[0]
        let count = try await turns(of: loop) {
            let bytes = repeatElement(RawFrames.masked(2, [7]), count: messageCount).merged
            try await onThread { try socket.send(bytes) }
            await hasCome.wait()
        }
        #expect(count >= 4)
        withExtendedLifetime(socket) {}
        await server.shutDown()
    }
}
