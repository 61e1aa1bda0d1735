// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import WirelineGenerator
import WirelineSchema

/// The JavaScript of pages does what the compiler makes of generated TypeScript: it passes the same tests with the same adapter.
@Suite(.enabled(if: TypeScriptTool.isWanted, "\(TypeScriptTool.absence)"), .aside)
struct JavaScriptTests {
    @Test(arguments: AdapterSamples.names)
    func `JavaScript for pages writes and reads the same as Swift`(name: String) throws {
        let sample = try #require(JavaScriptLanguage.shared.get().samples[name])
        let cases = AdapterCases(sample)
        let judge = try AdapterJudge(sample, cases.values() + cases.variants())
        let disagreements = try judge.disagreements(in: TypeScriptTool.run(sample.adapter, input: judge.input))
        #expect(disagreements == [], AdapterSamples.random.seedComment)
    }

    @Test(arguments: AdapterSamples.names)
    func `a script has no types, no marks, and nothing that ends it`(name: String) throws {
        let script = try #require(JavaScriptLanguage.shared.get().samples[name]).files[0].text
        #expect(!script.contains(/[‹›«»]|<\/|<!|\]\]>|\beval\(|\bFunction\(/))
        let decode = /export function decode\(bytes, side, start = 0(, connection = new Connection\(\))?\) \{/
        #expect(script.contains(decode))
    }
}

/// The JavaScript for pages. Node checks it when it runs.
enum JavaScriptLanguage: AdapterLanguage {
    static let shared = Result { try AdapterSamples(JavaScriptLanguage.self) }

    static let name = "JavaScript"

    static func files(_ description: ProtocolDescription) throws -> [GeneratedFile] {
        [try TypeScriptGenerator(description).script()]
    }

    static func adapter(_ description: ProtocolDescription) throws -> GeneratedFile {
        try TypeScriptGenerator(description).adapter()
    }

    static func reservedNames(declaredIn module: String) -> [String] {
        TypeScriptLanguage.reservedNames(declaredIn: module)
    }

    static func compile(_ samples: [AdapterSample]) throws -> String { "" }
}
