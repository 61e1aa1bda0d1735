// SPDX-License-Identifier: Apache-2.0

import WirelineSchema

extension LanguageServer {
    mutating func open(_ params: JSONValue) {
        guard let item = params["textDocument"], let uri = item["uri"]?.text, let text = item["text"]?.text,
            let version = item["version"]?.wholeNumber
        else { return }
        let (key, folder, name) = Self.place(of: uri)
        let document = OpenDocument(uri: uri, project: key, name: name, text: text, version: version)
        guard hasRoom(for: document) else {
            return show("\(uri) is not opened: open documents may have \(limits.openByteCount) bytes together")
        }
        documents[uri] = document
        let project = projects[key] ?? Project(folder: folder, name: Self.lastPart(of: folder ?? name))
        projects[key] = project
        project.update(document)
    }

    mutating func change(_ params: JSONValue) {
        guard let item = params["textDocument"], let uri = item["uri"]?.text,
            let version = item["version"]?.wholeNumber,
            let changes = params["contentChanges"]?.items, var document = documents[uri]
        else { return }
        // A change that does not fit the text leaves the document unchanged: client and server no longer agree on the
        // text.
        guard (try? document.apply(changes, version: version, in: capabilities.encoding)) != nil else {
            return show("a change of \(uri) makes no sense")
        }
        guard hasRoom(for: document) else {
            close(params)
            return show("\(uri) is closed: open documents may have \(limits.openByteCount) bytes together")
        }
        documents[uri] = document
        projects[document.project]?.update(document)
    }

    private func hasRoom(for document: OpenDocument) -> Bool {
        documents.values.reduce(0) { $1.uri == document.uri ? $0 : $0 + $1.heldByteCount } + document.heldByteCount
            <= limits.openByteCount
    }

    mutating func save(_ params: JSONValue) {
        guard let uri = params.at("textDocument", "uri")?.text, let document = documents[uri] else { return }
        projects[document.project]?.readAgain()
    }

    mutating func close(_ params: JSONValue) {
        guard let uri = params.at("textDocument", "uri")?.text, let document = documents.removeValue(forKey: uri) else {
            return
        }
        projects[document.project]?.close(document.name)
    }

    mutating func readFoldersAgain(_ params: JSONValue) {
        for change in params["changes"]?.items ?? [] {
            guard let uri = change["uri"]?.text else { continue }
            projects[Self.place(of: uri).key]?.readAgain()
        }
    }

    mutating func show(_ message: String) {
        // The type 1 is an error (LSP 3.17, "MessageType").
        notify("window/showMessage", ["type": 1, "message": .string("wire: " + message)])
    }

    // MARK: Projects

    /// Returns the project of a document. All files of a folder belong to one project; any other URI is its own
    /// project.
    private static func place(of uri: String) -> (key: String, folder: String?, name: String) {
        guard let path = DocumentURI.path(of: uri), let slash = path.lastIndex(of: "/") else {
            return (uri, nil, lastPart(of: uri))
        }
        let folder = String(path[..<slash])
        return (folder, folder, String(path[path.index(after: slash)...]))
    }

    private static func lastPart(of path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }

    /// Returns a project's checked files, and shows the client which files cannot be read.
    mutating func analysis(of project: Project) -> SchemaAnalysis {
        var faults: [String] = []
        let analysis = project.analysis(reading: readFolder, onFault: { faults.append($0) })
        for fault in faults { show(fault) }
        return analysis
    }

    struct RequestLocation {
        let project: Project
        let analysis: SchemaAnalysis
        let file: Int
        let offset: Int

        var source: SourceText { analysis.sources[file] }
    }

    func document(_ params: JSONValue) throws(RPCError) -> OpenDocument {
        let uri = try (params["textDocument"] ?? .null).requiredText("uri")
        guard let document = documents[uri] else { throw RPCError(.invalidParams, "\(uri) is not open") }
        return document
    }

    /// Returns the position that a request is about, or the start of its document if requests of its kind have none.
    mutating func place(_ params: JSONValue, hasPosition: Bool = true) throws(RPCError) -> RequestLocation {
        let document = try document(params)
        let offset =
            hasPosition
            ? document.text.offset(of: try TextPosition(params["position"]), in: capabilities.encoding) : 0
        guard let project = projects[document.project] else {
            throw RPCError(.invalidParams, "\(document.uri) is not open")
        }
        let analysis = analysis(of: project)
        guard let file = analysis.file(document.name) else {
            throw RPCError(.requestFailed, "\(document.uri) is open under another name")
        }
        return RequestLocation(project: project, analysis: analysis, file: file, offset: offset)
    }
}
