// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Foundation
import Testing
import TestingSupport
import Wireline
import WirelineCodec
import WirelineTransport
import WirelineWebSocket

/// What strangers send or name controls no terminal and begins no line, whichever way it reaches what `wire` prints.
@Suite(.aside)
struct StrangersTextTests {
    /// Clears a screen, sets a title, ends lines in all ways, changes the direction of a line, and hides itself.
    private static let text =
        "\u{1B}[2J\u{1B}]0;a\u{07}\r\nforged: line\n::error::forged\u{0B}\u{0C}\u{85}forged\u{2028}forged\u{2029}"
        + "\u{9B}31m\u{202E}\u{200B}\u{7F}"
    /// The same without what ends a line of a protocol.
    private static let word = String(text.filter { !$0.isNewline && $0 != "\r\n" && $0 != " " })
    private static let fields: [UInt8] = [1, 0, 0, 0, 2]

    /// What a terminal or a reader of lines would misunderstand.
    private func faults(in text: String) -> [String] {
        var faults = text.unicodeScalars.filter { $0 != "\n" && $0.isUnsafeToShow }.map {
            "U+" + String($0.value, radix: 16)
        }
        let lines = text.split(separator: "\n")
        faults += lines.filter { $0.hasPrefix("forged") || $0.hasPrefix("::error") }.map(String.init)
        return faults
    }

    /// - Parameter isShown: Whether the text is shown at all.
    private func check(_ outcome: Outcome, isShown: Bool = true, _ location: SourceLocation = #_sourceLocation) {
        let text = outcome.output + outcome.errors
        #expect(faults(in: outcome.output) == [], sourceLocation: location)
        #expect(faults(in: outcome.errors) == [], sourceLocation: location)
        #expect(text.contains("forged") == isShown, "\(text.debugDescription)", sourceLocation: location)
    }

    /// Packets with the text in a known field and with an unknown ID, and one whose text is no UTF-8.
    private static func packets() throws -> [UInt8] {
        let text = Array(text.utf8)
        let broken: [UInt8] = [0xFF, 0xC0, 0x80] + text
        return try standardPacket(id: 20_001, fields + [0, UInt8(text.count)] + text)
            + standardPacket(id: 7, text) + standardPacket(id: 20_001, fields + [0, UInt8(broken.count)] + broken)
    }

    /// Sends bytes, and reads until the other end has ended.
    private func tell(_ port: UInt16, _ bytes: [UInt8]) async throws {
        let socket = try RawSocket.connect(to: port)
        try await onThread {
            try? socket.send(bytes)
            socket.endOutput()
            socket.drain()
        }
    }

    /// A server that sends bytes when a client has sent something, to each client.
    private func answering(_ bytes: [UInt8]) throws -> (port: UInt16, serving: Task<Void, any Error>) {
        let listener = try RawSocket.listen()
        let serving = Task {
            while true {
                try await onThread {
                    let client = try listener.accept()
                    _ = try? client.receive()
                    try? client.send(bytes)
                    client.endOutput()
                    client.drain()
                }
            }
        }
        return (try listener.port(), serving)
    }

    // MARK: Servers

    @Test func `packets that a server logs`() async throws {
        let tool = try ServingTool("--verbose")
        try await tell(tool.port, Self.packets())
        check(tool.end())
    }

    @Test func `packets that a proxy shows`() async throws {
        let server = try ServingTool("--verbose")
        let proxy = try ServingTool(
            running: ["proxy", "--listen", "127.0.0.1:0", "--to", server.address],
            files: ["Protocols/Scene/Scene.wire": sceneSchema])
        try await tell(proxy.port, Self.packets())
        check(proxy.end())
        check(server.end())
    }

    @Test(arguments: [[], ["--websocket", "/"]])
    func `HTTP requests, and headers of proxies, that a server refuses`(words: [String]) async throws {
        let tool = try ServingTool(
            ["--verbose", "--proxy-protocol", "127.0.0.1"] + words,
            files: ["Protocols/Scene/Scene.wire": sceneSchema])
        let proxied = "PROXY TCP4 10.0.0.1 10.0.0.2 1 2\r\n"
        for request in Self.requests { try await tell(tool.port, Array((proxied + request).utf8)) }
        for header in ["PROXY \(Self.word) 1\r\n", "PROXY TCP4 \(Self.word) 10.0.0.2 1 2\r\n", Self.text] {
            try await tell(tool.port, Array(header.utf8))
        }
        let outcome = tool.end()
        #expect(faults(in: outcome.errors) == [] && faults(in: outcome.output) == [])
    }

    /// Requests for a WebSocket with the text in each place.
    private static var requests: [String] {
        let rest =
            "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        return [
            "\(word) / HTTP/1.1\r\nHost: a\r\n\(rest)\r\n", "GET /\(word) HTTP/1.1\r\nHost: a\r\n\(rest)\r\n",
            "GET / HTTP/1.1\r\nHost: \(word)\r\n\(rest)\r\n", "GET / \(word)\r\nHost: a\r\n\(rest)\r\n",
            "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://\(word)\r\n\(rest)\r\n",
            "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\(word): a\r\n\(rest)\r\n",
            "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nSec-WebSocket-Protocol: \(word)\r\n\(rest)\r\n",
            "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\(rest.replacing("13", with: word))\r\n",
        ]
    }

    @Test func `what a client of a WebSocket server requests, and why it closes`() async throws {
        let tool = try ServingTool(running: ["websocket", "echo", "127.0.0.1:0"])
        for request in Self.requests { try await tell(tool.port, Array(request.utf8)) }
        let configuration = WebSocketClientConfiguration()
        let client = try await WebSocketClient.connect(to: "ws://\(tool.address)", configuration: configuration)
        try await client.close(code: .internalError, reason: Self.text)
        let outcome = tool.end()
        #expect(faults(in: outcome.errors) == [] && faults(in: outcome.output) == [])
    }

    @Test(.enabled(if: OpenSSLTool.isWanted, Comment(rawValue: OpenSSLTool.absence)))
    func `names in the certificates of both sides, which are taken or refused`() async throws {
        let (root, other) = (try CertificateAuthority("root"), try CertificateAuthority("other"))
        let names = ["DNS:" + Self.word, "IP:127.0.0.1"]
        let server = try root.issue(to: names, subject: "/CN=" + Self.text)
        var files = ["root.pem": root.own.certificate, "other.pem": other.own.certificate]
        (files["server.pem"], files["server.key"]) = (server.chain, server.key)
        for (name, issuer) in [("known", root), ("unknown", other)] {
            let client = try issuer.issue(to: names, for: .client, subject: "/CN=" + Self.text)
            (files[name + ".pem"], files[name + ".key"]) = (client.chain, client.key)
        }
        let workspace = try Workspace()
        for (name, text) in files { try workspace.write(text, to: name) }
        let folder = workspace.folder.path + "/"
        let identity = ["--tls-certificate", folder + "server.pem", "--tls-key", folder + "server.key"]
        let tool = try ServingTool(
            ["--verbose", "--tls-ca", folder + "root.pem"] + identity,
            files: ["Protocols/Scene/Scene.wire": sceneSchema])
        let call = ["call", tool.address, "Cs_20001", packetFields, "--expect", "Cs_20001"]
        func shown(_ client: String?, _ authority: String, _ words: String...) throws -> Outcome {
            let own =
                client.map { ["--tls-certificate", folder + $0 + ".pem", "--tls-key", folder + $0 + ".key"] } ?? []
            let outcome = try workspace.wire((call + own + ["--tls-ca", folder + authority] + words).withPatience)
            #expect(faults(in: outcome.output + outcome.errors) == [])
            return outcome
        }
        #expect(try shown("known", "root.pem").status == 0)
        #expect(try shown("known", "root.pem", "--tls-name", "localhost").errors.contains("certificate is not for"))
        #expect(try shown("known", "other.pem").status == 1)
        #expect(try shown("unknown", "root.pem").status == 1)
        #expect(try shown(nil, "root.pem").status == 1)
        let outcome = tool.end()
        #expect(faults(in: outcome.output + outcome.errors) == [])
        #expect(outcome.errors.contains("certificate"), "\(outcome)")
    }

    @Test func `the name of a node that a gateway refuses`() async throws {
        let tool = try GatewayTool(
            [
                "--name", "gw@127.0.0.1", "--epmd", "none", "--dist", "127.0.0.1:0", "--cookie-file", "cookie",
                "--group", "scene", "--listen", "tcp://127.0.0.1:0", "--protocol", "Protocols/Scene",
            ], cookie: "secret", files: [:])
        let port = try #require(tool.lines[0].split(separator: " ").last.flatMap { UInt16($0) })
        for name in ["a\(Self.word)@127.0.0.1", Self.text, "a@\(Self.word)", "a@127.0.0.1"] {
            // The handshake of OTP 23 and later, and a wrong digest.
            var hello: [UInt8] = [UInt8(ascii: "N"), 0, 0, 0, 0x0D, 0x07, 0xDF, 0x7F, 0xBD, 0, 0, 0, 1]
            hello += [0, UInt8(name.utf8.count)] + Array(name.utf8)
            let reply = [UInt8(ascii: "r")] + [UInt8](repeating: 7, count: 20)
            try await tell(port, [0, UInt8(hello.count)] + hello + [0, UInt8(reply.count)] + reply)
        }
        #expect(faults(in: tool.end()) == [])
    }

    // MARK: Clients

    @Test func `messages, reasons and refusals that a WebSocket client shows`() async throws {
        let server = try await WebSocketServer.start(at: "127.0.0.1", port: 0) { client in
            try await client.send(Self.text)
            try await client.close(code: .internalError, reason: Self.text)
        }
        let words = ["websocket", "connect", "ws://\(server.address)", "--wait", "20m"]
        check(try await onThread { try Workspace().wire(words) })
        await server.shutDown()
        let refusal = "HTTP/1.1 302 \(Self.word)\r\nLocation: http://\(Self.word)\r\nX: \(Self.word)\r\n\r\n"
        let (port, serving) = try answering(Array(refusal.utf8))
        let refused = try await onThread {
            try Workspace().wire("websocket", "connect", "ws://127.0.0.1:\(port)", "--wait", "20m")
        }
        #expect(faults(in: refused.output + refused.errors) == [])
        serving.cancel()
    }

    @Test func `replies that a call prints, and greetings that a probe finds`() async throws {
        let (port, serving) = try answering(try Self.packets())
        let call = ["call", "127.0.0.1:\(port)", "Cs_20001", packetFields, "--expect", "Cs_20001", "--verbose"]
        check(try await onThread { try Workspace().wire(call.withPatience) })
        for greeting in ["HTTP/1.1 200 \(Self.text)", "SSH-2.0-\(Self.text)\r\n", Self.text] {
            let (port, serving) = try answering(Array(greeting.utf8))
            let outcome = try await onThread { try Workspace().wire("probe", "127.0.0.1:\(port)") }
            #expect(faults(in: outcome.output + outcome.errors) == [])
            serving.cancel()
        }
        serving.cancel()
    }

    @Test func `the names that an epmd lists`() async throws {
        let (port, serving) = try answering([0, 0, 0x11, 0x11] + Array("name \(Self.word) at port 1234\n".utf8))
        let outcome = try await onThread {
            try Workspace().wire("erlang", "names", "127.0.0.1", "--epmd-port", "\(port)")
        }
        check(outcome)
        serving.cancel()
    }

    // MARK: Files

    @Test func `packets of files, of captures and of words`() throws {
        let workspace = try Workspace()
        let packets = try Self.packets()
        check(try workspace.wire("decode", input: Data(packets)))
        check(try workspace.wire("decode", "--hex", input: Data(Hexadecimal.text(of: packets).utf8)))
        let start = [
            TestSegment(sequence: 1_000, flags: TestSegment.Flag.syn),
            TestSegment(fromClient: false, sequence: 2_000, flags: TestSegment.Flag.syn | TestSegment.Flag.ack),
        ]
        let capture = TestCapture.pcapng((start + [TestSegment(payload: packets)]).map { $0.ipv4() })
        check(try workspace.wire("decode", input: Data(capture)))
        check(try workspace.wire("decode", "--hex", input: Data("0000 \(Self.text)".utf8)), isShown: false)
    }

    @Test func `texts in JSON and schemas that are wrong`() throws {
        let workspace = try Workspace()
        let quoted = try String(decoding: JSONEncoder().encode(Self.text), as: UTF8.self)
        check(try workspace.wire("encode", "Cs_20001", "{\(quoted): 1}"))
        check(
            try workspace.wire("encode", "Cs_20001", #"{"SceneId":\#(quoted),"Line":2,"message":"hi"}"#), isShown: false
        )
        check(try workspace.wire("encode", Self.text, "{}"))
        try workspace.write("message Cs_1 { \(Self.text) x; }", to: "P/a.wire")
        let outcome = try workspace.wire("check", "P")
        // Lines of the file are shown as lines, without what would control a terminal.
        let shown = faults(in: outcome.output + outcome.errors)
        #expect(shown.allSatisfy { $0.hasPrefix("forged") || $0.hasPrefix("::error") })
    }
}
