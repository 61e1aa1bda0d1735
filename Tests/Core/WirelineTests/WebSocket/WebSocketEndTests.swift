// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Foundation
import Testing
import TestingSupport
import Wireline
import WirelineTransport
import WirelineWebSocket

/// How WebSockets end, also if a peer breaks the protocol.
@Suite(.ahead)
struct WebSocketEndTests {
    // MARK: Closing

    @Test func `a client closes, and both sides know who closed and why`() async throws {
        let ends = Seen<WebSocketEnd>()
        let server = try await WebSocketServer.serving { client in
            for try await message in client.messages { try await client.send(message) }
            ends.add(try await client.waitUntilEnd())
            await #expect(throws: ConnectionError.webSocket(.closed)) { try await client.send("late") }
        }
        let client = try await server.connect()
        #expect(await client.end == nil)
        try await client.send("before")
        let end = try await client.close(code: WebSocketCloseCode(rawValue: 4_321), reason: "genug")
        let said = WebSocketClose(code: WebSocketCloseCode(rawValue: 4_321), reason: "genug")
        #expect(end.cause == .closedHere)
        #expect(end.sent == said)
        #expect(end.received?.code == said.code)
        #expect(await ends.first(1)[0].cause == .closedByPeer)
        #expect(await ends.first(1)[0].received == said)
        // The message in flight is still there.
        #expect(try await client.receive() == .text("before"))
        #expect(try await client.receive() == nil)
        #expect(await client.end == end)
        await #expect(throws: ConnectionError.webSocket(.closed)) { try await client.send("late") }
        await #expect(throws: ConnectionError.webSocket(.closed)) { try await client.ping() }
        #expect(try await client.close() == end)
        await server.shutDown()
    }

    @Test func `the output before the end reaches a slow reader, however slowly it reads`() async throws {
        let closeTimeout = Duration.seconds(2)
        let byteCount = 12_000_000
        // A run in which the machine kept the client from reading proves nothing, and is repeated.
        for scene in 1... {
            let ends = WebSocketEnds()
            let server = try await WebSocketServer.serving(
                ends.configure {
                    $0.limits.frames.closeTimeout = closeTimeout
                    $0.limits.frames.outputLimit = 1 << 30
                }
            ) { client in
                try await client.send([UInt8](repeating: 7, count: byteCount))
            }
            // It reads for three times the timeout of a client that reads nothing.
            let (received, longestPause) = try await onThread {
                try Self.receiveSlowly(byteCount, from: server.address.port, over: closeTimeout * 3)
            }
            await server.shutDown(within: .zero)
            if received.count <= byteCount, longestPause >= closeTimeout / 4, scene < 20 { continue }
            #expect(received.count > byteCount)
            #expect(received.ends(with: RawFrames.frame(8, RawFrames.close(1_000))))
            return
        }
    }

    /// Opens a WebSocket, and reads so many bytes in so long a time, until the server ends it.
    ///
    /// - Returns: The received bytes, and the longest time in which nothing was read.
    private static func receiveSlowly(
        _ byteCount: Int, from port: UInt16, over time: Duration
    ) throws -> (received: [UInt8], longestPause: Duration) {
        // With megabytes of buffer, the system would report to the server for seconds that nothing is read.
        let socket = try RawSocket.connect(to: port, receiveBuffer: 1 << 17)
        try socket.send(RawFrames.request)
        var received: [UInt8] = []
        var (last, longest) = (ContinuousClock.now, Duration.zero)
        while true {
            let more = try socket.receive(atMost: 1 << 17)
            if more.isEmpty { return (received, longest) }
            received += more
            if received.ends(with: RawFrames.frame(8, RawFrames.close(1_000))) {
                try socket.send(RawFrames.masked(8, RawFrames.close(1_000)))
            }
            Thread.sleep(forTimeInterval: time / .seconds(1) * Double(more.count) / Double(byteCount))
            let now = ContinuousClock.now
            longest = max(longest, now - last)
            last = now
        }
    }

    @Test func `a server's WebSocket closes with 1000 when its handler ends, and 1011 when it throws`() async throws {
        struct Broken: Error, CustomStringConvertible { let description = "broken" }
        let ends = WebSocketEnds()
        let server = try await WebSocketServer.serving(ends.configure()) { client in
            try await client.send("hello")
            if client.request.path == "/broken" { throw Broken() }
        }
        for (path, code, text) in [("/", 1_000, "clean"), ("/broken", 1_011, "broken")] {
            let client = try await server.connect(path)
            var messages: [WebSocketMessage] = []
            for try await message in client.messages { messages.append(message) }
            #expect(messages == [.text("hello")])
            #expect(await client.end?.code == WebSocketCloseCode(rawValue: UInt16(code)))
            #expect(await client.end?.cause == .closedByPeer)
            #expect(await ends.first(path == "/" ? 1 : 2).last == text)
        }
        await server.shutDown()
    }

    @Test func `an invalid close code or reason is refused, and the WebSocket stays open`() async throws {
        let server = try await WebSocketServer.echo()
        let client = try await server.connect()
        await #expect(throws: ConnectionError.webSocket(.invalidCloseCode(1_005))) {
            try await client.close(code: .noStatus)
        }
        await #expect(throws: ConnectionError.webSocket(.controlTooLong(byteCount: 126))) {
            try await client.close(reason: String(repeating: "x", count: 124))
        }
        try await client.send("on")
        #expect(try await client.receive() == .text("on"))
        #expect(try await client.close(code: nil).received == WebSocketClose(code: nil))
        await server.shutDown()
    }

    @Test func `a client without references is closed with 1001`() async throws {
        let ends = Seen<WebSocketEnd>()
        let server = try await WebSocketServer.serving { client in
            for try await message in client.messages { try await client.send(message) }
            ends.add(try await client.waitUntilEnd())
        }
        var client: WebSocketClient? = try await server.connect()
        try await client?.send("more than anybody reads")
        client = nil
        #expect(await ends.first(1)[0].received?.code == .goingAway)
        await server.shutDown()
    }

    @Test func `a peer that sends a lot does not prevent a close`() async throws {
        let socket = try RawSocket.listen()
        let port = try socket.port()
        let peer = Task {
            try await onThread {
                let peer = try socket.acceptWebSocket()
                let content = RawFrames.frame(2, [UInt8](repeating: 1, count: 60_000))
                // More than any limit of unread bytes, and then the answer.
                for _ in 0..<100 { try peer.send(content) }
                try peer.send(RawFrames.frame(8, RawFrames.close(1_000)))
                peer.endOutput()
                return try peer.rest().count
            }
        }
        let client = try await WebSocketClient.connect(
            to: "ws://127.0.0.1:\(port)", configuration: .patient { $0.limits.unreadByteCount = 10_000 })
        #expect(try await client.close().cause == .closedHere)
        #expect(try await peer.value > 0)
    }

    @Test func `a client's output still leaves after the server closes and ends its output`() async throws {
        let socket = try RawSocket.listen(receiveBuffer: 4_096)
        let port = try socket.port()
        let (mayClose, mayRead) = (Gate(), Gate())
        let peer = Task {
            let peer = try await onThread { try socket.acceptWebSocket() }
            await mayClose.wait()
            try peer.send(RawFrames.frame(8, RawFrames.close(1_000)))
            peer.endOutput()
            await mayRead.wait()
            return try await RawWebSocket(peer).rest()
        }
        let client = try await WebSocketClient.connect(
            to: "ws://127.0.0.1:\(port)", configuration: .patient { $0.limits.frames.outputLimit = 1 << 20 })
        let sent = Seen<UInt8>()
        let sending = Task {
            for number in 0... {
                let byte = UInt8(truncatingIfNeeded: number)
                try await client.send([UInt8](repeating: byte, count: 60_000))
                sent.add(byte)
            }
        }
        // Until the system and the queue take no more.
        let isStalled = try await eventually { await client.counters().waitingSenderCount == 1 }
        #expect(isStalled)
        mayClose.open()
        // The server's end has come, whatever is queued here.
        let end = try await client.waitUntilEnd()
        #expect(end.cause == .closedByPeer)
        await #expect(throws: ConnectionError.webSocket(.closed)) { try await sending.value }
        mayRead.open()
        let (content, _, close) = try await peer.value
        let expected = await sent.first(sent.count).flatMap { [UInt8](repeating: $0, count: 60_000) }
        #expect(expected.count > 1 << 20)
        #expect(content.count == expected.count)
        let isSame = content == expected
        #expect(isSame)
        #expect(close == RawFrames.close(1_000))
    }

    @Test func `a close without an answer times out`() async throws {
        let socket = try RawSocket.listen()
        let port = try socket.port()
        let mayEnd = Gate()
        let peer = Task {
            let peer = try await onThread { try socket.acceptWebSocket() }
            await mayEnd.wait()
            try await onThread { peer.drain() }
        }
        let client = try await WebSocketClient.connect(
            to: "ws://127.0.0.1:\(port)",
            configuration: .patient { $0.limits.frames.closeTimeout = .milliseconds(50) })
        let end = try await client.close()
        #expect(end.cause == .timedOut)
        await #expect(throws: ConnectionError.webSocketEnded(end)) { try await client.receive() }
        mayEnd.open()
        try await peer.value
    }

    // MARK: Abnormal ends

    @Test func `a connection that ends without a close differs from a closed one`() async throws {
        let ends = WebSocketEnds()
        let server = try await WebSocketServer.serving(ends.configure()) { client in
            for try await message in client.messages { try await client.send(message) }
        }
        let port = server.address.port
        try await onThread {
            let peer = try RawSocket.connect(to: port)
            try peer.send(RawFrames.request + RawFrames.masked(1, [0x61]))
            _ = try peer.receive()
        }
        let end = WebSocketEnd(cause: .cut, sent: nil, received: nil)
        #expect(await ends.first(1) == ["\(ConnectionError.webSocketEnded(end))"])
        try await onThread {
            let peer = try RawSocket.connect(to: port)
            try peer.send(RawFrames.request + RawFrames.masked(1, [0x61]))
            _ = try peer.receive()
            peer.resetWhenClosed()
        }
        #expect(await ends.first(2).last == "\(ConnectionError.transport(.reset))")
        await server.shutDown()
    }

    @Test func `a client notices a server that ends without a close`() async throws {
        let server = try await WebSocketServer.serving { client in
            _ = try await client.receive()
            client.abort()
        }
        let client = try await server.connect()
        let waiting = Task { try await client.ping(timeout: .seconds(600)) }
        try await client.send("go")
        await #expect(throws: ConnectionError.self) {
            for try await _ in client.messages {}
        }
        _ = await waiting.result
        #expect(await client.end?.cause == .cut)
        await #expect(throws: ConnectionError.self) { try await client.send("late") }
        await server.shutDown()
    }

    @Test func `an abort ends all waits at once`() async throws {
        let server = try await WebSocketServer.serving { client in
            for try await _ in client.messages {}
        }
        let client = try await server.connect()
        let receiving = Task { try await client.receive() }
        let ending = Task { try await client.waitUntilEnd() }
        let isWaiting = try await eventually { await client.connection.loop.run { client.connection.waitNumber == 1 } }
        #expect(isWaiting)
        client.abort()
        await #expect(throws: ConnectionError.transport(.closed)) { try await receiving.value }
        #expect(try await ending.value.cause == .cut)
        await server.shutDown()
    }

    // MARK: Broken peers

    @Test(
        arguments: [
            // No mask; a reserved bit; invalid UTF-8 in a frame of which most has not come.
            ([0x81, 0x01, 0x61], 1_002), ([0xC1, 0x80, 0, 0, 0, 0], 1_002),
            ([0x81, 0xFE, 0x10, 0x00, 0, 0, 0, 0, 0xFF], 1_007),
            // An unknown opcode; a continuation without a message; a close of one byte; a reserved code.
            ([0x83, 0x80, 0, 0, 0, 0], 1_002), ([0x80, 0x80, 0, 0, 0, 0], 1_002),
            ([0x88, 0x81, 0, 0, 0, 0, 3], 1_002), ([0x88, 0x82, 0, 0, 0, 0, 0x03, 0xED], 1_002),
            // A length over the limit, before any content has come.
            ([0x82, 0xFF, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0], 1_009),
        ] as [([UInt8], UInt16)])
    func `a client that breaks the protocol gets a close code at once, and its connection ends`(
        bytes: [UInt8], code: UInt16
    ) async throws {
        let ends = WebSocketEnds()
        let server = try await WebSocketServer.echo(ends.configure())
        let port = server.address.port
        let answer = try await onThread {
            let peer = try RawSocket.connect(to: port)
            try peer.send(RawFrames.request)
            _ = try peer.head()
            try peer.send(bytes)
            return try peer.rest()
        }
        #expect(answer == RawFrames.frame(8, RawFrames.close(code)))
        #expect(await ends.first(1)[0] != "clean")
        await server.shutDown()
    }

    @Test func `answers to messages before a protocol error, or before a close, still leave`() async throws {
        let ends = WebSocketEnds()
        let server = try await WebSocketServer.echo(ends.configure())
        let port = server.address.port
        let text = Array("earlier".utf8)
        for (last, code) in [([0xC1, 0x80, 0, 0, 0, 0], 1_002), (RawFrames.masked(8, RawFrames.close(4_000)), 4_000)] {
            let answer = try await onThread {
                let peer = try RawSocket.connect(to: port)
                // In one piece, so that the error has arrived before the handler reads the messages.
                try peer.send(RawFrames.request + RawFrames.masked(1, text) + RawFrames.masked(2, text) + last)
                return try peer.head().rest + peer.rest()
            }
            let echoes = RawFrames.frame(1, text) + RawFrames.frame(2, text)
            #expect(answer == echoes + RawFrames.frame(8, RawFrames.close(UInt16(code))))
        }
        let fault = WebSocketError.violation(.reservedBits, offset: 26)
        // On separate loops, they may be reported in either order.
        #expect(await Set(ends.first(2)) == ["\(fault)", "clean"])
        await server.shutDown()
    }

    @Test func `a handler that stops reading does not hold back the answer to a close for ever`() async throws {
        let mayEnd = Gate()
        let server = try await WebSocketServer.serving(.patient { $0.limits.frames.closeTimeout = .milliseconds(100) })
        {
            client in
            _ = try await client.receive()
            await mayEnd.wait()
        }
        let client = try await server.connect()
        try await client.send("one")
        try await client.send("two")
        #expect(try await client.close().cause == .closedHere)
        mayEnd.open()
        await server.shutDown()
    }

    @Test func `a message over the limit ends the WebSocket with 1009, and both sides know`() async throws {
        let ends = WebSocketEnds()
        let server = try await WebSocketServer.echo(ends.configure { $0.limits.frames.messageLimit = 1_000 })
        let client = try await server.connect()
        try await client.send([UInt8](repeating: 1, count: 1_000))
        #expect(try await client.receive() == .binary([UInt8](repeating: 1, count: 1_000)))
        try await client.send([UInt8](repeating: 1, count: 1_001))
        #expect(try await client.receive() == nil)
        #expect(await client.end?.code == .messageTooBig)
        #expect(await ends.first(1) == ["\(WebSocketError.messageTooLarge(limit: 1_000))"])
        await server.shutDown()
    }

    @Test func `an endless message is read up to the limit`() async throws {
        let server = try await WebSocketServer.echo(.patient { $0.limits.frames.messageLimit = 1 << 20 })
        let port = server.address.port
        let (sentByteCount, answer) = try await onThread {
            let peer = try RawSocket.connect(to: port)
            try peer.send(RawFrames.request)
            _ = try peer.head()
            let part = [UInt8](repeating: 1, count: 10_000)
            try peer.send(RawFrames.masked(2, isFinal: false, part))
            var count = part.count
            // Until the server stops reading.
            while count < 1 << 21, (try? peer.send(RawFrames.masked(0, isFinal: false, part))) != nil {
                count += part.count
            }
            return (count, try peer.rest())
        }
        #expect(sentByteCount > 1 << 20)
        #expect(answer == RawFrames.frame(8, RawFrames.close(1_009)))
        await server.shutDown()
    }

    @Test func `unread compressed messages are not decompressed beyond the limit`() async throws {
        let mayRead = Gate()
        let limit = 1 << 20
        let policy = WebSocketDeflate()
        let server = try await WebSocketServer.serving(
            .patient {
                $0.handshake.deflate = policy
                $0.limits.unreadByteCount = limit
            }
        ) { client in
            await mayRead.wait()
            var count = 0
            while case .binary(let content)? = try await client.receive(), !content.isEmpty { count += content.count }
            try await client.send("\(count)")
            while try await client.receive() != nil {}
        }
        let client = try await server.connect("/", .patient { $0.deflate = policy })
        // A hundred bytes each on the wire: all of them come in one read.
        let message = [UInt8](repeating: 0, count: 100_000)
        for _ in 0..<1_000 { try await client.send(message) }
        try await client.send([])
        let hasCome = try await eventually { await server.counters().traffic.unreadByteCount >= limit }
        #expect(hasCome)
        let held = await server.counters().traffic.unreadByteCount
        #expect(held <= limit + message.count + 256 * 1024, "\(held)")
        mayRead.open()
        #expect(try await client.receive() == .text("100000000"))
        try await client.close()
        await server.shutDown()
    }
}
