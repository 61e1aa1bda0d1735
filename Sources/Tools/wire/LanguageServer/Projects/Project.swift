// SPDX-License-Identifier: Apache-2.0

import WirelineGenerator
import WirelineSchema

/// A protocol: the `.wire` files of a folder, at least one of which is open.
final class Project {
    /// nil if the document is not a file.
    let folder: String?
    let name: String
    /// The open documents, by file name.
    private(set) var open: [String: OpenDocument] = [:]
    /// The diagnostics that the client has of each file, by file name.
    var published: [String: Publication] = [:]
    /// Whether the files have changed since the client was last told about problems.
    private(set) var hasChanged = true
    private var isStale = true
    private var onDisk = FolderContents()
    private var checked: SchemaAnalysis?
    private var hovers: MarkdownHover?

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

    /// Marks the folder as changed on disk. It is read when its files are needed next.
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

    /// Returns the checked files. The result is kept until a file changes.
    ///
    /// - Parameters:
    ///   - read: Reads a folder. It is called only if the folder has changed on disk.
    ///   - onFault: Called with the reason for each file that cannot be read.
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

    func hover(_ description: ProtocolDescription) -> MarkdownHover {
        if let hovers { return hovers }
        let made = MarkdownHover(description)
        hovers = made
        return made
    }

    /// Returns the URI of a file as the client writes it; if the file is not open, as this server writes it.
    func uri(of name: String) -> String {
        if let document = open[name] { return document.uri }
        return DocumentURI.uri(ofPath: (folder ?? "") + "/" + name)
    }
}
