// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProtocolsSupport
import Testing
import WirelineCodec
import WirelineGenerator
import WirelineSchema

/// The table of languages and protocols in README.md says what the generators do.
struct LanguageMatrixTests {
    private typealias Generate = @Sendable (ProtocolDescription) throws -> Void

    /// The table's columns, with generators of their languages. That of Swift refuses nothing.
    private static let columns: [(languages: String, generators: [Generate])] = [
        (
            "Swift, Erlang, TypeScript, Lua, Python, Java, C#, Go",
            [
                { _ = ErlangGenerator($0).files() }, { _ = try TypeScriptGenerator($0).files() },
                { _ = try LuaGenerator($0).files() }, { _ = try PythonGenerator($0).files() },
                { _ = try JavaGenerator($0).files() }, { _ = try CSharpGenerator($0).files() },
                { _ = try GoGenerator($0).files() },
            ]
        )
    ]

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
            ["| | " + Self.columns.map(\.languages).joined(separator: " | ") + " |", "|---|---|"]
            + rows.map { name, folders in
                "| \(name) | " + Self.columns.map { Self.cell($0.generators, folders) }.joined(separator: " | ") + " |"
            }
        let readme = try String(contentsOf: ProtocolFolder.root.appending(path: "README.md"), encoding: .utf8)
        #expect(readme.contains(table.joined(separator: "\n") + "\n"), "\(table.joined(separator: "\n"))")
        #expect(readme.contains("the golden vectors of \(ProtocolFolder.all.count) protocols"))
    }

    private static func hasStates(_ folder: ProtocolFolder) -> Bool { folder.translator.description.layout.hasStates }

    /// What all these languages do with all these protocols; empty if they differ.
    private static func cell(_ generators: [Generate], _ folders: [ProtocolFolder]) -> String {
        let verdicts = Set(
            generators.flatMap { generate in
                folders.map { (try? generate($0.translator.description)) == nil ? "refused" : "yes" }
            })
        return verdicts.count == 1 ? verdicts.first ?? "" : ""
    }
}
