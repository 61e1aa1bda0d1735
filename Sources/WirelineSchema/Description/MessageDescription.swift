// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec

/// One `message`.
public struct MessageDescription: Equatable, Sendable {
    /// The name in the schema, such as `Cs_20001`; used in JSON, in errors and on the command line.
    public var name: String
    /// `@name(…)`.
    public var alias: String?
    /// 0 in a protocol whose packets have no ID.
    public var id: UInt64
    /// `Cs_` is the client alone, `Sc_` the server, otherwise what `@from` says.
    public var senders: Set<Sender>
    /// The name of the message that answers this one.
    public var reply: String?
    /// In wire order.
    public var fields: [FieldDescription]
    /// The comments above the message or behind its `{`, without comment marks and rulers, or empty.
    public var documentation: String
    /// `@deprecated("why")`.
    public var deprecation: String?
    /// Where its name stands.
    public var location: SourceLocation

    /// Makes a message without alias, reply, documentation and deprecation.
    public init(name: String, id: UInt64, senders: Set<Sender>, fields: [FieldDescription], location: SourceLocation) {
        self.name = name
        self.id = id
        self.senders = senders
        self.fields = fields
        self.location = location
        documentation = ""
    }
}

/// One `struct`.
public struct StructureDescription: Equatable, Sendable {
    /// The name in the schema.
    public var name: String
    /// `@name(…)`.
    public var alias: String?
    /// `sized(uint16)`: the prefix that counts the bytes behind it.
    public var sizePrefix: CountFormat?
    /// The byte order of the size prefix.
    public var byteOrder: ByteOrder
    /// In wire order.
    public var fields: [FieldDescription]
    /// The comments above it or behind it, without comment marks and rulers, or empty.
    public var documentation: String
    /// `@deprecated("why")`.
    public var deprecation: String?
    /// Where its name stands.
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
