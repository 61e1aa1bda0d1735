// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Testing
import TestingSupport
import Wireline
import WirelineTransport
import WirelineWebSocket

/// How a WebSocket is opened or refused: requests and answers, addresses, limits, a server's end.
@Suite(.ahead)
struct WebSocketHandshakeTests {
    // MARK: Requests

    @Test func `the server sees the client's request, and the client sees the server's answer`() async throws {
        let requests = Seen<WebSocketUpgradeRequest>()
        let server = try await WebSocketServer.start(at: "127.0.0.1", port: 0, configuration: .patient) { request in
            requests.add(request)
            // Deciding may take time.
            await Task.yield()
            return .accept(subprotocol: "game.v2", headers: ["X-Room": "7"])
        } handler: { client in
            try await client.send(client.subprotocol ?? "none")
            while try await client.receive() != nil {}
        }
        let configuration = WebSocketClientConfiguration.patient {
            $0.headers = ["X-Token": "abc"]
            $0.cookies = [.init(name: "session", value: "1")]
            $0.credentials = WebSocketCredentials(user: "ann", password: "pass:word")
            $0.origin = "http://127.0.0.1:\(server.address.port)"
            $0.subprotocols = ["game.v1", "game.v2"]
        }
        let client = try await server.connect("/live/room?line=2", configuration)
        #expect(client.subprotocol == "game.v2")
        #expect(client.responseHeaders["x-room"] == "7")
        #expect(try await client.receive() == .text("game.v2"))
        let request = await requests.first(1)[0]
        #expect(request.target == "/live/room?line=2")
        #expect(request.path == "/live/room")
        #expect(request.headers["X-Token"] == "abc")
        #expect(request.headers["Cookie"] == "session=1")
        #expect(request.credentials == WebSocketCredentials(user: "ann", password: "pass:word"))
        #expect(request.subprotocols == ["game.v1", "game.v2"])
        let events = client.timeline.entries.map(\.event)
        #expect(events.suffix(3) == [.webSocketBegan, .webSocketEnded, .firstByte])
        try await client.close()
        await server.shutDown()
    }

    @Test func `a health check is answered without a handler`() async throws {
        let ends = WebSocketEnds()
        let configuration = ends.configure { $0.handshake.pages["/health"] = WebSocketPage("fine") }
        let server = try await WebSocketServer.start(at: "127.0.0.1", port: 0, configuration: configuration) { _ in
            Issue.record("nobody has asked for a WebSocket")
        }
        let balancer = RawWebSocket(try RawSocket.connect(to: server.address.port))
        try balancer.socket.send(Array("GET /health HTTP/1.0\r\n\r\n".utf8))
        #expect(try await balancer.head().hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(try await balancer.bytes(4) == Array("fine".utf8))
        #expect(try await balancer.isAtEnd())
        try await balancer.end()
        #expect(await ends.first(1) == ["clean"])
        await server.shutDown()
    }

    @Test func `a packet server answers a health check, and its handler gets an error`() async throws {
        let ends = ConnectionEnds()
        let configuration = ends.configure {
            $0.webSocket = ServerConfiguration.WebSocketOptions()
            $0.webSocket?.handshake.pages["/health"] = WebSocketPage("fine")
        }
        let server = try await SceneServer.start(configuration: configuration) { client in
            for try await _ in client.messages { Issue.record("nothing was sent") }
            Issue.record("there was no WebSocket that could end well")
        }
        let balancer = RawWebSocket(try RawSocket.connect(to: server.address.port))
        try balancer.socket.send(Array("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
        #expect(try await balancer.head().hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(try await balancer.bytes(4) == Array("fine".utf8))
        #expect(try await balancer.isAtEnd())
        try await balancer.end()
        #expect(await ends.next() as? ConnectionError == .webSocket(.requestRefused(status: 200)))
        await server.shutDown()
    }

    @Test func `a refusal is an error with status, headers and the beginning of the body`() async throws {
        let ends = WebSocketEnds()
        let server = try await WebSocketServer.start(at: "127.0.0.1", port: 0, configuration: ends.configure()) {
            switch $0.path {
            case "/moved": .refuse(status: 302, headers: ["Location": "ws://127.0.0.1/new"])
            default: .refuse(status: 401, headers: ["WWW-Authenticate": "Basic"], body: "who are you?")
            }
        } handler: { _ in
            Issue.record("nobody was accepted")
        }
        let refusal = await #expect(throws: ConnectionError.self) { try await server.connect() }
        guard case .webSocket(.refused(let response)) = refusal else { throw try #require(refusal) }
        #expect(response.status == 401)
        #expect(response.headers["WWW-Authenticate"] == "Basic")
        #expect(String(decoding: response.body, as: UTF8.self) == "who are you?")
        let moved = await #expect(throws: ConnectionError.self) { try await server.connect("/moved") }
        guard case .webSocket(.refused(let redirect)) = moved else { throw try #require(moved) }
        #expect(redirect.location == "ws://127.0.0.1/new")
        #expect(await ends.first(2) == ["clean", "clean"])
        await server.shutDown()
    }

    @Test func `a failed decision and an invalid answer become status 500`() async throws {
        struct Broken: Error, CustomStringConvertible { let description = "broken" }
        let ends = WebSocketEnds()
        let server = try await WebSocketServer.start(at: "127.0.0.1", port: 0, configuration: ends.configure()) {
            if $0.path == "/broken" { throw Broken() }
            return .accept(subprotocol: "nobody asked")
        } handler: { _ in
            Issue.record("nobody was accepted")
        }
        for path in ["/broken", "/"] {
            let refusal = await #expect(throws: ConnectionError.self) { try await server.connect(path) }
            guard case .webSocket(.refused(let response)) = refusal else { throw try #require(refusal) }
            #expect(response.status == 500)
        }
        let invalid = WebSocketError.invalidSubprotocol("nobody asked")
        #expect(await Set(ends.first(2)) == ["broken", "\(invalid)"])
        await server.shutDown()
    }

    @Test func `a page of another origin is refused with status 403`() async throws {
        let server = try await WebSocketServer.echo()
        let refusal = await #expect(throws: ConnectionError.self) {
            try await server.connect("/", .patient { $0.origin = "https://elsewhere.example" })
        }
        guard case .webSocket(.refused(let response)) = refusal else { throw try #require(refusal) }
        #expect(response.status == 403)
        await server.shutDown()
    }

    @Test func `an invalid URL or header is refused before connecting`() async throws {
        await #expect(throws: ConnectionError.webSocket(.invalidURL(.scheme, offset: 0))) {
            try await WebSocketClient.connect(to: "ftp://example.com")
        }
        await #expect(throws: ConnectionError.webSocket(.invalidHeader(name: "X"))) {
            try await WebSocketClient.connect(
                to: "ws://127.0.0.1:1", configuration: .patient { $0.headers = ["X": "a\r\nY: b"] })
        }
    }

    @Test func `the first of several URLs that accepts a WebSocket is used`() async throws {
        let refusing = try await WebSocketServer.start(at: "127.0.0.1", port: 0, configuration: .patient) { _ in
            .refuse(status: 503)
        } handler: { _ in
        }
        let server = try await WebSocketServer.echo()
        let closed = try RawSocket.listen()
        let closedPort = try closed.port()
        withExtendedLifetime(closed) {}
        let timelines = Seen<ConnectionTimeline>()
        let urls = try [
            WebSocketURL("ws://127.0.0.1:\(closedPort)/nobody"), WebSocketURL(refusing.url()),
            WebSocketURL(server.url()),
        ]
        var configuration = WebSocketClientConfiguration.patient
        configuration.dialing.timelineHandler = { timelines.add($0) }
        let listening = Task {
            // A server that accepts and closes, like one that is still starting.
            try await onThread { _ = try closed.accept() }
        }
        let client = try await WebSocketClient.connect(toFirstOf: urls, configuration: configuration)
        try await listening.value
        #expect(client.peerAddress == server.address)
        let failures = await timelines.first(2)
        #expect(failures.map(\.port) == [closedPort, refusing.address.port])
        await #expect(throws: ConnectionError.self) {
            try await WebSocketClient.connect(toFirstOf: [WebSocketURL(refusing.url())], configuration: configuration)
        }
        try await client.close()
        await refusing.shutDown()
        await server.shutDown()
    }

    @Test func `a silent server times out, and a server without HTTP is an error of its own`() async throws {
        let silent = try RawSocket.listen()
        let silentPort = try silent.port()
        var configuration = WebSocketClientConfiguration.patient
        configuration.dialing.connectTimeout = .milliseconds(200)
        await #expect(throws: ConnectionError.transport(.timedOut)) {
            try await WebSocketClient.connect(to: "ws://127.0.0.1:\(silentPort)", configuration: configuration)
        }
        withExtendedLifetime(silent) {}

        // Another listener, because the first one may still have the earlier connection in its queue.
        let socket = try RawSocket.listen()
        let port = try socket.port()
        let peer = Task {
            try await onThread {
                let peer = try socket.accept()
                _ = try peer.head()
                try peer.send(Array("SSH-2.0-OpenSSH_9.2\r\n".utf8))
                peer.drain()
            }
        }
        await #expect(throws: ConnectionError.webSocket(.notHTTP(firstBytes: Array("SSH-2.0-".utf8)))) {
            try await WebSocketClient.connect(to: "ws://127.0.0.1:\(port)", configuration: .patient)
        }
        try await peer.value
    }

    @Test func `a cancelled task gives up its connection`() async throws {
        let socket = try RawSocket.listen()
        let port = try socket.port()
        let connecting = Task {
            try await WebSocketClient.connect(to: "ws://127.0.0.1:\(port)", configuration: .patient)
        }
        let peer = try await onThread {
            let peer = try socket.accept()
            _ = try peer.head()
            return peer
        }
        connecting.cancel()
        await #expect(throws: ConnectionError.cancelled) { try await connecting.value }
        #expect(try await onThread { try peer.rest() } == [])
    }

    // MARK: Bytes

    /// A request followed by frames: two messages, one of them in fragments with a ping between them, and a close.
    private static let conversation =
        RawFrames.request + RawFrames.masked(1, Array("hi".utf8)) + RawFrames.masked(2, isFinal: false, [1, 2])
        + RawFrames.masked(9, [7]) + RawFrames.masked(0, [3]) + RawFrames.masked(8, RawFrames.close(1_000))

    @Test func `frames merged with the request are not lost, and splits anywhere change nothing`() async throws {
        let server = try await WebSocketServer.serving { client in
            for try await message in client.messages { try await client.send(message) }
        }
        let port = server.address.port
        for cut in stride(from: 1, to: Self.conversation.count, by: 1) {
            let answer = try await onThread {
                let peer = try RawSocket.connect(to: port)
                try peer.send(Self.conversation[..<cut])
                try peer.send(Self.conversation[cut...])
                return try peer.rest()
            }
            let frames = answer.firstRange(of: Array("\r\n\r\n".utf8)).map { Array(answer[$0.upperBound...]) } ?? []
            guard !Self.isExpected(frames) else { continue }
            Issue.record("cut at \(cut): \(frames)")
        }
        let frames = try await onThread {
            let peer = try RawSocket.connect(to: port)
            for byte in Self.conversation { try peer.send([byte]) }
            return try peer.head().rest + peer.rest()
        }
        #expect(Self.isExpected(frames))
        await server.shutDown()
    }

    /// Whether all answers are there, with the answer to the close last. The pong comes before the answer to the
    /// message in fragments, and before or after the answer to the first message.
    private static func isExpected(_ frames: [UInt8]) -> Bool {
        let (text, pong) = (RawFrames.frame(1, Array("hi".utf8)), RawFrames.frame(10, [7]))
        let end = RawFrames.frame(2, [1, 2, 3]) + RawFrames.frame(8, RawFrames.close(1_000))
        return frames == pong + text + end || frames == text + pong + end
    }

    @Test func `a client takes frames merged with the answer`() async throws {
        let socket = try RawSocket.listen()
        let port = try socket.port()
        let peer = Task {
            try await onThread {
                let peer = try socket.accept()
                try peer.send(peer.answerToRequest() + RawFrames.frame(1, Array("first".utf8)))
                peer.drain()
            }
        }
        let client = try await WebSocketClient.connect(to: "ws://127.0.0.1:\(port)", configuration: .patient)
        #expect(try await client.receive() == .text("first"))
        #expect(client.timeline.entries.map(\.event).suffix(2) == [.webSocketEnded, .firstByte])
        client.abort()
        try await peer.value
    }

    @Test(
        arguments: [
            ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 426 "),
            ("POST / HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 400 "),
            ("GET / HTTP/1.1\r\nX: " + String(repeating: "x", count: 20_000), "HTTP/1.1 431 "),
        ])
    func `a request without an upgrade gets an HTTP error, and the connection ends`(
        request: String, answer: String
    ) async throws {
        let ends = WebSocketEnds()
        let server = try await WebSocketServer.echo(ends.configure())
        let port = server.address.port
        let bytes = try await onThread {
            let peer = try RawSocket.connect(to: port)
            try peer.send(Array(request.utf8))
            return try peer.rest()
        }
        #expect(String(decoding: bytes, as: UTF8.self).hasPrefix(answer))
        #expect(await ends.first(1)[0] != "clean")
        await server.shutDown()
    }

    // MARK: A server's limits

    @Test func `a connection without a complete request times out`() async throws {
        let ends = WebSocketEnds()
        let server = try await WebSocketServer.echo(
            ends.configure { $0.listening.handshakeTimeout = .milliseconds(50) })
        let port = server.address.port
        let bytes = try await onThread {
            let peer = try RawSocket.connect(to: port)
            try peer.send(RawFrames.request.dropLast(2))
            // If the server has not read the request by then, the end is a reset.
            return (try? peer.rest()) ?? []
        }
        #expect(bytes == [])
        #expect(await ends.first(1) == ["\(ConnectionError.transport(.timedOut))"])
        await server.shutDown()
    }

    @Test func `the number of connections of an address is limited`() async throws {
        let ends = WebSocketEnds()
        let server = try await WebSocketServer.echo(ends.configure { $0.listening.connectionLimitPerAddress = 1 })
        let first = try await server.connect()
        await #expect(throws: ConnectionError.self) { try await server.connect() }
        #expect(await ends.first(1) == ["\(ConnectionError.tooManyConnections(limit: 1))"])
        try await first.close()
        #expect(await ends.first(2).last == "clean")
        let third = try await server.connect()
        let counters = await server.counters()
        #expect(counters.acceptedConnectionCount == 2)
        #expect(counters.refusedConnectionCount == 1)
        #expect(counters.connectionCount == 1)
        #expect(server.connectionCount == 1)
        try await third.close()
        await server.shutDown()
    }

    // MARK: A server's end

    @Test(arguments: [WebSocketCloseCode.goingAway, .serviceRestart])
    func `a shutdown closes all clients, and waits for their handlers`(code: WebSocketCloseCode) async throws {
        let ends = WebSocketEnds()
        let handled = Seen<Int>()
        let server = try await WebSocketServer.serving(ends.configure()) { client in
            var count = 0
            for try await _ in client.messages { count += 1 }
            handled.add(count)
        }
        let clients = [try await server.connect(), try await server.connect()]
        for client in clients { try await client.send("hello") }
        let hasCome = try await eventually { await server.counters().traffic.receivedPacketCount == 2 }
        #expect(hasCome)
        await server.shutDown(within: .seconds(600), code: code, reason: "later")
        for client in clients {
            #expect(try await client.receive() == nil)
            #expect(await client.end?.received == WebSocketClose(code: code, reason: "later"))
        }
        #expect(await handled.first(2) == [1, 1])
        #expect(await ends.first(2) == ["clean", "clean"])
        await #expect(throws: ConnectionError.self) { try await server.connect() }
    }

    @Test func `a request that is undecided when the server shuts down gets status 503`() async throws {
        let hasCome = Gate()
        let mayDecide = Gate()
        let server = try await WebSocketServer.start(at: "127.0.0.1", port: 0, configuration: .patient) { _ in
            hasCome.open()
            await mayDecide.wait()
            return .accept()
        } handler: { _ in
            Issue.record("nobody was accepted")
        }
        let connecting = Task { try await server.connect() }
        await hasCome.wait()
        let ending = Task { await server.shutDown(within: .seconds(600)) }
        // The server accepts no more once it has begun to shut down.
        let hasBegun = try await eventually {
            (try? RawSocket.connect(to: server.address.port)) == nil
        }
        #expect(hasBegun)
        mayDecide.open()
        let refusal = await #expect(throws: ConnectionError.self) { try await connecting.value }
        guard case .webSocket(.refused(let response)) = refusal else { throw try #require(refusal) }
        #expect(response.status == 503)
        await ending.value
    }

    @Test func `a handler that is running when the shutdown's time is over is cancelled`() async throws {
        let ends = WebSocketEnds()
        let server = try await WebSocketServer.serving(ends.configure()) { client in
            _ = try await client.receive()
            // Only the task's cancellation ends the sleep.
            try await Task.sleep(for: .seconds(3_600))
        }
        let client = try await server.connect()
        try await client.send("hello")
        let hasCome = try await eventually { await server.counters().traffic.receivedPacketCount == 1 }
        #expect(hasCome)
        await server.shutDown(within: .milliseconds(50))
        #expect(await ends.first(1) == ["\(CancellationError())"])
        client.abort()
    }
}
