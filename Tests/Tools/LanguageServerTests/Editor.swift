// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineSchema
import wire

/// An editor that talks to a language server in memory.
///
/// In texts, `‸` marks the cursor; it is not part of the text.
final class Editor {
    private(set) var server: LanguageServer
    /// What the server has sent without being asked, oldest first.
    private(set) var notifications: [JSONValue] = []
    let disk = Disk()
    private var cursors: [String: JSONValue] = [:]
    private var requestCount = 0

    /// The files that the server can read, by path.
    final class Disk {
        var files: [String: String] = [:]
        var faults: [String] = []

        func contents(of folder: String) -> FolderContents {
            let inside = files.filter { $0.key.hasPrefix(folder + "/") }
            return FolderContents(
                files: inside.map {
                    SourceFile(path: String($0.key.dropFirst(folder.count + 1)), bytes: Array($0.value.utf8))
                },
                faults: faults)
        }
    }

    /// Makes an editor that has started the conversation.
    ///
    /// - Parameters:
    ///   - files: Texts of `/P/`, which are opened.
    ///   - closed: Texts of `/P/`, which are only on disk.
    init(
        _ files: KeyValuePairs<String, String> = [:], closed: KeyValuePairs<String, String> = [:],
        capabilities: JSONValue = [:], limits: LanguageServerLimits = LanguageServerLimits()
    ) throws {
        let disk = disk
        server = LanguageServer(version: "1", limits: limits) { disk.contents(of: $0) }
        for (name, text) in closed { disk.files["/P/" + name] = text }
        _ = try request("initialize", ["processId": .null, "rootUri": .null, "capabilities": capabilities])
        try notify("initialized", [:])
        for (name, text) in files { try open(name, text) }
    }

    // MARK: Documents

    static func uri(_ name: String) -> String { "file:///P/" + name }

    func open(_ name: String, _ text: String) throws {
        let (text, cursor) = Self.withoutCursor(text)
        cursors[name] = cursor
        try notify(
            "textDocument/didOpen",
            [
                "textDocument": [
                    "uri": .string(Self.uri(name)), "languageId": "wire", "version": 1, "text": .string(text),
                ]
            ])
    }

    /// Replaces a document's text.
    func replace(_ name: String, _ text: String, version: Int128 = 2) throws {
        let (text, cursor) = Self.withoutCursor(text)
        cursors[name] = cursor
        try change(name, [["text": .string(text)]], version: version)
    }

    func change(_ name: String, _ changes: JSONValue, version: Int128 = 2) throws {
        try notify(
            "textDocument/didChange",
            [
                "textDocument": ["uri": .string(Self.uri(name)), "version": .integer(version)],
                "contentChanges": changes,
            ])
    }

    func close(_ name: String) throws {
        try notify("textDocument/didClose", ["textDocument": ["uri": .string(Self.uri(name))]])
    }

    private static func withoutCursor(_ text: String) -> (String, JSONValue?) {
        guard let range = text.firstRange(of: "‸") else { return (text, nil) }
        let before = text[..<range.lowerBound].split(separator: "\n", omittingEmptySubsequences: false)
        let character = before.last?.utf16.count ?? 0
        let position: JSONValue = [
            "line": .integer(Int128(before.count - 1)), "character": .integer(Int128(character)),
        ]
        return (text.replacing("‸", with: ""), position)
    }

    // MARK: Messages

    /// Returns the result of a request about the cursor of a document.
    func result(_ method: String, _ name: String, _ more: KeyValuePairs<String, JSONValue> = [:]) throws -> JSONValue {
        try #require(try response(method, name, more)["result"])
    }

    /// Returns the response to a request about the cursor of a document.
    func response(_ method: String, _ name: String, _ more: KeyValuePairs<String, JSONValue> = [:]) throws -> JSONValue
    {
        var members = [JSONValue.Member("textDocument", ["uri": .string(Self.uri(name))])]
        if let cursor = cursors[name] { members.append(.init("position", cursor)) }
        members += more.map { JSONValue.Member($0.key, $0.value) }
        return try request("textDocument/" + method, .object(members))
    }

    func request(_ method: String, _ params: JSONValue) throws -> JSONValue {
        requestCount += 1
        let id = JSONValue.integer(Int128(requestCount))
        let answers = try exchange(["jsonrpc": "2.0", "id": id, "method": .string(method), "params": params])
        let (responses, others) = (answers.filter { $0["id"] == id }, answers.filter { $0["id"] != id })
        notifications += others
        try #require(responses.count == 1)
        return responses[0]
    }

    func notify(_ method: String, _ params: JSONValue) throws {
        notifications += try exchange(["jsonrpc": "2.0", "method": .string(method), "params": params])
    }

    /// Sends a message and returns what comes back, with what the server tells when nothing more arrives.
    private func exchange(_ message: JSONValue) throws -> [JSONValue] {
        server.receive(Self.framed(message.description))
        server.publishProblems()
        return try Self.messages(in: server.takeOutput())
    }

    static func framed(_ text: String) -> [UInt8] {
        Array("Content-Length: \(text.utf8.count)\r\n\r\n\(text)".utf8)
    }

    /// Returns the messages in a server's output.
    static func messages(in bytes: [UInt8]) throws -> [JSONValue] {
        var messages: [JSONValue] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let end = try #require(
                rest.indices.dropLast(3).first { rest[$0..<$0 + 4].elementsEqual([13, 10, 13, 10]) })
            let header = String(decoding: rest[..<end], as: UTF8.self)
            let count = try #require(Int(header.dropFirst("Content-Length: ".count)))
            rest = rest[(end + 4)...]
            messages.append(try JSONValue(parsing: Array(rest.prefix(count))))
            rest = rest.dropFirst(count)
        }
        return messages
    }

    // MARK: Diagnostics

    /// The last diagnostics of a document: severity, first line and character, and the message's first line.
    func problems(_ name: String) -> [String]? {
        let mine = notifications.last {
            $0["method"] == "textDocument/publishDiagnostics" && $0["params"]?["uri"] == .string(Self.uri(name))
        }
        guard case .array(let list)? = mine?["params"]?["diagnostics"] else { return nil }
        return list.map { item in
            let start = item["range"]?["start"]
            guard case .string(let text)? = item["message"] else { return "" }
            let line = text.split(separator: "\n").first ?? ""
            return "\(item["severity"] ?? .null) \(start?["line"] ?? .null):\(start?["character"] ?? .null) \(line)"
        }
    }
}
