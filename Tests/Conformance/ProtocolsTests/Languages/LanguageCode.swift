// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProtocolsSupport
import Testing
import TestingSupport
import WirelineCodec
import WirelineGenerator
import WirelineSchema

/// The generated code of all protocols in one language, compiled.
struct LanguageCode: Sendable {
    /// The generated files of one protocol.
    struct Generated: Sendable {
        let source: LanguageSample
        let files: [GeneratedFile]
        let adapter: GeneratedFile
    }

    /// The generated code of one protocol.
    struct Sample: Sendable {
        let source: LanguageSample
        let files: [GeneratedFile]
        let module: URL
        let adapter: URL

        var name: String { source.name }
        var folder: URL { module.deletingLastPathComponent() }
    }

    private static let output = FileManager.default.temporaryDirectory.appending(path: "wireline-" + UUID().uuidString)

    let language: Language
    let folder: URL
    private(set) var samples: [Sample] = []
    /// What the compiler says about them.
    private(set) var findings = ""

    init(_ language: Language) throws {
        atexit { try? FileManager.default.removeItem(at: LanguageCode.output) }
        self.language = language
        folder = Self.output.appending(path: language.name)
        for generated in try language.generatedCode() {
            let own = language.hasFolders ? folder.appending(path: generated.source.name) : folder
            for file in generated.files + [generated.adapter] { try Self.write(file, to: own) }
            samples.append(
                Sample(
                    source: generated.source, files: generated.files,
                    module: own.appending(path: generated.files[0].path),
                    adapter: own.appending(path: generated.adapter.path)))
        }
        for name in language.sources {
            try FileManager.default.copyItem(at: language.peerFile(name), to: folder.appending(path: name))
        }
        if let page = language.page { try Self.write(page.file(page.lines()), to: folder) }
        findings = try language.compile(self)
    }

    /// Generates the code of all samples, and of one with names that harm.
    static func generate(_ language: Language) throws -> [Generated] {
        var sources = try LanguageSample.all.get().filter { $0.isFor(language) }
        if let backEnd = BackEnd.all.first(where: { $0.name == language.backEnd }) {
            let everything = try language.files(ProtocolFolder.features.translator.description)[0].text
            var random = AdapterSamples.random
            // A name harms if the language reserves it, or if generated code uses it. Each one makes a message of its own, with all
            // that it refers to.
            let lines = everything.split(separator: "\n").filter { !$0.contains(/^\s*(\/|#|--|\*)/) }
            let code = lines.joined(separator: "\n")
            let used = Set(code.matches(of: /[A-Za-z_][A-Za-z0-9_]*/).map { String($0.output) }).sorted()
            let names = used.filter { $0.count <= 2 } + Depth.some(60, of: used, using: &random) + oddNames
            sources.append(LanguageSample(try ReservedNames.description(backEnd.reservedWords.union(names).sorted())))
        }
        return try sources.map {
            Generated(
                source: $0, files: try language.files($0.description), adapter: try language.adapter($0.description))
        }
    }

    /// Names that are spelled in a way of their own, or mean something in several languages.
    private static let oddNames = [
        "_", "__", "_1", "X", "X_", "X1", "x_", "A", "__index", "__init__", "__proto__", "__slots__", "EOF", "Main",
        "NULL", "errno", "main", "self", "this",
    ]

    /// Returns the code of a protocol.
    func sample(_ name: String) throws -> Sample { try #require(samples.first { $0.name == name }) }

    /// Those that have all that the language of schemas has, for what takes long; in a deep run all.
    var representativeSamples: [Sample] {
        let plain = ["Bilibili", "Ciphers", "Features", "Headers", "Reserved", "Scene", "Senders", "States"]
        return samples.filter { Depth.isDeep || plain.contains($0.name) }
    }

    /// All generated files, of modules and adapters.
    var files: [URL] { samples.flatMap { [$0.module, $0.adapter] } }

    private static func write(_ file: GeneratedFile, to folder: URL) throws {
        let path = folder.appending(path: file.path)
        try FileManager.default.createDirectory(at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(file.text.utf8).write(to: path)
    }
}
