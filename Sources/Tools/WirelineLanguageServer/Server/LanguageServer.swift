// SPDX-License-Identifier: Apache-2.0

import WirelineSchema

/// A server of the Language Server Protocol 3.17 for `.wire` files, without input and output: bytes in, bytes out.
///
/// Messages are handled in the order in which they arrive, each one to its end. Any input gives a result: messages, or
/// errors as JSON-RPC wants them.
package struct LanguageServer {
    /// How far the conversation has come.
    enum Phase: Equatable {
        case new, running
        /// The client has asked for the end; only `exit` may follow.
        case shutDown
        case ended(End)
    }

    /// How the conversation ended.
    package enum End: Equatable, Sendable {
        /// By `shutdown` and then `exit` or the end of the input, or by the end of the input before `initialize`.
        case orderly
        /// In any other way.
        case early
    }

    let version: String
    let limits: LanguageServerLimits
    let readFolder: (String) -> FolderContents
    var phase = Phase.new
    var capabilities = ClientCapabilities()
    var documents: [String: OpenDocument] = [:]
    /// The open protocols, by folder or by the address of a document that is not a file.
    var projects: [String: Project] = [:]
    private var framer: MessageFramer
    private var output: [UInt8] = []

    /// - Parameters:
    ///   - version: What the server says about itself.
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

    /// How the conversation ended; nil while it lasts.
    package var end: End? { if case .ended(let end) = phase { end } else { nil } }

    // MARK: Input and output

    /// Takes bytes from the client, in pieces of any length.
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

    /// Takes the end of the input.
    package mutating func receiveEnd() {
        if end == nil { phase = .ended(phase == .running ? .early : .orderly) }
    }

    /// Returns the bytes for the client, and forgets them.
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

    /// Handles a notification; a faulty or unknown one is ignored.
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
