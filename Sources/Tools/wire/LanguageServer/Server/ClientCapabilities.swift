// SPDX-License-Identifier: Apache-2.0

import WirelineSchema

/// The features that the client announces in `initialize` (LSP 3.17, "ClientCapabilities").
struct ClientCapabilities {
    var encoding = PositionEncoding.utf16
    /// Whether hover texts may be Markdown.
    var showsMarkdown = false
    /// Whether a diagnostic may have related locations.
    var showsRelatedPlaces = false
    /// Whether the client can watch files for the server.
    var watchesFiles = false
    /// Whether an edit may name the version of a document.
    var editsVersions = false
    /// Whether document symbols may be nested.
    var nestsSymbols = false

    init() {}

    init(_ params: JSONValue) {
        let all = params["capabilities"] ?? .null
        let encodings = all.at("general", "positionEncodings")?.items?.compactMap(\.text) ?? []
        if encodings.contains(PositionEncoding.utf8.rawValue) { encoding = .utf8 }
        let document = all["textDocument"] ?? .null
        showsMarkdown = document.at("hover", "contentFormat")?.items?.contains("markdown") ?? false
        showsRelatedPlaces = document.at("publishDiagnostics", "relatedInformation")?.isTrue ?? false
        nestsSymbols = document.at("documentSymbol", "hierarchicalDocumentSymbolSupport")?.isTrue ?? false
        let workspace = all["workspace"] ?? .null
        watchesFiles = workspace.at("didChangeWatchedFiles", "dynamicRegistration")?.isTrue ?? false
        editsVersions = workspace.at("workspaceEdit", "documentChanges")?.isTrue ?? false
    }
}
