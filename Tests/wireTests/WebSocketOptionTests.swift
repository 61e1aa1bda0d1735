// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport

/// `wire call` and `wire serve` over a WebSocket, as programs.
@Suite(.aside, .timeLimit(.minutes(300)))
struct WebSocketOptionTests {
    private static func call(_ address: String, _ words: String...) -> [String] {
        ["call", address, "Cs_20001", packetFields, "--expect", "Cs_20001"] + words
    }

    @Test func `a call goes through, with a query behind the path`() throws {
        let server = try ServingTool("--websocket", "/sub")
        #expect(try server.wire(Self.call(server.address, "--websocket", "/sub")) == .success(packetLine))
        #expect(try server.wire(Self.call(server.address, "--websocket=/sub?line=2")) == .success(packetLine))
        #expect(server.end() == .success(""))
    }

    @Test func `another path, and no WebSocket at all, are answered`() throws {
        let server = try ServingTool("--websocket", "/sub")
        let elsewhere = try server.wire(Self.call(server.address, "--websocket", "/"))
        #expect(elsewhere.status == 1)
        #expect(
            elsewhere.errors == "error: cannot connect to \(server.address): the server has answered 404 Not Found\n")
        let plain = try server.wire(Self.call(server.address))
        #expect(plain.status == 1)
        #expect(plain.errors.contains("HTTP"), "\(plain.errors)")
        let outcome = server.end()
        #expect(outcome.status == 0)
        #expect(outcome.errors.contains("the client's request was refused with 404"), "\(outcome.errors)")
    }

    @Test func `a path is one`() throws {
        let workspace = try Workspace()
        for (words, error) in [
            (
                "call 127.0.0.1:1 Cs_20001 '{}' --websocket sub",
                "error: --websocket is a path that begins with a slash, such as /sub; `sub` is not\n"
            ),
            (
                "serve 127.0.0.1:0 --echo --websocket '/sub?a'",
                "error: --websocket has no query where a server listens; `/sub?a` has one\n"
            ),
        ] {
            let outcome = try workspace.shell("wire " + words)
            #expect(outcome.status == 1)
            #expect(outcome.errors == error)
        }
    }
}
