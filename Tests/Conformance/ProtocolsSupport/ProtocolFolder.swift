// SPDX-License-Identifier: Apache-2.0

package import Foundation
import TestingSupport
package import WirelineSchema

/// One folder under `Protocols/`.
package struct ProtocolFolder: Sendable {
    package let url: URL
    /// Reads and writes packets by the folder's description.
    package let translator: PacketTranslator
    /// What checking its files found.
    package let problems: String

    package var name: String { url.lastPathComponent }

    /// All that hold `.wire` files, by name.
    package static let all: [ProtocolFolder] = children(of: Checkout.url("Protocols"))
        .filter { folder in children(of: folder).contains { $0.pathExtension == "wire" } }
        .map(ProtocolFolder.init)

    /// Whether packets have layers, or packets inside.
    package var hasLayers: Bool { translator.hasContent }

    /// What the language can say and no real protocol needs; it has no vectors.
    package static let features = ProtocolFolder(Checkout.url("Tests/Conformance/GeneratedTypes/Features"))

    /// Names that are hard for languages, and no protocol's.
    package static let names = ProtocolFolder(Checkout.url("Tests/Conformance/GeneratedTypes/Names"))

    /// One layer, whose keystream goes on from packet to packet.
    package static let ciphers = ProtocolFolder(Checkout.url("Tests/Conformance/GeneratedTypes/Ciphers"))

    /// The folder with this name.
    package static func named(_ name: String) throws(UnknownProtocol) -> ProtocolFolder {
        guard let folder = (all + [features]).first(where: { $0.name == name }) else {
            throw UnknownProtocol(name: name)
        }
        return folder
    }

    /// Reads and checks a folder; one with errors has no messages here, and a test of its own says so.
    private init(_ url: URL) {
        self.url = url
        let name = url.lastPathComponent
        let sources = Self.children(of: url).filter { $0.pathExtension == "wire" }.map { file in
            SourceFile(path: "\(name)/\(file.lastPathComponent)", bytes: Array((try? Data(contentsOf: file)) ?? Data()))
        }
        let result = ProtocolDescription.check(name: name, files: sources)
        problems = result.renderedDiagnostics()
        translator = PacketTranslator(result.description ?? ProtocolDescription(name: name))
    }

    package func files(extension pathExtension: String, in folder: String = "") -> [URL] {
        Self.children(of: folder.isEmpty ? url : url.appending(path: folder))
            .filter { $0.pathExtension == pathExtension }
    }

    private static func children(of folder: URL) -> [URL] {
        let found = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return (found ?? []).sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    }
}

/// There is no folder, or no module, of this name.
package struct UnknownProtocol: Error, Equatable {
    package let name: String
}
