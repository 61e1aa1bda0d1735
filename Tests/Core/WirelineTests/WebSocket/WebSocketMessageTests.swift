// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Testing
import TestingSupport
import Wireline
import WirelineTransport
import WirelineWebSocket

/// Messages between our client and our server, and back-pressure in both directions.
@Suite(.ahead)
struct WebSocketMessageTests {
    private static let byteCounts = [0, 1, 125, 126, 127, 65_535, 65_536, 65_537, 1_000_000, 5 << 20]

    @Test(arguments: [nil, WebSocketDeflate()])
    func `messages of every length come back as they were sent`(deflate: WebSocketDeflate?) async throws {
        var random = SeededGenerator.forThisRun()
        let server = try await WebSocketServer.echo(.patient { $0.handshake.deflate = deflate })
        let client = try await server.connect("/", .patient { $0.deflate = deflate })
        #expect(client.compresses == (deflate != nil))
        for byteCount in Self.byteCounts {
            let text = WebSocketMessage.text(String(repeating: "x", count: byteCount))
            // One half repeats, the other does not.
            let content = [UInt8](repeating: 7, count: byteCount / 2) + random.bytes(byteCount - byteCount / 2)
            for message in [text, .binary(content)] {
                try await client.send(message)
                let isSame = try await client.receive() == message
                #expect(isSame, "\(byteCount) bytes")
            }
        }
        #expect(try await client.close().isClean)
        await server.shutDown()
    }

    @Test func `text keeps its characters, and bytes are sent as the kind that the caller names`() async throws {
        let server = try await WebSocketServer.echo()
        let client = try await server.connect()
        try await client.send("Grüße, 世界 🎮")
        #expect(try await client.receive() == .text("Grüße, 世界 🎮"))
        let bytes: [UInt8] = [0xE4, 0xB8, 0x96]
        try await client.send(bytes.span.bytes, as: .text)
        #expect(try await client.receive() == .text("世"))
        try await client.send(bytes.span.bytes, as: .binary)
        #expect(try await client.receive() == .binary(bytes))
        let broken: [UInt8] = [0x61, 0xFF]
        await #expect(throws: ConnectionError.webSocket(.invalidText(offset: 1))) {
            try await client.send(broken.span.bytes, as: .text)
        }
        try await client.send("on")
        #expect(try await client.receive() == .text("on"))
        try await client.close()
        await server.shutDown()
    }

    @Test func `many messages arrive in the order in which they were sent`() async throws {
        let server = try await WebSocketServer.echo()
        let client = try await server.connect()
        let sending = Task {
            for number in 0..<20_000 { try await client.send("\(number)") }
        }
        for number in 0..<20_000 {
            let message = try await client.receive()
            guard message != .text("\(number)") else { continue }
            #expect(message == .text("\(number)"))
            break
        }
        try await sending.value
        let counters = await client.counters()
        #expect(counters.sentPacketCount == 20_000)
        #expect(counters.receivedPacketCount == 20_000)
        try await client.close()
        await server.shutDown()
    }

    @Test func `messages of one read wake the waiting task once`() async throws {
        let socket = try RawSocket.listen()
        let port = try socket.port()
        let peer = Task {
            try await onThread {
                let peer = try socket.acceptWebSocket()
                try peer.send((0..<1_000).flatMap { RawFrames.frame(1, Array("\($0)".utf8)) })
                peer.drain()
            }
        }
        let client = try await WebSocketClient.connect(to: "ws://127.0.0.1:\(port)", configuration: .patient)
        try await Task(executorPreference: client.loop) {
            for number in 0..<1_000 {
                let message = try await client.receive()
                guard message != .text("\(number)") else { continue }
                #expect(message == .text("\(number)"))
                break
            }
        }.value
        // The bytes come in few reads, and each read ends at most one wait.
        #expect(client.connection.waitNumber < 100)
        client.abort()
        try await peer.value
    }

    // MARK: Slow peers

    @Test func `a slow reader makes the sender wait, holds a bounded number of bytes, and loses nothing`()
        async throws
    {
        let mayRead = Gate()
        let limit = 200_000
        let server = try await WebSocketServer.serving(.patient { $0.limits.unreadByteCount = limit }) { client in
            await mayRead.wait()
            var count = 0
            while case .binary(let content)? = try await client.receive(), !content.isEmpty { count += content.count }
            try await client.send("\(count)")
            while try await client.receive() != nil {}
        }
        let client = try await server.connect()
        let message = [UInt8](repeating: 7, count: 10_000)
        let sending = Task {
            for _ in 0..<3_000 { try await client.send(message) }
            try await client.send([])
        }
        let isWaiting = try await eventually { await client.counters().waitingSenderCount == 1 }
        #expect(isWaiting)
        // Of the bytes that it has read, the server holds the limit, a message and one read.
        let held = await server.counters().traffic.unreadByteCount
        #expect(held <= limit + 10_000 + 128 * 1024, "\(held)")
        let pending = await client.counters().pendingByteCount
        #expect(pending <= 256 * 1024 + 128 * 1024 + 3 * 10_100, "\(pending)")
        mayRead.open()
        #expect(try await client.receive() == .text("30000000"))
        try await sending.value
        try await client.close()
        await server.shutDown()
    }

    @Test func `a server that sends to a slow reader waits, too`() async throws {
        let server = try await WebSocketServer.serving { client in
            let message = [UInt8](repeating: 7, count: 100_000)
            for _ in 0..<600 { try await client.send(message) }
        }
        let client = try await server.connect()
        let isWaiting = try await eventually { await server.counters().traffic.waitingSenderCount == 1 }
        #expect(isWaiting)
        var count = 0
        for try await message in client.messages {
            if case .binary(let content) = message { count += content.count }
        }
        #expect(count == 60_000_000)
        #expect(await client.end?.code == .normal)
        await server.shutDown()
    }

    @Test func `a waiting receiver gets a message over the limit of unread bytes`() async throws {
        let server = try await WebSocketServer.echo(.patient { $0.limits.unreadByteCount = 1 })
        let client = try await server.connect("/", .patient { $0.limits.unreadByteCount = 1 })
        for _ in 0..<3 {
            let content = [UInt8](repeating: 9, count: 3_000_000)
            try await client.send(content)
            let isSame = try await client.receive() == .binary(content)
            #expect(isSame)
        }
        try await client.close()
        await server.shutDown()
    }

    // MARK: In parts

    @Test(arguments: [nil, WebSocketDeflate()])
    func `a message that is sent and received in parts is never in memory as a whole`(
        deflate: WebSocketDeflate?
    ) async throws {
        let part = [UInt8](repeating: 5, count: 100_000)
        let server = try await WebSocketServer.serving(
            .patient {
                $0.handshake.deflate = deflate
                $0.limits.frames.messageLimit = 1 << 30
                $0.limits.unreadByteCount = 100_000
            }
        ) { client in
            var (byteCount, mostByteCount) = (0, 0)
            while let piece = try await client.receivePiece() {
                byteCount += piece.content.count
                mostByteCount = max(mostByteCount, piece.content.count)
                guard piece.isLast else { continue }
                #expect(piece.kind == .binary)
                let isBounded = mostByteCount < 1_000_000
                try await client.send("\(byteCount) \(isBounded ? "true" : "\(mostByteCount)")")
                (byteCount, mostByteCount) = (0, 0)
            }
        }
        let client = try await server.connect("/", .patient { $0.deflate = deflate })
        for _ in 0..<2 {
            try await client.sendMessage(as: .binary) { message in
                for _ in 0..<400 { try await message.send(part) }
            }
            let answer = try await client.receive()
            #expect(answer == .text("40000000 true"))
        }
        try await client.close()
        await server.shutDown()
    }

    @Test(arguments: [0, 1, 2])
    func `a receiver that took pieces of a message can skip to the next message`(
        pieceCount: Int
    ) async throws {
        let (mayGoOn, mayEnd) = (Gate(), Gate())
        let part = [UInt8](repeating: 5, count: 100_000)
        let server = try await WebSocketServer.serving { client in
            try await client.sendMessage(as: .binary) { message in
                try await message.send([1, 2])
                await mayGoOn.wait()
                for _ in 0..<20 { try await message.send(part) }
                await mayEnd.wait()
                try await message.send([3])
            }
            try await client.send("next")
            try await client.send("last")
            while try await client.receive() != nil {}
        }
        let client = try await server.connect("/", .patient { $0.limits.unreadByteCount = 100_000 })
        if pieceCount > 0 { #expect(try await client.receivePiece()?.isLast == false) }
        mayGoOn.open()
        if pieceCount > 1 { #expect(try await client.receivePiece()?.isLast == false) }
        let receiving = Task { try await client.receive() }
        let hasCome = try await eventually { await client.counters().receivedByteCount >= 20 * part.count }
        #expect(hasCome)
        // The skipped part is not collected before.
        let unreadByteCount = await client.counters().unreadByteCount
        #expect((unreadByteCount < 1_000_000) == (pieceCount > 0), "\(unreadByteCount)")
        mayEnd.open()
        if pieceCount == 0 {
            guard case .binary(let content)? = try await receiving.value else { throw ConnectionError.cancelled }
            #expect(content.count == 20 * part.count + 3)
        } else {
            #expect(try await receiving.value == .text("next"))
        }
        for try await message in client.messages where message == .text("last") { break }
        try await client.close()
        await server.shutDown()
    }

    @Test func `a message that was begun in pieces and is cut off is an error`() async throws {
        let socket = try RawSocket.listen()
        let port = try socket.port()
        let mayEnd = Gate()
        let peer = Task {
            let peer = try await onThread { try socket.acceptWebSocket() }
            try peer.send(RawFrames.frame(1, isFinal: false, Array("half".utf8)))
            await mayEnd.wait()
            try peer.send(RawFrames.frame(0, isFinal: false, Array("more".utf8)))
            peer.endOutput()
            try await onThread { peer.drain() }
        }
        let client = try await WebSocketClient.connect(to: "ws://127.0.0.1:\(port)", configuration: .patient)
        #expect(try await client.receivePiece()?.content == Array("half".utf8))
        mayEnd.open()
        let end = WebSocketEnd(cause: .cut, sent: nil, received: nil)
        await #expect(throws: ConnectionError.webSocketEnded(end)) { try await client.receive() }
        try await peer.value
    }

    @Test func `other messages wait for a message in parts, and pings do not`() async throws {
        let server = try await WebSocketServer.echo()
        let client = try await server.connect()
        let mayEnd = Gate()
        let hasBegun = Gate()
        let sending = Task {
            try await client.sendMessage(as: .text) { message in
                try await message.send("Gr")
                try await message.send([0xC3])
                hasBegun.open()
                await mayEnd.wait()
                try await message.send([0xBC])
                try await message.send("ße")
            }
        }
        await hasBegun.wait()
        let other = Task { try await client.send("after") }
        let isWaiting = try await eventually { await client.counters().waitingSenderCount == 1 }
        #expect(isWaiting)
        try await client.ping(timeout: .seconds(600))
        mayEnd.open()
        #expect(try await client.receive() == .text("Grüße"))
        #expect(try await client.receive() == .text("after"))
        try await sending.value
        try await other.value
        try await client.close()
        await server.shutDown()
    }

    @Test func `an unfinished message ends the WebSocket with 1011`() async throws {
        struct Broken: Error {}
        let server = try await WebSocketServer.echo()
        let client = try await server.connect()
        await #expect(throws: Broken.self) {
            try await client.sendMessage(as: .binary) { message in
                try await message.send([1, 2, 3])
                throw Broken()
            }
        }
        let end = try await client.waitUntilEnd()
        #expect(end.sent?.code == .internalError)
        #expect(end.received?.code == .internalError)
        await server.shutDown()
    }

    @Test func `invalid UTF-8 in a part is refused at its first byte, and ends the WebSocket`() async throws {
        let server = try await WebSocketServer.echo()
        let client = try await server.connect()
        await #expect(throws: ConnectionError.webSocket(.invalidText(offset: 3))) {
            try await client.sendMessage(as: .text) { message in
                try await message.send("abc")
                try await message.send([0xFF])
            }
        }
        #expect(try await client.waitUntilEnd().sent?.code == .internalError)
        await server.shutDown()
    }

    // MARK: Cancelling

    @Test func `a cancelled receiver loses no message`() async throws {
        let server = try await WebSocketServer.echo()
        let client = try await server.connect()
        let waiting = Task { try await client.receive() }
        let isWaiting = try await eventually { await client.connection.loop.run { client.connection.waitNumber == 1 } }
        #expect(isWaiting)
        waiting.cancel()
        await #expect(throws: ConnectionError.cancelled) { try await waiting.value }
        try await client.send("on")
        #expect(try await client.receive() == .text("on"))
        try await client.close()
        await server.shutDown()
    }

    @Test func `a cancelled sender that waits sends nothing of its message`() async throws {
        let mayRead = Gate()
        let server = try await WebSocketServer.serving(.patient { $0.limits.unreadByteCount = 1 }) { client in
            await mayRead.wait()
            var kinds: Set<Int> = []
            while case .binary(let content)? = try await client.receive(), !content.isEmpty {
                kinds.insert(content.count)
            }
            try await client.send("\(kinds.sorted())")
            while try await client.receive() != nil {}
        }
        let client = try await server.connect()
        let (hasBegun, mayEnd) = (Gate(), Gate())
        let inParts = Task {
            try await client.sendMessage(as: .binary) { message in
                try await message.send([3])
                hasBegun.open()
                await mayEnd.wait()
            }
        }
        await hasBegun.wait()
        // It waits for the message that has begun, whatever the system takes.
        let late = Task { try await client.send([UInt8](repeating: 2, count: 7)) }
        let isWaiting = try await eventually { await client.counters().waitingSenderCount == 1 }
        #expect(isWaiting)
        late.cancel()
        await #expect(throws: ConnectionError.cancelled) { try await late.value }
        mayEnd.open()
        try await inParts.value
        let filling = Task {
            for _ in 0..<10_000 { try await client.send([UInt8](repeating: 1, count: 50_000)) }
        }
        let isFull = try await eventually { await client.counters().waitingSenderCount == 1 }
        #expect(isFull)
        filling.cancel()
        await #expect(throws: ConnectionError.cancelled) { try await filling.value }
        mayRead.open()
        try await client.send([])
        #expect(try await client.receive() == .text("[1, 50000]"))
        try await client.close()
        await server.shutDown()
    }
}
