// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import Wireline

/// Handshakes with proxies, in memory: each byte of the request and of the answer.
struct ProxyHandshakeTests {
    private static let http = Proxy.http(host: "p", port: 1)
    private static let socks = Proxy.socks5(host: "p", port: 1)
    private static let credentials = Proxy.Credentials(user: "wang", password: "öffne: dich")

    /// A handshake: what the client must send in each turn, and what the proxy answers.
    struct Script: Sendable, CustomTestStringConvertible {
        let proxy: Proxy
        var host = "game.test"
        /// The client's bytes and the proxy's answer.
        let turns: [(said: [UInt8], answer: [UInt8])]
        var testDescription: String { "\(proxy) to \(host)" }
    }

    static let scripts: [Script] = [
        Script(
            proxy: http,
            turns: [
                (
                    Array("CONNECT game.test:9001 HTTP/1.1\r\nHost: game.test:9001\r\n\r\n".utf8),
                    Array("HTTP/1.1 200 Connection established\r\n\r\n".utf8)
                )
            ]),
        Script(
            proxy: .http(host: "p", port: 1, credentials: credentials), host: "2001:db8::7%eth0",
            turns: [
                (
                    Array(
                        """
                        CONNECT [2001:db8::7]:9001 HTTP/1.1\r
                        Host: [2001:db8::7]:9001\r
                        Proxy-Authorization: Basic d2FuZzrDtmZmbmU6IGRpY2g=\r
                        \r\n
                        """.utf8),
                    Array(
                        """
                        HTTP/1.1 103 Early Hints\r
                        Link: </a>\r
                        \r
                        HTTP/1.0 299\r
                        Content-Length: 100\r
                        Transfer-Encoding: chunked\r
                        \r\n
                        """.utf8)
                )
            ]),
        Script(
            proxy: socks,
            turns: [
                ([5, 1, 0], [5, 0]),
                ([5, 1, 0, 3, 9] + Array("game.test".utf8) + [0x23, 0x29], [5, 0, 0, 1, 10, 0, 0, 1, 0x1F, 0x90]),
            ]),
        Script(
            proxy: .socks5(host: "p", port: 1, credentials: credentials), host: "192.0.2.7",
            turns: [
                ([5, 2, 0, 2], [5, 2]),
                ([1, 4] + Array("wang".utf8) + [12] + Array("öffne: dich".utf8), [1, 0]),
                ([5, 1, 0, 1, 192, 0, 2, 7, 0x23, 0x29], [5, 0, 0, 3, 4] + Array("host".utf8) + [0, 80]),
            ]),
        Script(
            proxy: .socks5(host: "p", port: 1, credentials: credentials), host: "::1",
            turns: [
                ([5, 2, 0, 2], [5, 0]),
                (
                    [5, 1, 0, 4] + [UInt8](repeating: 0, count: 15) + [1, 0x23, 0x29],
                    [5, 0, 0, 4] + [UInt8](repeating: 9, count: 18)
                ),
            ]),
        Script(
            proxy: socks, host: "a",
            turns: [([5, 1, 0], [5, 0]), ([5, 1, 0, 3, 1, 0x61, 0x23, 0x29], [5, 0, 0, 3, 0, 0, 0])]),
    ]

    private static func receive(_ bytes: [UInt8], _ handshake: inout ProxyHandshake) throws(ProxyError) -> Int {
        let span = bytes.span
        let bytes = span.bytes
        return try handshake.receive(bytes)
    }

    @Test(arguments: scripts)
    func `a proxy gets the right request, and bytes after its answer are not taken`(script: Script) throws {
        for cut in 0..<20 {
            var handshake = try ProxyHandshake(script.proxy, to: script.host, port: 9001)
            for (number, turn) in script.turns.enumerated() {
                #expect(handshake.takeOutput() == turn.said)
                #expect(handshake.takeOutput() == [])
                #expect(!handshake.isComplete)
                // The server may send at once, but only after the proxy's answer.
                let behind: [UInt8] = number == script.turns.count - 1 ? [5, 0, 13, 10, 13, 10] : []
                let (first, rest) = (turn.answer.prefix(cut), turn.answer.dropFirst(cut))
                let firstCount = try Self.receive(Array(first), &handshake)
                #expect(firstCount == first.count)
                let restCount = try Self.receive(Array(rest) + behind, &handshake)
                #expect(restCount == rest.count)
            }
            #expect(handshake.isComplete)
            #expect(handshake.neededByteCount == 0)
            #expect(handshake.takeOutput() == [])
            try handshake.endOfInput()
        }
    }

    @Test(arguments: scripts)
    func `a client that reads only the needed bytes takes none of the server's bytes`(script: Script) throws {
        for largest in [1, 3, Int.max] {
            var handshake = try ProxyHandshake(script.proxy, to: script.host, port: 9001)
            for turn in script.turns {
                _ = handshake.takeOutput()
                var rest = turn.answer[...]
                while !rest.isEmpty {
                    #expect(handshake.neededByteCount <= rest.count)
                    let piece = Array(rest.prefix(min(largest, handshake.neededByteCount)))
                    rest = rest.dropFirst(try Self.receive(piece, &handshake))
                }
            }
            #expect(handshake.isComplete)
        }
    }

    @Test(arguments: scripts)
    func `an end before the answer is complete is an error`(script: Script) throws {
        let answer = script.turns.flatMap(\.answer)
        for cut in 0..<answer.count {
            var handshake = try ProxyHandshake(script.proxy, to: script.host, port: 9001)
            let count = try Self.receive(Array(answer.prefix(cut)), &handshake)
            #expect(count == cut)
            #expect(throws: ProxyError.truncated) { try handshake.endOfInput() }
            #expect(throws: ProxyError.truncated) { try Self.receive([5], &handshake) }
        }
    }

    @Test(
        arguments: [
            (
                "HTTP/1.1 407 Proxy Authentication Required\r\n\r\n",
                .refused(status: 407, reason: "Proxy Authentication Required")
            ),
            ("HTTP/1.0 502\r\n\r\n", .refused(status: 502, reason: "")),
            ("HTTP/1.1 302 Found\r\nLocation: http://login.test/\r\n\r\n", .refused(status: 302, reason: "Found")),
            ("HTTP/1.1 20 OK\r\n\r\n", .invalidAnswer(.malformedHead(.startLine, offset: 0))),
            ("HTTP/1.1 099 OK\r\n\r\n", .invalidAnswer(.malformedHead(.startLine, offset: 0))),
            ("HTTP/1.1 200 OK\r\nx\r\n\r\n", .invalidAnswer(.malformedHead(.headerName, offset: 17))),
            ("HTTP/1.1 200 OK\n\n", .invalidAnswer(.malformedHead(.bareLineFeed, offset: 15))),
            (
                "HTTP/1.1 200 OK\r\nA: " + String(repeating: "a", count: 20_000),
                .invalidAnswer(.headTooLarge(limit: 16_384))
            ),
            (String(repeating: "HTTP/1.1 100 \r\n\r\n", count: 2_000), .invalidAnswer(.headTooLarge(limit: 16_384))),
        ] as [(String, ProxyError)])
    func `an HTTP proxy's refusal is an error that gives the reason`(answer: String, error: ProxyError) throws {
        var handshake = try ProxyHandshake(Self.http, to: "a", port: 1)
        #expect(throws: error) { try Self.receive(Array(answer.utf8), &handshake) }
        #expect(throws: error) { try Self.receive([0x48], &handshake) }
        #expect(throws: error) { try handshake.endOfInput() }
        #expect(!handshake.isComplete)
    }

    @Test func `an answer that is not HTTP is recognized by its first byte`() throws {
        var handshake = try ProxyHandshake(Self.http, to: "a", port: 1)
        #expect(throws: ProxyError.invalidAnswer(.notHTTP(firstBytes: [5]))) {
            try Self.receive([5], &handshake)
        }
    }

    @Test(
        arguments: [
            ([5, 0xFF], .noAcceptableMethod), ([5, 2], .noAcceptableMethod), ([5, 1], .noAcceptableMethod),
            ([4], .notSOCKS5(firstBytes: [4])), (Array("HTTP/1.1".utf8), .notSOCKS5(firstBytes: Array("HT".utf8))),
            ([5, 0, 5, 1], .notConnected(.generalFailure)), ([5, 0, 5, 2], .notConnected(.notAllowed)),
            ([5, 0, 5, 3], .notConnected(.networkUnreachable)), ([5, 0, 5, 4], .notConnected(.hostUnreachable)),
            ([5, 0, 5, 5, 0, 1, 0, 0, 0, 0, 0, 0], .notConnected(.connectionRefused)),
            ([5, 0, 5, 6], .notConnected(.timeToLiveExpired)), ([5, 0, 5, 7], .notConnected(.commandNotSupported)),
            ([5, 0, 5, 8], .notConnected(.addressTypeNotSupported)), ([5, 0, 5, 99], .notConnected(.other(99))),
            ([5, 0, 5, 0, 0, 2, 0], .notSOCKS5(firstBytes: [5, 0, 0, 2, 0])),
            ([5, 0, 4, 0], .notSOCKS5(firstBytes: [4, 0])),
        ] as [([UInt8], ProxyError)])
    func `a SOCKS proxy's refusal is an error that gives the reason`(answer: [UInt8], error: ProxyError) throws {
        var handshake = try ProxyHandshake(Self.socks, to: "a", port: 1)
        #expect(throws: error) { try Self.receive(answer, &handshake) }
        #expect(throws: error) { try handshake.endOfInput() }
    }

    @Test func `a SOCKS proxy that refuses name and password causes an error of its own`() throws {
        var handshake = try ProxyHandshake(
            .socks5(host: "p", port: 1, credentials: Self.credentials), to: "a", port: 1)
        #expect(throws: ProxyError.loginRefused(status: 1)) { try Self.receive([5, 2, 1, 1], &handshake) }
    }

    @Test(
        arguments: [
            "", "a b", "a\r\nX: y", "ü.test", String(repeating: "a", count: 256), "x\r\ny\r\n@good.test",
            "x y@good.test", "x@good.test", "@good.test", "good.test/", "good.test/x", "good.test?", "good.test#",
            "good.test:80",
            "[good.test]", "[::1]", "::1]", "1.2.3.256",
        ])
    func `an invalid host is refused for an HTTP proxy`(host: String) {
        #expect(throws: ProxyError.invalidHost) { _ = try ProxyHandshake(Self.http, to: host, port: 1) }
    }

    @Test(arguments: ["", "a b", "a\r\n", String(repeating: "a", count: 256)])
    func `an invalid host is refused for a SOCKS proxy`(host: String) {
        #expect(throws: ProxyError.invalidHost) { _ = try ProxyHandshake(Self.socks, to: host, port: 1) }
    }

    @Test(
        arguments: [
            (true, "a:b", "c"), (true, "a", "c\r\nX: y"), (true, "\u{0}", ""), (false, "", "c"), (false, "a", ""),
            (false, String(repeating: "a", count: 256), "c"), (false, "a", String(repeating: "c", count: 256)),
        ])
    func `invalid credentials are refused`(isHTTP: Bool, user: String, password: String) {
        let credentials = Proxy.Credentials(user: user, password: password)
        let proxy: Proxy =
            isHTTP
            ? .http(host: "p", port: 1, credentials: credentials)
            : .socks5(host: "p", port: 1, credentials: credentials)
        #expect(throws: ProxyError.invalidCredentials) { _ = try ProxyHandshake(proxy, to: "a", port: 1) }
    }

    @Test func `random answers connect or are refused, with the same result however they are split`() throws {
        var random = SeededGenerator.forThisRun()
        for _ in 0..<20_000 {
            let script = Self.scripts.randomElement(using: &random)!
            var bytes = script.turns.flatMap(\.answer)
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let offset = Int.random(in: 0..<bytes.count, using: &random)
                bytes[offset] = UInt8.random(in: .min ... .max, using: &random)
            }
            bytes += [UInt8](repeating: 0x41, count: Int.random(in: 0...10, using: &random))
            func outcome(of pieces: [[UInt8]]) throws -> (Int, ProxyError?) {
                var handshake = try ProxyHandshake(script.proxy, to: script.host, port: 9001)
                var count = 0
                do throws(ProxyError) {
                    for piece in pieces { count += try Self.receive(piece, &handshake) }
                    try handshake.endOfInput()
                    return (count, nil)
                } catch {
                    if case .invalidAnswer(.notHTTP) = error { return (0, .invalidAnswer(.truncated)) }
                    if case .notSOCKS5 = error { return (0, .notSOCKS5(firstBytes: [])) }
                    return (0, error)
                }
            }
            let whole = try outcome(of: [bytes])
            let cut = try outcome(of: bytes.map { [$0] })
            #expect(whole == cut, random.seedComment)
        }
    }

    // MARK: Addresses

    @Test(
        arguments: [
            ("http://proxy.test:8080", .http(host: "proxy.test", port: 8080)),
            ("HTTP://proxy.test/", .http(host: "proxy.test", port: 80)),
            ("http://proxy.test:80", .http(host: "proxy.test", port: 80)),
            ("http://proxy.test:443", .http(host: "proxy.test", port: 443)),
            (
                "http://wang:%C3%B6ffne%3A%20dich@10.0.0.1:1",
                .http(host: "10.0.0.1", port: 1, credentials: Self.credentials)
            ),
            ("socks5://[::1]", .socks5(host: "::1", port: 1080)),
            (
                "socks5h://a:b@[2001:db8::7]:65535",
                .socks5(host: "2001:db8::7", port: 65_535, credentials: Proxy.Credentials(user: "a", password: "b"))
            ),
        ] as [(String, Proxy)])
    func `a proxy's URL is parsed`(text: String, proxy: Proxy) throws {
        #expect(try Proxy(text) == proxy)
    }

    @Test(
        arguments: [
            "", "proxy.test", "proxy.test:8080", "https://proxy.test", "socks4://proxy.test", "http://", "http://:80",
            "http://proxy.test:0", "http://proxy.test:65536", "http://proxy.test/path", "http://proxy.test?query",
            "http://proxy.test#fragment", "http://a b", "socks5://::1",
        ])
    func `an invalid proxy URL is refused`(text: String) {
        #expect(throws: ProxyError.invalidURL) { _ = try Proxy(text) }
    }

    @Test func `an error is one line, and small`() {
        #expect(MemoryLayout<ProxyError>.size <= 32)
        #expect(
            "\(ProxyError.notSOCKS5(firstBytes: Array("HT".utf8)))"
                == "the proxy does not speak SOCKS 5: its first bytes are 48 54: is this an HTTP proxy?")
        #expect(
            "\(ProxyError.refused(status: 407, reason: "Proxy Authentication Required"))"
                == "the proxy has answered 407 Proxy Authentication Required")
        #expect(
            "\(ProxyError.refused(status: 502, reason: "a\u{9B}2J\u{202E}"))"
                == #"the proxy has answered 502 a\u{9B}2J\u{202E}"#)
        #expect(
            "\(ProxyError.notConnected(.connectionRefused))"
                == "the proxy has not connected: nobody listens at the address")
    }
}
