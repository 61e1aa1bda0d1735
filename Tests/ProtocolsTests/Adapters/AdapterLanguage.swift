// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProtocolsSupport
import TestingSupport
import WirelineCodec
import WirelineGenerator
import WirelineLanguage
import WirelineSchema

/// A language of `wire generate` whose generated code is compared with Swift's codec, through its adapter.
///
/// Its tests make ``AdapterSamples`` once, take cases and streams for a sample from ``AdapterCases`` and ``AdapterStreams``, run the
/// adapter in their own way, and give its output to ``AdapterJudge``.
protocol AdapterLanguage {
    /// The language's folder among the samples.
    static var name: String { get }

    /// Returns the generated files, the module first.
    static func files(_ description: ProtocolDescription) throws -> [GeneratedFile]

    /// Returns the adapter, which belongs beside the module.
    static func adapter(_ description: ProtocolDescription) throws -> GeneratedFile

    /// Returns names that harm in the language: its reserved words, its library, and what a generated module declares.
    static func reservedNames(declaredIn module: String) -> [String]

    /// Compiles all modules at once, because a compiler takes seconds to begin.
    ///
    /// - Returns: What the compiler says; nothing if it accepts all.
    static func compile(_ samples: [AdapterSample]) throws -> String
}

/// The generated code of one protocol in one language.
struct AdapterSample: Sendable {
    /// The protocol. Other languages have code for it, too.
    let source: AdapterProtocol
    let files: [GeneratedFile]
    fileprivate let output: URL
    fileprivate let adapterPath: String

    var name: String { source.name }
    var translator: PacketTranslator { source.translator }
    /// The vectors' folder; nil for a protocol without vectors.
    var folder: ProtocolFolder? { source.folder }

    /// The module's file.
    var module: URL { output.appending(path: files[0].path) }
    /// The adapter's file.
    var adapter: URL { output.appending(path: adapterPath) }
}

/// The generated code of all protocols, those of folders and random ones, in one language.
struct AdapterSamples: Sendable {
    /// The protocols without layers.
    static let folders = ProtocolFolder.all.filter { !$0.hasLayers } + [.features, .names]

    /// The names of all samples.
    static let names = folders.map(\.name) + AdapterProtocol.writtenNames + ["Reserved"] + AdapterProtocol.randomNames

    /// The random numbers of all samples and their tests, so that one seed repeats a test with its sample.
    static let random = SeededGenerator.forThisRun()

    private static let output = FileManager.default.temporaryDirectory.appending(path: "wireline-" + UUID().uuidString)

    let samples: [String: AdapterSample]
    /// What the compiler says about them.
    let findings: String

    init(_ language: any AdapterLanguage.Type) throws {
        atexit { try? FileManager.default.removeItem(at: AdapterSamples.output) }
        let everything = try language.files(ProtocolFolder.features.translator.description)[0].text
        let reserved = Set(language.reservedNames(declaredIn: everything)).sorted()
        let own = try AdapterProtocol("Reserved", ReservedNames.description(reserved))
        var samples: [String: AdapterSample] = [:]
        for source in try AdapterProtocol.all.get() + [own] {
            let output = Self.output.appending(path: language.name).appending(path: source.name)
            let description = source.translator.description
            let (files, adapter) = (try language.files(description), try language.adapter(description))
            try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
            for file in files + [adapter] { try Data(file.text.utf8).write(to: output.appending(path: file.path)) }
            samples[source.name] = AdapterSample(
                source: source, files: files, output: output, adapterPath: adapter.path)
        }
        self.samples = samples
        findings = try language.compile(Array(samples.values))
    }
}
