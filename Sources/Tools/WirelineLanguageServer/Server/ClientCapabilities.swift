// SPDX-License-Identifier: Apache-2.0

import WirelineSchema

/// What the client has said that it can do (LSP 3.17, "ClientCapabilities").
struct ClientCapabilities {
    var encoding = PositionEncoding.utf16
    /// Whether hovers may be Markdown.
    var showsMarkdown = false
    /// Whether diagnostics may have related places.
    var showsRelatedPlaces = false
    /// Whether it watches files for us.
    var watchesFiles = false
    /// Whether edits may name versions.
    var editsVersions = false
    /// Whether lists of symbols may nest.
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
