// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec
public import WirelineLanguage
public import WirelineSwiftGenerator

/// Generates one page of documentation for a protocol.
///
/// The page contains its styles and script. It loads nothing, and its content policy forbids loading. It is complete
/// without the script. The script finds messages, types and fields by name, by ID (decimal or hexadecimal) and by the
/// words of their comments. The same description gives the same bytes.
///
/// Two more scripts read and write packets in the page: the JavaScript of ``TypeScriptGenerator``, and a tool that uses
/// it. They also open and seal layers, with keys that a reader enters.
///
/// Values of `@sensitive` fields are never shown: neither in examples, as text or bytes, nor as defaults.
public struct HTMLGenerator: Sendable {
    private let description: ProtocolDescription

    /// Makes a generator for a protocol, as returned by the checker.
    public init(_ description: ProtocolDescription) { self.description = description }

    /// Returns the fragment of a page's address that makes the page show these bytes:
    /// `#from=client&state.phase=2&bytes=0001`. It contains no keys, because they are secret.
    ///
    /// - Parameter sender: The sender of the bytes; nil means the client.
    package static func fragment(
        showing bytes: [UInt8], from sender: Sender?, in states: PacketStates
    ) -> String {
        let states = states.names.map { "&state.\($0)=\(states[$0])" }.joined()
        return "#from=\((sender ?? .client).rawValue)\(states)&bytes=\(Hexadecimal.text(of: bytes))"
    }

    /// Returns the page, named after the protocol: `Scene.html`.
    ///
    /// In the name, every character except letters, digits, `_`, `+` and `-` becomes `-`.
    public func files() -> [GeneratedFile] {
        let page = HTMLPage(DocumentMaker(description).document(), HTMLTool(description))
        let name = DocumentText.fileName(of: description.name)
        return [GeneratedFile(path: name + ".html", text: page.text())]
    }
}
