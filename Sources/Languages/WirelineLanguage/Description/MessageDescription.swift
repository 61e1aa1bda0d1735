// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec

/// One `message`.
public struct MessageDescription: Equatable, Sendable {
    /// The name in the schema, such as `Cs_20001`; used in JSON, in errors and on the command line.
    public var name: String
    /// The alias in `@name(…)`.
    public var alias: String?
    /// The ID; 0 in a protocol whose packets have no ID.
    public var id: UInt64
    /// The sides that send it: the client for `Cs_`, the server for `Sc_`, otherwise those that `@from` names.
    public var senders: Set<Sender>
    /// The names of the messages that can answer this one: `Sc_n` for `Cs_n`, or those in `@reply`, in its order.
    /// Empty: nothing answers it.
    public var replies: [String] = []
    /// The values of packet fields that `@header` fixes in every packet of the message, in the packet's order.
    public var headerValues: [HeaderValue] = []
    /// The state that the message sets for packets that begin after its own, as in `@sets`; nil if it sets none.
    public var stateChange: StateValue?
    /// The fields in wire order.
    public var fields: [FieldDescription]
    /// The comments above the message or after its `{`, without comment marks and rulers; may be empty.
    public var documentation: String
    /// The reason in `@deprecated("why")`.
    public var deprecation: String?
    /// The place of its name.
    public var location: SourceLocation

    /// Makes a message without alias, replies, documentation and deprecation.
    public init(name: String, id: UInt64, senders: Set<Sender>, fields: [FieldDescription], location: SourceLocation) {
        self.name = name
        self.id = id
        self.senders = senders
        self.fields = fields
        self.location = location
        documentation = ""
    }
}

extension MessageDescription {
    /// Whether the packet's header decides which fields are present.
    package var looksAtHeader: Bool { !fields.headerOperands.isEmpty }
}

/// The value of a field of the packet.
public struct HeaderValue: Equatable, Sendable {
    /// The position of the field in the layout's header and trailer.
    public var field: Int
    /// The field's number or text.
    public var value: PacketHeader.FieldValue

    /// Makes a value.
    public init(field: Int, value: PacketHeader.FieldValue) {
        self.field = field
        self.value = value
    }
}

/// One `struct`.
public struct StructureDescription: Equatable, Sendable {
    /// The name in the schema.
    public var name: String
    /// The alias in `@name(…)`.
    public var alias: String?
    /// The prefix in `sized(uint16)`, which counts the bytes after it.
    public var sizePrefix: CountFormat?
    /// The byte order of the size prefix.
    public var byteOrder: ByteOrder
    /// The fields in wire order.
    public var fields: [FieldDescription]
    /// The comments above or after it, without comment marks and rulers; may be empty.
    public var documentation: String
    /// The reason in `@deprecated("why")`.
    public var deprecation: String?
    /// The place of its name.
    public var location: SourceLocation

    /// Makes a structure without alias, size prefix, documentation and deprecation.
    public init(name: String, fields: [FieldDescription], byteOrder: ByteOrder, location: SourceLocation) {
        self.name = name
        self.fields = fields
        self.byteOrder = byteOrder
        self.location = location
        documentation = ""
    }
}
