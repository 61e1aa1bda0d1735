// SPDX-License-Identifier: Apache-2.0

import ProtocolsSupport
import Synchronization
import Testing
import TestingSupport
import WirelineCodec
import WirelineSchema

/// A protocol, and what the adapters of all languages are asked about it. The questions are made once, for Swift's answers to them take
/// longer than those of most languages.
final class AdapterProtocol: Sendable {
    let name: String
    let translator: PacketTranslator
    /// The vectors' folder; nil for a protocol without vectors.
    let folder: ProtocolFolder?

    let values = MadeOnce<[AdapterCase]>()
    let variants = MadeOnce<[AdapterCase]>()
    let streams = MadeOnce<[String]>()

    init(_ name: String, _ description: ProtocolDescription) {
        self.name = name
        translator = PacketTranslator(description)
        folder = nil
    }

    private init(_ folder: ProtocolFolder) {
        name = folder.name
        translator = folder.translator
        self.folder = folder
    }

    // MARK: All protocols

    /// Scene's messages in packets of any layout.
    private static let layoutCount = 12
    /// Messages of any types.
    private static let schemaCount = 8
    /// Scene's messages in packets that depend on states.
    private static let contextCount = 4

    /// Conditions on numbers that a closed enum does not have, and on a mask without bits. They never or always hold, which Dialyzer
    /// says of any Erlang module, so no folder has them.
    private static let constantConditions = """
        @closed enum Result : uint8 { ok = 0; refused = 1; }
        @id(1) @from(both) message Say {
            Result result;
            @if(result) uint8 failed;
            @if(result == 7 or result >= 9) uint8 never;
            @if(failed & 0) uint8 masked;
            @if(result != 7) uint8 always;
        }
        """

    /// The names of those that are written here.
    static let writtenNames = ["ConstantConditions"]

    /// The names of the random ones.
    static let randomNames =
        (0..<layoutCount).map { "Layout\($0)" } + (0..<schemaCount).map { "Schema\($0)" }
        + (0..<contextCount).map { "Context\($0)" }

    /// Those of folders, those that are written here, and random ones.
    static let all = Result {
        var all = AdapterSamples.folders.map { AdapterProtocol($0) }
        for (name, schema) in zip(writtenNames, [constantConditions]) {
            let file = SourceFile(path: "\(name)/a.wire", bytes: Array(schema.utf8))
            let checked = ProtocolDescription.check(name: name, files: [file])
            all.append(AdapterProtocol(name, try #require(checked.description, "\(checked.diagnostics)")))
        }
        var random = AdapterSamples.random
        for number in 0..<layoutCount {
            var description = try ProtocolFolder.named("Scene").translator.description
            description.layout = number % 3 == 2 ? .randomBySender(using: &random) : .random(using: &random)
            description.options.maximumPacketByteCount = [200, 70_000, 1 << 20].randomElement(using: &random)!
            let id = description.layout.layout(from: .client).randomMessageID(using: &random)
            for index in description.messages.indices { description.messages[index].id = id }
            all.append(AdapterProtocol("Layout\(number)", description))
        }
        for number in 0..<schemaCount {
            all.append(AdapterProtocol("Schema\(number)", RandomSchema.make(using: &random).description))
        }
        for number in 0..<contextCount {
            all.append(AdapterProtocol("Context\(number)", try inStates(number % 2 == 0, using: &random)))
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

/// A value that the first test makes which needs it. Others wait for it.
final class MadeOnce<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, any Error>?>(nil)

    func get(_ make: () throws -> Value) throws -> Value {
        try result.withLock { result in
            let made = result ?? Result { try make() }
            result = made
            return try made.get()
        }
    }
}
