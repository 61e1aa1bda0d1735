// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProtocolsSupport
import Testing
import TestingSupport
import WirelineCodec
import WirelineGenerator
import WirelineSchema

/// The sentence about languages and protocols in README.md says what the generators do.
struct LanguageMatrixTests {
    @Test func `README says how many protocols all languages can have`() throws {
        let folders = ProtocolFolder.all
        let stateful = folders.count { $0.translator.description.layout.hasStates }
        // Each language but Swift, whose adapter is `wire` itself, has a generator of adapters.
        let languages = BackEnd.all.count { $0.name.hasSuffix("-adapter") } + 1
        let spelled = NumberFormatter.localizedString(from: languages as NSNumber, number: .spellOut)
        let sentence = """
            Generated code of all \(spelled) languages is checked with the golden vectors of \(folders.count) protocols: \
            \(stateful) have states, \(folders.count(where: \.hasLayers)) layers or unread content.
            """
        let readme = try String(contentsOf: Checkout.url("README.md"), encoding: .utf8)
        #expect(readme.contains(sentence))
    }

    /// The generator of Swift refuses nothing; its types are in ``ProtocolFolder/generated``.
    @Test func `each language has code for all protocols`() throws {
        let names = Set(ProtocolFolder.all.map(\.name))
        let languages: [Language] = [.typeScript, .lua, .python, .java, .cSharp, .cpp, .go, .rust]
        for language in languages {
            #expect(names.subtracting(try language.generatedCode().map(\.source.name)) == [], "\(language.name)")
        }
        for folder in ProtocolFolder.all {
            #expect(!ErlangGenerator(folder.translator.description).files().isEmpty)
        }
    }
}
