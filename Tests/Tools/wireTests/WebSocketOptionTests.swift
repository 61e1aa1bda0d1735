// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport

/// `wire call` and `wire serve` over a WebSocket, as programs.
@Suite(.aside)
struct WebSocketOptionTests {
    private static func call(_ address: String, _ words: String...) -> [String] {
        ["call", address, "Cs_20001", packetFields, "--expect", "Cs_20001"] + words
    }

    @Test func `a call works, with a query after the path`() throws {
        let server = try ServingTool("--websocket", "/sub")
        #expect(try server.wire(Self.call(server.address, "--websocket", "/sub")) == .success(packetLine))
        #expect(try server.wire(Self.call(server.address, "--websocket=/sub?line=2")) == .success(packetLine))
        #expect(server.end() == .success(""))
    }

    @Test func `a call with another path, or without a WebSocket, gets an answer`() throws {
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

    @Test func `the option for allowed host names requires a WebSocket`() throws {
        let outcome = try Workspace().shell("wire serve 127.0.0.1:0 --echo --allow-host example.com")
        #expect(outcome.status == 2)
        #expect(outcome.errors.hasPrefix("error: --allow-host goes with --websocket\n"))
    }

    @Test func `a path begins with a slash, and a server's path has no query`() throws {
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
            #expect(outcome.status == 2)
            #expect(outcome.errors.hasPrefix(error))
        }
    }
}
