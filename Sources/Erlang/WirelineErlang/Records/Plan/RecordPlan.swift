// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// How a protocol's packets become records and back. Names are atoms and fields have positions before the first packet.
///
/// Plans are objects, not values: reading and writing recurse into structures, and copies would take stack at each
/// step.
final class RecordPlan: Sendable {
    let description: ProtocolDescription
    let messages: [RecordBody]
    let structures: [RecordBody]
    let unions: [RecordUnion]
    let enumerations: [NameTable]
    let flagSets: [NameTable]
    /// The header fields that each message fixes.
    let fixedHeaders: [PacketHeader?]
    /// Whether a message has fields whose presence depends on the packet's header.
    let looksAtHeader: [Bool]
    /// The header as a map.
    let header: HeaderPlan
    let messageAtoms: AtomTable
    private let messagesByName: [String: Int]
    /// The indices of the messages that an end sends, by ID.
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

    /// The message with this ID must be one that `sender` may send.
    func message(id: UInt64, from sender: Sender) -> Int? {
        switch sender {
        case .client: ofClient[id]
        case .server: ofServer[id]
        }
    }

    func isSent(_ message: Int, by sender: Sender) -> Bool {
        switch sender {
        case .client: isSentByClient[message]
        case .server: isSentByServer[message]
        }
    }

    func message(named name: String) -> Int? { messagesByName[name] }

    var maximumDepth: Int { description.options.maximumDepth }

    /// The forms of varints that readers accept.
    var varintForms: VarintForms { description.options.varintForms }
}
