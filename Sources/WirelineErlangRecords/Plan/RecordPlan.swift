// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineErlang
import WirelineLanguage
import WirelineSwiftGenerator

/// A protocol as it is read and written as records: names are atoms, and fields have their places, before the first packet.
///
/// Plans are objects, not values: reading and writing recurse into structures, and copies would take stack at each step.
final class RecordPlan: Sendable {
    let description: ProtocolDescription
    let messages: [RecordBody]
    let structures: [RecordBody]
    let unions: [RecordUnion]
    let enumerations: [NameTable]
    let flagSets: [NameTable]
    /// The header fields that each message fixes.
    let fixedHeaders: [PacketHeader?]
    /// Whether the packet's header decides which fields of each message are there.
    let looksAtHeader: [Bool]
    /// The fields of packets as a map.
    let header: HeaderPlan
    /// The names of the messages' records.
    let messageAtoms: AtomTable
    /// The indices of the messages, by their names in the schema.
    private let messagesByName: [String: Int]
    /// The indices of the messages of each sender, by ID.
    private let indices: [Sender: [UInt64: Int]]

    init(_ description: ProtocolDescription) {
        let compiler = PlanCompiler(description)
        let naming = compiler.naming
        self.description = description
        enumerations = compiler.enumerations
        flagSets = compiler.flagSets
        messages = zip(zip(description.messages, compiler.coding.messages), naming.messages).map { message, record in
            RecordBody(
                name: message.0.name, record: record.name, compiler.fields(of: message.1),
                keepsTrailingBytes: record.trailing != nil)
        }
        structures = zip(zip(description.structures, compiler.coding.structures), naming.structures).map {
            structure, record in
            RecordBody(
                name: structure.0.name, record: record.name, compiler.fields(of: structure.1),
                sizePrefix: structure.0.sizePrefix, structure.0.byteOrder, keepsTrailingBytes: false)
        }
        unions = zip(description.unions, naming.unions).map { RecordUnion($0, $1.cases, form: compiler.form) }
        fixedHeaders = description.messages.map(description.fixedHeader)
        looksAtHeader = description.messages.map(\.looksAtHeader)
        header = HeaderPlan(compiler)
        messageAtoms = AtomTable(naming.messages.map(\.name))
        messagesByName = Dictionary(
            description.messages.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        var indices: [Sender: [UInt64: Int]] = [:]
        for (index, message) in description.messages.enumerated() {
            for sender in message.senders { indices[sender, default: [:]][message.id] = index }
        }
        self.indices = indices
    }

    /// Returns the message with this ID that `sender` may send.
    func message(id: UInt64, from sender: Sender) -> Int? { indices[sender]?[id] }

    /// Returns the message with this name in the schema.
    func message(named name: String) -> Int? { messagesByName[name] }

    /// How deeply structures may nest.
    var maximumDepth: Int { description.options.maximumDepth }

    /// The forms of varints that readers accept.
    var varintForms: VarintForms { description.options.varintForms }
}
