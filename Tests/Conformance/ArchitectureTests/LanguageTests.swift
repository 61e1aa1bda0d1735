// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport

/// A language of `wire generate` that is made from the plan has all that its users look for, and tests.
///
/// A language is a folder of `Sources/Languages/WirelineGenerator` with a file `NAMEAdapter.swift`. The page "Adding a language" of
/// that module names the same parts.
struct LanguageTests {
    private static let generator = "Sources/Languages/WirelineGenerator"
    private static let pages = generator + "/WirelineGenerator.docc"

    /// The languages, such as `Python`. Erlang is older than the plan, and its tests have other places.
    static let languages: [String] = {
        let folders = names(in: generator).filter { $0 != "Erlang" }
        return folders.filter { exists("\(generator)/\($0)/\($0)Adapter.swift") }.sorted()
    }()

    @Test func `the languages are found by their folders`() {
        #expect(Self.languages.count >= 3)
        #expect(Self.lacks(of: "Klingon").count == Self.parts.count)
    }

    @Test(arguments: languages)
    func `a language lacks nothing`(language: String) {
        let lacks = Self.lacks(of: language)
        #expect(lacks == [], "\(language) lacks \(lacks.joined(separator: "; "))")
    }

    // MARK: Parts

    private struct Part: Sendable {
        let name: String
        let isThere: @Sendable (_ language: String) -> Bool
    }

    private static let parts = [
        Part(name: "a generator, NAMEGenerator.swift") { exists("\(generator)/\($0)/\($0)Generator.swift") },
        Part(name: "an adapter for `wire conform`, NAMEAdapter.swift") {
            exists("\(generator)/\($0)/\($0)Adapter.swift")
        },
        Part(name: "`wire generate`, in BackEnd.swift") {
            let list = text("\(generator)/BackEnd.swift")
            return ["\"\($0.lowercased())\"", "\"\($0.lowercased())-adapter\""].allSatisfy(list.contains)
        },
        Part(name: "a page, GeneratedNAME.md") { exists("\(pages)/Generated\($0).md") },
        Part(name: "its page in the module's topics") {
            text("\(pages)/WirelineGenerator.md").contains("- <doc:Generated\($0)>")
        },
        Part(name: "a row in the table of languages, AddingALanguage.md") {
            text("\(pages)/AddingALanguage.md").contains("| <doc:Generated\($0)> |")
        },
        Part(name: "its description for the tests of all languages, with its page, NAMELanguage.swift") {
            let text = text("Tests/Conformance/ProtocolsTests/\($0)/\($0)Language.swift")
            return text.contains(": Language = Language(") && text.contains("page: LanguagePage(")
        },
        Part(name: "a place in `Language.all`") {
            let list = text("Tests/Conformance/ProtocolsTests/Languages/Language.swift").firstMatch(
                of: /static let all = \[(.*)\]/)
            let names = list?.1.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
            return names?.contains($0.lowercased()) == true
        },
        Part(name: "tests of its names and comments, NAMEGoldenTests.swift") {
            exists("Tests/Languages/WirelineGeneratorTests/\($0)GoldenTests.swift")
        },
        Part(name: "its golden files of Scene, which OutputTests compares") {
            exists("Tests/Conformance/Golden/Scene/\($0.lowercased())")
        },
        Part(name: "its speed, in LanguageBenchmarks") {
            text("Tests/Programs/Benchmarks/Sources/LanguageBenchmarks/Language.swift").contains(" \($0)Generator(")
        },
        Part(name: "a word in README.md") { text("README.md").contains(word(for: $0)) },
        Part(name: "a line in Documentation/CommandLine.md") {
            text("Documentation/CommandLine.md").contains("wire generate \($0.lowercased())")
        },
        Part(name: "a line in CHANGELOG.md") { text("CHANGELOG.md").contains("**\(word(for: $0))**") },
    ]

    /// Returns what people call a language.
    private static func word(for language: String) -> String { ["CSharp": "C#", "Cpp": "C++"][language] ?? language }

    private static func lacks(of language: String) -> [String] {
        parts.filter { !$0.isThere(language) }.map { $0.name.replacing("NAME", with: language) }
    }

    // MARK: Reading

    private static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: Checkout.url(path).path)
    }

    /// The text of a file; empty if it is not there.
    private static func text(_ path: String) -> String {
        (try? String(contentsOf: Checkout.url(path), encoding: .utf8)) ?? ""
    }

    private static func names(in folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: Checkout.url(folder).path)) ?? []
    }
}
