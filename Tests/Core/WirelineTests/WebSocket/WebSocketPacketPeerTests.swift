// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Scene
import Testing
import TestingSupport
import Wireline
import WirelineWebSocket

/// Packets over a WebSocket with peers that split and merge as they like, or break the protocol.
@Suite(.ahead)
struct WebSocketPacketPeerTests {
    private static let hello = Cs_20001(sceneID: 7, line: 2, message: "hi")

    // MARK: Clients

    /// Packets in messages of every kind, and their content.
    private static func conversation() throws -> (bytes: [UInt8], packets: [UInt8]) {
        let packets = try (0..<6).map { number in
            try packet(id: UInt64(number), payload: [UInt8](repeating: UInt8(number), count: 4 * number))
        }
        let (fourth, fifth) = (packets[3], packets[4])
        let frames = [
            RawWebSocket.frame(.binary, packets[0]),
            // Several packets in one message,
            RawWebSocket.frame(.binary, packets[1] + packets[2]),
            RawWebSocket.frame(.ping, Array("one".utf8)),
            // one packet over several messages, with an empty one among them,
            RawWebSocket.frame(.binary, Array(fourth[..<5])),
            RawWebSocket.frame(.binary, []),
            RawWebSocket.frame(.binary, Array(fourth[5...]) + fifth[..<1]),
            // and one over fragments with a ping between them.
            RawWebSocket.frame(.binary, Array(fifth[1..<9]), isFinal: false),
            RawWebSocket.frame(.ping, Array("two".utf8)),
            RawWebSocket.frame(.continuation, Array(fifth[9...]), isFinal: false, maskedWith: [9, 8, 7, 6]),
            RawWebSocket.frame(.pong, Array("nobody asked".utf8)),
            RawWebSocket.frame(.continuation, packets[5]),
            RawWebSocket.frame(.close, [0x03, 0xE8]),
        ]
        return (RawWebSocket.request + frames.joined(), packets.merged)
    }

    private static func echo(
        _ ends: ConnectionEnds = ConnectionEnds(), _ change: (inout ServerConfiguration) -> Void = { _ in }
    ) async throws -> SceneServer {
        let configuration = ends.configure {
            $0.listening.handshakeTimeout = nil
            $0.webSocket = ServerConfiguration.WebSocketOptions(paths: ["/sub"])
            change(&$0)
        }
        return try await PacketServer.startBatched(
            at: "127.0.0.1", port: 0, protocol: SceneProtocol.self, configuration: configuration
        ) { client in
            { batch in while let packet = try batch.next() { try client.write(packet: packet.bytes) } }
        }
    }

    @Test func `packets arrive whole, wherever messages, frames and bytes are split`() async throws {
        let (bytes, packets) = try Self.conversation()
        let ends = ConnectionEnds()
        let server = try await Self.echo(ends)
        for cut in 0...bytes.count {
            let peer = RawWebSocket(try RawSocket.connect(to: server.address.port))
            try peer.socket.send(bytes[..<cut])
            // The sent bytes have been read before the rest comes.
            let sentByteCount = UInt64(cut * bytes.count + cut)
            #expect(
                try await eventually { await server.counters().traffic.receivedByteCount >= sentByteCount })
            try peer.socket.send(bytes[cut...])
            guard try await peer.head().contains(RawWebSocket.answer) else {
                Issue.record("no answer with a cut at \(cut)")
                break
            }
            let rest = try await peer.rest()
            let isRight =
                rest.content == packets && rest.pongs == [Array("one".utf8), Array("two".utf8)]
                && rest.close == [0x03, 0xE8]
            guard isRight else {
                Issue.record("with a cut at \(cut): \(rest)")
                break
            }
            #expect(try await peer.isAtEnd(), "the server is the one to end the connection")
            #expect(await ends.next() == nil)
        }
        await server.shutDown()
    }

    @Test func `packets arrive whole even if every byte travels alone`() async throws {
        let (bytes, packets) = try Self.conversation()
        let server = try await Self.echo()
        let peer = RawWebSocket(try RawSocket.connect(to: server.address.port))
        for byte in bytes {
            try peer.socket.send([byte])
            await Task.yield()
        }
        #expect(try await peer.head().contains(RawWebSocket.answer))
        #expect(try await peer.rest().content == packets)
        await server.shutDown()
    }

    @Test func `a connection that is cut at any byte differs from a closed one`() async throws {
        let (bytes, _) = try Self.conversation()
        let ends = ConnectionEnds()
        let server = try await Self.echo(ends)
        for cut in 0..<bytes.count {
            let peer = RawWebSocket(try RawSocket.connect(to: server.address.port))
            try peer.socket.send(bytes[..<cut])
            try await peer.end()
            let error = await ends.next() as? ConnectionError
            if cut < RawWebSocket.request.count {
                #expect(error == .webSocket(.truncated), "cut at \(cut)")
            } else {
                guard case .webSocketEnded(let end)? = error, end.cause == .cut else {
                    Issue.record("cut at \(cut): \(String(describing: error))")
                    break
                }
            }
        }
        await server.shutDown()
    }

    @Test(
        arguments: [
            (RawWebSocket.frame(.text, Array("hi".utf8)), .webSocket(.unexpectedText(offset: 0)), 1003),
            (RawWebSocket.frame(.text, []), .webSocket(.unexpectedText(offset: 0)), 1003),
            (RawWebSocket.frame(.binary, [1], maskedWith: nil), .webSocket(.violation(.unmasked, offset: 0)), 1002),
            (
                RawWebSocket.frame(.continuation, [1]),
                .webSocket(.violation(.unexpectedContinuation, offset: 0)), 1002
            ),
            ([0x83, 0x80], .webSocket(.violation(.opcode(3), offset: 0)), 1002),
        ] as [([UInt8], ConnectionError, Int)])
    func `a client's invalid frame gets a close code`(frame: [UInt8], error: ConnectionError, code: Int) async throws {
        let ends = ConnectionEnds()
        let server = try await Self.echo(ends)
        let peer = RawWebSocket(try RawSocket.connect(to: server.address.port))
        try peer.socket.send(RawWebSocket.request)
        #expect(try await peer.head().contains(RawWebSocket.answer))
        try peer.socket.send(frame)
        #expect(try await peer.rest().close == [UInt8(code >> 8), UInt8(code & 0xFF)])
        #expect(await ends.next() as? ConnectionError == error)
        await server.shutDown()
    }

    @Test func `packets before the protocol error arrive`() async throws {
        let arrived = Seen<[UInt8]>()
        let server = try await SceneServer.start(
            configuration: ConnectionEnds().configure { $0.webSocket = ServerConfiguration.WebSocketOptions() }
        ) { client in
            while let packet = try await client.nextPacket() { arrived.add([UInt8](copying: packet.bytes)) }
        }
        let hello = try Self.hello.encoded()
        let peer = RawWebSocket(try RawSocket.connect(to: server.address.port))
        try peer.socket.send(
            RawWebSocket.request + RawWebSocket.frame(.binary, hello) + RawWebSocket.frame(.text, [0x41]))
        #expect(try await peer.head().contains(RawWebSocket.answer))
        #expect(try await peer.rest().close == [0x03, 0xEB])
        #expect(await arrived.first(1) == [hello])
        await server.shutDown()
    }

    @Test func `bytes that are no packet get a close code of their own`() async throws {
        let ends = ConnectionEnds()
        let server = try await Self.echo(ends)
        let peer = RawWebSocket(try RawSocket.connect(to: server.address.port))
        try peer.socket.send(RawWebSocket.request + RawWebSocket.frame(.binary, [0xFF, 0xFF, 0xFF, 0xFF, 0, 0]))
        #expect(try await peer.head().contains(RawWebSocket.answer))
        #expect(try await peer.rest().close == [0x03, 0xEF])
        guard case .codec? = await ends.next() as? ConnectionError else {
            Issue.record("not a packet's fault")
            return
        }
        await server.shutDown()
    }

    @Test func `a handler that fails closes with its own code`() async throws {
        struct Refusal: Error {}
        let server = try await SceneServer.start(
            configuration: ConnectionEnds().configure { $0.webSocket = ServerConfiguration.WebSocketOptions() }
        ) { client in
            _ = try await client.nextPacket()
            throw Refusal()
        }
        let peer = RawWebSocket(try RawSocket.connect(to: server.address.port))
        try peer.socket.send(RawWebSocket.request + RawWebSocket.frame(.binary, Self.hello.encoded()))
        #expect(try await peer.head().contains(RawWebSocket.answer))
        #expect(try await peer.rest().close == [0x03, 0xF3])
        await server.shutDown()
    }

    @Test func `a client's close with an error code is an error, and a normal close is not`() async throws {
        let ends = ConnectionEnds()
        let server = try await Self.echo(ends)
        for (payload, isClean) in [
            ([0x03, 0xE8], true), ([0x03, 0xE9], true), ([], true), ([0x03, 0xF1] + Array("too big".utf8), false),
            ([0x0F, 0xA0], false),
        ] as [([UInt8], Bool)] {
            let peer = RawWebSocket(try RawSocket.connect(to: server.address.port))
            try peer.socket.send(RawWebSocket.request + RawWebSocket.frame(.close, payload))
            #expect(try await peer.head().contains(RawWebSocket.answer))
            #expect(try await peer.rest().close == [0x03, 0xE8])
            let error = await ends.next() as? ConnectionError
            guard !isClean else {
                #expect(error == nil)
                continue
            }
            guard case .webSocketEnded(let end)? = error, end.cause == .closedByPeer else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(end.code.rawValue == UInt16(payload[0]) << 8 | UInt16(payload[1]))
        }
        await server.shutDown()
    }

    @Test func `a message that announces the largest length is delivered as it arrives`() async throws {
        let server = try await Self.echo()
        let hello = try Self.hello.encoded()
        let peer = RawWebSocket(try RawSocket.connect(to: server.address.port))
        let header: [UInt8] = [0x82, 0xFF, 0x3F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0]
        try peer.socket.send(RawWebSocket.request + header)
        #expect(try await peer.head().contains(RawWebSocket.answer))
        for _ in 0..<100 {
            try peer.socket.send(hello)
            #expect(try await peer.frame()?.payload == hello)
        }
        await server.shutDown(within: .zero)
    }

    @Test func `a client without HTTP gets an HTTP error`() async throws {
        let ends = ConnectionEnds()
        let server = try await Self.echo(ends)
        let client = try await server.connect()
        try await client.send(Self.hello)
        let error = await #expect(throws: ConnectionError.self) { try await client.nextPacket() }
        #expect("\(String(describing: error))".contains("HTTP"))
        let bytes = try Array(Self.hello.encoded().prefix(8))
        #expect(await ends.next() as? ConnectionError == .webSocket(.notHTTP(firstBytes: bytes)))
        let peer = RawWebSocket(try RawSocket.connect(to: server.address.port))
        try peer.socket.send(Self.hello.encoded())
        #expect(try await peer.head().hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
        await server.shutDown()
    }

    @Test func `a client without a complete handshake times out`() async throws {
        let ends = ConnectionEnds()
        let server = try await Self.echo(ends) { $0.listening.handshakeTimeout = .milliseconds(200) }
        let socket = try RawSocket.connect(to: server.address.port)
        try socket.send(RawWebSocket.request.dropLast())
        #expect(await ends.next() as? ConnectionError == .transport(.timedOut))
        withExtendedLifetime(socket) {}
        await server.shutDown()
    }

    // MARK: Servers

    /// Connects to a server that sends what a closure makes, after the client's request.
    ///
    /// - Parameter answer: Makes the server's bytes of the answer to the client's key.
    private static func connect(
        to listener: RawSocket, _ answer: @escaping @Sendable (String) -> [UInt8]
    ) async throws -> (PacketClient<SceneProtocol>, RawWebSocket) {
        var configuration = ClientConfiguration.patient
        configuration.webSocket = ClientConfiguration.WebSocketOptions(path: "/sub")
        let port = try listener.port()
        async let client = PacketClient.connect(
            to: "127.0.0.1", port: port, protocol: SceneProtocol.self, configuration: configuration)
        let peer = try await RawWebSocket.accept(from: listener)
        let head = try await peer.head()
        let key = head.split(separator: "\r\n").first { $0.hasPrefix("Sec-WebSocket-Key: ") }?.dropFirst(19)
        let bytes = answer(HandshakeKey.answer(to: String(key ?? "")))
        try peer.socket.send(bytes)
        if !String(decoding: bytes, as: UTF8.self).contains("Accept: ") { peer.socket.endOutput() }
        return (try await client, peer)
    }

    private static func accepted(_ answer: String, _ others: String = "") -> [UInt8] {
        Array(
            """
            HTTP/1.1 101 Switching Protocols\r
            Upgrade: websocket\r
            Connection: Upgrade\r
            Sec-WebSocket-Accept: \(answer)\r
            \(others)\r

            """.utf8)
    }

    @Test(
        arguments: [
            ("HTTP/1.1 301 Moved Permanently\r\nLocation: wss://b.test/\r\nContent-Length: 0\r\n\r\n", 301),
            ("HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic\r\nContent-Length: 4\r\n\r\nwho?", 401),
            ("HTTP/1.1 404 Not Found\r\n\r\n<html>", 404), ("HTTP/1.1 200 OK\r\n\r\n", 200),
            ("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 100\r\n\r\nbusy", 503),
        ])
    func `a server's refusal is an error with its status`(answer: String, status: Int) async throws {
        let listener = try RawSocket.listen()
        let error = await #expect(throws: ConnectionError.self) {
            _ = try await Self.connect(to: listener) { _ in Array(answer.utf8) }
        }
        guard case .webSocket(.refused(let response))? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(response.status == status)
        #expect(response.location == (status == 301 ? "wss://b.test/" : nil))
    }

    @Test(
        arguments: [
            ("", .truncated), ("HTTP/1.1 101 Swi", .truncated),
            ("SSH-2.0-x\r\n", .notHTTP(firstBytes: Array("SSH-2.0-".utf8))),
            (
                "HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n",
                .invalidResponse(.accept)
            ),
        ] as [(String, WebSocketError)])
    func `a server's invalid answer is an error`(answer: String, fault: WebSocketError) async throws {
        let listener = try RawSocket.listen()
        await #expect(throws: ConnectionError.webSocket(fault)) {
            _ = try await Self.connect(to: listener) { _ in Array(answer.utf8) }
        }
    }

    @Test func `a server of plain packets is an error for a WebSocket client`() async throws {
        let server = try await SceneServer.start { client in while try await client.nextPacket() != nil {} }
        var configuration = ClientConfiguration.patient
        configuration.webSocket = ClientConfiguration.WebSocketOptions()
        // "GET " is the length of no packet.
        await #expect(throws: ConnectionError.self) { _ = try await server.connect(configuration: configuration) }
        await server.shutDown()
    }

    @Test func `frames merged with the answer are not lost`() async throws {
        let listener = try RawSocket.listen()
        let reply = try Sc_20001.entered(Self.hello).encoded()
        let (client, peer) = try await Self.connect(to: listener) {
            Self.accepted($0) + RawWebSocket.frame(.binary, reply, maskedWith: nil)
                + RawWebSocket.frame(.close, [0x03, 0xE8], maskedWith: nil)
        }
        #expect(try await client.connection.nextBytes() == reply)
        #expect(try await client.nextPacket() == nil)
        withExtendedLifetime(peer) {}
    }

    @Test func `a server's ping is answered while the program sends and reads`() async throws {
        let listener = try RawSocket.listen()
        let (client, peer) = try await Self.connect(to: listener) { Self.accepted($0) }
        let reading = Task { [client] in try await client.nextPacket() }
        try peer.socket.send(RawWebSocket.frame(.ping, [1, 2, 3], maskedWith: nil))
        let pong = try #require(try await peer.frame())
        #expect(pong.opcode == RawWebSocket.Opcode.pong.rawValue)
        #expect(pong.payload == [1, 2, 3])
        try await client.send(Self.hello)
        let message = try #require(try await peer.frame())
        #expect(message.opcode == RawWebSocket.Opcode.binary.rawValue)
        #expect(try message.payload == Self.hello.encoded())
        try peer.socket.send(RawWebSocket.frame(.close, [], maskedWith: nil))
        #expect(try await reading.value == nil)
        client.endOutput()
        #expect(try await peer.rest().close == [0x03, 0xE8])
    }

    @Test func `output of one turn is one message, unless it is too long`() async throws {
        let listener = try RawSocket.listen()
        let (client, peer) = try await Self.connect(to: listener) { Self.accepted($0) }
        let hello = try Self.hello.encoded()
        try await client.connection.onLoop { connection in
            for _ in 0..<10 { try connection.write(packet: hello.span.bytes) }
        }
        #expect(try await peer.frame()?.payload.count == 10 * hello.count)
        let big = try packet(payload: [UInt8](repeating: 1, count: 150_000))
        try await client.connection.onLoop { connection in try connection.write(packet: big.span.bytes) }
        var counts: [Int] = []
        while counts.reduce(0, +) < big.count { counts.append(try #require(try await peer.frame()).payload.count) }
        #expect(counts == [65_536, 65_536, big.count - 131_072])
        client.close()
    }

    @Test(
        arguments: [
            (RawWebSocket.frame(.text, [0x41], maskedWith: nil), .unexpectedText(offset: 0), 1003),
            (RawWebSocket.frame(.binary, [0x41]), .violation(.masked, offset: 0), 1002),
        ] as [([UInt8], WebSocketError, Int)])
    func `a server's invalid frame gets a close code`(frame: [UInt8], error: WebSocketError, code: Int) async throws {
        let listener = try RawSocket.listen()
        let (client, peer) = try await Self.connect(to: listener) { Self.accepted($0) }
        try peer.socket.send(frame)
        await #expect(throws: ConnectionError.webSocket(error)) { _ = try await client.nextPacket() }
        #expect(try await peer.rest().close == [UInt8(code >> 8), UInt8(code & 0xFF)])
    }

    @Test func `a server's close with an error code is an error`() async throws {
        let listener = try RawSocket.listen()
        let (client, peer) = try await Self.connect(to: listener) { Self.accepted($0) }
        try peer.socket.send(
            RawWebSocket.frame(.close, [0x03, 0xF5] + Array("later\u{1B}".utf8), maskedWith: nil))
        let error = await #expect(throws: ConnectionError.self) { _ = try await client.nextPacket() }
        guard case .webSocketEnded(let end)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(end.code == .tryAgainLater)
        #expect("\(end)" == "the peer has closed the WebSocket with code 1013: later\\u{1B}")
        #expect(try await peer.rest().close == [0x03, 0xE8])
    }

    @Test func `a server's reset is an error of its own`() async throws {
        let listener = try RawSocket.listen()
        let client = try await {
            let (client, peer) = try await Self.connect(to: listener) { Self.accepted($0) }
            peer.socket.resetWhenClosed()
            return client
        }()
        await #expect(throws: ConnectionError.transport(.reset)) { _ = try await client.nextPacket() }
    }

    @Test func `a handshake without an answer ends at the connect timeout`() async throws {
        let listener = try RawSocket.listen()
        var configuration = ClientConfiguration(dialing: DialingOptions(connectTimeout: .milliseconds(300)))
        configuration.webSocket = ClientConfiguration.WebSocketOptions()
        await #expect(throws: ConnectionError.transport(.timedOut)) {
            _ = try await PacketClient.connect(
                to: "127.0.0.1", port: listener.port(), protocol: SceneProtocol.self, configuration: configuration)
        }
    }
}
