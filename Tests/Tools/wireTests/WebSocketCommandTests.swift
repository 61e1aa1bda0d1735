// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import Wireline
import WirelineTransport
import WirelineWebSocket

/// `wire websocket echo`, `cases` and `connect`, as programs.
@Suite(.aside)
struct WebSocketCommandTests {
    private static func configuration(deflate: Bool = false) -> WebSocketClientConfiguration {
        var configuration = WebSocketClientConfiguration()
        configuration.dialing.connectTimeout = .seconds(500)
        configuration.limits.writeTimeout = nil
        configuration.limits.frames.closeTimeout = .seconds(500)
        if deflate { configuration.deflate = WebSocketDeflate() }
        return configuration
    }

    private func server(
        decide: @escaping @Sendable (WebSocketUpgradeRequest) -> WebSocketAnswer = { _ in .accept() },
        handler: @escaping @concurrent @Sendable (WebSocketServerConnection) async throws -> Void
    ) async throws -> WebSocketServer {
        var configuration = WebSocketServerConfiguration()
        configuration.listening.handshakeTimeout = nil
        configuration.limits.writeTimeout = nil
        configuration.limits.frames.closeTimeout = .seconds(500)
        configuration.handshake.deflate = WebSocketDeflate()
        return try await WebSocketServer.start(
            at: "127.0.0.1", port: 0, configuration: configuration, deciding: { decide($0) }, handler: handler)
    }

    // MARK: echo

    @Test(arguments: [[], ["--deflate"], ["--threads", "3"], ["--deflate", "--compression-bytes", "0"]])
    func `echo returns every message unchanged until it is asked to end`(words: [String]) async throws {
        let tool = try ServingTool(running: ["websocket", "echo", "127.0.0.1:0"] + words)
        let client = try await WebSocketClient.connect(
            to: "ws://\(tool.address)/any/path?at=all", configuration: Self.configuration(deflate: true))
        #expect(client.compresses == (words.last == "--deflate"))
        let long = String(repeating: "Grüße, 世界. ", count: 100_000)
        for message in [WebSocketMessage.text(long), .text(""), .binary([0, 255, 254]), .binary([])] {
            try await client.send(message)
            #expect(try await client.receive() == message)
        }
        tool.send(SIGTERM)
        #expect(try await client.receive() == nil)
        #expect(await client.end?.code == .goingAway)
        #expect(tool.outcome() == .success(""))
    }

    @Test func `echo refuses a message over its limit, and reports it`() async throws {
        let tool = try ServingTool(running: ["websocket", "echo", "127.0.0.1:0", "--max-message", "10"])
        let client = try await WebSocketClient.connect(
            to: "ws://\(tool.address)", configuration: Self.configuration())
        try await client.send("0123456789")
        #expect(try await client.receive() == .text("0123456789"))
        try await client.send("0123456789a")
        #expect(try await client.receive() == nil)
        #expect(await client.end?.code == .messageTooBig)
        let outcome = tool.end()
        #expect(outcome.status == 0)
        #expect(outcome.errors.hasSuffix(": the peer's frame is over the limit of 10 bytes\n"))
    }

    /// A name that an attacker points to this machine, so that the attacker's page has the same origin.
    @Test(arguments: [["websocket", "echo"], ["serve", "--echo", "--websocket", "/"]])
    func `a browser on a loopback address may use local host names and allowed ones`(
        command: [String]
    ) async throws {
        func status(_ tool: ServingTool, host: String, isBrowser: Bool = true) async throws -> Int? {
            var configuration = Self.configuration()
            configuration.headers = ["Host": host]
            configuration.origin = isBrowser ? "http://\(host)" : nil
            do {
                try await WebSocketClient.connect(to: "ws://\(tool.address)", configuration: configuration).close()
                return nil
            } catch .webSocket(.refused(let response)) {
                return response.status
            }
        }
        let files: KeyValuePairs = ["Protocols/Scene/Scene.wire": sceneSchema]
        let tool = try ServingTool(running: command + ["127.0.0.1:0"], files: files)
        #expect(try await status(tool, host: "evil.example") == 403)
        #expect(try await status(tool, host: "evil.example", isBrowser: false) == nil)
        #expect(try await status(tool, host: "localhost") == nil)
        _ = tool.end()
        let names = ["--allow-host", "game.example.com", "--allow-host=*.example.org"]
        let open = try ServingTool(running: command + ["127.0.0.1:0"] + names, files: files)
        #expect(try await status(open, host: "game.example.com") == nil)
        #expect(try await status(open, host: "a.example.org") == nil)
        #expect(try await status(open, host: "evil.example") == 403)
        _ = open.end()
    }

    // MARK: cases

    @Test(arguments: [[], ["--deflate"]])
    func `cases runs each case, continues after one that is refused, and asks for the reports`(
        words: [String]
    ) async throws {
        let targets = Lock<[String]>([])
        let echoes = Lock<[WebSocketMessage]>([])
        let server = try await server { request in
            targets.withLock { $0.append(request.target) }
            return request.target.contains("case=2&") ? .refuse(status: 500) : .accept()
        } handler: { client in
            switch client.request.path {
            case "/base/getCaseCount": try await client.send("4")
            case "/base/updateReports": break
            default:
                if client.request.target.contains("case=3&") { return client.abort() }
                for message in [WebSocketMessage.text("Grüße"), .binary([1, 2]), .text("")] {
                    try await client.send(message)
                    if let echo = try await client.receive() { echoes.withLock { $0.append(echo) } }
                }
            }
        }
        let call = ["websocket", "cases", "ws://\(server.address)/base", "--agent", "a wire/1&2"] + words
        let outcome = try await onThread { try Workspace([:]).run(call) }
        #expect(outcome.status == 0)
        #expect(outcome.output == "4 cases as a wire/1&2, of which 1 did not open\n")
        #expect(outcome.errors.hasPrefix("note: case 2 did not open: the server has answered 500"))
        let agent = "agent=a%20wire%2F1%262"
        let runs = (1...4).map { "/base/runCase?case=\($0)&\(agent)" }
        #expect(targets.withLock { $0 } == ["/base/getCaseCount"] + runs + ["/base/updateReports?\(agent)"])
        #expect(
            echoes.withLock { $0 } == [
                .text("Grüße"), .binary([1, 2]), .text(""), .text("Grüße"), .binary([1, 2]), .text(""),
            ])
        await server.shutDown()
    }

    @Test func `cases sends its credentials with each request, and prints them nowhere`() async throws {
        let credentials = Lock<[WebSocketCredentials?]>([])
        let server = try await server { request in
            credentials.withLock { $0.append(request.credentials) }
            return request.target.contains("runCase") ? .refuse(status: 500) : .accept()
        } handler: { client in
            if client.request.path == "/getCaseCount" { try await client.send("1") }
        }
        let call = ["websocket", "cases", "ws://me:pass%20word@\(server.address)", "--agent", "wire"]
        let outcome = try await onThread { try Workspace([:]).run(call) }
        #expect(outcome.status == 0)
        #expect(!outcome.description.contains("pass"))
        let expected = WebSocketCredentials(user: "me", password: "pass word")
        #expect(credentials.withLock { $0 } == [expected, expected, expected])
        await server.shutDown()
    }

    /// Whether there is the program of util-linux that gives a terminal to others.
    private static let hasTerminal = (try? Workspace([:]).shell("script -qec true /dev/null").status) == 0

    @Test(.enabled(if: hasTerminal, "no terminal to be had: script of util-linux is missing"))
    func `cases shows its progress on a terminal, and a note has its own line`() async throws {
        let server = try await server { request in
            request.target.contains("case=2&") ? .refuse(status: 500) : .accept()
        } handler: { client in
            if client.request.path == "/getCaseCount" { try await client.send("3") }
        }
        let call = "wire websocket cases ws://\(server.address) --agent wire > /dev/null"
        let outcome = try await onThread { try Workspace([:]).shell("script -qec '\(call)' /dev/null") }
        #expect(outcome.status == 0)
        let (clear, lines) = ("\r\u{1B}[K", outcome.output.split(separator: "\r\n").map(String.init))
        let first = "\(clear)case 1 of 3\(clear)case 2 of 3\(clear)note: case 2 did not open: "
        #expect(lines.count == 2 && lines[0].hasPrefix(first), "\(outcome)")
        #expect(lines.last == "\(clear)case 3 of 3\(clear)")
        await server.shutDown()
    }

    @Test func `connect refuses input that is not UTF-8, after it has sent the lines before`() async throws {
        let server = try ServingTool(running: ["websocket", "echo", "127.0.0.1:0"])
        let call = ["websocket", "connect", "ws://\(server.address)/", "--wait", "20m"]
        for (input, place) in [
            (Data("one\ntw\u{E9}".utf8) + [0xFF, 0x0A], "line 2 of standard input is not UTF-8 at offset 4"),
            (Data("one\n".utf8) + [0xC3], "line 2 of standard input is not UTF-8 at offset 0"),
        ] {
            let outcome = try server.wire(call, input: input)
            #expect(outcome.status == 1 && ["", "one\n"].contains(outcome.output), "\(outcome)")
            #expect(outcome.errors == "error: \(place), and cannot be sent as a text\n")
        }
        #expect(server.end() == .success(""))
    }

    @Test func `cases reports what is wrong with a server without cases`() async throws {
        let server = try await server { client in try await client.send("many") }
        let call = ["websocket", "cases", "ws://\(server.address)", "--agent", "wire"]
        let outcome = try await onThread { try Workspace([:]).run(call) }
        #expect(outcome.status == 1)
        #expect(outcome.errors == "error: ws://\(server.address)/ does not say how many cases there are\n")
        await server.shutDown()
        let nowhere = ["websocket", "cases", "ws://127.0.0.1:1", "--agent", "wire"]
        let refused = try await onThread { try Workspace([:]).run(nowhere) }
        #expect(refused.status == 1)
        #expect(refused.errors.hasPrefix("error: cannot ask ws://127.0.0.1:1/ for the number of cases: "))
    }

    // MARK: connect

    @Test func `connect sends lines and prints messages`() async throws {
        let server = try await server { client in
            for try await message in client.messages {
                try await client.send(message)
                if case .text(let text) = message { try await client.send(Array(text.utf8)) }
            }
        }
        let expected = Outcome.success("hi\n6869\nwörld\n77c3b6726c64\n")
        var outcome: Outcome?
        // It closes after a time without input, in which a busy machine may not answer.
        for time in ["1s", "10s", "60s"] where outcome != expected {
            let call = ["websocket", "connect", "ws://\(server.address)", "--deflate", "--wait", time]
            outcome = try await onThread { try Workspace([:]).run(call, input: "hi\nwörld") }
        }
        #expect(outcome == expected)
        await server.shutDown()
    }

    @Test func `connect sends the headers that it is given, and a cookie`() async throws {
        let server = try await server { client in
            let headers = client.request.headers
            for name in ["Cookie", "X-Room", "User-Agent"] {
                try await client.send(headers.values(of: name).joined(separator: " + "))
            }
            try await client.close(code: .normal, reason: "")
        }
        let call = [
            "websocket", "connect", "ws://\(server.address)", "--wait", "20m", "--header", "Cookie: id=7; name=wang",
            "--header", "X-Room:a:b", "--header=X-Room:", "--header", "user-agent:  a b",
        ]
        let outcome = try await onThread { try Workspace([:]).run(call) }
        #expect(outcome == .success("id=7; name=wang\na:b + \na b\n"))
        await server.shutDown()
    }

    @Test(
        .enabled(if: WebSocketPeer.wanted.contains(.python), Comment(rawValue: WebSocketPeer.absence)),
        .timeLimit(.minutes(20)))
    func `Python's websockets gets the headers of connect`() async throws {
        let peer = try WebSocketPeer.python.process(["headers", "PLAIN"])
        let output = Pipe()
        peer.standardOutput = output
        try peer.runWatched()
        let port = try await onThread {
            String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        }.trimmingCharacters(in: .newlines)
        let call = [
            "websocket", "connect", "ws://127.0.0.1:\(port)", "--wait", "20m", "--header", "Cookie: id=7", "--header",
            "Authorization: Bearer abc",
        ]
        let outcome = try await onThread { try Workspace([:]).run(call) }
        #expect(outcome == .success("id=7\nBearer abc\n"))
        peer.waitUntilExit()
    }

    @Test(arguments: [
        ("Cookie", "--header takes a name, a colon and a value, as in 'Cookie: id=7'"),
        ("Upgrade: h2c", "--header: the header \"Upgrade\" is the handshake's own"),
        ("sec-websocket-key: abc", "--header: the header \"sec-websocket-key\" is the handshake's own"),
        ("Bad Name: a", "--header: the header \"Bad Name\" has a name or a value that HTTP does not allow"),
        ("X-Room: a\r\nX-Admin: 1", "--header: the header \"X-Room\" has a name or a value that HTTP does not allow"),
    ])
    func `a header that the request cannot have is a wrong call`(header: String, error: String) async throws {
        let outcome = try await onThread {
            try Workspace([:]).run(["websocket", "connect", "ws://127.0.0.1:1", "--header", header])
        }
        #expect(outcome.status == 2)
        #expect(outcome.errors.hasPrefix("error: \(error)\n"), "\(outcome.errors)")
    }

    @Test func `connect ends when the server closes, and shows an unusual reason`() async throws {
        let server = try await server { client in
            try await client.send("bye")
            try await client.close(code: .serviceRestart, reason: "again")
        }
        let call = ["websocket", "connect", "ws://\(server.address)", "--wait", "20m"]
        let outcome = try await onThread { try Workspace([:]).run(call) }
        #expect(outcome.status == 0)
        #expect(outcome.output == "bye\n")
        #expect(outcome.errors == "note: the peer has closed the WebSocket with code 1012: again\n")
        await server.shutDown()
    }

    @Test func `connect closes on an interrupt`() async throws {
        let ends = Seen<WebSocketEnd>()
        let server = try await server { client in
            try await client.send("here")
            while try await client.receive() != nil {}
            ends.add(try await client.waitUntilEnd())
        }
        let workspace = try Workspace([:])
        let process = workspace.process(["websocket", "connect", "ws://\(server.address)"])
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.runWatched()
        let reading = output.fileHandleForReading
        let line = try await onThread { String(decoding: reading.availableData, as: UTF8.self) }
        #expect(line == "here\n")
        process.interrupt()
        #expect(await ends.first(1)[0].received == WebSocketClose(code: .normal))
        try await onThread { process.waitUntilExit() }
        #expect(process.terminationStatus == 0)
        await server.shutDown()
    }

    @Test(
        arguments: [
            (["connect", "ftp://example.com"], 2, "error: URL `ftp://example.com`: not the address of a WebSocket: "),
            (["connect", "ws://127.0.0.1:1"], 1, "error: no WebSocket at ws://127.0.0.1:1/: nobody listens"),
            (["connect", "ws://127.0.0.1:1", "--tls"], 2, "error: TLS needs an address that begins with wss://"),
            (
                ["echo", "127.0.0.1:0", "--max-message", "many"], 2,
                "error: --max-message is a number from 0 to 1099511627776; `many` is not"
            ),
            (
                ["cases", "ws://127.0.0.1:1/?a=b", "--agent", "x"], 2,
                "error: the address of a test server has no query"
            ),
        ])
    func `a call that cannot work gives the reason`(words: [String], status: Int32, error: String) throws {
        let outcome = try Workspace([:]).run(["websocket"] + words)
        #expect(outcome.status == status)
        #expect(outcome.output == "")
        #expect(outcome.errors.hasPrefix(error))
    }

    @Test(
        arguments: [
            ["cases", "ws://127.0.0.1:1"], ["connect"], ["echo"], ["connect", "ws://127.0.0.1:1", "--websocket", "/"],
            ["cases", "ws://127.0.0.1:1", "--agent", "x", "--websocket", "/"],
        ])
    func `a call without an argument, or with an option for packets, is wrong`(words: [String]) throws {
        #expect(try Workspace([:]).run(["websocket"] + words).status == 2)
    }
}

extension Workspace {
    /// Runs `wire` with these arguments.
    fileprivate func run(_ words: [String], input: String = "") throws -> Outcome {
        try shell("wire " + words.map { "'\($0)'" }.joined(separator: " "), input: Data(input.utf8))
    }
}
