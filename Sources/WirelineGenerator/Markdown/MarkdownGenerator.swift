// SPDX-License-Identifier: Apache-2.0

public import WirelineSchema

/// Makes one file of documentation of a protocol, in GitHub's Markdown.
///
/// It holds what the page of ``HTMLGenerator`` holds, but for the search. The same description gives the same bytes.
public struct MarkdownGenerator: Sendable {
    private let description: ProtocolDescription

    /// Makes a generator of a protocol, as the checker made it.
    public init(_ description: ProtocolDescription) {
        self.description = description
    }

    /// The file, called like the protocol: `Scene.md`.
    public func files() -> [GeneratedFile] {
        let page = MarkdownPage(DocumentMaker(description).document())
        return [GeneratedFile(path: DocumentText.fileName(of: description.name) + ".md", text: page.text())]
    }
}
