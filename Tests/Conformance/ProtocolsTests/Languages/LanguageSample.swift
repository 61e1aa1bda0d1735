// SPDX-License-Identifier: Apache-2.0

import ProtocolsSupport
import Testing
import TestingSupport
import WirelineCodec
import WirelineLanguage
import WirelineSchema

/// A protocol whose generated code is tested in all languages, and what programs are asked about it.
final class LanguageSample: Sendable {
    /// The programs that are asked.
    enum Program: CaseIterable {
        /// The adapter that is generated for `wire conform`.
        case adapter
        /// Sends streams through the generated splitter: see ``SampleStreams``.
        case streams
        /// Takes part in conversations whose packets have layers: see ``LayeredConversation``.
        case conversations
    }

    let description: ProtocolDescription
    /// The vectors' folder; nil for a protocol without vectors.
    let folder: ProtocolFolder?
    /// nil for a protocol without layers.
    let layers: LayeredProtocol?
    let programs: Set<Program>
    /// The languages that it is for; nil: all.
    private let languages: Set<String>?

    /// Those for adapters with brotli, and for those without.
    private let adapterExams = (MadeOnce<Exam>(), MadeOnce<Exam>())
    private let streamExam = MadeOnce<Exam>()
    private let conversationExam = MadeOnce<Exam>()

    var name: String { description.name }

    /// A protocol without layers.
    init(_ description: ProtocolDescription, _ folder: ProtocolFolder? = nil) {
        self.description = description
        self.folder = folder
        layers = nil
        programs = [.adapter, .streams]
        languages = nil
    }

    private init(_ layers: LayeredProtocol, asks programs: Set<Program>, in languages: Set<String>? = nil) throws {
        description = try layers.translator().description
        folder = nil
        self.layers = layers
        self.programs = programs
        self.languages = languages
    }

    func isFor(_ language: Language) -> Bool {
        languages?.contains(language.name) ?? (layers == nil ? language.hasPlainSamples : language.hasLayeredSamples)
    }

    /// Returns what a program is asked.
    func exam(for program: Program, lacksBrotli: Bool) throws -> Exam {
        switch program {
        case .adapter where lacksBrotli: try adapterExams.1.get { try makeAdapterExam(missing: ["brotli"]) }
        case .adapter: try adapterExams.0.get { try makeAdapterExam(missing: []) }
        case .streams: try streamExam.get { SampleStreams.exam(of: self) }
        case .conversations: try conversationExam.get { try LayeredConversation.exam(of: #require(layers)) }
        }
    }

    private func makeAdapterExam(missing: Set<String>) throws -> Exam {
        if let layers { return try Exam(LayeredCases(layers, missing: missing).all()) }
        // Another language may have made it.
        guard missing.isEmpty else { return try exam(for: .adapter, lacksBrotli: false) }
        let cases = AdapterCases(translator: PacketTranslator(description), folder: folder)
        return try Exam(cases.values() + cases.numbers() + cases.variants())
    }

    // MARK: All protocols

    /// Those of folders, those that are written here, and random ones. Each language adds one with its reserved words.
    static let all = Result {
        var all = AdapterSamples.folders.map { LanguageSample($0.translator.description, $0) }
        let file = SourceFile(path: "Edges/a.wire", bytes: Array(edges.utf8))
        let checked = ProtocolDescription.check(name: "Edges", files: [file])
        all.append(LanguageSample(try #require(checked.description, "\(checked.diagnostics)")))
        all += try randomDescriptions().map { LanguageSample($0) }
        let layered = LayeredProtocol.all + LayeredProtocol.random
        all += try layered.map { try LanguageSample($0, asks: [.adapter, .conversations]) }
        all.append(try LanguageSample(.flawed, asks: [.adapter]))
        all.append(try LanguageSample(.streams, asks: [.conversations]))
        all.append(try LanguageSample(.names, asks: [.adapter], in: ["Java", "C#", "Rust"]))
        // Its adapter compresses in another way, and packets in packets have other lengths.
        all.append(try LanguageSample(.names, asks: [], in: ["C++"]))
        all.append(try LanguageSample(.objectNames, asks: [], in: ["TypeScript"]))
        all.append(try LanguageSample(.goNames, asks: [], in: ["Go"]))
        all.append(try LanguageSample(.everything, asks: [], in: ["Lua"]))
        return all
    }

    /// Conditions on numbers that a closed enum does not have, and on a mask without bits. They never or always hold, which Dialyzer
    /// says of any Erlang module, so no folder has them. Also defaults with a sign that 0 does not have, wide closed enums,
    /// and an ID of 64 bits in a field with a sign.
    private static let edges = """
        packet { @length(packet) uint16 size; @id int64 id; }
        @closed enum Result : uint8 { ok = 0; refused = 1; }
        @closed enum Narrow : uint24 { none = 0; most = 16777215; }
        @closed enum Wide : int64 { least = -9223372036854775808; none = 0; }
        @id(1) @from(both) message Say {
            Result result;
            @if(result) uint8 failed;
            @if(result == 7 or result >= 9) uint8 never;
            @if(failed & 0) uint8 masked;
            @if(result != 7) uint8 always;
            Narrow narrow;
            Wide wide;
        }
        @id(2) @from(both) message Zero {
            uint8 first;
            @since(2) @default(-0.0) float32 single;
            @since(2) @default(-0.0) float64 double;
        }
        @id(18446744073709551615) @from(both) message Last { uint8 last; }
        """

    /// Scene's messages in packets of any layout, messages of any types, and Scene's messages in packets that depend on states.
    private static func randomDescriptions() throws -> [ProtocolDescription] {
        let (layoutCount, schemaCount, contextCount) = Depth.isDeep ? (12, 8, 4) : (3, 3, 2)
        var random = AdapterSamples.random
        var all: [ProtocolDescription] = []
        for number in 0..<layoutCount {
            var description = try ProtocolFolder.named("Scene").translator.description
            description.name = "Layout\(number)"
            description.layout = number % 3 == 2 ? .randomBySender(using: &random) : .random(using: &random)
            description.options.maximumPacketByteCount = [200, 70_000, 1 << 20].randomElement(using: &random)!
            let id = description.layout.layout(from: .client).randomMessageID(using: &random)
            for index in description.messages.indices { description.messages[index].id = id }
            all.append(description)
        }
        for number in 0..<schemaCount {
            var description = RandomSchema.make(using: &random).description
            description.name = "Schema\(number)"
            all.append(description)
        }
        for number in 0..<contextCount {
            var description = try inStates(number % 2 == 0, using: &random)
            description.name = "Context\(number)"
            all.append(description)
        }
        return all
    }

    /// Returns Scene with packets that depend on states, which each message or none sets.
    private static func inStates(_ areSet: Bool, using random: inout SeededGenerator) throws -> ProtocolDescription {
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
            guard areSet else { continue }
            description.messages[index].stateChange = StateValue(
                state: state, value: Int128.random(in: 0...6, using: &random))
        }
        description.layout = layout.withStateChanges(description.stateChanges)
        return description
    }
}

/// What all samples share.
enum AdapterSamples {
    /// The protocols without layers.
    static let folders = ProtocolFolder.all.filter { !$0.hasLayers } + [.features, .names]

    /// The random numbers of all samples and their tests, so that one seed repeats a test with its sample.
    static var random: SeededGenerator { .forThisRun() }
}
