// SPDX-License-Identifier: Apache-2.0

import WirelineSchema

extension LanguageServer {
    /// Returns the server's features (LSP 3.17, "ServerCapabilities").
    mutating func initialize(_ params: JSONValue) -> JSONValue {
        capabilities = ClientCapabilities(params)
        phase = .running
        return [
            "capabilities": [
                "positionEncoding": .string(capabilities.encoding.rawValue),
                // The kind 2 sends only the changed ranges (LSP 3.17, "TextDocumentSyncKind").
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

    /// Asks the client to report `.wire` files that other programs change.
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
