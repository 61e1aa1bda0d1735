// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineSchema
import wire

/// Frames, limits and the end of the conversation.
struct ProtocolTests {
    private static let initialize = #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#

    private func server(_ limits: LanguageServerLimits = LanguageServerLimits()) -> LanguageServer {
        LanguageServer(version: "1", limits: limits) { _ in FolderContents() }
    }

    @Test(arguments: [
        "\r\n", "Content-Length: 5\n\n", "Content-Length:\r\n\r\n", "Content-Length: x\r\n\r\n",
        "Content-Length: -1\r\n\r\n", "Content-Length: 99999999999999999999\r\n\r\n",
        "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", "Content-Type: text\r\n\r\n", "nonsense\r\n\r\n",
        "Content-Length: 2 2\r\n\r\n{}", String(repeating: "x", count: 5000),
        "Content-Length: 2\r\nX: " + String(repeating: "x", count: 5000) + "\r\n\r\n{}",
    ])
    func `a stream without frames is refused with one error, and the conversation ends`(text: String) throws {
        var server = server()
        server.receive(Array(text.utf8) + Editor.framed(Self.initialize))
        let messages = try Editor.messages(in: server.takeOutput())
        #expect(messages.count == 1)
        #expect(messages[0]["error"]?["code"] == -32700)
        #expect(messages[0]["id"] == .null)
        #expect(server.end == .early)
    }

    @Test(arguments: [
        "Content-Length: 58\r\n\r\n", "content-length:58\r\n\r\n",
        "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length:  58\r\n\r\n",
    ])
    func `a header may be written in several ways`(header: String) throws {
        var server = server()
        server.receive(Array((header + Self.initialize).utf8))
        let messages = try Editor.messages(in: server.takeOutput())
        #expect(messages.count == 1)
        #expect(messages[0]["result"]?["serverInfo"]?["name"] == "wire")
    }

    @Test func `a message over the limit is dropped with an error, and the next one is read`() throws {
        var limits = LanguageServerLimits()
        limits.messageByteCount = 100
        var server = server(limits)
        let bytes =
            Editor.framed(String(repeating: " ", count: 101)) + Editor.framed("") + Editor.framed(Self.initialize)
        for byte in bytes { server.receive([byte]) }
        let messages = try Editor.messages(in: server.takeOutput())
        #expect(messages.map { $0["error"]?["code"] } == [-32600, -32700, nil])
        #expect(messages[0]["error"]?["message"] == "a message has 101 bytes, 100 are allowed")
        #expect(server.end == nil)
    }

    @Test func `JSON that nests too deeply is refused`() throws {
        var server = server()
        server.receive(Editor.framed(String(repeating: "[", count: 100_000)))
        let messages = try Editor.messages(in: server.takeOutput())
        #expect(messages.map { $0["error"]?["code"] } == [-32700])
    }

    @Test func `the end of the input is orderly before initialize and after shutdown`() {
        var server = server()
        server.receiveEnd()
        #expect(server.end == .orderly)
        server = self.server()
        server.receive(Editor.framed(Self.initialize))
        server.receiveEnd()
        #expect(server.end == .early)
        server = self.server()
        server.receive(Editor.framed(Self.initialize))
        server.receive(Editor.framed(#"{"jsonrpc":"2.0","id":2,"method":"shutdown"}"#))
        server.receiveEnd()
        #expect(server.end == .orderly)
    }

    @Test func `exit without shutdown is early, and nothing after it is read`() throws {
        var server = server()
        server.receive(Editor.framed(#"{"jsonrpc":"2.0","method":"exit"}"#) + Editor.framed(Self.initialize))
        #expect(server.end == .early)
        #expect(server.takeOutput() == [])
    }

    @Test func `open documents have a limit together`() throws {
        var limits = LanguageServerLimits()
        limits.openByteCount = 10_000
        let editor = try Editor(limits: limits)
        try editor.open("a.wire", String(repeating: " ", count: 8000))
        try editor.open("b.wire", "message Cs_1 {}")
        #expect(editor.notifications.last?["method"] == "window/showMessage")
        #expect(try editor.response("hover", "b.wire")["error"]?["code"] == -32602)
        try editor.change("a.wire", [["text": .string(String(repeating: " ", count: 10_000))]])
        #expect(editor.notifications.contains { $0["method"] == "window/showMessage" })
        try editor.open("b.wire", "message Cs_1 {}")
        #expect(editor.problems("b.wire") == [])
    }
}
