// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WirelineSchema

/// One folder under `Protocols/`.
struct ProtocolFolder: Sendable, CustomTestStringConvertible {
    let url: URL

    var name: String { url.lastPathComponent }
    var testDescription: String { name }

    /// The package's own folder.
    static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// All that hold `.wire` files, by name.
    static let all: [ProtocolFolder] = children(of: package.appending(path: "Protocols"))
        .map(ProtocolFolder.init)
        .filter { !$0.files(extension: "wire").isEmpty }

    init(_ url: URL) {
        self.url = url
    }

    init(named name: String) {
        url = Self.package.appending(path: "Protocols").appending(path: name)
    }

    func files(extension pathExtension: String, in folder: String = "") -> [URL] {
        Self.children(of: folder.isEmpty ? url : url.appending(path: folder))
            .filter { $0.pathExtension == pathExtension }
    }

    func check() throws -> CheckResult {
        let sources = try files(extension: "wire").map { file in
            SourceFile(path: "\(name)/\(file.lastPathComponent)", bytes: Array(try Data(contentsOf: file)))
        }
        return ProtocolDescription.check(name: name, files: sources)
    }

    func description() throws -> ProtocolDescription {
        try #require(try check().description)
    }

    private static func children(of folder: URL) -> [URL] {
        let found = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return (found ?? []).sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    }
}
