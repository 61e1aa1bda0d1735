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
    /// The indices of the messages that each end sends, by ID.
    private let ofClient: [UInt64: Int]
    private let ofServer: [UInt64: Int]
    private let isSentByClient: [Bool]
    private let isSentByServer: [Bool]

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
        func indices(_ sender: Sender) -> [UInt64: Int] {
            let own = description.messages.enumerated().filter { $1.senders.contains(sender) }
            return Dictionary(own.map { ($1.id, $0) }, uniquingKeysWith: { _, last in last })
        }
        (ofClient, ofServer) = (indices(.client), indices(.server))
        isSentByClient = description.messages.map { $0.senders.contains(.client) }
        isSentByServer = description.messages.map { $0.senders.contains(.server) }
    }

    /// Returns the message with this ID that `sender` may send.
    func message(id: UInt64, from sender: Sender) -> Int? {
        switch sender {
        case .client: ofClient[id]
        case .server: ofServer[id]
        }
    }

    /// Whether `sender` may send a message.
    func isSent(_ message: Int, by sender: Sender) -> Bool {
        switch sender {
        case .client: isSentByClient[message]
        case .server: isSentByServer[message]
        }
    }

    /// Returns the message with this name in the schema.
    func message(named name: String) -> Int? { messagesByName[name] }

    /// How deeply structures may nest.
    var maximumDepth: Int { description.options.maximumDepth }

    /// The forms of varints that readers accept.
    var varintForms: VarintForms { description.options.varintForms }
}
