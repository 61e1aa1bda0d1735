// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineWebSocket

/// How a server reads requests, and its answers.
struct ServerHandshakeTests {
    static let request = """
        GET /chat?room=7 HTTP/1.1
        Host: server.example.com
        Upgrade: websocket
        Connection: Upgrade
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==
        Sec-WebSocket-Version: 13


        """

    static func receive(_ pieces: [[UInt8]], _ handshake: inout WebSocketServerHandshake) throws(WebSocketError) -> Int
    {
        var count = 0
        for piece in pieces {
            let span = piece.span
            let bytes = span.bytes
            count += try handshake.receive(bytes)
        }
        return count
    }

    private static func asked(
        _ text: String = request, _ policy: WebSocketHandshakePolicy = WebSocketHandshakePolicy()
    ) throws -> WebSocketServerHandshake {
        var handshake = try WebSocketServerHandshake(policy)
        _ = try receive([text.lines], &handshake)
        return handshake
    }

    private static func output(_ handshake: inout WebSocketServerHandshake) -> String {
        String(decoding: handshake.takeOutput(), as: UTF8.self).replacing("\r\n", with: "\n")
    }

    @Test func `the request of RFC 6455 is accepted, and the frames after it are left`() throws {
        let request = Self.request.lines
        for pieces in (request + [0x81, 0x80]).everyCut {
            var handshake = try WebSocketServerHandshake()
            #expect(try Self.receive(pieces, &handshake) == request.count)
            let asked = try #require(handshake.request)
            #expect(asked.target == "/chat?room=7")
            #expect(asked.path == "/chat")
            #expect(asked.host == "server.example.com")
            #expect(asked.origin == nil)
            #expect(asked.subprotocols == [])
            try handshake.endOfInput()
            try handshake.answer(.accept())
            #expect(handshake.agreement?.subprotocol == nil)
            #expect(handshake.request == nil)
            #expect(
                Self.output(&handshake) == """
                    HTTP/1.1 101 Switching Protocols
                    Upgrade: websocket
                    Connection: Upgrade
                    Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=


                    """)
            #expect(handshake.takeOutput() == [])
        }
    }

    @Test(
        arguments: [
            ("Connection: Upgrade", "connection: keep-alive, Upgrade"), ("Upgrade: websocket", "upgrade: WebSocket"),
            ("Upgrade: websocket", "Upgrade: h2c, websocket"), ("GET /chat", "GET ws://other/chat"),
            ("GET /chat", "GET http://server.example.com:8080/chat"), ("Host: ", "HOST:"),
            ("Upgrade: websocket", "Upgrade: websocket\nContent-Length: 0"), ("HTTP/1.1", "HTTP/1.2"),
            ("Upgrade: websocket", "Upgrade: websocket\nContent-Length: 0 ,0\nContent-Length: 0"),
            ("Host: server.example.com", "Host: [::1]:9001"),
            ("Upgrade: websocket", "Upgrade: websocket\nSec-WebSocket-Extensions: permessage-deflate; x=\"y\", other"),
        ])
    func `a request with the same meaning is accepted`(part: String, other: String) throws {
        #expect(Self.request.contains(part))
        var handshake = try Self.asked(Self.request.replacing(part, with: other))
        #expect(handshake.request?.target == "/chat?room=7")
        try handshake.answer(.accept())
        #expect(!Self.output(&handshake).contains("Extensions"))
    }

    @Test(
        arguments: [
            ("GET", "POST", .method, 400), ("GET", "get", .method, 400), ("HTTP/1.1", "HTTP/1.0", .version, 400),
            ("GET /chat?room=7", "GET chat", .target, 400), ("GET /chat?room=7", "GET *", .target, 400),
            ("GET /chat?room=7", "GET /a#b", .target, 400), ("GET /chat?room=7", "GET /\u{E9}", .target, 400),
            ("Host: server.example.com\n", "", .host, 400), ("Host: server.example.com", "Host: ", .host, 400),
            ("Host: server.example.com", "Host: a\nHost: a", .host, 400), ("Host: server", "Host: a@b", .host, 400),
            ("Host: server.example.com", "Host: a/b", .host, 400), ("Host: server.example.com", "Host: a/", .host, 400),
            ("Upgrade: websocket\n", "", .upgrade, 426), ("Upgrade: websocket", "Upgrade: h2c", .upgrade, 426),
            ("Connection: Upgrade\n", "", .connection, 400),
            ("Connection: Upgrade", "Connection: close", .connection, 400),
            ("Version: 13", "Version: 8", .webSocketVersion, 426),
            ("Sec-WebSocket-Version: 13\n", "", .webSocketVersion, 426),
            ("Version: 13", "Version: 13, 8", .webSocketVersion, 426),
            ("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\n", "", .key, 400),
            ("dGhlIHNhbXBsZSBub25jZQ==", "dGhlIHNhbXBsZSBub25j", .key, 400),
            ("dGhlIHNhbXBsZSBub25jZQ==", "dGhlIHNhbXBsZSBub25jZSE=", .key, 400),
            ("dGhlIHNhbXBsZSBub25jZQ==", "dGhlIHNhbXBsZSBub25j!Q==", .key, 400),
            ("Version: 13", "Version: 13\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", .key, 400),
            ("Version: 13", "Version: 13\nContent-Length: 1", .body, 400),
            ("Version: 13", "Version: 13\nContent-Length: 0\nContent-Length: 5", .body, 400),
            ("Version: 13", "Version: 13\nContent-Length: 0\nX: y\ncontent-length: 0, 5", .body, 400),
            ("Version: 13", "Version: 13\nContent-Length: 0,", .body, 400),
            ("Version: 13", "Version: 13\nContent-Length:", .body, 400),
            ("Version: 13", "Version: 13\nContent-Length: +0", .body, 400),
            ("Version: 13", "Version: 13\nTransfer-Encoding: chunked", .body, 400),
            ("Version: 13", "Version: 13\nOrigin: http://evil.example.com", .origin, 403),
            ("Version: 13", "Version: 13\nOrigin: null", .origin, 403),
            ("Version: 13", "Version: 13\nSec-WebSocket-Protocol: a b", .subprotocol, 400),
            ("Version: 13", "Version: 13\nSec-WebSocket-Protocol: a, a", .subprotocol, 400),
            ("Version: 13", "Version: 13\nSec-WebSocket-Extensions: a; =b", .extensions, 400),
            ("Version: 13", "Version: 13\nSec-WebSocket-Extensions: a; b=\"c", .extensions, 400),
        ] as [(String, String, WebSocketHandshakeFault, Int)])
    func `another request is refused with the reason`(
        part: String, other: String, fault: WebSocketHandshakeFault, status: Int
    ) throws {
        #expect(Self.request.contains(part))
        let text = Self.request.replacing(part, with: other)
        let expected = WebSocketError.invalidRequest(fault, status: status)
        var handshake = try WebSocketServerHandshake()
        #expect(throws: expected) { try Self.receive([text.lines], &handshake) }
        #expect(throws: expected) { try Self.receive([[0]], &handshake) }
        #expect(throws: expected) { try handshake.endOfInput() }
        let answer = Self.output(&handshake)
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
        #expect(answer.contains("\nSec-WebSocket-Version: 13\n") == (fault == .webSocketVersion))
        #expect(answer.contains("\nUpgrade: websocket\n") == (status == 426))
        // RFC 9110 §7.8: `Connection` names `Upgrade` if there is an `Upgrade` field.
        #expect(answer.contains("\nConnection: \(status == 426 ? "Upgrade, close" : "close")\n"))
        let body = try #require(answer.split(separator: "\n\n").last)
        #expect(answer.contains("\nContent-Length: \(body.utf8.count)\n"))
    }

    @Test(
        arguments: [
            ("GET / HTTP/1.1\r\nA: b\nC", .malformedHead(.bareLineFeed, offset: 20), 400),
            ("GET / HTTP/1.1\nA: b\n\n", .malformedHead(.bareLineFeed, offset: 14), 400),
            ("GET /a%20b HTTP/1.0\n\n", .malformedHead(.bareLineFeed, offset: 19), 400),
            ("\r\nGET / HTTP/1.1\r\n", .malformedHead(.startLine, offset: 0), 400),
            ("GET /\r\n\r\n", .malformedHead(.startLine, offset: 0), 400),
            ("GET / HTTP/1.1 x\r\n\r\n", .malformedHead(.startLine, offset: 0), 400),
            ("GET / SPDY/1.1\r\n\r\n", .malformedHead(.startLine, offset: 0), 400),
            (String(repeating: "a", count: 20_000), .headTooLarge(limit: 16_384), 431),
            (
                "GET / HTTP/1.1\r\n" + String(repeating: "a:b\r\n", count: 101),
                .tooManyHeaders(limit: 100), 431
            ),
        ] as [(String, WebSocketError, Int)])
    func `a head that breaks HTTP's grammar gets an answer`(text: String, fault: WebSocketError, status: Int) throws {
        var handshake = try WebSocketServerHandshake()
        #expect(throws: fault) { try Self.receive([text.bytes + "\r\n".bytes], &handshake) }
        #expect(Self.output(&handshake).hasPrefix("HTTP/1.1 \(status) "))
    }

    @Test(
        arguments: [
            [0x16, 0x03, 0x01, 0x02, 0x00], [0, 0, 0, 16, 0x4E, 0x21, 1, 2, 3, 4], [0x47, 0x45, 0x0A],
            Array("GET / HTTP/1.x\n".utf8), Array("GET /\n".utf8),
        ]
            as [[UInt8]])
    func `a peer that does not speak HTTP gets an answer`(bytes: [UInt8]) throws {
        var handshake = try WebSocketServerHandshake()
        #expect(throws: WebSocketError.notHTTP(firstBytes: Array(bytes.prefix(8)))) {
            try Self.receive([bytes], &handshake)
        }
        #expect(Self.output(&handshake).hasPrefix("HTTP/1.1 400 Bad Request\nConnection: close\n"))
    }

    @Test func `an incomplete request has another error than a refused one`() throws {
        var handshake = try WebSocketServerHandshake()
        _ = try Self.receive(["GET / HT".bytes], &handshake)
        #expect(throws: WebSocketError.truncated) { try handshake.endOfInput() }
    }

    // MARK: Origins

    @Test(
        arguments: [
            ("http://a.com", "a.com", .sameOrigin, true), ("https://a.com", "a.com", .sameOrigin, true),
            ("https://A.com", "a.COM", .sameOrigin, true), ("https://a.com:8443", "a.com:8443", .sameOrigin, true),
            ("https://a.com", "a.com:443", .sameOrigin, true), ("http://a.com", "a.com:443", .sameOrigin, false),
            ("https://a.com:8443", "a.com", .sameOrigin, false), ("https://a.com", "a.com:8443", .sameOrigin, false),
            ("https://b.a.com", "a.com", .sameOrigin, false), ("https://a.com.evil.org", "a.com", .sameOrigin, false),
            ("https://a.com@evil.org", "a.com", .sameOrigin, false), ("null", "a.com", .sameOrigin, false),
            ("", "a.com", .sameOrigin, false), ("file://", "a.com", .sameOrigin, false),
            ("https://b.com", "a.com", .sameOriginAnd(["https://b.com"]), true),
            ("https://a.com", "a.com", .sameOriginAnd(["https://b.com"]), true),
            ("http://b.com", "a.com", .sameOriginAnd(["https://b.com"]), false), ("null", "a.com", .any, true),
        ] as [(String, String, WebSocketOriginPolicy, Bool)])
    func `a page may connect if the origin policy allows it`(
        origin: String, host: String, policy: WebSocketOriginPolicy, isFine: Bool
    ) throws {
        var settings = WebSocketHandshakePolicy()
        settings.origins = policy
        let text = Self.request.replacing("Host: server.example.com", with: "Host: \(host)\nOrigin: \(origin)")
        if isFine {
            #expect(try Self.asked(text, settings).request?.origin == origin)
        } else {
            #expect(throws: WebSocketError.invalidRequest(.origin, status: 403)) { try Self.asked(text, settings) }
        }
    }

    @Test(
        arguments: [
            ("evil.example", .localOnLoopback, false), ("evil.example:9002", .localOnLoopback, false),
            ("localhost.evil.example", .localOnLoopback, false), ("127.0.0.1.evil.example", .localOnLoopback, false),
            ("notlocalhost", .localOnLoopback, false), ("localhost", .localOnLoopback, true),
            ("LOCALHOST.:80", .localOnLoopback, true), ("game.localhost", .localOnLoopback, true),
            ("127.0.0.1:9002", .localOnLoopback, true), ("[::1]:9002", .localOnLoopback, true),
            ("10.0.0.7", .localOnLoopback, true), ("game.example.com", .localAnd(["game.example.com"]), true),
            ("Game.Example.com.:81", .localAnd(["game.example.com"]), true), ("::1", .localAnd([]), nil),
            ("a.example.com", .localAnd(["*.example.com"]), true),
            ("b.a.example.com", .localAnd(["*.example.com"]), true),
            ("example.com", .localAnd(["*.example.com"]), false), ("aexample.com", .localAnd(["*.example.com"]), false),
            ("localhost", .localAnd(["game.example.com"]), true),
            ("evil.example", .localAnd(["game.example.com"]), false),
            ("evil.example", .any, true),
        ] as [(String, WebSocketHostPolicy, Bool?)])
    func `a browser may use only the host names that the policy allows`(
        host: String, policy: WebSocketHostPolicy, isFine: Bool?
    ) throws {
        var settings = WebSocketHandshakePolicy()
        settings.hosts = policy
        let text = Self.request.replacing("Host: server.example.com", with: "Host: \(host)\nOrigin: http://\(host)")
        var handshake = try WebSocketServerHandshake(settings, listensOnLoopback: true)
        if isFine == true {
            _ = try Self.receive([text.lines], &handshake)
            #expect(handshake.request?.host == host)
        } else {
            let fault: WebSocketHandshakeFault = isFine == nil ? .host : .foreignHost
            let status = isFine == nil ? 400 : 403
            #expect(throws: WebSocketError.invalidRequest(fault, status: status)) {
                try Self.receive([text.lines], &handshake)
            }
            #expect(Self.output(&handshake).hasPrefix("HTTP/1.1 \(status) "))
        }
    }

    @Test func `host names matter only for browsers, and by default only on a loopback address`() throws {
        let program = Self.request.replacing("Host: server.example.com", with: "Host: evil.example")
        let browser = program.replacing("Upgrade: w", with: "Origin: http://evil.example\nUpgrade: w")
        for (text, listensOnLoopback) in [(program, true), (program, false), (browser, false)] {
            var handshake = try WebSocketServerHandshake(listensOnLoopback: listensOnLoopback)
            _ = try Self.receive([text.lines], &handshake)
            #expect(handshake.request?.host == "evil.example")
        }
    }

    // MARK: Answers

    @Test func `the chosen subprotocol must be a requested one`() throws {
        let text = Self.request.replacing(
            "Version: 13", with: "Version: 13\nSec-WebSocket-Protocol: chat, superchat\nSec-WebSocket-Protocol: other")
        var handshake = try Self.asked(text)
        #expect(handshake.request?.subprotocols == ["chat", "superchat", "other"])
        #expect(throws: WebSocketError.invalidSubprotocol("none")) {
            try handshake.answer(.accept(subprotocol: "none"))
        }
        try handshake.answer(.accept(subprotocol: "superchat", headers: ["Set-Cookie": "a=b"]))
        #expect(handshake.agreement?.subprotocol == "superchat")
        let answer = Self.output(&handshake)
        #expect(answer.contains("\nSec-WebSocket-Protocol: superchat\nSet-Cookie: a=b\n\n"))
    }

    @Test(arguments: [
        ("chat, , b", ["chat", "b"]), ("chat, ", ["chat"]), (",chat,,\tb\t,", ["chat", "b"]), (" , ", []), ("", []),
        ("chat,b\nSec-WebSocket-Protocol: ,\nSec-WebSocket-Protocol: c", ["chat", "b", "c"]),
    ])
    func `empty elements in a list of subprotocols are ignored`(list: String, names: [String]) throws {
        let text = Self.request.replacing("Version: 13", with: "Version: 13\nSec-WebSocket-Protocol: \(list)")
        #expect(try Self.asked(text).request?.subprotocols == names)
    }

    /// If each name were compared with all others, this would take minutes.
    @Test func `a hundred thousand subprotocols are read, and the last one may repeat the first`() throws {
        let names = (0..<100_000).map { String($0) }
        var policy = WebSocketHandshakePolicy()
        policy.headLimit = 1 << 20
        func text(_ names: [String]) -> String {
            let list = names.joined(separator: ",")
            return Self.request.replacing("Version: 13", with: "Version: 13\nSec-WebSocket-Protocol: \(list)")
        }
        let isSame = try Self.asked(text(names), policy).request?.subprotocols == names
        #expect(isSame)
        #expect(throws: WebSocketError.invalidRequest(.subprotocol, status: 400)) {
            try Self.asked(text(names + ["0"]), policy)
        }
    }

    @Test func `a refusal has the status, headers and body that the server chooses`() throws {
        var handshake = try Self.asked()
        #expect(throws: WebSocketError.invalidStatus(200)) { try handshake.answer(.refuse(status: 200)) }
        #expect(throws: WebSocketError.invalidHeader(name: "A")) {
            try handshake.answer(.refuse(status: 401, headers: ["A": "b\r\nC: d"]))
        }
        #expect(throws: WebSocketError.reservedHeader(name: "Content-Length")) {
            try handshake.answer(.accept(headers: ["Content-Length": "5"]))
        }
        try handshake.answer(.refuse(status: 401, headers: ["WWW-Authenticate": "Basic"], body: "who?"))
        #expect(handshake.agreement == nil)
        #expect(
            Self.output(&handshake) == """
                HTTP/1.1 401 Unauthorized
                Connection: close
                Content-Length: 4
                Content-Type: text/plain; charset=utf-8
                WWW-Authenticate: Basic

                who?
                """)
        #expect(try Self.receive([[1, 2]], &handshake) == 0)
    }

    @Test func `a refusal with status 426 names the protocol to upgrade to`() throws {
        var handshake = try Self.asked()
        try handshake.answer(.refuse(status: 426, headers: ["X": "y"]))
        #expect(
            Self.output(&handshake) == """
                HTTP/1.1 426 Upgrade Required
                Upgrade: websocket
                Connection: Upgrade, close
                Content-Length: 0
                X: y


                """)
    }

    @Test(
        arguments: [
            (301, "Moved Permanently"), (302, "Found"), (307, "Temporary Redirect"), (308, "Permanent Redirect"),
            (401, "Unauthorized"), (403, "Forbidden"), (404, "Not Found"), (429, "Too Many Requests"),
            (500, "Internal Server Error"), (503, "Service Unavailable"), (599, ""),
        ])
    func `a client gets a refusal as the server sent it`(status: Int, reason: String) throws {
        var server = try Self.asked()
        try server.answer(.refuse(status: status, headers: ["Content-Type": "a/b"], body: "no"))
        var client = try ClientHandshakeTests.handshake()
        let error = #expect(throws: WebSocketError.self) {
            try ClientHandshakeTests.receive([server.takeOutput()], &client)
        }
        guard case .refused(let response) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(response.status == status)
        #expect(response.reason == reason)
        #expect(response.body == "no".bytes)
        #expect(response.headers.values(of: "content-type") == ["a/b"])
    }

    @Test(
        arguments: [
            ("a", true), (" a ; b ; c = d , e", true), (", ,a,", true), ("a;b=\"c\"", true), ("a;b=\"c\\d\"", true),
            ("a;b=\"c d\"", false), ("a;b=\"c\\", false), ("a;b=\"", false), ("a;b=", false), ("a;", false),
            ("a b", false), ("a;;b", false), ("=", false), ("a;b=\"\"", false),
        ])
    func `a list of extensions must follow the grammar of RFC 6455`(list: String, isFine: Bool) {
        let text = Self.request.replacing("Version: 13", with: "Version: 13\nSec-WebSocket-Extensions: \(list)")
        #expect((try? Self.asked(text).request?.target) == (isFine ? "/chat?room=7" : nil))
    }

    @Test(arguments: [
        ("GET /health HTTP/1.1\nHost: a\n\n", "fine"), ("HEAD /health HTTP/1.1\nHost: a\n\n", ""),
        // Requests as load balancers send them.
        ("GET /health?from=balancer HTTP/1.0\n\n", "fine"), ("HEAD http://a/health HTTP/1.1\nHost: a\n\n", ""),
    ])
    func `a request that is not for a WebSocket gets the page of its path`(request: String, body: String) throws {
        var policy = WebSocketHandshakePolicy()
        policy.pages["/health"] = WebSocketPage("fine", headers: ["Cache-Control": "no-store"])
        for pieces in request.lines.everyCut {
            var handshake = try WebSocketServerHandshake(policy)
            #expect(try Self.receive(pieces, &handshake) == request.lines.count)
            #expect(handshake.hasAnsweredWithPage && handshake.request == nil && handshake.agreement == nil)
            #expect(
                Self.output(&handshake) == """
                    HTTP/1.1 200 OK
                    Connection: close
                    Content-Length: 4
                    Content-Type: text/plain; charset=utf-8
                    Cache-Control: no-store

                    \(body)
                    """)
            #expect(try Self.receive([[1, 2, 3]], &handshake) == 0)
            try handshake.endOfInput()
        }
    }

    @Test(arguments: [
        ("Host: evil.example", 403), ("Host: localhost.evil.example:80", 403), ("Host: a b", 403), ("Host: ", 403),
        ("Host: localhost\nHost: localhost", 403), ("Host: localhost:9100", 200), ("Host: 127.0.0.1", 200),
        ("Host: [::1]:9100", 200), ("Host: OPS.example", 200), ("Accept: */*", 200),
    ])
    func `on a loopback address a page is sent only under the server's own names`(header: String, status: Int) throws {
        var policy = WebSocketHandshakePolicy()
        policy.pages["/"] = WebSocketPage("fine")
        for (isLoopback, status) in [(true, status), (false, header.contains("e") && status == 403 ? 0 : status)] {
            var handshake = try WebSocketServerHandshake(policy, listensOnLoopback: isLoopback)
            handshake.ownNames = ["ops.example"]
            _ = try? Self.receive(["GET / HTTP/1.1\n\(header)\n\n".lines], &handshake)
            let output = Self.output(&handshake)
            #expect(status == 0 || output.hasPrefix("HTTP/1.1 \(status) "), "\(output)")
        }
    }

    @Test func `a page blocks no WebSocket on its path, and other requests are still refused`() throws {
        var policy = WebSocketHandshakePolicy()
        policy.pages["/chat"] = WebSocketPage("a page")
        #expect(try Self.asked(Self.request, policy).request?.path == "/chat")
        for (request, status) in [("GET /other HTTP/1.1\nHost: a\n\n", 426), ("POST /chat HTTP/1.1\nHost: a\n\n", 400)]
        {
            var handshake = try WebSocketServerHandshake(policy)
            #expect(throws: WebSocketError.self) { try Self.receive([request.lines], &handshake) }
            #expect(Self.output(&handshake).hasPrefix("HTTP/1.1 \(status) ") && !handshake.hasAnsweredWithPage)
        }
        policy.pages["/chat"] = WebSocketPage("", contentType: "a\r\nb: c")
        #expect(throws: WebSocketError.invalidHeader(name: "Content-Type")) { try WebSocketServerHandshake(policy) }
        policy.pages["/chat"] = WebSocketPage("", headers: ["Content-Length": "7"])
        #expect(throws: WebSocketError.reservedHeader(name: "Content-Length")) { try WebSocketServerHandshake(policy) }
    }

    @Test(arguments: [("bGluOnM6dA==", "lin", "s:t"), ("Og==", "", ""), ("bGlu", nil, nil), ("!", nil, nil)])
    func `the credentials of basic authentication are read`(text: String, user: String?, password: String?) throws {
        let handshake = try Self.asked(
            Self.request.replacing("Version: 13", with: "Version: 13\nAuthorization: basic \(text)"))
        #expect(handshake.request?.credentials?.user == user)
        #expect(handshake.request?.credentials?.password == password)
    }

    // MARK: Both

    @Test func `a client and a server agree on everything`() throws {
        var asked = WebSocketRequest(try WebSocketURL("wss://lin:老王@[::1]:9443/chat?a=%20|"))
        asked.subprotocols = ["a", "b"]
        asked.origin = "https://[::1]:9443"
        asked.cookies = [.init(name: "c", value: "\"d\"")]
        var client = try WebSocketClientHandshake(asked)
        var server = try WebSocketServerHandshake()
        _ = try Self.receive([client.request], &server)
        let request = try #require(server.request)
        #expect(request.target == "/chat?a=%20|")
        #expect(request.host == "[::1]:9443")
        #expect(request.credentials == WebSocketCredentials(user: "lin", password: "老王"))
        #expect(request.headers["cookie"] == "c=\"d\"")
        try server.answer(.accept(subprotocol: "b"))
        _ = try ClientHandshakeTests.receive([server.takeOutput()], &client)
        #expect(client.agreement?.subprotocol == "b")
    }

    @Test func `no bytes make the server's handshake trap`() throws {
        var random = SeededGenerator.forThisRun()
        let request = Self.request.lines
        for _ in 0..<3_000 {
            var bytes = request
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                bytes[place] = Bool.random(using: &random) ? UInt8.random(in: .min ... .max, using: &random) : 0x0D
            }
            var whole = try WebSocketServerHandshake()
            var cut = try WebSocketServerHandshake()
            let outcomes = [
                Self.outcome([bytes], &whole), Self.outcome(bytes.cut(using: &random), &cut),
            ]
            #expect(outcomes[0] == outcomes[1], random.seedComment)
            #expect(whole.takeOutput() == cut.takeOutput(), random.seedComment)
        }
    }

    private static func outcome(
        _ pieces: [[UInt8]], _ handshake: inout WebSocketServerHandshake
    ) -> Result<WebSocketUpgradeRequest?, WebSocketError> {
        Result { () throws(WebSocketError) in
            _ = try receive(pieces, &handshake)
            return handshake.request
        }.mapError(\.withoutFirstBytes)
    }
}

struct SHA1Tests {
    /// The examples of FIPS 180-4, seen through their keys: an answer is the Base64 of a hash.
    @Test(arguments: [
        ("dGhlIHNhbXBsZSBub25jZQ==", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="),
        ("x3JJHMbDL1EzLkh9GBhXDw==", "HSmrc0sMlYUkAGmm5OPpG2HaGWk="),
    ])
    func `each key has its known answer`(key: String, answer: String) {
        #expect(HandshakeKey.answer(to: key) == answer)
    }
}
