// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Testing
import TestingSupport
import Wireline
import WirelineWebSocket

/// Many messages that arrive at once: the task that waits takes them from the block that was read.
@Suite(.ahead)
struct WebSocketBurstTests {
    /// Opens a WebSocket, byte by byte.
    private static func open(to server: WebSocketServer) async throws -> RawWebSocket {
        let peer = RawWebSocket(try RawSocket.connect(to: server.address.port))
        try peer.socket.send(RawWebSocket.request)
        #expect(try await peer.head().contains(RawWebSocket.answer))
        return peer
    }

    private static func messages(_ range: Range<Int>) -> [UInt8] {
        range.flatMap { RawWebSocket.frame(.text, Array("message \($0)".utf8)) }
    }

    private static let close = RawWebSocket.frame(.close, [3, 0xE8])

    /// What a server's handler has taken.
    private struct Taken: Equatable, Sendable {
        var texts: [String] = []
        var error: String?
    }

    /// A server whose handler takes one message, waits at the gate, and then takes all others.
    private static func stoppingServer(_ gate: Gate, _ taken: Seen<Taken>) async throws -> WebSocketServer {
        try await .serving { client in
            var result = Taken()
            do {
                while case .text(let text)? = try await client.receive() {
                    result.texts.append(text)
                    if result.texts.count == 1 { await gate.wait() }
                }
            } catch {
                result.error = "\(error)"
            }
            taken.add(result)
        }
    }

    private static let texts = (0..<4_000).map { "message \($0)" }

    @Test func `a ping after many messages is answered although the program has taken only the first one`()
        async throws
    {
        let (mayGoOn, taken) = (Gate(), Seen<Taken>())
        let server = try await Self.stoppingServer(mayGoOn, taken)
        let peer = try await Self.open(to: server)
        try peer.socket.send(Self.messages(0..<2_000) + RawWebSocket.frame(.ping, [7]) + Self.messages(2_000..<4_000))
        let pong = try await peer.frame()
        #expect(pong?.opcode == RawWebSocket.Opcode.pong.rawValue)
        #expect(pong?.payload == [7])
        mayGoOn.open()
        try peer.socket.send(Self.close)
        #expect(try await peer.rest().close == [3, 0xE8])
        #expect(await taken.first(1) == [Taken(texts: Self.texts)])
        await server.shutDown()
    }

    @Test(arguments: [true, false])
    func `all messages before a fault, or before the end of the stream, are received`(isFault: Bool) async throws {
        let (mayGoOn, taken) = (Gate(), Seen<Taken>())
        mayGoOn.open()
        let server = try await Self.stoppingServer(mayGoOn, taken)
        let peer = try await Self.open(to: server)
        try peer.socket.send(Self.messages(0..<4_000) + (isFault ? [0x83, 0x80, 0, 0, 0, 0] : []))
        if isFault {
            #expect(try await peer.rest().close == [3, 0xEA])
        } else {
            try await peer.end()
        }
        let result = await taken.first(1)[0]
        #expect(result.texts == Self.texts)
        #expect(result.error != nil)
        await server.shutDown()
    }

    @Test func `the reader may go on in pieces at any message`() async throws {
        let server = try await WebSocketServer.serving { client in
            guard try await client.receive() != nil, try await client.receive() != nil else { return }
            while let piece = try await client.receivePiece() {
                try await client.send(piece.content)
                if piece.content.isEmpty, piece.isLast { break }
            }
            while let message = try await client.receive() { try await client.send(message) }
        }
        let peer = try await Self.open(to: server)
        let long = [UInt8](repeating: 0x61, count: 60_000)
        try peer.socket.send(
            Self.messages(0..<1_000) + RawWebSocket.frame(.text, long) + RawWebSocket.frame(.text, [])
                + Self.messages(1_000..<2_000) + Self.close)
        let expected = Self.texts[2..<1_000].joined().utf8 + long + Array(Self.texts[1_000..<2_000].joined().utf8)
        #expect(try await peer.rest().content == expected)
        await server.shutDown()
    }

    /// Sends messages of all kinds in bursts, and returns their contents and the payloads of the pings.
    private static func sendMixture(
        to peer: RawWebSocket, using random: inout SeededGenerator
    ) throws -> (content: [UInt8], pings: [[UInt8]]) {
        var (content, pings, burst): ([UInt8], [[UInt8]], [UInt8]) = ([], [], [])
        for number in 0..<3_000 {
            let payload = [UInt8](repeating: UInt8(number % 128), count: Int.random(in: 0...200, using: &random))
            switch Int.random(in: 0..<12, using: &random) {
            case 0:
                pings.append(Array("\(number)".utf8))
                burst += RawWebSocket.frame(.ping, pings[pings.count - 1])
            case 1:
                let middle = payload.count / 2
                burst += RawWebSocket.frame(.text, Array(payload[..<middle]), isFinal: false)
                burst += RawWebSocket.frame(.continuation, Array(payload[middle...]))
                content += payload
            case 2...5:
                burst += RawWebSocket.frame(.text, payload)
                content += payload
            default:
                burst += RawWebSocket.frame(.binary, payload)
                content += payload
            }
            guard Int.random(in: 0..<200, using: &random) == 0 else { continue }
            try peer.socket.send(burst)
            burst = []
        }
        try peer.socket.send(burst + close)
        return (content, pings)
    }

    @Test(arguments: [false, true])
    func `messages of all kinds come back in order, with a log and without`(isLogged: Bool) async throws {
        var random = SeededGenerator.forThisRun()
        let server = try await WebSocketServer.serving(
            .patient { if isLogged { $0.log = TrafficLog { _ in } } }
        ) { client in
            while let message = try await client.receive() { try await client.send(message) }
        }
        let peer = try await Self.open(to: server)
        async let back = peer.rest()
        let sent = try Self.sendMixture(to: peer, using: &random)
        let received = try await back
        #expect(received.content == sent.content, random.seedComment)
        // If several pings wait for answers, a peer may answer only the newest one.
        #expect(received.pongs.allSatisfy { sent.pings.contains($0) } && !received.pongs.isEmpty, random.seedComment)
        await server.shutDown()
    }
}
