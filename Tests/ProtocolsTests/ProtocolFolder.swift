// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WirelineSchema

/// One folder under `Protocols/`.
struct ProtocolFolder: Sendable, CustomTestStringConvertible {
    let url: URL
    /// Reads and writes packets by the folder's description.
    let translator: PacketTranslator
    /// What checking its files found.
    let problems: String

    var name: String { url.lastPathComponent }
    var testDescription: String { name }

    /// The package's own folder.
    static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// All that hold `.wire` files, by name.
    static let all: [ProtocolFolder] = children(of: package.appending(path: "Protocols"))
        .filter { folder in children(of: folder).contains { $0.pathExtension == "wire" } }
        .map(ProtocolFolder.init)

    /// The folder with this name.
    static func named(_ name: String) throws -> ProtocolFolder {
        try #require(all.first { $0.name == name })
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

    func files(extension pathExtension: String, in folder: String = "") -> [URL] {
        Self.children(of: folder.isEmpty ? url : url.appending(path: folder))
            .filter { $0.pathExtension == pathExtension }
    }

    private static func children(of folder: URL) -> [URL] {
        let found = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return (found ?? []).sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    }
}
