// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProtocolsSupport
import Testing
import TestingSupport
import WirelineCodec
import WirelineGenerator
import WirelineSchema

/// The generated modules of all protocols that TypeScript can have, and of random ones, compiled at once: a compiler takes
/// seconds to begin.
final class CompiledTypeScript: Sendable {
    /// A protocol, and where its module and its adapter are.
    struct Sample: Sendable {
        let name: String
        let translator: PacketTranslator
        /// The vectors' folder; nil for a protocol without vectors.
        let folder: ProtocolFolder?
        fileprivate let output: URL
        let files: [GeneratedFile]
        let adapter: GeneratedFile

        var module: URL { output.appending(path: files[0].path) }
        var script: URL { output.appending(path: files[0].path.dropLast(3) + ".js") }
    }

    static let folders =
        ProtocolFolder.all.filter {
            !$0.hasLayers && !$0.translator.description.layout.hasStates
        } + [.features, .names]
    /// Scene's messages in packets of any layout.
    static let layoutCount = 12
    /// Messages of any types.
    static let schemaCount = 8

    /// The names of all samples.
    static let names =
        folders.map(\.name) + ["Reserved"] + (0..<layoutCount).map { "Layout\($0)" }
        + (0..<schemaCount).map { "Schema\($0)" }

    /// The random numbers of all samples and their tests, so that one seed repeats a test with its sample.
    static let random = SeededGenerator.forThisRun()

    static let shared = Result { try CompiledTypeScript() }

    static func sample(_ name: String) throws -> Sample {
        try #require(shared.get().samples[name])
    }

    let samples: [String: Sample]
    /// What the compiler says about them.
    let findings: String

    private static let output = FileManager.default.temporaryDirectory.appending(path: "wireline-" + UUID().uuidString)

    private init() throws {
        atexit { try? FileManager.default.removeItem(at: CompiledTypeScript.output) }
        var samples: [String: Sample] = [:]
        func add(_ name: String, _ translator: PacketTranslator, _ folder: ProtocolFolder? = nil) throws {
            let generator = TypeScriptGenerator(translator.description)
            let output = Self.output.appending(path: name)
            let sample = Sample(
                name: name, translator: translator, folder: folder, output: output, files: try generator.files(),
                adapter: try generator.adapter())
            try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
            for file in sample.files + [sample.adapter] {
                try Data(file.text.utf8).write(to: output.appending(path: file.path))
            }
            samples[name] = sample
        }
        for folder in Self.folders { try add(folder.name, folder.translator, folder) }
        let everything = try TypeScriptGenerator(ProtocolFolder.features.translator.description).files()[0].text
        let reserved = try ReservedNames.description(ReservedNames.all(declaredIn: everything))
        try add("Reserved", PacketTranslator(reserved))
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
        self.samples = samples
        findings = try TypeScriptTool.compile(samples.values.map(\.module), target: "ES2015")
    }
}

extension CompiledTypeScript.Sample {
    /// Returns the adapter's answers, in the order of the questions.
    ///
    /// - Parameter preload: A script that runs before it; nil for none.
    func ask(_ questions: [TypeScriptQuestion], preload: URL? = nil) throws -> [JSONValue] {
        let input = questions.enumerated().map { "\($1.line(id: $0))\n" }.joined()
        let output = try TypeScriptTool.run(
            module.deletingLastPathComponent().appending(path: adapter.path), preload: preload, input: input)
        return try output.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
    }
}

/// A question to an adapter.
struct TypeScriptQuestion {
    private let members: [JSONValue.Member]

    /// What some bytes mean.
    init(decoding bytes: [UInt8], from sender: Sender) {
        members = [
            JSONValue.Member("ask", "decode"), JSONValue.Member("from", .string(sender.rawValue)),
            JSONValue.Member("hex", .string(Hexadecimal.text(of: bytes))),
        ]
    }

    /// The packet of a line.
    init(encoding line: JSONValue, from sender: Sender) {
        members = [
            JSONValue.Member("ask", "encode"), JSONValue.Member("from", .string(sender.rawValue)),
            JSONValue.Member("line", line),
        ]
    }

    fileprivate func line(id: Int) -> JSONValue {
        .object([JSONValue.Member("id", .exactInteger(Int128(id)))] + members)
    }
}
