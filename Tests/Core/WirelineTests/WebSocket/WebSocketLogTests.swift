// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Testing
import TestingSupport
import Wireline
import WirelineTransport
import WirelineWebSocket

/// What a log receives about WebSockets, and what it does not.
@Suite(.ahead)
struct WebSocketLogTests {
    private func log(to lines: Seen<String>, showsContent: Bool = true) -> TrafficLog {
        TrafficLog(showsContent: showsContent) { lines.add("\($0.event)") }
    }

    @Test func `the log shows every message once on both sides, in order`() async throws {
        let (served, asked) = (Seen<String>(), Seen<String>())
        let server = try await WebSocketServer.echo(.patient { $0.log = log(to: served) })
        let client = try await server.connect("/", .patient { $0.log = log(to: asked) })
        for message in [WebSocketMessage.text("hi\n"), .binary([1, 2, 255]), .text("")] {
            try await client.send(message)
            #expect(try await client.receive() == message)
        }
        try await client.close(code: WebSocketCloseCode(rawValue: 4_001), reason: "bye")
        let exchanges = [#"text 3 bytes "hi\n""#, "binary 3 bytes <0102ff>", "text 0 bytes"]
        let close = #"close 4001 "bye""#
        #expect(
            await served.first(10)
                == ["opened"] + exchanges.flatMap { ["received \($0)", "sent \($0)"] }
                + ["received \(close)", "sent close 4001", "ended"])
        #expect(
            await asked.first(10)
                == ["opened"] + exchanges.flatMap { ["sent \($0)", "received \($0)"] }
                + ["sent \(close)", "received close 4001", "ended"])
        await server.shutDown()
    }

    @Test func `a peer's text in the log is no terminal command and no extra line`() async throws {
        let lines = Seen<String>()
        let server = try await WebSocketServer.echo(.patient { $0.log = log(to: lines) })
        let client = try await server.connect("/", .patient { _ in })
        try await client.send("\u{9B}2J\u{85}ended\u{2028}\u{202E}")
        _ = try await client.receive()
        try await client.close(code: .normal, reason: "\u{9B}2J\u{2029}\u{202E}")
        #expect(await lines.first(4)[1] == #"received text 17 bytes "\u{9B}2J\u{85}ended\u{2028}\u{202E}""#)
        #expect(await lines.first(4)[3] == #"received close 1000 "\u{9B}2J\u{2029}\u{202E}""#)
        await server.shutDown()
    }

    @Test func `parts are logged as parts, and long content is cut`() async throws {
        let lines = Seen<String>()
        let server = try await WebSocketServer.serving(.patient { $0.log = log(to: lines) }) { client in
            while let piece = try await client.receivePiece(), !piece.isLast {}
            try await client.sendMessage(as: .text) { message in
                try await message.send("first")
                try await message.send("second")
            }
            try await client.send([UInt8](repeating: 7, count: 2_000).span.bytes, as: .binary)
            try await client.send(String(repeating: "x", count: 1_000))
        }
        let socket = try await onThread { [port = server.address.port] in
            let socket = try RawSocket.connect(to: port)
            try socket.send(RawFrames.request)
            _ = try socket.head()
            try socket.send(RawFrames.masked(1, isFinal: false, Array("one".utf8)))
            return socket
        }
        #expect(await lines.first(2) == ["opened", #"received part of text 3 bytes "one""#])
        try await onThread {
            try socket.send(RawFrames.masked(0, Array("two".utf8)) + RawFrames.masked(8, []))
            _ = try socket.rest()
            socket.endOutput()
        }
        #expect(
            await lines.first(11).dropFirst(2)
                == [
                    #"received last part of text 3 bytes "two""#, "received close",
                    #"sent part of text 5 bytes "first""#,
                    #"sent part of text 6 bytes "second""#, "sent last part of text 0 bytes",
                    "sent binary 2000 bytes <" + String(repeating: "07", count: 1_024) + "… 2000 bytes>",
                    #"sent text 1000 bytes ""# + String(repeating: "x", count: 256) + "\"…",
                    "sent close 1000", "ended",
                ])
        await server.shutDown()
    }

    @Test func `content is logged only on request`() async throws {
        let lines = Seen<String>()
        let entries = Seen<TrafficLog.Entry>()
        let server = try await WebSocketServer.echo(.patient { $0.log = log(to: lines, showsContent: false) })
        let clientLog = TrafficLog { entries.add($0) }
        let client = try await server.connect("/", .patient { $0.log = clientLog })
        try await client.send("s3cret")
        #expect(try await client.receive() == .text("s3cret"))
        client.abort()
        #expect(await lines.first(4).dropLast() == ["opened", "received text 6 bytes", "sent text 6 bytes"])
        #expect(await lines.first(4)[3].hasPrefix("ended: "))
        for entry in await entries.first(4) {
            #expect(entry.peerAddress == server.address)
            var dumped = ""
            dump(entry, to: &dumped)
            #expect(!dumped.contains("s3cret"))
        }
        await server.shutDown()
    }

    @Test func `an invalid request is logged without its bytes`() async throws {
        let lines = Seen<String>()
        let server = try await WebSocketServer.echo(.patient { $0.log = log(to: lines) })
        try await onThread { [port = server.address.port] in
            let socket = try RawSocket.connect(to: port)
            try socket.send(Array("s3cret\n".utf8))
            _ = try? socket.rest()
            socket.endOutput()
        }
        #expect(await lines.first(2) == ["opened", "ended: the peer does not speak HTTP"])
        await server.shutDown()
    }
}
