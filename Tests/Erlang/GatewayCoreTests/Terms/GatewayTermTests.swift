// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineErlang
import WirelineGateway

/// What a backend gets: each row of the contract's table, as Erlang reads it.
struct GatewayTermTests {
    private static let client = ErlangPID(node: "gw@h", id: 5, serial: 1, creation: 7)

    private static let snapshot = ClientSnapshot(
        info: GatewayBench.info, received: 5, confirmed: 3, window: 8, state: "player", groups: ["room"])

    static let terms: [(GatewayTerm, ErlangTerm)] = [
        (.open(client, snapshot), .tuple("wireline", "open", .pid(client), .map(snapshot.term))),
        (.resume(client, snapshot), .tuple("wireline", "resume", .pid(client), .map(snapshot.term))),
        (
            .message(client, GatewayBench.message("hi"), number: nil),
            .tuple("wireline", .pid(client), .tuple("say", .text("hi")))
        ),
        (
            .message(client, GatewayBench.message("hi"), number: 1),
            .tuple("wireline", .pid(client), .tuple("say", .text("hi")), ["number": 1])
        ),
        (
            .message(client, GatewayBench.message("hi", header: ["sequence": 4]), number: nil),
            .tuple("wireline", .pid(client), .tuple("say", .text("hi")), ["header": ["sequence": 4]])
        ),
        (
            .message(client, GatewayBench.message("hi", header: ["sequence": 4]), number: .max),
            .tuple(
                "wireline", .pid(client), .tuple("say", .text("hi")),
                ["number": ErlangTerm(UInt64.max), "header": ["sequence": 4]])
        ),
        (
            .close(client, reason: .tuple("shutdown", "slow")),
            .tuple("wireline", "close", .pid(client), .tuple("shutdown", "slow"))
        ),
        (
            .error(client, TermRefusal.notOwner.term),
            .tuple("wireline", "error", .pid(client), ["reason": "not_owner", "path": .text("")])
        ),
        (.drain("gw@h", milliseconds: 30_000), .tuple("wireline", "drain", "gw@h", 30_000)),
    ]

    @Test(arguments: terms)
    func `a term has the bytes that Erlang reads`(term: GatewayTerm, expected: ErlangTerm) throws {
        let bytes = try term.content()
        #expect(try ErlangTerm(content: bytes.span.bytes) == expected)
        #expect(try bytes == expected.content())
    }

    static let refusals: [(TermRefusal, ErlangTerm)] = [
        (.notOwner, ["reason": "not_owner", "path": .text("")]),
        (.unknownAction(.tuple("x", 1)), ["reason": .tuple("unknown_action", .tuple("x", 1)), "path": .text("")]),
        (
            .outOfRange(7, lowest: 3, highest: 5),
            ["reason": .tuple("out_of_range", 7, 3, 5), "path": .text("confirm")]
        ),
        (
            .tooLong(5_000, limit: 4_096, path: "state"),
            ["reason": .tuple("too_long", 5_000, 4_096), "path": .text("state")]
        ),
        (.encoding(["reason": "x", "path": .text("A.B")]), ["reason": "x", "path": .text("A.B")]),
    ]

    @Test(arguments: refusals)
    func `a refusal has the form of the errors of encode/2`(refusal: TermRefusal, expected: ErlangTerm) {
        #expect(refusal.term == expected)
    }

    static let ends: [(ClientEnd, ErlangTerm, UInt16, String)] = [
        (.normal, "normal", 1000, "normal"),
        (.reset, .tuple("shutdown", "reset"), 1000, "reset"),
        (.idle, .tuple("shutdown", "idle"), 1000, "idle"),
        (.slow, .tuple("shutdown", "slow"), 1008, "slow"),
        (.packet("a"), .tuple("shutdown", .tuple("packet", .text("a"))), 1007, "packet"),
        (.tls("b"), .tuple("shutdown", .tuple("tls", .text("b"))), 1000, "tls"),
        (.webSocket(1002), .tuple("shutdown", .tuple("websocket", 1002)), 1000, "websocket"),
        (.noBackend, .tuple("shutdown", "no_backend"), 1013, "no_backend"),
        (.drain, .tuple("shutdown", "drain"), 1012, "drain"),
        (.kicked(.tuple("bad", 1)), .tuple("bad", 1), 1008, "kicked"),
        (.exited("boom"), "boom", 1008, "exited"),
        (.killed, "killed", 1008, "killed"),
    ]

    @Test(arguments: ends)
    func `a reason has its term and its close code`(end: ClientEnd, term: ErlangTerm, code: UInt16, label: String) {
        #expect(end.term == term)
        #expect(end.closeCode == code)
        #expect(end.label == label)
    }
}

struct ClientInfoTests {
    @Test func `Info has every key, and undefined for what is not there`() throws {
        let bench = GatewayBench { $0.window = 8 }
        let client = bench.open()
        let info = try #require(bench.client(client)).snapshot.term
        #expect(
            info == [
                "peer": .tuple(.tuple(10, 0, 0, 9), 5_000), "proxy": "undefined",
                "local": .tuple(.tuple(10, 0, 0, 4), 9_001), "transport": "tcp", "tls": "undefined",
                "path": "undefined", "headers": [], "opened": 1_000, "received": 0, "confirmed": 0, "window": 8,
                "state": "undefined", "groups": [],
            ])
    }

    @Test func `Info says how a client came`() {
        let address = ClientInfo.Address(
            bytes: [0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], port: 443)
        let info = ClientInfo(
            peer: address, local: address, transport: .webSocket, proxy: address,
            tls: .init(
                version: "TLSv1.3", cipher: "TLS_AES_128_GCM_SHA256", serverName: "play.example", certificate: [1]),
            path: "/play?x=1", headers: [("host", "play.example")], opened: 5)
        let term: ErlangTerm = .tuple(.tuple(0x2001, 0x0DB8, 0, 0, 0, 0, 0, 1), 443)
        #expect(
            info.term == [
                "peer": term, "proxy": term, "local": term, "transport": "websocket",
                "tls": [
                    "version": .text("TLSv1.3"), "cipher": .text("TLS_AES_128_GCM_SHA256"),
                    "server_name": .text("play.example"), "certificate": .binary([1]),
                ],
                "path": .text("/play?x=1"), "headers": [.tuple(.text("host"), .text("play.example"))], "opened": 5,
            ])
    }
}
