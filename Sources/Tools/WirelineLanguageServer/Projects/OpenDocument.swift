// SPDX-License-Identifier: Apache-2.0

import WirelineSchema

/// A document that the client edits; its text is the truth, not the file's.
struct OpenDocument {
    /// The address in the client's spelling.
    let uri: String
    /// The key of its project.
    let project: String
    /// The name of its file.
    let name: String
    private(set) var text: SourceText
    private(set) var version: Int

    /// What it costs: its text, its address, and what an empty one takes.
    var heldByteCount: Int { text.bytes.count + uri.utf8.count + 1024 }

    init(uri: String, project: String, name: String, text: String, version: Int) {
        self.uri = uri
        self.project = project
        self.name = name
        self.text = SourceText(SourceFile(path: name, bytes: Array(text.utf8)))
        self.version = version
    }

    /// Applies changes in their order: each one replaces a range of the text after the changes before it, or all.
    mutating func apply(
        _ changes: [JSONValue], version: Int, in encoding: PositionEncoding
    ) throws(RPCError) {
        var text = self.text
        for change in changes {
            let replacement = try change.requiredText("text")
            let bytes = Array(replacement.utf8)
            if let range = change["range"], !range.isNull {
                let start = text.offset(of: try TextPosition(range["start"]), in: encoding)
                let end = text.offset(of: try TextPosition(range["end"]), in: encoding)
                guard start <= end else { throw RPCError(.invalidParams, "a range ends before it starts") }
                text.replace(start..<end, with: bytes)
            } else {
                text = SourceText(SourceFile(path: name, bytes: bytes))
            }
        }
        self.text = text
        self.version = version
    }
}
