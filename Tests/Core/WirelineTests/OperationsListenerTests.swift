// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Scene
import Testing
import TestingSupport
import Wireline
import WirelineTransport
import WirelineWebSocket

/// What Prometheus, load balancers and strangers get from the listener beside a server.
@Suite(.ahead)
struct OperationsListenerTests {
    private struct Answer {
        var head: String
        var body: String

        var status: Int { Int(head.split(separator: " ").dropFirst().first ?? "") ?? 0 }
    }

    private struct Failure: Error {}

    /// Sends bytes, and returns what comes until the end of the connection.
    private func ask(_ listener: OperationsListener, _ bytes: [UInt8]) async throws -> Answer {
        let port = listener.address.port
        return try await onThread {
            let socket = try RawSocket.connect(to: port)
            // The listener may have answered before it has read everything.
            try? socket.send(bytes)
            let (head, rest) = try socket.head()
            return Answer(head: head, body: String(decoding: rest + (try socket.rest()), as: UTF8.self))
        }
    }

    private func get(_ path: String, _ listener: OperationsListener, method: String = "GET") async throws -> Answer {
        try await ask(listener, Array("\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
    }

    /// A listener that watches nothing.
    private func start(
        health: OperationsListener.Health = .ready,
        metrics: @escaping @concurrent @Sendable () async throws -> String = { "up 1\n" }
    ) async throws -> OperationsListener {
        try await OperationsListener.start(at: "127.0.0.1", port: 0, health: { health }, metrics: metrics)
    }

    @Test func `a running server's metrics can be scraped`() async throws {
        let server = try await SceneServer.start { client in
            while let packet = try await client.nextPacket() { try await client.forward(packet) }
        }
        let client = try await server.connect()
        try await client.send(Cs_20001(sceneID: 1, line: 1, message: ""))
        #expect(try await client.nextPacket() != nil)
        let listener = try await OperationsListener.start(at: "127.0.0.1", port: 0, watching: server)
        let answer = try await get("/metrics", listener)
        #expect(answer.head.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(answer.head.contains("\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"))
        #expect(answer.head.contains("\r\nContent-Length: \(answer.body.utf8.count)\r\n"))
        #expect(answer.body.contains("\nwireline_connections 1\n"))
        #expect(answer.body.contains("\nwireline_received_packets_total 1\n"))
        #expect(answer.body.contains("\nwireline_loop_turn_seconds_bucket{loop=\"0\",le=\"+Inf\"} "))
        if PrometheusTool.isWanted { #expect(try PrometheusTool.complaints(about: answer.body) == "") }
        let head = try await get("/metrics", listener, method: "HEAD")
        #expect(head.status == 200 && head.body == "" && head.head.contains("\r\nContent-Length: "))
        client.close()
        await server.shutDown()
        await listener.shutDown()
    }

    @Test func `clients that ask for nothing do not end one whose answer is made`() async throws {
        let (asked, mayAnswer) = (Seen<Void>(), Seen<Void>())
        let listener = try await start {
            asked.add(())
            _ = await mayAnswer.first(1)
            return "up 1\n"
        }
        async let answer = get("/metrics", listener)
        _ = await asked.first(1)
        var idle: [RawSocket] = []
        for _ in 0..<200 {
            idle.append(try RawSocket.connect(to: listener.address.port))
            #expect(try await get("/health", listener).status == 200)
        }
        mayAnswer.add(())
        #expect(try await answer.body == "up 1\n")
        for socket in idle { socket.endOutput() }
        await listener.shutDown()
    }

    @Test func `a WebSocket server can be watched, too`() async throws {
        let server = try await WebSocketServer.start(at: "127.0.0.1", port: 0, configuration: .patient) { client in
            for try await message in client.messages { try await client.send(message) }
        }
        let listener = try await OperationsListener.start(at: "127.0.0.1", port: 0, watching: server)
        #expect(try await get("/metrics", listener).body.contains("\nwireline_connections 0\n"))
        #expect(try await get("/health", listener).body == "ready\n")
        await server.shutDown()
        #expect(try await get("/health", listener).status == 503)
        await listener.shutDown()
    }

    @Test func `health is draining as soon as the server shuts down, while a client is still served`() async throws {
        let (begun, release) = (Gate(), Gate())
        let server = try await SceneServer.start { client in
            begun.open()
            await release.wait()
            _ = client
        }
        let listener = try await OperationsListener.start(at: "127.0.0.1", port: 0, watching: server)
        let client = try await server.connect()
        await begun.wait()
        var answer = try await get("/health", listener)
        #expect(answer.status == 200 && answer.body == "ready\n")
        async let end: Void = server.shutDown(within: .seconds(500))
        while !server.isDraining { await Task.yield() }
        answer = try await get("/health", listener)
        #expect(answer.head.hasPrefix("HTTP/1.1 503 Service Unavailable\r\n") && answer.body == "draining\n")
        #expect(try await get("/metrics", listener).body.contains("\nwireline_draining 1\n"))
        release.open()
        client.close()
        await end
        await listener.shutDown()
    }

    @Test func `a program can tell that it lives from that it is ready`() async throws {
        let listener = try await OperationsListener.start(
            at: "127.0.0.1", port: 0, health: { .ready }, ready: { .failing("no backend") }, metrics: { "" })
        #expect(try await get("/health", listener).status == 200)
        let answer = try await get("/ready", listener)
        #expect(answer.status == 503 && answer.body == "no backend\n")
        await listener.shutDown()
        let plain = try await start(health: .ready)
        #expect(try await get("/ready", plain).status == 404)
        await plain.shutDown()
    }

    @Test func `a server that cannot work says why`() async throws {
        let listener = try await start(health: .failing("no database"))
        let answer = try await get("/health", listener)
        #expect(answer.status == 503 && answer.body == "no database\n")
        await listener.shutDown()
    }

    @Test(
        arguments: [
            ("GET /", 404), ("GET /metrics/", 404), ("HEAD /other", 404), ("POST /metrics", 405), ("DELETE /", 405),
            ("OPTIONS *", 400), ("GET http://localhost/health", 200), ("GET /health?full=1", 200),
        ])
    func `other paths and methods are refused`(line: String, status: Int) async throws {
        let listener = try await start()
        let words = line.split(separator: " ").map(String.init)
        let answer = try await get(words[1], listener, method: words[0])
        #expect(answer.status == status)
        #expect(answer.head.contains("\r\nAllow: GET, HEAD\r\n") == (status == 405))
        await listener.shutDown()
    }

    @Test func `a request for a WebSocket gets the page, or 404`() async throws {
        let listener = try await start()
        let request = String(decoding: RawWebSocket.request, as: UTF8.self)
        #expect(try await ask(listener, Array(request.utf8)).status == 404)
        #expect(try await ask(listener, Array(request.replacing("/sub", with: "/health").utf8)).status == 200)
        await listener.shutDown()
    }

    @Test(
        arguments: [
            ("\u{16}\u{3}\u{1}", 400), ("GET /metrics HTTP/2.0\r\n\r\n", 400), ("GET /metrics\r\n\r\n", 400),
            ("GET  /metrics HTTP/1.1\r\n\r\n", 400), ("GET /metrics HTTP/1.1\r\nHost : a\r\n\r\n", 400),
            ("GET /metrics HTTP/1.1\r\nA: \u{0}\r\n\r\n", 400), ("GET /metrics HTTP/1.1\n\n", 400),
            ("GET /%zz HTTP/1.1\r\n\r\n", 400),
            ("GET /metrics HTTP/1.1\r\nA: " + String(repeating: "a", count: 9_000) + "\r\n\r\n", 431),
        ])
    func `hostile requests are refused, and the listener goes on`(request: String, status: Int) async throws {
        let listener = try await start()
        #expect(try await ask(listener, Array(request.utf8)).status == status)
        #expect(try await get("/metrics", listener).body == "up 1\n")
        await listener.shutDown()
    }

    @Test func `random bytes never stop the listener`() async throws {
        let listener = try await start()
        var random = SeededGenerator.forThisRun()
        for _ in 0..<30 {
            let count = Int.random(in: 1...300, using: &random)
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            let port = listener.address.port
            try await onThread {
                let socket = try RawSocket.connect(to: port)
                try? socket.send(bytes)
                socket.endOutput()
                // Either an answer or a reset.
                _ = try? socket.rest()
            }
        }
        #expect(try await get("/metrics", listener).body == "up 1\n")
        await listener.shutDown()
    }

    @Test func `a page that fails is 500, and one that takes too long is 503`() async throws {
        let failing = try await start { throw Failure() }
        #expect(try await get("/metrics", failing).status == 500)
        await failing.shutDown()
        var configuration = WebSocketServerConfiguration.patient
        let cancelled = Gate()
        configuration.handshake.pages["/slow"] = WebSocketPage(within: .milliseconds(20)) {
            await withTaskCancellationHandler {
                await cancelled.wait()
            } onCancel: {
                cancelled.open()
            }
            return WebSocketPage("late")
        }
        configuration.handshake.pages["/bad"] = WebSocketPage { WebSocketPage("", headers: ["Upgrade": "x"]) }
        configuration.handshake.pages["/nested"] = WebSocketPage { WebSocketPage { WebSocketPage("") } }
        configuration.handshake.pages["/fine"] = WebSocketPage { WebSocketPage("made") }
        let server = try await WebSocketServer.start(at: "127.0.0.1", port: 0, configuration: configuration) { _ in
            Issue.record("nobody has asked for a WebSocket")
        }
        for (path, status) in [("/slow", 503), ("/bad", 500), ("/nested", 500), ("/fine", 200)] {
            let client = RawWebSocket(try RawSocket.connect(to: server.address.port))
            try client.socket.send(Array("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
            #expect(try await client.head().hasPrefix("HTTP/1.1 \(status) "))
            try await client.end()
        }
        await cancelled.wait()
        await server.shutDown()
    }

    @Test func `clients that ask for nothing, or read no answer, do not keep others out`() async throws {
        let metrics = String(repeating: "up 1\n", count: 1 << 20)
        let listener = try await start { metrics }
        let port = listener.address.port
        var strangers: [RawSocket] = []
        for beginning in ["GET /hea", "GET /metrics HTTP/1.0\r\n\r\n"] {
            for _ in 0..<200 {
                let stranger = try RawSocket.connect(to: port)
                try stranger.send(Array(beginning.utf8))
                strangers.append(stranger)
            }
            #expect(try await get("/health", listener).body == "ready\n")
            // Those who have waited longest made room.
            let newest = strangers.removeLast()
            if beginning == "GET /hea" {
                try newest.send(Array("lth HTTP/1.0\r\n\r\n".utf8))
                #expect(try await onThread { String(decoding: try newest.rest(), as: UTF8.self) }.hasSuffix("ready\n"))
            }
        }
        strangers = []
        await listener.shutDown()
    }

    @Test(arguments: [("evil.example", 403), ("ops.localhost", 200), ("127.0.0.1:9100", 200), ("[::1]", 200)])
    func `a web page that reaches the listener under its own name reads nothing`(
        host: String, status: Int
    ) async throws {
        let listener = try await start()
        for path in ["/metrics", "/health"] {
            let answer = try await ask(listener, Array("GET \(path) HTTP/1.1\r\nHost: \(host)\r\n\r\n".utf8))
            #expect(answer.status == status && (status == 200) == ["up 1\n", "ready\n"].contains(answer.body))
        }
        await listener.shutDown()
    }

    @Test func `a client that sends its request slowly or not at all is closed`() async throws {
        var configuration = WebSocketServerConfiguration.patient
        configuration.listening.handshakeTimeout = .milliseconds(100)
        configuration.handshake.pages["/"] = WebSocketPage { WebSocketPage("made") }
        let server = try await WebSocketServer.start(at: "127.0.0.1", port: 0, configuration: configuration) { _ in }
        for beginning in ["", "GET / HTT"] {
            let client = try RawSocket.connect(to: server.address.port)
            try client.send(Array(beginning.utf8))
            try await onThread { _ = try? client.rest() }
        }
        await server.shutDown()
    }
}
