// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Testing
import TestingSupport
import Wireline
import WirelineTransport
import WirelineWebSocket

/// What a server of WebSockets does about clients that are slow, and about all that hold too much together.
@Suite(.ahead, .timeLimit(.minutes(300)))
struct WebSocketServerLimitTests {
    private static let uncounted = 16 << 10

    /// Leaves the machine to others for a moment, where something is asked for again and again.
    private func pause() async {
        try? await Task.sleep(for: .milliseconds(2))
    }

    /// All that comes, up to the server's end, which is answered.
    private func rest(of socket: RawSocket) async throws -> [UInt8] {
        try await onThread {
            let bytes = (try? socket.rest()) ?? []
            socket.endOutput()
            return bytes
        }
    }

    /// A client whose handshake is done.
    private func openedSocket(at port: UInt16) async throws -> RawSocket {
        try await onThread {
            let socket = try RawSocket.connect(to: port)
            try socket.send(RawFrames.request)
            _ = try socket.head()
            return socket
        }
    }

    // MARK: Slow ones

    enum Dribble: CaseIterable {
        case frame, compressedFrame, fragmentsWithPings

        var beginning: [UInt8] {
            switch self {
            case .frame: Array(RawFrames.masked(2, [UInt8](repeating: 7, count: 100_000)).prefix(14))
            case .compressedFrame: Array(RawFrames.masked(0x42, [UInt8](repeating: 7, count: 100_000)).prefix(14))
            case .fragmentsWithPings: RawFrames.masked(1, isFinal: false, Array("half".utf8))
            }
        }

        /// What comes again and again.
        var more: [UInt8] {
            switch self {
            case .frame: [7]
            // A block that is stored, as it is, of 7 bytes, and is not the last.
            case .compressedFrame: [0, 7, 0, 0xF8, 0xFF, 1, 2, 3, 4, 5, 6, 7]
            case .fragmentsWithPings: RawFrames.masked(9, [])
            }
        }
    }

    @Test(arguments: Dribble.allCases)
    func `a client that dribbles a message is closed, and may come back`(_ dribble: Dribble) async throws {
        let ends = WebSocketEnds()
        let rate = MinimumRate(byteCount: 1_000_000, window: .milliseconds(100))
        let server = try await WebSocketServer.echo(
            ends.configure {
                $0.minimumRate = rate
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
        #expect(came.suffix(4) == RawFrames.frame(8, RawFrames.close(1_013)))
        #expect(await ends.first(1) == ["\(ConnectionError.tooSlow(rate))"])
        #expect(await server.counters().tooSlowConnectionCount == 1)
        dribbling.cancel()
        _ = await dribbling.result
        await server.shutDown()
    }

    @Test func `a client that dribbles its request is left`() async throws {
        let ends = WebSocketEnds()
        let rate = MinimumRate(byteCount: 1_000_000, window: .milliseconds(100))
        let server = try await WebSocketServer.echo(ends.configure { $0.minimumRate = rate })
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

    @Test func `messages that came before are handed over in front of the error`() async throws {
        let rate = MinimumRate(byteCount: 1_000_000, window: .milliseconds(100))
        let mayReceive = Gate()
        let ends = WebSocketEnds()
        let server = try await WebSocketServer.serving(ends.configure { $0.minimumRate = rate }) { client in
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

    @Test func `time in which nothing is read, because nobody takes what has come, is not the client's`() async throws {
        let ends = WebSocketEnds()
        let (hasRead, mayReceive) = (Gate(), Gate())
        let configuration = ends.configure {
            $0.minimumRate = MinimumRate(byteCount: 1_000_000, window: .seconds(1))
            $0.limits.unreadByteCount = 1
        }
        let server = try await WebSocketServer.serving(configuration) { client in
            _ = try await client.receive()
            hasRead.open()
            await mayReceive.wait()
            for try await message in client.messages { try await client.send(message) }
        }
        let socket = try await openedSocket(at: server.address.port)
        let message = RawFrames.masked(2, [UInt8](repeating: 7, count: 10_000))
        try await onThread { try socket.send(RawFrames.masked(1, []) + message + message.prefix(5_000)) }
        await hasRead.wait()
        // Several windows, with half a message there.
        try await Task.sleep(for: .milliseconds(2_500))
        try await onThread { try socket.send(message.dropFirst(5_000) + RawFrames.masked(8, [])) }
        mayReceive.open()
        let echo = RawFrames.frame(2, [UInt8](repeating: 7, count: 10_000))
        #expect(try await rest(of: socket) == echo + echo + RawFrames.frame(8, []))
        #expect(await ends.first(1) == ["clean"])
        await server.shutDown()
    }

    // MARK: Bytes in all

    @Test func `many halves of long messages stay beneath the limit, and every whole message gets through`()
        async throws
    {
        let (limit, slowCount) = (2 << 20, 6)
        let configuration = WebSocketServerConfiguration.patient {
            $0.heldByteLimit = limit
            // No long time to wait for rests that will not come; whole messages have all their bytes here soon.
            $0.minimumRate = MinimumRate(window: .seconds(10))
        }
        // One loop, so that what is counted is what there was at one moment.
        let server = try await WebSocketServer.echo(on: EventLoopGroup(threadCount: 1), configuration)
        let half = RawFrames.masked(2, [UInt8](repeating: 7, count: 1 << 20)).prefix(1 << 19)
        let port = server.address.port
        let slow = Task {
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for _ in 0..<slowCount {
                    tasks.addTask {
                        let socket = try await self.openedSocket(at: port)
                        // Until the server has closed it; what it did not take is of no use.
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

    @Test func `what a compressed message becomes is counted, and ends its connection where there is no room for it`()
        async throws
    {
        let (limit, count) = (1 << 20, 4)
        let ends = WebSocketEnds()
        let server = try await WebSocketServer.echo(
            on: EventLoopGroup(threadCount: 1),
            ends.configure {
                $0.heldByteLimit = limit
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

    @Test func `where all wait for more, the one that holds most is closed, also behind one that asked for too much`()
        async throws
    {
        let limit = 1 << 20
        let ends = WebSocketEnds()
        let server = try await WebSocketServer.echo(ends.configure { $0.heldByteLimit = limit })
        let noRoom = "\(ConnectionError.noRoom(limit: limit))"
        let greedy = try await server.connect()
        try await greedy.send([UInt8](repeating: 7, count: 2 << 20))
        #expect(await ends.first(1) == [noRoom])
        greedy.abort()
        let byteCount = 1_000_000
        let message = RawFrames.masked(2, [UInt8](repeating: 7, count: byteCount))
        var sockets: [RawSocket] = []
        // The second one is kept waiting in the middle of it, with more than the first one's message leaves.
        for heldByteCount in [399_000, 470_000] {
            let socket = try await openedSocket(at: server.address.port)
            try await onThread { try socket.send(message.prefix(400_000)) }
            sockets.append(socket)
            let isHeld = try await eventually {
                await server.counters().traffic.unreadByteCount >= heldByteCount
            }
            #expect(isHeld)
        }
        // Each of them needs more than there is beside the other.
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

    /// How much the system takes is another matter for each size: of the last bytes that it does not take, more or less.
    @Test(arguments: [5_000, 47_000])
    func `clients that read nothing hold no more than the limit, and get everything when they read`(
        size: Int
    ) async throws {
        let (limit, count) = (256 << 10, 12)
        let message = [UInt8](repeating: 7, count: size)
        let server = try await WebSocketServer.serving(.patient { $0.heldByteLimit = limit }) { client in
            for _ in 0..<10_000_000 / size { try await client.send(message) }
        }
        let reading = WebSocketClientConfiguration.patient { $0.limits.unreadByteCount = 1 }
        var clients: [WebSocketClient] = []
        for _ in 0..<count { clients.append(try await server.connect("/", reading)) }
        while await server.counters().traffic.waitingSenderCount < count { await pause() }
        #expect(await server.counters().heldByteCount <= limit)
        // Beyond the limit each may have what is not counted, a step between two looks at what is left, and one message.
        let most = limit + count * (2 * Self.uncounted + size)
        var pendingCount = 0
        let holdNoMore = try await eventually(within: .seconds(100)) {
            pendingCount = await server.counters().traffic.pendingByteCount
            return pendingCount <= most
        }
        #expect(holdNoMore, "\(pendingCount) bytes wait, and \(most) may")
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

    @Test func `what nobody has taken of a WebSocket that has ended is counted until its handler ends`() async throws {
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

    @Test func `who waits for what has come, and has no room, is told when the stream fails`() async throws {
        let ends = WebSocketEnds()
        let limit = 256 << 10
        let configuration = ends.configure {
            $0.heldByteLimit = limit
            $0.limits.writeTimeout = .milliseconds(300)
        }
        let server = try await WebSocketServer.serving(on: EventLoopGroup(threadCount: 1), configuration) { client in
            // Who says hello is sent more than it takes while it is heard.
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
