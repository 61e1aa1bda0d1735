// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Testing
import TestingSupport
import Wireline
import WirelineWebSocket

/// What a WebSocket session receives, read or not, from connections that end anywhere.
@Suite(.ahead)
struct WebSocketSessionReceivingTests {
    @Test func `unread messages slow the server down, and are not lost`() async throws {
        // More than the system's buffers take.
        let count = 1_500
        let body = String(repeating: "x", count: 16_384)
        let server = try await WebSocketServer.serving { client in
            for number in 0..<count { try await client.send("\(number) \(body)") }
            while try await client.receive() != nil {}
        }
        let limit = 256 << 10
        let session = try server.session(.patient { $0.client.limits.unreadByteCount = limit })
        let isHeldUp = try await eventually {
            let traffic = await server.counters().traffic
            let unreadByteCount = await session.counters().unreadByteCount
            return traffic.waitingSenderCount == 1 && unreadByteCount >= limit
        }
        #expect(isHeldUp)
        let unread = await session.counters().unreadByteCount
        // The session's limit, that of the connection, one read, and a message over each limit.
        #expect(unread <= limit + (64 + 128) << 10 + 2 * body.utf8.count, "\(unread)")
        var next = 0
        for try await message in session.messages {
            #expect(message == .text("\(next) \(body)"))
            next += 1
            if next == count { break }
        }
        session.end()
        await server.shutDown()
    }

    @Test func `a login may read the beginning of a message and leave the rest`() async throws {
        let (mayGoOn, taken) = (Gate(), Seen<WebSocketPiece?>())
        let server = try await WebSocketServer.serving { client in
            try await client.sendMessage(as: .text) { message in
                try await message.send("welcome, ")
                await mayGoOn.wait()
                try await message.send("whoever you are")
            }
            try await client.send("next")
            while try await client.receive() != nil {}
        }
        let session = try server.session(.patient()) { login in taken.add(try await login.client.receivePiece()) }
        try await session.waitUntilReady()
        mayGoOn.open()
        for try await message in session.messages {
            #expect(message == .text("next"))
            break
        }
        let piece = try #require(await taken.first(1)[0])
        #expect(piece.content == Array("welcome, ".utf8) && !piece.isLast)
        session.end()
        await server.shutDown()
    }

    @Test(arguments: [1, 4, 20])
    func `messages of an older connection are read first`(messageLimit: Int) async throws {
        let body = String(repeating: "x", count: 16_384)
        let connections = Seen<Void>()
        let server = try await WebSocketServer.serving { client in
            connections.add(())
            let number = connections.count
            for place in 0..<20 { try await client.send("\(number).\(place) \(body)") }
            if number > 1 { while try await client.receive() != nil {} }
        }
        let session = try server.session(.patient { $0.client.limits.unreadByteCount = messageLimit * body.utf8.count })
        // If all its messages fit the limit, the end of the first connection is known before a read.
        _ = await connections.first(messageLimit < 20 ? 1 : 2)
        var received: [String] = []
        for try await message in session.messages {
            guard case .text(let text) = message else { continue }
            received.append(String(text.prefix { $0 != " " }))
            if received.count == 40 { break }
        }
        #expect(received == (1...2).flatMap { connection in (0..<20).map { "\(connection).\($0)" } })
        session.end()
        await server.shutDown()
    }

    @Test(arguments: [Relay.Ending.end, .reset])
    func `after a cut at any byte of the server, each whole message arrives once and in order`(
        ending: Relay.Ending
    ) async throws {
        let connections = Seen<Void>()
        let server = try await WebSocketServer.serving { client in
            connections.add(())
            // Frames of four bytes.
            for place in 0..<4 as Range<UInt8> {
                try await client.send([UInt8(truncatingIfNeeded: connections.count), place])
            }
            while try await client.receive() != nil {}
        }
        let relay = try Relay(to: server.address.port)
        let url = try WebSocketURL("ws://127.0.0.1:\(relay.port)/")
        let live = LiveObjects<WebSocketConnection>()
        #expect(try await Self.places(from: url, live) == [0, 1, 2, 3])
        let recording = try #require(relay.recordings.first).fromServer
        let answerEnd = try #require(recording.firstRange(of: Array("\r\n\r\n".utf8))).upperBound
        for byteCount in 0...answerEnd + 4 * 4 {
            relay.begin(cut: Relay.Cut(behind: byteCount, ending))
            let places = try await Self.places(from: url, live)
            // The last connection delivers all messages, the one before it the whole ones; a reset overtakes sent
            // bytes.
            let whole = [UInt8](0..<UInt8(max(0, byteCount - answerEnd) / 4))
            if ending == .end, whole.count < 4 {
                #expect(places == whole + [0, 1, 2, 3], "\(byteCount)")
            } else {
                #expect(places.suffix(4) == [0, 1, 2, 3] && whole.starts(with: places.dropLast(4)), "\(byteCount)")
            }
        }
        relay.stop()
        await server.shutDown()
        #expect(try await live.complaint("connections") == nil)
    }

    /// The last bytes of the messages, up to the first that is 3.
    private static func places(
        from url: WebSocketURL, _ live: LiveObjects<WebSocketConnection>
    ) async throws -> [UInt8] {
        let session = try WebSocketSession.start(to: [url], configuration: .patient()) { login in
            live.add(login.client.connection)
        }
        var places: [UInt8] = []
        for try await message in session.messages {
            guard case .binary(let content) = message, let place = content.last else { continue }
            places.append(place)
            if place == 3 { break }
        }
        session.end()
        return places
    }
}
