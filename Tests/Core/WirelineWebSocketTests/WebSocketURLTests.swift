// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineWebSocket

struct WebSocketURLTests {
    @Test(
        arguments: [
            ("ws://example.com", false, "example.com", 80, "/", nil, "example.com"),
            ("wss://example.com", true, "example.com", 443, "/", nil, "example.com"),
            ("http://example.com:80/", false, "example.com", 80, "/", nil, "example.com"),
            ("https://example.com:80/", true, "example.com", 80, "/", nil, "example.com:80"),
            (
                "WSS://Game.Example.com.:9443/a%20b//c?d=%3F&e=/?f", true, "Game.Example.com.", 9443, "/a%20b//c",
                "d=%3F&e=/?f", "Game.Example.com.:9443"
            ),
            ("ws://example.com?x", false, "example.com", 80, "/", "x", "example.com"),
            ("ws://example.com/?", false, "example.com", 80, "/", "", "example.com"),
            ("ws://example.com:/a", false, "example.com", 80, "/a", nil, "example.com"),
            ("ws://127.0.0.1:65535/", false, "127.0.0.1", 65_535, "/", nil, "127.0.0.1:65535"),
            ("ws://[::1]:9001/chat", false, "::1", 9001, "/chat", nil, "[::1]:9001"),
            (
                "wss://[2001:db8::ffff:1.2.3.4]", true, "2001:db8::ffff:1.2.3.4", 443, "/", nil,
                "[2001:db8::ffff:1.2.3.4]"
            ),
            ("ws://[1:2:3:4:5:6:7:8]/", false, "1:2:3:4:5:6:7:8", 80, "/", nil, "[1:2:3:4:5:6:7:8]"),
            ("ws://a_b-c/[]{}|^`?[]{}|\\", false, "a_b-c", 80, "/[]{}|^`", "[]{}|\\", "a_b-c"),
        ] as [(String, Bool, String, Int, String, String?, String)])
    func `a URL is split into its parts`(
        text: String, isSecure: Bool, host: String, port: Int, path: String, query: String?, authority: String
    ) throws {
        let url = try WebSocketURL(text)
        #expect(url.isSecure == isSecure)
        #expect(url.host == host)
        #expect(url.port == port)
        #expect(url.path == path)
        #expect(url.query == query)
        #expect(url.authority == authority)
        #expect(url.credentials == nil)
        // Its description is the same address.
        #expect(try WebSocketURL(url.description) == url)
    }

    @Test(
        arguments: [
            ("ws://u@h/", "u", ""), ("ws://u:p@h/", "u", "p"), ("ws://:@h/", "", ""), ("ws://u:a:b@h/", "u", "a:b"),
            ("ws://l%69n:%e8%80%81%40@h/", "lin", "老@"), ("ws://a@b@h/", "a@b", ""),
        ])
    func `name and password are decoded, and not printed`(text: String, user: String, password: String) throws {
        let url = try WebSocketURL(text)
        #expect(url.credentials == WebSocketCredentials(user: user, password: password))
        #expect(url.host == "h")
        #expect(url.description == "ws://h/")
    }

    @Test(
        arguments: [
            ("", .scheme, 0), ("example.com", .scheme, 0), ("ftp://a", .scheme, 0), ("ws:/a", .scheme, 0),
            ("ws:a", .scheme, 0), (" ws://a", .scheme, 0), ("ws://", .missingHost, 5), ("ws:///a", .missingHost, 5),
            ("ws://:80", .missingHost, 5), ("ws://u@/", .missingHost, 7), ("ws://a..b", .host, 5),
            ("ws://.a", .host, 5), ("ws://a b", .host, 5), ("ws://a%20b", .host, 5), ("ws://bücher.de", .host, 5),
            ("ws://1.2.3", .host, 5), ("ws://1.2.3.256", .host, 5), ("ws://01.2.3.4", .host, 5),
            ("ws://[::1", .host, 5), ("ws://[]", .host, 5), ("ws://[:::]", .host, 5), ("ws://[1:2]", .host, 5),
            ("ws://[1::2::3]", .host, 5), ("ws://[1:2:3:4:5:6:7::8]", .host, 5), ("ws://[::1%25eth0]", .host, 5),
            ("ws://[::1.2.3.4:5]", .host, 5), ("ws://[12345::]", .host, 5), ("ws://[::1]x", .host, 10),
            ("ws://::1", .missingHost, 5), ("ws://a:b", .port, 7), ("ws://a:0", .port, 7), ("ws://a:65536", .port, 7),
            ("ws://a:99999999999999999999", .port, 7), ("ws://a:+1", .port, 7), ("ws://a:1:2", .port, 7),
            ("ws://a/b c", .character, 8), ("ws://a/\r\nX: y", .character, 7), ("ws://a/é", .character, 7),
            ("ws://a/\"", .character, 7), ("ws://a/?\u{0}", .character, 8), ("ws://a/\u{7F}", .character, 7),
            ("ws://a/%", .percentEncoding, 7), ("ws://a/%4", .percentEncoding, 7),
            ("ws://a/?%GG", .percentEncoding, 8), ("ws://%@a", .percentEncoding, 5), ("ws://%FF@a", .credentials, 5),
            ("ws://x\r\ny@a", .character, 6), ("ws://x y@a", .character, 6), ("ws:// @a", .character, 5),
            ("ws://x:\u{0}@a", .character, 7), ("ws://x:y\u{7F}@a", .character, 8), ("ws://x\ty:z@a", .character, 6),
            ("ws://a\\@b", .character, 6), ("ws://a\\b.com/", .character, 6), ("ws://u:p\\@b", .character, 8),
            ("ws://a\\:80", .character, 6), ("ws://\\a", .character, 5), ("ws://a/b\\c", .character, 8),
            ("ws://a%40b", .host, 5), ("ws://a%2Fb", .host, 5), ("ws://%61", .host, 5), ("ws://a\tb", .host, 5),
            ("ws://0x7F000001", .host, 5), ("ws://127.0.0.0x1", .host, 5), ("ws://a.0x.", .host, 5),
            ("ws://a#b", .fragment, 6), ("ws://a/?b#", .fragment, 9),
        ] as [(String, WebSocketURLFault, Int)])
    func `an invalid URL is refused with the offset`(text: String, fault: WebSocketURLFault, offset: Int) {
        #expect(throws: WebSocketError.invalidURL(fault, offset: offset)) { try WebSocketURL(text) }
    }

    @Test(arguments: [(63, true), (64, false)])
    func `a label of a host name has at most 63 characters`(count: Int, isFine: Bool) {
        let url = try? WebSocketURL("ws://" + String(repeating: "a", count: count) + ".com")
        #expect((url != nil) == isFine)
    }
}
