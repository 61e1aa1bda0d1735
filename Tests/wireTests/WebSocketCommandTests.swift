// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import Wireline
import WirelineTransport
import WirelineWebSocket

/// `wire websocket echo`, `cases` and `connect`, as programs.
@Suite(.aside, .timeLimit(.minutes(300)))
struct WebSocketCommandTests {
    private static func configuration(deflate: Bool = false) -> WebSocketClientConfiguration {
        var configuration = WebSocketClientConfiguration()
        configuration.connecting.connectTimeout = .seconds(500)
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
        configuration.handshakeTimeout = nil
        configuration.limits.writeTimeout = nil
        configuration.limits.frames.closeTimeout = .seconds(500)
        configuration.handshake.deflate = WebSocketDeflate()
        return try await WebSocketServer.start(
            at: "127.0.0.1", port: 0, configuration: configuration, deciding: { decide($0) }, handler: handler)
    }

    // MARK: echo

    @Test(arguments: [[], ["--deflate"], ["--threads", "3"]])
    func `echo sends every message back as it came, until it is asked to end`(words: [String]) async throws {
        let tool = try ServingTool(running: ["websocket", "echo", "127.0.0.1:0"] + words)
        let client = try await WebSocketClient.connect(
            to: "ws://\(tool.address)/any/path?at=all", configuration: Self.configuration(deflate: true))
        #expect(client.compresses == words.contains("--deflate"))
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

    @Test func `echo refuses what is longer than it may be, and says so`() async throws {
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

    // MARK: cases

    @Test(arguments: [[], ["--deflate"]])
    func `cases runs each case, goes on after one that is refused, and has the reports written`(
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

    @Test func `cases says in each request who it is, and in no line`() async throws {
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

    /// Whether there is a program that gives others a terminal, that of util-linux.
    private static let hasTerminal = (try? Workspace([:]).shell("script -qec true /dev/null").status) == 0

    @Test(.enabled(if: hasTerminal, "no terminal to be had: script of util-linux is missing"))
    func `cases shows on a terminal how far it has come, and a note has a line of its own`() async throws {
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

    @Test func `cases says what is wrong with a server that is none of cases`() async throws {
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

    @Test func `connect sends lines and prints what comes`() async throws {
        let server = try await server { client in
            for try await message in client.messages {
                try await client.send(message)
                if case .text(let text) = message { try await client.send(Array(text.utf8)) }
            }
        }
        let expected = Outcome.success("hi\n6869\nwörld\n77c3b6726c64\n")
        var outcome: Outcome?
        // It closes when nothing has come for a time, in which a busy machine may not answer.
        for time in ["1s", "10s", "60s"] where outcome != expected {
            let call = ["websocket", "connect", "ws://\(server.address)", "--deflate", "--wait", time]
            outcome = try await onThread { try Workspace([:]).run(call, input: "hi\nwörld") }
        }
        #expect(outcome == expected)
        await server.shutDown()
    }

    @Test func `connect ends when the server closes, and says why where it is not the usual reason`() async throws {
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

    @Test func `connect closes when it is interrupted`() async throws {
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
            (["connect", "ftp://example.com"], "error: `ftp://example.com`: not the address of a WebSocket: "),
            (["connect", "ws://127.0.0.1:1"], "error: no WebSocket at ws://127.0.0.1:1/: nobody listens"),
            (["connect", "ws://127.0.0.1:1", "--tls"], "error: TLS needs an address that begins with wss://"),
            (
                ["echo", "127.0.0.1:0", "--max-message", "many"],
                "error: --max-message is a number of bytes; `many` is not"
            ),
            (["cases", "ws://127.0.0.1:1/?a=b", "--agent", "x"], "error: the address of a test server has no query"),
        ])
    func `what cannot be done is said`(words: [String], error: String) throws {
        let outcome = try Workspace([:]).run(["websocket"] + words)
        #expect(outcome.status == 1)
        #expect(outcome.output == "")
        #expect(outcome.errors.hasPrefix(error))
    }

    @Test(
        arguments: [
            ["cases", "ws://127.0.0.1:1"], ["connect"], ["echo"], ["connect", "ws://127.0.0.1:1", "--websocket", "/"],
            ["cases", "ws://127.0.0.1:1", "--agent", "x", "--websocket", "/"],
        ])
    func `a call that misses something, or has an option of packets, is wrong`(words: [String]) throws {
        #expect(try Workspace([:]).run(["websocket"] + words).status == 2)
    }
}

extension Workspace {
    /// Runs `wire` with these words.
    fileprivate func run(_ words: [String], input: String = "") throws -> Outcome {
        try shell("wire " + words.map { "'\($0)'" }.joined(separator: " "), input: Data(input.utf8))
    }
}
