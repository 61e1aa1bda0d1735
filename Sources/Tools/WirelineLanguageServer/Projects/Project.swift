// SPDX-License-Identifier: Apache-2.0

import WirelineGenerator
import WirelineSchema

/// A folder with at least one open document: one protocol.
final class Project {
    /// The folder's path; nil if the document is not a file.
    let folder: String?
    /// The protocol's name.
    let name: String
    /// The open documents by the names of their files.
    private(set) var open: [String: OpenDocument] = [:]
    /// What the client was told about each file.
    var published: [String: Publication] = [:]
    /// Whether the client must be told about problems.
    private(set) var hasChanged = true
    /// Whether the folder must be read again.
    private var isStale = true
    private var onDisk = FolderContents()
    private var checked: SchemaAnalysis?
    private var hovers: MarkdownHover?

    /// The last diagnostics of a file.
    struct Publication: Equatable {
        var uri: String
        var version: Int?
        var diagnostics: JSONValue
    }

    init(folder: String?, name: String) {
        self.folder = folder
        self.name = name
    }

    // MARK: Changes

    func update(_ document: OpenDocument) {
        open[document.name] = document
        forget()
    }

    func close(_ name: String) {
        open[name] = nil
        readAgain()
    }

    /// Lets the folder be read again when its files are needed next.
    func readAgain() {
        isStale = true
        forget()
    }

    func markPublished() { hasChanged = false }

    private func forget() {
        checked = nil
        hovers = nil
        hasChanged = true
    }

    // MARK: Contents

    /// Returns the checked files.
    ///
    /// - Parameters:
    ///   - read: Reads a folder.
    ///   - onFault: Called with the reason if a file cannot be read.
    func analysis(
        reading read: (String) -> FolderContents, onFault: (String) -> Void
    ) -> SchemaAnalysis {
        if let checked { return checked }
        if isStale, let folder {
            onDisk = read(folder)
            for fault in onDisk.faults { onFault(fault) }
        }
        isStale = false
        let closed = onDisk.files.filter { open[$0.path] == nil }
        let opened = open.values.map { SourceFile(path: $0.name, bytes: $0.text.bytes) }
        let analysis = SchemaAnalysis(name: name, files: closed + opened)
        checked = analysis
        return analysis
    }

    /// Returns the texts about names of a valid protocol.
    func hover(_ description: ProtocolDescription) -> MarkdownHover {
        if let hovers { return hovers }
        let made = MarkdownHover(description)
        hovers = made
        return made
    }

    /// Returns the address of a file in the client's spelling, or in ours if it is not open.
    func uri(of name: String) -> String {
        if let document = open[name] { return document.uri }
        return DocumentURI.uri(ofPath: (folder ?? "") + "/" + name)
    }
}
