// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineWebSocket

/// What a client knows about a refusal, while its body arrives and after that.
struct RefusalTests {
    private static func chunked(_ body: String) -> [UInt8] {
        "HTTP/1.1 500 No\r\nTransfer-Encoding: chunked\r\n\r\n\(body)".bytes
    }

    /// The body of a refusal before the connection ends; nil if the client waits for more.
    private static func body(_ pieces: [[UInt8]], limit: Int = 4_096) throws -> [UInt8]? {
        var request = try ClientHandshakeTests.request()
        request.bodyLimit = limit
        var handshake = try ClientHandshakeTests.handshake(request)
        do throws(WebSocketError) {
            _ = try ClientHandshakeTests.receive(pieces, &handshake)
            return nil
        } catch {
            guard case .refused(let response) = error else { throw error }
            #expect(handshake.refusal == response)
            return response.body
        }
    }

    // MARK: Where a body ends

    @Test(
        arguments: [
            ("0\r\n\r\n", ""), ("3\r\nabc\r\n0\r\n\r\n", "abc"), ("3\r\nabc\r\n2\r\nde\r\n000\r\n\r\n", "abcde"),
            // Extensions, also of the last chunk; extra spaces; trailers.
            ("3;x=y;z=\"0\"\r\nabc\r\n0;last\r\n\r\n", "abc"), ("3 \r\nabc\r\n0\t; x\r\n\r\n", "abc"),
            ("3\r\nabc\r\n0\r\nX: y\r\nZ:\r\n\r\n", "abc"), ("0;x\r\nX: 0\r\n\r\n", ""),
            // Sizes are hexadecimal, in upper and lower case.
            ("a\r\n0123456789\r\nB\r\n0123456789a\r\n0\r\n\r\n", "01234567890123456789a"),
            // Content that looks like the end of a body.
            ("10\r\n\r\n0\r\n\r\n0\r\n\r\nabcd\r\n0\r\n\r\n", "\r\n0\r\n\r\n0\r\n\r\nabcd"),
            ("5\r\n0\r\n\r\n\r\n0\r\n\r\n", "0\r\n\r\n"),
            // Line feeds without carriage returns.
            ("3\nabc\n0\n\n", "abc"),
        ])
    func `a chunked body ends with its last chunk, however it is split`(text: String, body: String) throws {
        for pieces in Self.chunked(text).everyCut {
            #expect(try Self.body(pieces) == body.bytes)
        }
        // Bytes after it change nothing.
        #expect(try Self.body([Self.chunked(text + "HTTP/1.1 200 OK\r\n\r\n")]) == body.bytes)
        // It does not end before.
        #expect(try Self.body([Self.chunked(text).dropLast()]) == nil)
    }

    @Test(
        arguments: [
            ("\r\n", ""), ("x\r\n", ""), (";x\r\n", ""), ("-1\r\n", ""), ("3\r\nabcd", "abc"),
            ("3\r\nabc\r\n\r\n0\r\n\r\n", "abc"), ("3x\r\nabc", ""),
        ])
    func `bytes that are no chunk end a chunked body`(text: String, body: String) throws {
        for pieces in Self.chunked(text).everyCut { #expect(try Self.body(pieces) == body.bytes) }
    }

    @Test func `a body is complete at its announced length, or at the limit`() throws {
        let head = "HTTP/1.1 401 No\r\nContent-Length: 5\r\n\r\n"
        for pieces in "\(head)12345".bytes.everyCut { #expect(try Self.body(pieces) == "12345".bytes) }
        #expect(try Self.body(["\(head)12345678".bytes]) == "12345".bytes)
        #expect(try Self.body(["\(head)1234".bytes]) == nil)
        for pieces in "\(head)12345".bytes.everyCut { #expect(try Self.body(pieces, limit: 3) == "123".bytes) }
        let chunks = Self.chunked("2\r\nab\r\n2\r\ncd\r\n0\r\n\r\n")
        for pieces in chunks.everyCut { #expect(try Self.body(pieces, limit: 3) == "abc".bytes) }
        #expect(try Self.body([Self.chunked("")], limit: 0) == [])
        #expect(try Self.body([Self.chunked("")], limit: -1) == [])
    }

    @Test(arguments: ["7FFFFFFFFFFFFFFF", "8000000000000000", "123456789ABCDEF0123"])
    func `a chunk size may be larger than any integer, and the body is kept as it arrives`(size: String) throws {
        var handshake = try ClientHandshakeTests.handshake()
        _ = try ClientHandshakeTests.receive([Self.chunked("\(size)\r\nabc")], &handshake)
        #expect(handshake.refusal?.body == "abc".bytes)
        _ = try ClientHandshakeTests.receive(["def".bytes], &handshake)
        #expect(handshake.refusal?.body == "abcdef".bytes)
    }

    // MARK: Bodies without an end

    @Test(
        arguments: [
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n",
            "HTTP/1.1 401 No\r\nContent-Length: 100\r\n\r\n",
            "HTTP/1.1 302 Found\r\nTransfer-Encoding: chunked\r\n\r\n8\r\n",
        ])
    func `a refusal is known while its body arrives, with the part that has come`(head: String) throws {
        var handshake = try ClientHandshakeTests.handshake()
        let place = try #require(head.bytes.firstRange(of: "\r\n\r\n".bytes)).upperBound
        for byte in head.bytes[..<place] {
            #expect(handshake.refusal == nil)
            _ = try ClientHandshakeTests.receive([[byte]], &handshake)
        }
        let known = try #require(handshake.refusal)
        #expect(known.status == Int(head.dropFirst(9).prefix(3)))
        #expect(known.headers.fields.count == 1)
        _ = try ClientHandshakeTests.receive([Array(head.bytes[place...])], &handshake)
        var body: [UInt8] = []
        for byte in "data: x".bytes {
            #expect(handshake.refusal?.body == body)
            _ = try ClientHandshakeTests.receive([[byte]], &handshake)
            body.append(byte)
        }
        let refusal = try #require(handshake.refusal)
        #expect(refusal.body == body)
        #expect(throws: WebSocketError.refused(refusal)) { try handshake.endOfInput() }
        #expect(handshake.refusal == refusal)
    }

    /// U+009B begins a command like ESC [, both in UTF-8 and as one byte of Latin-1.
    @Test(
        arguments: [
            ("302 Fo\u{9B}2Jund\r\nLocation: ws://b/\u{9B}2J", #"302 Fo\u{9B}2Jund, to ws://b/\u{9B}2J"#),
            (
                "302\r\nLocation: ws://\u{202E}b/\u{85}\u{80}\u{9F}\u{2028}",
                #"302, to ws://\u{202E}b/\u{85}\u{80}\u{9F}\u{2028}"#
            ),
            ("401 N\u{2066}o\u{FEFF}\u{200F}\u{61C}", #"401 N\u{2066}o\u{FEFF}\u{200F}\u{61C}"#),
            ("302 老王\u{A0}é", "302 老王\u{A0}é"),
        ])
    func `a server's text is printed without terminal commands`(head: String, text: String) throws {
        var handshake = try ClientHandshakeTests.handshake()
        _ = try ClientHandshakeTests.receive(["HTTP/1.1 \(head)\r\n\r\n".bytes], &handshake)
        #expect(handshake.refusal?.description == text)
        var other = try ClientHandshakeTests.handshake()
        let latin1 = "HTTP/1.1 302 a".bytes + [0x9B] + "c\r\nLocation: ".bytes + [0x9B, 0xE9] + "\r\n\r\n".bytes
        _ = try ClientHandshakeTests.receive([latin1], &other)
        #expect(other.refusal?.description == #"302 a\u{9B}c, to \u{9B}é"#)
    }

    @Test func `an answer that is not a refusal is not reported as one`() throws {
        var handshake = try ClientHandshakeTests.handshake()
        _ = try ClientHandshakeTests.receive(["HTTP/1.1 103 Early Hints\r\n\r\n".bytes], &handshake)
        #expect(handshake.refusal == nil)
        _ = try ClientHandshakeTests.receive([ClientHandshakeTests.answer.lines], &handshake)
        #expect(handshake.refusal == nil)
        var broken = try ClientHandshakeTests.handshake()
        #expect(throws: WebSocketError.self) { try ClientHandshakeTests.receive(["SSH".bytes], &broken) }
        #expect(broken.refusal == nil)
    }
}
