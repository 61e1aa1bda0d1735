// SPDX-License-Identifier: Apache-2.0

import WirelineSchema

extension LanguageServer {
    /// Returns what this server can do (LSP 3.17, "ServerCapabilities").
    mutating func initialize(_ params: JSONValue) -> JSONValue {
        capabilities = ClientCapabilities(params)
        phase = .running
        return [
            "capabilities": [
                "positionEncoding": .string(capabilities.encoding.rawValue),
                // 2: documents are changed in parts.
                "textDocumentSync": ["openClose": true, "change": 2, "save": true],
                "hoverProvider": true,
                "completionProvider": ["triggerCharacters": ["@", "(", "["]],
                "definitionProvider": true,
                "referencesProvider": true,
                "documentHighlightProvider": true,
                "documentSymbolProvider": true,
                "workspaceSymbolProvider": true,
                "documentFormattingProvider": true,
                "renameProvider": ["prepareProvider": true],
            ],
            "serverInfo": ["name": "wire", "version": .string(version)],
        ]
    }

    /// Asks the client to tell about `.wire` files that other programs change.
    mutating func watchFiles() {
        guard capabilities.watchesFiles else { return }
        let registration: JSONValue = [
            "id": "wire-files", "method": "workspace/didChangeWatchedFiles",
            "registerOptions": ["watchers": [["globPattern": "**/*.wire"]]],
        ]
        send([
            "jsonrpc": "2.0", "id": "wire-files", "method": "client/registerCapability",
            "params": ["registrations": [registration]],
        ])
    }
}
