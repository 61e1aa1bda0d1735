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
    let name: String
    let translator: PacketTranslator
    /// The vectors' folder; nil for a protocol without vectors.
    let folder: ProtocolFolder?
    let files: [GeneratedFile]
    fileprivate let output: URL
    fileprivate let adapterPath: String

    /// The module's file.
    var module: URL { output.appending(path: files[0].path) }
    /// The adapter's file.
    var adapter: URL { output.appending(path: adapterPath) }
}

/// The generated code of all protocols that a language can have, and of random ones.
struct AdapterSamples: Sendable {
    /// The protocols without layers.
    static let folders = ProtocolFolder.all.filter { !$0.hasLayers } + [.features, .names]
    /// Scene's messages in packets of any layout.
    private static let layoutCount = 12
    /// Messages of any types.
    private static let schemaCount = 8
    /// Scene's messages in packets that depend on states.
    private static let contextCount = 4

    /// The names of all samples.
    static let names =
        folders.map(\.name) + ["Reserved"] + (0..<layoutCount).map { "Layout\($0)" }
        + (0..<schemaCount).map { "Schema\($0)" } + (0..<contextCount).map { "Context\($0)" }

    /// The random numbers of all samples and their tests, so that one seed repeats a test with its sample.
    static let random = SeededGenerator.forThisRun()

    private static let output = FileManager.default.temporaryDirectory.appending(path: "wireline-" + UUID().uuidString)

    let samples: [String: AdapterSample]
    /// What the compiler says about them.
    let findings: String

    init(_ language: any AdapterLanguage.Type) throws {
        atexit { try? FileManager.default.removeItem(at: AdapterSamples.output) }
        var samples: [String: AdapterSample] = [:]
        func add(_ name: String, _ translator: PacketTranslator, _ folder: ProtocolFolder? = nil) throws {
            let output = Self.output.appending(path: language.name).appending(path: name)
            let (files, adapter) = (
                try language.files(translator.description), try language.adapter(translator.description)
            )
            try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
            for file in files + [adapter] { try Data(file.text.utf8).write(to: output.appending(path: file.path)) }
            samples[name] = AdapterSample(
                name: name, translator: translator, folder: folder, files: files, output: output,
                adapterPath: adapter.path)
        }
        for folder in Self.folders { try add(folder.name, folder.translator, folder) }
        let everything = try language.files(ProtocolFolder.features.translator.description)[0].text
        let reserved = Set(language.reservedNames(declaredIn: everything)).sorted()
        try add("Reserved", PacketTranslator(ReservedNames.description(reserved)))
        var random = Self.random
        for number in 0..<Self.layoutCount {
            var description = try ProtocolFolder.named("Scene").translator.description
            description.layout = number % 3 == 2 ? .randomBySender(using: &random) : .random(using: &random)
            description.options.maximumPacketByteCount = [200, 70_000, 1 << 20].randomElement(using: &random)!
            let id = description.layout.layout(from: .client).randomMessageID(using: &random)
            for index in description.messages.indices { description.messages[index].id = id }
            try add("Layout\(number)", PacketTranslator(description))
        }
        for number in 0..<Self.schemaCount {
            try add("Schema\(number)", PacketTranslator(RandomSchema.make(using: &random).description))
        }
        for number in 0..<Self.contextCount {
            try add("Context\(number)", PacketTranslator(Self.inStates(using: &random)))
        }
        self.samples = samples
        findings = try language.compile(Array(samples.values))
    }

    /// Returns Scene with packets that depend on states, which each message sets.
    private static func inStates(using random: inout SeededGenerator) throws -> ProtocolDescription {
        var description = try ProtocolFolder.named("Scene").translator.description
        let layout = PacketLayout.randomInStates(using: &random)
        description.states = layout.states.map {
            StateDescription(
                name: $0.name, type: .integer($0.format, .bigEndian), documentation: "",
                location: description.messages[0].location)
        }
        let context = PacketContext(from: .client, states: layout.randomStates(using: &random))
        let id = layout.layout(in: context).randomMessageID(using: &random)
        for index in description.messages.indices {
            let state = Int.random(in: layout.states.indices, using: &random)
            description.messages[index].id = id
            description.messages[index].stateChange = StateValue(
                state: state, value: Int128.random(in: 0...6, using: &random))
        }
        description.layout = layout.withStateChanges(description.stateChanges)
        return description
    }
}
