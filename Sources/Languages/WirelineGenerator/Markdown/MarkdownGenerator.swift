// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
public import WirelineLanguage
public import WirelineSwiftGenerator

/// Generates one file of documentation for a protocol, in GitHub's Markdown.
///
/// It has the content of the page of ``HTMLGenerator``, without the search. The same description gives the same bytes.
public struct MarkdownGenerator: Sendable {
    private let description: ProtocolDescription

    /// Makes a generator for a protocol, as returned by the checker.
    public init(_ description: ProtocolDescription) { self.description = description }

    /// Returns the file, named after the protocol: `Scene.md`.
    public func files() -> [GeneratedFile] {
        let page = MarkdownPage(DocumentMaker(description).document())
        return [GeneratedFile(path: DocumentText.fileName(of: description.name) + ".md", text: page.text())]
    }
}
