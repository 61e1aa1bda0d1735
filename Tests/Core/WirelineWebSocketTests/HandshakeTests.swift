// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineWebSocket

/// The client's request, and how it reads answers.
struct ClientHandshakeTests {
    /// RFC 6455 §1.3.
    static let key = "dGhlIHNhbXBsZSBub25jZQ=="
    static let answer = """
        HTTP/1.1 101 Switching Protocols
        Upgrade: websocket
        Connection: Upgrade
        Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=


        """

    static func request(_ url: String = "ws://server.example.com/chat") throws -> WebSocketRequest {
        WebSocketRequest(try WebSocketURL(url))
    }

    static func handshake(_ request: WebSocketRequest? = nil) throws -> WebSocketClientHandshake {
        try WebSocketClientHandshake(request ?? Self.request(), key: Self.key)
    }

    /// Passes pieces to the handshake.
    ///
    /// - Returns: The number of bytes that were taken.
    static func receive(_ pieces: [[UInt8]], _ handshake: inout WebSocketClientHandshake) throws(WebSocketError) -> Int
    {
        var count = 0
        for piece in pieces {
            let span = piece.span
            let bytes = span.bytes
            count += try handshake.receive(bytes)
        }
        return count
    }

    /// The outcome of a whole answer, however it is split.
    static func fault(_ answer: [UInt8], _ request: WebSocketRequest? = nil) throws -> WebSocketError? {
        var faults: [WebSocketError?] = []
        for pieces in answer.everyCut {
            var handshake = try handshake(request)
            do throws(WebSocketError) {
                _ = try receive(pieces, &handshake)
                if handshake.agreement == nil { try handshake.endOfInput() }
                faults.append(nil)
            } catch {
                faults.append(error)
                // It stays failed.
                #expect(throws: error) { try Self.receive([[0x48]], &handshake) }
            }
        }
        let first = try #require(faults.first)
        #expect(faults.allSatisfy { $0 == first }, "\(faults)")
        return first
    }

    // MARK: Requests

    @Test func `a minimal request equals that of RFC 6455`() throws {
        let handshake = try Self.handshake()
        #expect(
            handshake.request
                == """
                GET /chat HTTP/1.1
                Host: server.example.com
                Upgrade: websocket
                Connection: Upgrade
                Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==
                Sec-WebSocket-Version: 13


                """.lines)
    }

    @Test func `a request has all the fields that are configured`() throws {
        var request = try Self.request("wss://lin:secret@server.example.com:9443/chat?room=7")
        request.origin = "https://example.com"
        request.cookies = [.init(name: "session", value: "a1"), .init(name: "theme", value: "dark")]
        request.subprotocols = ["chat", "superchat"]
        request.headers = ["User-Agent": "wire", "X-Many": "1", "X-Many": "2"]
        #expect(
            try Self.handshake(request).request
                == """
                GET /chat?room=7 HTTP/1.1
                Host: server.example.com:9443
                Origin: https://example.com
                Cookie: session=a1; theme=dark
                Authorization: Basic bGluOnNlY3JldA==
                Upgrade: websocket
                Connection: Upgrade
                Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==
                Sec-WebSocket-Version: 13
                Sec-WebSocket-Protocol: chat, superchat
                User-Agent: wire
                X-Many: 1
                X-Many: 2


                """.lines)
    }

    @Test func `the caller's headers replace ours`() throws {
        var request = try Self.request("ws://u:p@a/")
        request.origin = "http://a"
        request.cookies = [.init(name: "a", value: "b")]
        request.headers = ["host": "b", "ORIGIN": "http://b", "cookie": "c=d", "Authorization": "Bearer x"]
        let text = String(decoding: try Self.handshake(request).request, as: UTF8.self)
        #expect(text.hasSuffix("13\r\nhost: b\r\nORIGIN: http://b\r\ncookie: c=d\r\nAuthorization: Bearer x\r\n\r\n"))
        #expect(text.hasPrefix("GET / HTTP/1.1\r\nUpgrade: "))
    }

    @Test func `each request has a key of its own`() throws {
        let requests = try (0..<20).map { _ in try WebSocketClientHandshake(Self.request()).request }
        #expect(Set(requests).count == 20)
    }

    @Test(
        arguments: [
            ("X\r\nY", "z"), ("X", "z\r\nY: a"), ("X", "\n"), ("X", "\r"), ("X", "\u{0}"), ("X", "\u{7F}"), ("", "z"),
            ("X Y", "z"), ("X:", "z"), ("é", "z"), ("(X)", "z"),
        ])
    func `no value can smuggle in another header`(name: String, value: String) throws {
        var request = try Self.request()
        request.headers.append(name: name, value: value)
        #expect(throws: WebSocketError.invalidHeader(name: name)) { try WebSocketClientHandshake(request) }
    }

    @Test(
        arguments: [
            "Upgrade", "connection", "Sec-WebSocket-Key", "SEC-WEBSOCKET-EXTENSIONS", "Sec-WebSocket-Anything",
            "Content-Length", "transfer-encoding",
        ])
    func `the caller cannot set the handshake's own headers`(name: String) throws {
        var request = try Self.request()
        request.headers.append(name: name, value: "1")
        #expect(throws: WebSocketError.reservedHeader(name: name)) { try WebSocketClientHandshake(request) }
    }

    @Test func `a value that cannot be a header is refused`() throws {
        var request = try Self.request()
        request.origin = "http://a\r\nX: y"
        #expect(throws: WebSocketError.invalidOrigin) { try WebSocketClientHandshake(request) }
        request = try Self.request()
        request.cookies = [.init(name: "a", value: "b; c=d")]
        #expect(throws: WebSocketError.invalidCookie(name: "a")) { try WebSocketClientHandshake(request) }
        request.cookies = [.init(name: "a=b", value: "c")]
        #expect(throws: WebSocketError.invalidCookie(name: "a=b")) { try WebSocketClientHandshake(request) }
        request = try Self.request()
        request.credentials = WebSocketCredentials(user: "a:b", password: "c")
        #expect(throws: WebSocketError.invalidCredentials) { try WebSocketClientHandshake(request) }
        request = try Self.request()
        request.subprotocols = ["a", "a"]
        #expect(throws: WebSocketError.invalidSubprotocol("a")) { try WebSocketClientHandshake(request) }
        request.subprotocols = ["a, b"]
        #expect(throws: WebSocketError.invalidSubprotocol("a, b")) { try WebSocketClientHandshake(request) }
        request = try Self.request()
        request.deflate = WebSocketDeflate()
        request.deflate?.windowBits = 7
        #expect(throws: WebSocketError.invalidDeflate) { try WebSocketClientHandshake(request) }
    }

    // MARK: Answers

    @Test func `the answer of RFC 6455 is accepted, and the frames after it are left`() throws {
        let answer = Self.answer.lines
        for pieces in (answer + [0x81, 0x00]).everyCut {
            var handshake = try Self.handshake()
            #expect(try Self.receive(pieces, &handshake) == answer.count)
            #expect(handshake.agreement?.subprotocol == nil)
            #expect(handshake.agreement?.compresses == false)
            #expect(handshake.agreement?.headers["upgrade"] == "websocket")
            try handshake.endOfInput()
        }
    }

    @Test(arguments: [
        ("Upgrade: websocket", "Upgrade: WebSocket"), ("Connection: Upgrade", "connection:\tkeep-alive ,  upgrade "),
        ("Connection: Upgrade", "Connection: keep-alive\nConnection: Upgrade"), ("Switching Protocols", ""),
        ("Switching Protocols", "好"), ("Upgrade: websocket", "Upgrade: websocket\nX: \u{FF}é"),
    ])
    func `an answer with the same meaning is accepted`(part: String, other: String) throws {
        #expect(try Self.fault(Self.answer.replacing(part, with: other, maxReplacements: 1).lines) == nil)
    }

    @Test(
        arguments: [
            ("HTTP/1.1 101", "HTTP/1.0 101", .version), ("Upgrade: websocket\n", "", .upgrade),
            ("Upgrade: websocket", "Upgrade: h2c", .upgrade), ("Connection: Upgrade\n", "", .connection),
            ("Upgrade: websocket", "Upgrade: websocket\nUpgrade: websocket", .upgrade),
            ("Connection: Upgrade", "Connection: close", .connection),
            ("Connection: Upgrade", "Connection: Upgrades", .connection),
            ("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", "s3pPLMBiTxaQ9kYGzzhZRbK+xOp=", .accept),
            ("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", "S3PPLMBITXAQ9KYGZZHZRBK+XOO=", .accept),
            ("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\n", "", .accept),
            ("Upgrade: websocket", "Upgrade: websocket\nSec-WebSocket-Protocol: chat", .subprotocol),
            ("Upgrade: websocket", "Upgrade: websocket\nSec-WebSocket-Extensions: permessage-deflate", .extensions),
            ("Upgrade: websocket", "Upgrade: websocket\nSec-WebSocket-Extensions: x-unknown", .extensions),
            ("Upgrade: websocket", "Upgrade: websocket\nSec-WebSocket-Extensions: ;", .extensions),
        ] as [(String, String, WebSocketHandshakeFault)])
    func `an answer that only looks right is refused`(
        part: String, other: String, fault: WebSocketHandshakeFault
    ) throws {
        let answer = Self.answer.replacing(part, with: other, maxReplacements: 1)
        #expect(answer != Self.answer)
        #expect(try Self.fault(answer.lines) == .invalidResponse(fault))
    }

    @Test(arguments: [("chat", true), ("superchat", true), ("Chat", false), ("chat, superchat", false), ("", false)])
    func `a server may choose only a requested subprotocol`(chosen: String, isFine: Bool) throws {
        var request = try Self.request()
        request.subprotocols = ["chat", "superchat"]
        let answer = Self.answer.replacing("Upgrade\n", with: "Upgrade\nSec-WebSocket-Protocol: \(chosen)\n")
        #expect(try Self.fault(answer.lines, request) == (isFine ? nil : .invalidResponse(.subprotocol)))
        let twice = Self.answer.replacing(
            "Upgrade\n", with: "Upgrade\nSec-WebSocket-Protocol: chat\nSec-WebSocket-Protocol: chat\n")
        #expect(try Self.fault(twice.lines, request) == .invalidResponse(.subprotocol))
    }

    // MARK: Heads

    @Test(
        arguments: [
            ("HTTP/1.1 101 X\r\nA: b\n", .malformedHead(.bareLineFeed, offset: 20)),
            ("HTTP/1.1 101 X\r\n\n", .malformedHead(.bareLineFeed, offset: 16)),
            ("HTTP/1.1 101 X\nA: b\n\n", .malformedHead(.bareLineFeed, offset: 14)),
            ("HTTP/1.1 101 X\r\nA: b\rC: d", .malformedHead(.bareCarriageReturn, offset: 20)),
            ("HTTP/1.1 101 X\r\n\rA", .malformedHead(.bareCarriageReturn, offset: 16)),
            ("HTTP/1.1 101 X\r\nA: b\r\n c\r\n", .malformedHead(.foldedLine, offset: 22)),
            ("HTTP/1.1 101 X\r\n\tc\r\n", .malformedHead(.foldedLine, offset: 16)),
            ("HTTP/1.1 101 X\r\nA: \u{0}", .malformedHead(.controlCharacter, offset: 19)),
            ("HTTP/1.1 101 X\r\nA: \u{7F}", .malformedHead(.controlCharacter, offset: 19)),
            ("HTTP/1.1 101 X\r\nA b\r\n\r\n", .malformedHead(.headerName, offset: 16)),
            ("HTTP/1.1 101 X\r\nA : b\r\n\r\n", .malformedHead(.headerName, offset: 16)),
            ("HTTP/1.1 101 X\r\n: b\r\n\r\n", .malformedHead(.headerName, offset: 16)),
            ("HTTP/1.1 101 X\r\n\u{E9}: b\r\n\r\n", .malformedHead(.headerName, offset: 16)),
            ("HTTP/1.1\r\n\r\n", .malformedHead(.startLine, offset: 0)),
            ("HTTP/1.1 1O1 X\r\n\r\n", .malformedHead(.startLine, offset: 0)),
            ("HTTP/1.1 0101 X\r\n\r\n", .malformedHead(.startLine, offset: 0)),
            ("HTTP/1.1 099 X\r\n\r\n", .malformedHead(.startLine, offset: 0)),
            ("HTTP/1.x 101 X\r\n\r\n", .malformedHead(.startLine, offset: 0)),
            ("HTTP/1.11 101 X\r\n\r\n", .malformedHead(.startLine, offset: 0)),
            ("HTTP/1.1  101 X\r\n\r\n", .malformedHead(.startLine, offset: 0)),
            ("", .truncated), ("HTTP/1.1 101 X\r\nA: b\r\n", .truncated),
        ] as [(String, WebSocketError)])
    func `a head that breaks HTTP's grammar is refused with the offset`(text: String, fault: WebSocketError) throws {
        #expect(try Self.fault(text.bytes) == fault)
    }

    @Test(
        arguments: [
            "SSH-2.0-OpenSSH_9.2\r\n".bytes, [0x15, 0x03, 0x01, 0x00, 0x02], "HTTP/2 101".bytes,
            "HTTP/\n".bytes, [0x00], "http/1.1".bytes,
        ])
    func `a peer that does not speak HTTP is recognised by its first bytes`(bytes: [UInt8]) throws {
        var handshake = try Self.handshake()
        let error = #expect(throws: WebSocketError.self) { try Self.receive([bytes], &handshake) }
        #expect(error == .notHTTP(firstBytes: Array(bytes.prefix(8))))
    }

    @Test func `a head is read up to its limit and no further`() throws {
        var request = try Self.request()
        request.headLimit = Self.answer.lines.count
        #expect(try Self.fault(Self.answer.lines, request) == nil)
        request.headLimit -= 1
        #expect(try Self.fault(Self.answer.lines, request) == .headTooLarge(limit: request.headLimit))
        var endless = try Self.handshake()
        let error = #expect(throws: WebSocketError.self) {
            try Self.receive(["HTTP/1.1 101 X\r\n".bytes] + Array(repeating: "A: b\r\n".bytes, count: 10_000), &endless)
        }
        #expect(error == .headTooLarge(limit: 16_384))
    }

    // MARK: Refusals

    @Test(
        arguments: [
            ("301 Moved Permanently\nLocation: wss://b/", "", "301 Moved Permanently, to wss://b/"),
            ("401 Unauthorized\nWWW-Authenticate: Basic\nContent-Length: 5", "who?!", "401 Unauthorized"),
            ("404 Not Found\nContent-Length: 0", "", "404 Not Found"), ("503\nContent-Length: 2", "no", "503"),
            ("200 OK", "<html>", "200 OK"), ("304 Not Modified", "", "304 Not Modified"),
        ])
    func `any other answer is an error that carries the answer`(head: String, body: String, text: String) throws {
        let answer = "HTTP/1.1 \(head)\n\n".lines + body.bytes
        guard case .refused(let response) = try Self.fault(answer) else {
            Issue.record("it was not refused")
            return
        }
        #expect(response.status == Int(text.prefix(3)))
        #expect(response.body == body.bytes)
        #expect(response.description == text)
        #expect(response.headers["location"] == (text.hasPrefix("301") ? "wss://b/" : nil))
    }

    @Test func `a body is kept up to its limit, without chunk sizes`() throws {
        var request = try Self.request()
        request.bodyLimit = 10
        let long = "HTTP/1.1 500 No\nContent-Length: 1000000\n\n0123456789".lines
        var handshake = try Self.handshake(request)
        let error = #expect(throws: WebSocketError.self) { try Self.receive([long], &handshake) }
        guard case .refused(let response) = error else { return }
        #expect(response.body == "0123456789".bytes)
        let chunked = "HTTP/1.1 500 No\nTransfer-Encoding: chunked\n\n3\nabc\n2;x=y\nde\n0\n\n".lines
        guard case .refused(let response) = try Self.fault(chunked) else { return }
        #expect(response.body == "abcde".bytes)
    }

    @Test func `early hints are skipped, and count towards the limit`() throws {
        let hints = "HTTP/1.1 103 Early Hints\nLink: </a>\n\n".lines
        #expect(try Self.fault(hints + hints + Self.answer.lines) == nil)
        var request = try Self.request()
        request.headLimit = hints.count * 2 + Self.answer.lines.count - 1
        #expect(try Self.fault(hints + hints + Self.answer.lines, request) == .headTooLarge(limit: request.headLimit))
    }

    @Test func `no bytes make the client's handshake trap`() throws {
        var random = SeededGenerator.forThisRun()
        let answer = Self.answer.lines
        for _ in 0..<3_000 {
            var bytes = answer
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: .min ... .max, using: &random)
                case 1: bytes.remove(at: place)
                default: bytes.insert(contentsOf: "\r\n \t:,;=\"".bytes.shuffled(using: &random).prefix(2), at: place)
                }
            }
            var whole = try Self.handshake()
            var cut = try Self.handshake()
            let pieces = bytes.cut(using: &random)
            let outcomes = [Self.outcome([bytes], &whole), Self.outcome(pieces, &cut)]
            #expect(outcomes[0] == outcomes[1], random.seedComment)
        }
    }

    private static func outcome(
        _ pieces: [[UInt8]], _ handshake: inout WebSocketClientHandshake
    ) -> Result<WebSocketAgreement?, WebSocketError> {
        Result { () throws(WebSocketError) in
            _ = try receive(pieces, &handshake)
            return handshake.agreement
        }.mapError(\.withoutFirstBytes)
    }
}
