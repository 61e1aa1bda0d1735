// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProtocolsSupport
import Testing
import WirelineCodec
import WirelineGenerator
import WirelineSchema

/// The table of languages and protocols in README.md says what the generators do.
struct LanguageMatrixTests {
    /// The languages of the table. The generator of Swift refuses nothing; the tests of the others generate all protocols.
    private static let languages = "Swift, Erlang, TypeScript, Lua, Python, Java, C#, Go"

    @Test func `README says which protocols each language can have`() throws {
        let layered = ProtocolFolder.all.filter(\.hasLayers)
        let stateful = ProtocolFolder.all.filter { !$0.hasLayers && Self.hasStates($0) }
        let plain = ProtocolFolder.all.filter { !$0.hasLayers && !Self.hasStates($0) }
        let both = layered.count(where: Self.hasStates)
        let rows = [
            ("packets of any shape: \(plain.count) protocols", plain),
            ("packets that depend on states of the connection: \(stateful.count) protocols", stateful),
            ("layers of compression and ciphers: \(layered.count) protocols, \(both) of them with states", layered),
        ]
        let table =
            ["| | \(Self.languages) |", "|---|---|"]
            + (try rows.map { name, folders in "| \(name) | \(try Self.cell(folders)) |" })
        let readme = try String(contentsOf: ProtocolFolder.root.appending(path: "README.md"), encoding: .utf8)
        #expect(readme.contains(table.joined(separator: "\n") + "\n"), "\(table.joined(separator: "\n"))")
        #expect(readme.contains("the golden vectors of \(ProtocolFolder.all.count) protocols"))
    }

    private static func hasStates(_ folder: ProtocolFolder) -> Bool { folder.translator.description.layout.hasStates }

    /// What all languages do with all these protocols; empty if they differ.
    private static func cell(_ folders: [ProtocolFolder]) throws -> String {
        let names = Set(folders.map(\.name))
        let languages: [Language] = [.typeScript, .lua, .python, .java, .cSharp, .go]
        let areAll = try languages.allSatisfy { language in
            names.isSubset(of: try language.generatedCode().map(\.source.name))
        }
        _ = folders.map { ErlangGenerator($0.translator.description).files() }
        return areAll ? "yes" : ""
    }
}
