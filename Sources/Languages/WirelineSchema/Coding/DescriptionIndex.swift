// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Values that are looked up often in a description, computed once.
final class DescriptionIndex: Sendable {
    let description: ProtocolDescription
    let messages: [JSONFieldList]
    /// Whether bytes after the last known field of each message are kept.
    let keepsTrailingBytes: [Bool]
    let structures: [JSONFieldList]
    let fixedHeaders: [PacketHeader?]
    /// Whether the packet's header decides which fields of each message are present.
    private let looksAtHeader: [Bool]
    let unions: [JSONArmList]
    let enumerations: [EnumerationPlan]
    let flagSets: [EnumerationPlan]
    let sizes: WireSizes
    private let messagesByName: [String: Int]
    private let messagesByID: [Sender: [UInt64: Int]]

    init(_ description: ProtocolDescription) {
        self.description = description
        let enumerations = description.enumerations.map {
            EnumerationPlan($0.format, $0.cases, isClosed: $0.isClosed)
        }
        let flagSets = description.flagSets.map { EnumerationPlan($0.format, $0.cases, isClosed: false) }
        let defaults = DefaultValues(description, enumerations: enumerations, flagSets: flagSets)
        messages = description.messages.map { JSONFieldList($0.fields, defaults) }
        keepsTrailingBytes = description.messages.map { BodyPlan.End(of: $0, in: description) == .kept }
        structures = description.structures.map {
            JSONFieldList($0.fields, sizePrefix: $0.sizePrefix, sizePrefixOrder: $0.byteOrder, defaults)
        }
        fixedHeaders = description.messages.map(description.fixedHeader)
        looksAtHeader = description.messages.map(\.looksAtHeader)
        unions = description.unions.map(JSONArmList.init)
        self.enumerations = enumerations
        self.flagSets = flagSets
        sizes = WireSizes(description)

        var names: [String: Int] = [:]
        for (index, message) in description.messages.enumerated() { names[message.name] = names[message.name] ?? index }
        for (index, message) in description.messages.enumerated() {
            if let alias = message.alias { names[alias] = names[alias] ?? index }
        }
        messagesByName = names
        var identifiers: [Sender: [UInt64: Int]] = [:]
        for (index, message) in description.messages.enumerated() {
            for sender in message.senders { identifiers[sender, default: [:]][message.id] = index }
        }
        messagesByID = identifiers
    }

    var maximumDepth: Int { description.options.maximumDepth }

    var varintForms: VarintForms { description.options.varintForms }

    /// Returns the index of the message with this schema name or `@name`.
    func message(named name: String) -> Int? {
        guard let index = messagesByName[name] else { return nil }
        let message = description.messages[index]
        return message.name.hasSameBytes(as: name) || message.alias?.hasSameBytes(as: name) == true ? index : nil
    }

    /// Returns the index of the message with this ID that `sender` may send.
    func message(id: UInt64, from sender: Sender) -> Int? { messagesByID[sender]?[id] }

    /// Returns the index of the message with this ID that `sender` may send, or else its peer.
    ///
    /// If packets depend on their sender, a packet of one end is never a message of the other.
    func message(id: UInt64, preferring sender: Sender) -> Int? {
        let own = message(id: id, from: sender)
        return own ?? (description.layout.dependsOnSender ? nil : message(id: id, from: sender.peer))
    }

    /// Returns the header of a packet if conditions of the message refer to it; otherwise an empty one.
    func header(of packet: borrowing Packet, as message: Int) throws(CodecError) -> PacketHeader {
        guard looksAtHeader[message] else { return PacketHeader() }
        return try description.layout.header(of: packet)
    }

    /// Returns the minimum size of this type's values.
    ///
    /// A decoder divides the remaining bytes by an item's minimum size, and reserves no more items of a list than that.
    func minimumByteCount(of type: TypeDescription) -> Int { sizes.size(of: type).minimumByteCount }
}
