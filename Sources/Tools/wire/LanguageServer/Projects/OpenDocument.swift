// SPDX-License-Identifier: Apache-2.0

import WirelineSchema

/// A document that is open in the editor. Its text replaces that of the file on disk.
struct OpenDocument {
    /// The URI as the client writes it, which can differ from ours.
    let uri: String
    /// The project's key in ``LanguageServer/projects``.
    let project: String
    let name: String
    private(set) var text: SourceText
    private(set) var version: Int

    /// The memory that the document uses, in bytes: its text, its URI, and 1 KiB for everything else.
    var heldByteCount: Int { text.bytes.count + uri.utf8.count + 1024 }

    init(uri: String, project: String, name: String, text: String, version: Int) {
        self.uri = uri
        self.project = project
        self.name = name
        self.text = SourceText(SourceFile(path: name, bytes: Array(text.utf8)))
        self.version = version
    }

    /// Applies changes in order. Each one replaces a range of the text that the earlier changes have made, or the whole
    /// text.
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
