// SPDX-License-Identifier: Apache-2.0

import WirelineSchema

/// A server of the Language Server Protocol 3.17 for `.wire` files. It does no I/O: the caller passes bytes in and out.
///
/// The server handles messages in the order of arrival, each one completely. Input that it cannot parse is answered
/// with a JSON-RPC error.
package struct LanguageServer {
    enum Phase: Equatable {
        case new, running
        /// After `shutdown`. Only `exit` may follow.
        case shutDown
        case ended(End)
    }

    package enum End: Equatable, Sendable {
        /// `shutdown` was received before `exit` or the end of the input, or the input ended before `initialize`.
        case orderly
        /// Any other end.
        case early
    }

    let version: String
    let limits: LanguageServerLimits
    let readFolder: (String) -> FolderContents
    var phase = Phase.new
    var capabilities = ClientCapabilities()
    var documents: [String: OpenDocument] = [:]
    /// The projects with open documents, by folder, or by URI if the document is not a file.
    var projects: [String: Project] = [:]
    private var framer: MessageFramer
    private var output: [UInt8] = []

    /// - Parameters:
    ///   - version: The server's version, for `initialize`.
    ///   - readFolder: Reads the `.wire` files of a folder.
    package init(
        version: String, limits: LanguageServerLimits = LanguageServerLimits(),
        readFolder: @escaping (String) -> FolderContents
    ) {
        self.version = version
        self.limits = limits
        self.readFolder = readFolder
        framer = MessageFramer(limit: limits.messageByteCount)
    }

    /// How the conversation ended; nil before its end.
    package var end: End? { if case .ended(let end) = phase { end } else { nil } }

    // MARK: Input and output

    /// Takes bytes from the client. They can be cut anywhere.
    package mutating func receive(_ bytes: [UInt8]) {
        var input = bytes[...]
        while end == nil, let event = framer.next(from: &input) {
            switch event {
            case .message(let bytes): receiveMessage(bytes)
            case .dropped(let byteCount):
                let limit = limits.messageByteCount
                send(RPCError(.invalidRequest, "a message has \(byteCount) bytes, \(limit) are allowed"))
            case .broken(let reason):
                send(RPCError(.parseError, reason))
                phase = .ended(.early)
            }
        }
    }

    package mutating func receiveEnd() {
        if end == nil { phase = .ended(phase == .running ? .early : .orderly) }
    }

    /// Returns the bytes to send to the client, and empties the buffer.
    package mutating func takeOutput() -> [UInt8] {
        defer { output = [] }
        return output
    }

    private mutating func receiveMessage(_ bytes: [UInt8]) {
        do throws(RPCError) {
            switch try RPCMessage(bytes) {
            case .request(let id, let method, let params): respond(to: id, method, params)
            case .notification(let method, let params): receive(method, params)
            case .response: break
            }
        } catch {
            send(error)
        }
    }

    // MARK: Requests

    private mutating func respond(to id: JSONValue, _ method: String, _ params: JSONValue) {
        do throws(RPCError) {
            let result = try result(of: method, params)
            send(["jsonrpc": "2.0", "id": id, "result": result])
        } catch {
            send(RPCError(error.code, error.message, id: id))
        }
    }

    private mutating func result(of method: String, _ params: JSONValue) throws(RPCError) -> JSONValue {
        switch phase {
        case .new where method == "initialize": return initialize(params)
        case .new: throw RPCError(.serverNotInitialized, "`initialize` comes first")
        case .running: break
        case .shutDown, .ended: throw RPCError(.invalidRequest, "only `exit` may follow `shutdown`")
        }
        switch method {
        case "initialize": throw RPCError(.invalidRequest, "a second `initialize`")
        case "shutdown":
            phase = .shutDown
            return .null
        case "textDocument/hover": return try hover(params)
        case "textDocument/definition": return try definition(params)
        case "textDocument/references": return try references(params)
        case "textDocument/documentHighlight": return try highlights(params)
        case "textDocument/documentSymbol": return try symbols(params)
        case "textDocument/completion": return try completion(params)
        case "textDocument/formatting": return try formatting(params)
        case "textDocument/prepareRename": return try renamingPlace(params)
        case "textDocument/rename": return try renaming(params)
        case "workspace/symbol": return try symbolsOfWorkspace(params)
        default: throw RPCError(.methodNotFound, "there is no request \(shown(method))")
        }
    }

    /// Handles a notification. A faulty or unknown one is ignored, because notifications have no response.
    private mutating func receive(_ method: String, _ params: JSONValue) {
        if method == "exit" {
            phase = .ended(phase == .shutDown ? .orderly : .early)
            return
        }
        guard phase == .running else { return }
        switch method {
        case "initialized": watchFiles()
        case "textDocument/didOpen": open(params)
        case "textDocument/didChange": change(params)
        case "textDocument/didSave": save(params)
        case "textDocument/didClose": close(params)
        case "workspace/didChangeWatchedFiles": readFoldersAgain(params)
        default: break
        }
    }

    private func shown(_ method: String) -> String { "`\(method.prefix(100))`" }

    // MARK: Sending

    mutating func notify(_ method: String, _ params: JSONValue) {
        send(["jsonrpc": "2.0", "method": .string(method), "params": params])
    }

    mutating func send(_ message: JSONValue) {
        let text = message.description
        output += Array("Content-Length: \(text.utf8.count)\r\n\r\n".utf8)
        output += Array(text.utf8)
    }

    private mutating func send(_ error: RPCError) {
        send([
            "jsonrpc": "2.0", "id": error.id ?? .null,
            "error": ["code": .integer(Int128(error.code.rawValue)), "message": .string(error.message)],
        ])
    }
}
