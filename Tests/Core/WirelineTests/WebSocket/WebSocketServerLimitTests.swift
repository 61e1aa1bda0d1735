// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Testing
import TestingSupport
import Wireline
import WirelineTesting
import WirelineTransport
import WirelineWebSocket

/// How a WebSocket server handles slow clients, and clients that together hold too much memory.
@Suite(.ahead)
struct WebSocketServerLimitTests {
    private static let uncounted = 16 << 10

    /// Leaves the machine to others for a moment, in a loop that polls.
    private func pause() async {
        try? await Task.sleep(for: .milliseconds(2))
    }

    /// All bytes up to the server's end, which is answered.
    private func rest(of socket: RawSocket) async throws -> [UInt8] {
        try await onThread {
            let bytes = (try? socket.rest()) ?? []
            socket.endOutput()
            return bytes
        }
    }

    /// A client after its handshake.
    private func openedSocket(at port: UInt16) async throws -> RawSocket {
        try await onThread {
            let socket = try RawSocket.connect(to: port)
            try socket.send(RawFrames.request)
            _ = try socket.head()
            return socket
        }
    }

    // MARK: Unread messages

    @Test func `messages that a handler leaves unread take no memory after the handler`() async throws {
        let server = try await WebSocketServer.serving { client in _ = try await client.waitUntilEnd() }
        let socket = try await openedSocket(at: server.address.port)
        let message = RawFrames.masked(2, [UInt8](repeating: 7, count: 100_000))
        try await onThread { try socket.send(message) }
        #expect(try await eventually { await server.counters().heldByteCount > 50_000 })
        socket.reset()
        #expect(try await eventually { await server.counters().heldByteCount == 0 })
        await server.shutDown(within: .zero)
    }

    // MARK: Compression

    @Test func `a client connects without compression while others take all the memory for it`() async throws {
        let server = try await WebSocketServer.echo(
            .patient {
                $0.handshake.deflate = WebSocketDeflate()
                // Enough for one client with the largest windows.
                $0.handshake.compressionByteLimit = 304 << 10
            })
        let configuration = WebSocketClientConfiguration.patient { $0.deflate = WebSocketDeflate() }
        let first = try await server.connect("/", configuration)
        let second = try await server.connect("/", configuration)
        #expect(first.compresses)
        #expect(!second.compresses)
        for client in [first, second] {
            let text = String(repeating: "the same words ", count: 100)
            try await client.send(text)
            #expect(try await client.receive() == .text(text))
        }
        try await first.close()
        #expect(
            try await eventually {
                let third = try await server.connect("/", configuration)
                defer { third.abort() }
                return third.compresses
            })
        try await second.close()
        await server.shutDown()
    }

    // MARK: Slow ones

    @Test func `a client that takes output too slowly is closed, with a reason of its own`() async throws {
        let ends = WebSocketEnds()
        let rate = MinimumRate(byteCount: 1_000, window: .milliseconds(100))
        let server = try await WebSocketServer.start(
            at: "127.0.0.1", port: 0, configuration: ends.configure { $0.listening.minimumReadingRate = rate }
        ) { client in
            while true { try await client.send(String(repeating: "x", count: 60_000)) }
        }
        let socket = try await openedSocket(at: server.address.port)
        #expect(await ends.first(1) == ["\(ConnectionError.readTooSlowly(rate))"])
        #expect(await server.counters().endedConnectionCounts == [.readTooSlowly: 1])
        withExtendedLifetime(socket) {}
        await server.shutDown()
    }

    @Test func `connections that come too fast are refused, all together and by address`() async throws {
        for change: @Sendable (inout WebSocketServerConfiguration) -> Void in [
            { $0.listening.connectionRate = MaximumRate(2, per: .seconds(1_000)) },
            { $0.listening.connectionRatePerAddress = MaximumRate(2, per: .seconds(1_000)) },
        ] {
            let ends = WebSocketEnds()
            let server = try await WebSocketServer.echo(ends.configure(change))
            var sockets: [RawSocket] = []
            for _ in 0..<2 { sockets.append(try await openedSocket(at: server.address.port)) }
            let refused = try RawSocket.connect(to: server.address.port)
            let error = ConnectionError.tooManyNewConnections(MaximumRate(2, per: .seconds(1_000)))
            #expect(await ends.first(1) == ["\(error)"])
            #expect(try await onThread { try refused.receive() } == [])
            let counters = await server.counters()
            #expect(counters.refusedConnectionCounts.values.map(\.self) == [1])
            #expect(counters.acceptedConnectionCount == 2)
            withExtendedLifetime(sockets) {}
            await server.shutDown(within: .zero)
        }
    }

    enum Dribble: CaseIterable {
        case frame, compressedFrame, fragmentsWithPings

        var beginning: [UInt8] {
            switch self {
            case .frame: Array(RawFrames.masked(2, [UInt8](repeating: 7, count: 100_000)).prefix(14))
            case .compressedFrame: Array(RawFrames.masked(0x42, [UInt8](repeating: 7, count: 100_000)).prefix(14))
            case .fragmentsWithPings: RawFrames.masked(1, isFinal: false, Array("half".utf8))
            }
        }

        /// The bytes that are sent repeatedly.
        var more: [UInt8] {
            switch self {
            case .frame: [7]
            // A stored block of 7 bytes that is not the last block.
            case .compressedFrame: [0, 7, 0, 0xF8, 0xFF, 1, 2, 3, 4, 5, 6, 7]
            case .fragmentsWithPings: RawFrames.masked(9, [])
            }
        }
    }

    @Test(arguments: Dribble.allCases)
    func `a client that sends a message too slowly is closed, and may reconnect`(_ dribble: Dribble) async throws {
        let ends = WebSocketEnds()
        let rate = MinimumRate(byteCount: 1_000_000, window: .milliseconds(100))
        let server = try await WebSocketServer.echo(
            ends.configure {
                $0.listening.minimumRate = rate
                $0.handshake.deflate = WebSocketDeflate()
            })
        let port = server.address.port
        let socket = try await onThread {
            let socket = try RawSocket.connect(to: port)
            let offer = "Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n"
            try socket.send(RawFrames.request.dropLast(2) + Array(offer.utf8))
            _ = try socket.head()
            return socket
        }
        let dribbling = Task {
            try await onThread { try socket.send(dribble.beginning) }
            while true {
                try await onThread { try socket.send(dribble.more) }
                try await Task.sleep(for: .milliseconds(5))
            }
        }
        let came = try await rest(of: socket)
        #expect(came.ends(with: RawFrames.frame(8, RawFrames.close(1_013))))
        #expect(await ends.first(1) == ["\(ConnectionError.tooSlow(rate))"])
        #expect(await server.counters().tooSlowConnectionCount == 1)
        dribbling.cancel()
        _ = await dribbling.result
        await server.shutDown()
    }

    @Test func `a client that sends its request too slowly is closed`() async throws {
        let ends = WebSocketEnds()
        let rate = MinimumRate(byteCount: 1_000_000, window: .milliseconds(100))
        let server = try await WebSocketServer.echo(ends.configure { $0.listening.minimumRate = rate })
        let port = server.address.port
        let socket = try await onThread {
            let socket = try RawSocket.connect(to: port)
            try socket.send(RawFrames.request.dropLast(2))
            return socket
        }
        #expect(try await rest(of: socket) == [])
        #expect(await ends.first(1) == ["\(ConnectionError.tooSlow(rate))"])
        await server.shutDown()
    }

    @Test func `messages that arrived before are delivered before the error`() async throws {
        let rate = MinimumRate(byteCount: 1_000_000, window: .milliseconds(100))
        let mayReceive = Gate()
        let ends = WebSocketEnds()
        let server = try await WebSocketServer.serving(ends.configure { $0.listening.minimumRate = rate }) { client in
            await mayReceive.wait()
            let first = try await client.receive()
            #expect(first == .binary([1, 2, 3]))
            await #expect(throws: ConnectionError.tooSlow(rate)) { try await client.receive() }
        }
        let socket = try await openedSocket(at: server.address.port)
        try await onThread {
            try socket.send(RawFrames.masked(2, [1, 2, 3]) + RawFrames.masked(2, [1, 2, 3]).dropLast())
        }
        #expect(try await rest(of: socket) == RawFrames.frame(8, RawFrames.close(1_013)))
        mayReceive.open()
        #expect(await ends.first(1) == ["\(ConnectionError.tooSlow(rate))"])
        await server.shutDown()
    }

    @Test func `the time in which a busy handler stops the reading does not count against the client`() async throws {
        let network = try TestNetwork()
        let ends = WebSocketEnds()
        let mayReceive = Gate()
        let configuration = ends.configure {
            $0.listening.minimumRate = MinimumRate(byteCount: 1_000, window: .seconds(4))
            $0.limits.unreadByteCount = 1
        }
        let server = try await WebSocketServer.serving(on: network.loops, configuration) { client in
            _ = try await client.receive()
            await mayReceive.wait()
            for try await message in client.messages { try await client.send(message) }
        }
        let peer = try await MemoryPeer.connect(to: server.address, on: network)
        let message = RawFrames.masked(2, [UInt8](repeating: 7, count: 10_000))
        try await peer.send(RawFrames.request)
        try await peer.send(RawFrames.masked(1, []) + message + message.prefix(5_000))
        // Several windows, while half a message is buffered.
        await network.advance(by: .seconds(9))
        try await peer.send(message.dropFirst(5_000) + RawFrames.masked(8, []))
        mayReceive.open()
        await network.settle()
        let echo = RawFrames.frame(2, [UInt8](repeating: 7, count: 10_000))
        #expect(peer.received.suffix(2 * echo.count + 2) == echo + echo + RawFrames.frame(8, []))
        #expect(await ends.first(1) == ["clean"])
        await server.shutDown()
    }

    // MARK: Total bytes

    @Test func `partial long messages stay below the memory limit, and every whole message gets through`()
        async throws
    {
        let (limit, slowCount) = (2 << 20, 6)
        let configuration = WebSocketServerConfiguration.patient {
            $0.listening.heldByteLimit = limit
            // A short wait for rests that will not come; the bytes of whole messages are all here soon.
            $0.listening.minimumRate = MinimumRate(window: .seconds(10))
        }
        // One loop, so that the counters are of one moment.
        let server = try await WebSocketServer.echo(on: EventLoopGroup(threadCount: 1), configuration)
        let half = RawFrames.masked(2, [UInt8](repeating: 7, count: 1 << 20)).prefix(1 << 19)
        let port = server.address.port
        let slow = Task {
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for _ in 0..<slowCount {
                    tasks.addTask {
                        let socket = try await self.openedSocket(at: port)
                        // Until the server has closed it; the bytes that the server did not take do not matter.
                        try await onThread {
                            try? socket.send(half)
                            socket.drain()
                        }
                    }
                }
                try await tasks.waitForAll()
            }
        }
        while true {
            let counters = await server.counters()
            let closedCount = counters.tooSlowConnectionCount + counters.noRoomConnectionCount
            guard counters.heldByteCount < limit / 2, closedCount == 0 else { break }
            await pause()
        }
        let watching = Task { await most(of: server, limit: limit) }
        let small = try await server.connect()
        for number in 1...100 {
            try await small.send("small \(number)")
            #expect(try await small.receive() == .text("small \(number)"))
        }
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for _ in 0..<4 {
                tasks.addTask {
                    let client = try await server.connect()
                    let whole = [UInt8](repeating: 7, count: 300_000)
                    try await client.send(whole)
                    #expect(try await client.receive() == .binary(whole))
                    client.abort()
                }
            }
            try await tasks.waitForAll()
        }
        watching.cancel()
        // One read of each loop is not counted before it has come.
        #expect(await watching.value <= limit + (slowCount + 5) * Self.uncounted + 2 * (128 << 10))
        small.abort()
        try await slow.value
        await server.shutDown(within: .seconds(500))
        #expect(await server.counters().heldByteCount == 0)
    }

    /// The most that a server's connections hold together until the task is cancelled.
    private func most(of server: WebSocketServer, limit: Int) async -> Int {
        var most = 0
        while !Task.isCancelled {
            let counters = await server.counters()
            #expect(counters.heldByteCount <= limit)
            most = max(most, counters.traffic.unreadByteCount + counters.traffic.pendingByteCount)
            await pause()
        }
        return most
    }

    @Test func `decompressed bytes count, and end their connection if they are over the memory limit`() async throws {
        let (limit, count) = (1 << 20, 4)
        let ends = WebSocketEnds()
        let server = try await WebSocketServer.echo(
            on: EventLoopGroup(threadCount: 1),
            ends.configure {
                $0.listening.heldByteLimit = limit
                $0.handshake.deflate = WebSocketDeflate()
            })
        let watching = Task { await most(of: server, limit: limit) }
        let client = WebSocketClientConfiguration.patient { $0.deflate = WebSocketDeflate() }
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for _ in 0..<count {
                tasks.addTask {
                    let client = try await server.connect("/", client)
                    // Some kilobytes on the wire.
                    try await client.send([UInt8](repeating: 0, count: 8 << 20))
                    _ = try? await client.receive()
                    #expect(await client.end?.received?.code == .tryAgainLater)
                }
            }
            try await tasks.waitForAll()
        }
        #expect(await ends.first(count) == Array(repeating: "\(ConnectionError.noRoom(limit: limit))", count: count))
        watching.cancel()
        #expect(await watching.value <= limit + count * (Self.uncounted + (64 << 10)) + (128 << 10))
        #expect(await server.counters().noRoomConnectionCount == count)
        let small = try await server.connect()
        try await small.send("small")
        #expect(try await small.receive() == .text("small"))
        small.abort()
        await server.shutDown()
        #expect(await server.counters().heldByteCount == 0)
    }

    @Test func `a crowd whose messages are inflated at once stays within the memory limit`() async throws {
        let (limit, count) = (8 << 20, 60)
        let server = try await WebSocketServer.echo(
            on: EventLoopGroup(threadCount: 1),
            .patient {
                $0.listening.heldByteLimit = limit
                $0.handshake.deflate = WebSocketDeflate()
            })
        let watching = Task { await most(of: server, limit: limit) }
        let client = WebSocketClientConfiguration.patient { $0.deflate = WebSocketDeflate() }
        // 2 KB on the wire, and 120 MiB for all of them.
        let message = [UInt8](repeating: 0, count: 2 << 20)
        let returnedCount = await withThrowingTaskGroup(of: Int.self) { tasks in
            for _ in 0..<count {
                tasks.addTask {
                    let client = try await server.connect("/", client)
                    try? await client.send(message)
                    defer { client.abort() }
                    return try await client.receive() == .binary(message) ? 1 : 0
                }
            }
            var returnedCount = 0
            while let result = await tasks.nextResult() { returnedCount += (try? result.get()) ?? 0 }
            return returnedCount
        }
        #expect(returnedCount > 0)
        watching.cancel()
        #expect(await watching.value <= limit + count * (Self.uncounted + (64 << 10)) + (128 << 10))
        await server.shutDown()
        #expect(await server.counters().heldByteCount == 0)
    }

    @Test func `the counters tell how much compression may keep, and who went without it`() async throws {
        let byteCount = 304 << 10
        let server = try await WebSocketServer.echo(
            on: EventLoopGroup(threadCount: 1),
            .patient {
                $0.handshake.deflate = WebSocketDeflate()
                $0.handshake.compressionByteLimit = 2 * byteCount
            })
        let configuration = WebSocketClientConfiguration.patient { $0.deflate = WebSocketDeflate() }
        var clients: [WebSocketClient] = []
        for _ in 0..<3 { clients.append(try await server.connect("/", configuration)) }
        clients.append(try await server.connect())
        let counters = await server.counters()
        #expect(counters.compressionByteCount == 2 * byteCount)
        #expect(counters.uncompressedConnectionCount == 1)
        let text = await server.metrics().prometheusText()
        #expect(text.contains("\nwireline_compression_bytes \(2 * byteCount)\n"))
        #expect(text.contains("\nwireline_uncompressed_connections_total 1\n"))
        for client in clients { client.abort() }
        #expect(try await eventually { await server.counters().compressionByteCount == 0 })
        await server.shutDown()
    }

    @Test func `if all wait for memory, the largest client is closed, even after an oversized message`() async throws {
        let limit = 1 << 20
        let ends = WebSocketEnds()
        let server = try await WebSocketServer.echo(ends.configure { $0.listening.heldByteLimit = limit })
        let noRoom = "\(ConnectionError.noRoom(limit: limit))"
        let greedy = try await server.connect()
        try await greedy.send([UInt8](repeating: 7, count: 2 << 20))
        #expect(await ends.first(1) == [noRoom])
        greedy.abort()
        let byteCount = 1_000_000
        let message = RawFrames.masked(2, [UInt8](repeating: 7, count: byteCount))
        var sockets: [RawSocket] = []
        // The second one waits in the middle of its message, because the first one leaves too little memory.
        for heldByteCount in [399_000, 470_000] {
            let socket = try await openedSocket(at: server.address.port)
            try await onThread { try socket.send(message.prefix(400_000)) }
            sockets.append(socket)
            let isHeld = try await eventually {
                await server.counters().traffic.unreadByteCount >= heldByteCount
            }
            #expect(isHeld)
        }
        // Each of them needs more memory than the other one leaves.
        let (first, second) = (sockets[0], sockets[1])
        let results = await withTaskGroup(of: Bool.self) { tasks in
            for socket in [first, second] {
                tasks.addTask {
                    try? await onThread { try socket.send(message.dropFirst(400_000) + RawFrames.masked(8, [])) }
                    return (try? await rest(of: socket).count > byteCount) ?? false
                }
            }
            return await tasks.reduce(into: []) { $0.append($1) }
        }
        #expect(results.count(where: { $0 }) == 1)
        #expect(await ends.first(3).sorted() == ["clean", noRoom, noRoom].sorted())
        await server.shutDown()
        #expect(await server.counters().heldByteCount == 0)
    }

    /// How much the system takes depends on the size: it leaves more or fewer of the last bytes.
    @Test(arguments: [5_000, 47_000])
    func `clients that read nothing stay within the memory limit, and get everything when they read`(
        size: Int
    ) async throws {
        let (limit, count) = (256 << 10, 6)
        let message = [UInt8](repeating: 7, count: size)
        let server = try await WebSocketServer.serving(.patient { $0.listening.heldByteLimit = limit }) { client in
            for _ in 0..<10_000_000 / size { try await client.send(message) }
        }
        let reading = WebSocketClientConfiguration.patient { $0.limits.unreadByteCount = 1 }
        var clients: [WebSocketClient] = []
        for _ in 0..<count { clients.append(try await server.connect("/", reading)) }
        while await server.counters().traffic.waitingSenderCount < count { await pause() }
        #expect(await server.counters().heldByteCount <= limit)
        // Over the limit each may have uncounted bytes, a step between two checks, and one message.
        let most = limit + count * (2 * Self.uncounted + size)
        var pendingCount = 0
        let holdNoMore = try await eventually(within: .seconds(100)) {
            pendingCount = await server.counters().traffic.pendingByteCount
            return pendingCount <= most
        }
        #expect(holdNoMore, "\(pendingCount) bytes wait, and \(most) may")
        // No other connection asks for this memory, so they may keep it for longer than a request would wait.
        try await Task.sleep(for: ByteBudget<Int>.patience * 2)
        try await withThrowingTaskGroup(of: Int.self) { tasks in
            for client in clients {
                tasks.addTask {
                    var byteCount = 0
                    while case .binary(let content)? = try await client.receive() { byteCount += content.count }
                    return byteCount
                }
            }
            for try await byteCount in tasks { #expect(byteCount == 10_000_000 / size * size) }
        }
        await server.shutDown()
    }

    /// Sends as much of each client's messages as the server takes, until it holds so many bytes and takes no more.
    ///
    /// - Returns: Whether that came about.
    private func fill(
        _ sockets: [RawSocket], with bytes: [UInt8], untilHeld heldByteCount: Int, by server: WebSocketServer
    ) async throws -> Bool {
        var offsets = sockets.map { _ in 0 }
        var idleRounds = 0
        return try await eventually {
            var byteCount = 0
            for (index, socket) in sockets.enumerated() {
                let sent = socket.sendAtOnce(bytes[offsets[index]...])
                offsets[index] += sent
                byteCount += sent
            }
            idleRounds = byteCount == 0 ? idleRounds + 1 : 0
            guard idleRounds >= 100 else { return false }
            return await server.counters().heldByteCount > heldByteCount
        }
    }

    @Test(arguments: [400_000, 90_000])
    func `clients that read nothing and then reset free all their memory`(messageByteCount: Int) async throws {
        let (limit, count) = (2 << 20, 12)
        let ends = WebSocketEnds()
        let group = try EventLoopGroup(threadCount: 1)
        let server = try await WebSocketServer.echo(on: group, ends.configure { $0.listening.heldByteLimit = limit })
        var sockets: [RawSocket] = []
        for _ in 0..<count { sockets.append(try await openedSocket(at: server.address.port)) }
        let message = RawFrames.masked(2, [UInt8](repeating: 7, count: messageByteCount))
        // The system takes nearly all of some messages' echoes.
        let isFull = try await fill(
            sockets, with: repeatElement(message, count: 12_000_000 / messageByteCount).merged, untilHeld: limit / 8,
            by: server)
        #expect(isFull)
        for socket in sockets { socket.resetWhenClosed() }
        sockets = []
        _ = await ends.first(count)
        #expect(await server.counters().heldByteCount == 0)
        #expect(await server.counters().connectionCount == 0)
        let client = try await server.connect()
        try await client.send([UInt8](repeating: 8, count: messageByteCount))
        #expect(try await client.receive() == .binary([UInt8](repeating: 8, count: messageByteCount)))
        client.abort()
        await server.shutDown()
    }

    @Test func `unread bytes of an ended WebSocket count until its handler ends`() async throws {
        let mayEnd = Gate()
        let server = try await WebSocketServer.serving(.patient { _ in }) { _ in await mayEnd.wait() }
        let client = try await server.connect()
        try await client.send([UInt8](repeating: 7, count: 500_000))
        let hasCome = try await eventually { await server.counters().traffic.unreadByteCount == 500_000 }
        #expect(hasCome)
        client.abort()
        let hasEnded = try await eventually { await server.connections.first?.end != nil }
        #expect(hasEnded)
        #expect(await server.counters().heldByteCount >= 480_000)
        mayEnd.open()
        await server.shutDown()
        #expect(await server.counters().heldByteCount == 0)
    }

    @Test func `a receiver that waits for memory gets an error when the connection fails`() async throws {
        let ends = WebSocketEnds()
        let limit = 256 << 10
        let configuration = ends.configure {
            $0.listening.heldByteLimit = limit
            $0.limits.writeTimeout = .milliseconds(300)
        }
        let server = try await WebSocketServer.serving(on: EventLoopGroup(threadCount: 1), configuration) { client in
            // A client that says hello gets more than it reads, while the server waits for its next message.
            guard case .text("hello") = try await client.receive() else { return }
            async let sent: Void = {
                while true { try await client.send([UInt8](repeating: 7, count: 100_000)) }
            }()
            while true { _ = try await client.receive() }
            try await sent
        }
        let port = server.address.port
        let full = try await openedSocket(at: port)
        let half = RawFrames.masked(2, [UInt8](repeating: 7, count: 230 << 10)).prefix(225 << 10)
        try await onThread { try full.send(half) }
        let isFull = try await eventually { await server.counters().heldByteCount > limit * 3 / 4 }
        #expect(isFull)
        let patient = try await openedSocket(at: port)
        let hello = RawFrames.masked(1, Array("hello".utf8))
        try await onThread { try patient.send(hello + RawFrames.masked(2, [UInt8](repeating: 7, count: 100_000))) }
        #expect(await ends.first(1) == ["\(ConnectionError.transport(.timedOut))"])
        withExtendedLifetime((full, patient)) {}
        await server.shutDown(within: .zero)
    }
}

/// A client in memory that sends any bytes, and keeps all that it gets. Its lock guards those.
private final class MemoryPeer: ByteStreamHandler, @unchecked Sendable {
    private let network: TestNetwork
    private let stream: ByteStream
    private let bytes = Lock<[UInt8]>([])

    private init(_ stream: ByteStream, _ network: TestNetwork) { (self.stream, self.network) = (stream, network) }

    static func connect(to address: SocketAddress, on network: TestNetwork) async throws -> MemoryPeer {
        let loop = network.loops.loops[0]
        let stream = try await network.run {
            try await ByteStream.connect(to: address, on: loop, timeout: .seconds(60))
        }
        let peer = MemoryPeer(stream, network)
        try await loop.run { () throws(TransportError) in
            try stream.start(peer)
            stream.read()
        }
        return peer
    }

    var received: [UInt8] { bytes.withLock { $0 } }

    func send(_ bytes: [UInt8]) async throws {
        await stream.loop.run { self.stream.write(bytes) }
        await network.settle()
    }

    func received(_ block: inout Block?, byteCount: Int, from stream: ByteStream) {
        guard let taken = block.take() else { return }
        let new = unsafe [UInt8](UnsafeRawBufferPointer(start: taken.base, count: byteCount))
        bytes.withLock { $0 += new }
        stream.giveBack(taken)
        stream.read()
    }

    func outputDrained(_ stream: ByteStream) {}

    func endOfStream(_ stream: ByteStream) { stream.close() }

    func failed(_ stream: ByteStream, _ error: TransportError) {}
}
