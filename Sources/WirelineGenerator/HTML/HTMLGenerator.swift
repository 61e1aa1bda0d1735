// SPDX-License-Identifier: Apache-2.0

public import WirelineSchema

/// Makes one page of documentation of a protocol.
///
/// The page is whole in itself: styles and script stand in it, it loads nothing, and its policy forbids that it does.
/// Everything can be read without the script; with it, messages, types and fields are found by name, by ID (decimal or
/// hexadecimal) and by the words of their comments. The same description gives the same bytes.
///
/// Values of `@sensitive` fields are shown nowhere: neither in examples, as text or as bytes, nor as defaults.
public struct HTMLGenerator: Sendable {
    private let description: ProtocolDescription

    /// Makes a generator of a protocol, as the checker made it.
    public init(_ description: ProtocolDescription) {
        self.description = description
    }

    /// The page, called like the protocol: `Scene.html`. Of the name, what is no letter, digit, `_`, `+` or `-` is a `-`.
    public func files() -> [GeneratedFile] {
        let page = HTMLPage(DocumentMaker(description).document())
        let name = DocumentText.fileName(of: description.name)
        return [GeneratedFile(path: name + ".html", text: page.text())]
    }
}
