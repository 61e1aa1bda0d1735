// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import WirelineSchema

/// A folder with a schema, by default under `Tests/Conformance/GeneratedTypes/`.
struct SchemaFolder {
    let name: String
    let files: [SourceFile]
    let description: ProtocolDescription

    static let generatedTypes = Checkout.url("Tests/Conformance/GeneratedTypes")
    /// The protocols that come with the package.
    static let protocols = Checkout.url("Protocols")

    /// Reads and checks a folder, which must have no errors. Names and types with warnings are tested, too.
    init(_ name: String, under parent: URL = generatedTypes) throws {
        self.name = name
        let folder = parent.appending(path: name)
        files = try Self.names(in: folder).filter { $0.hasSuffix(".wire") }.map { file in
            SourceFile(path: file, bytes: Array(try Data(contentsOf: folder.appending(path: file))))
        }
        let result = ProtocolDescription.check(name: name, files: files)
        #expect(!result.diagnostics.contains { $0.severity == .error })
        description = try #require(result.description)
    }

    /// The names of the files in a folder, sorted.
    static func names(in folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}
