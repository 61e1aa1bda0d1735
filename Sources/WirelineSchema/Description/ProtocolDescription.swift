// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec

/// A checked protocol: everything its `.wire` files say, resolved, in a form that every back end can use.
///
/// Types refer to one another by their index in ``structures``, ``enumerations`` and ``flagSets``. A description that
/// came from the checker keeps these promises:
///
/// - every index is in range, every name is unique among what it could be confused with;
/// - every `rest`-extent type, `properties`, optional and `@since` field stands where the language allows it;
/// - structures nest by value without cycles; a cycle goes through a list;
/// - list items have at least one byte, so a count never exceeds the bytes behind it.
public struct ProtocolDescription: Equatable, Sendable {
    /// The folder's name.
    public var name: String
    /// The comments that stand in front of the `packet` declaration, or empty.
    public var documentation: String
    /// What holds for all messages.
    public var options: ProtocolOptions
    /// What stands around each message's fields.
    public var layout: PacketLayout
    /// Where the layout's fields are declared, header then trailer; empty when no `packet` is declared.
    public var packetFields: [PacketFieldDescription]
    /// Every `message`, in the order of file names, then of declaration; so are the other lists.
    public var messages: [MessageDescription]
    /// Every `struct`.
    public var structures: [StructureDescription]
    /// Every `enum`.
    public var enumerations: [EnumerationDescription]
    /// Every `flags`.
    public var flagSets: [FlagsDescription]
    /// Every `const`.
    public var constants: [ConstantDescription]
    /// Message IDs that must not be used.
    public var reservedIDs: [ClosedRange<UInt64>]

    /// Makes a protocol without messages, with the defaults of the language.
    public init(name: String) {
        self.name = name
        documentation = ""
        options = ProtocolOptions()
        layout = .standard
        packetFields = []
        messages = []
        structures = []
        enumerations = []
        flagSets = []
        constants = []
        reservedIDs = []
    }

    /// The message with this schema name or `@name`.
    public func message(named name: String) -> MessageDescription? {
        messages.first { $0.name == name } ?? messages.first { $0.alias == name }
    }

    /// The message with this ID that `sender` may send.
    public func message(id: UInt64, from sender: Sender) -> MessageDescription? {
        messages.first { $0.id == id && $0.senders.contains(sender) }
    }
}

/// What a declared `packet` says of a field beside what `PacketLayout` needs.
public struct PacketFieldDescription: Equatable, Sendable {
    /// The name in the schema.
    public var name: String
    /// The comments above the field or behind it, or empty.
    public var documentation: String
    /// Where its name stands.
    public var location: SourceLocation

    /// Makes a description of a header or trailer field.
    public init(name: String, documentation: String, location: SourceLocation) {
        self.name = name
        self.documentation = documentation
        self.location = location
    }
}

/// The `option` lines of a protocol, with their defaults.
///
/// Types in a ``ProtocolDescription`` have the first three of them applied already.
public struct ProtocolOptions: Equatable, Sendable {
    /// How numbers stand on the wire, in header and trailer too.
    public var byteOrder: ByteOrder = .bigEndian
    /// The prefix of a `string` or `bytes`.
    public var stringCount: CountFormat = .uint16
    /// The prefix of a list.
    public var listCount: CountFormat = .uint16
    /// The most bytes that a whole packet may have: `max_packet`, or what the layout's length fields can say if that is
    /// less.
    public var maximumPacketByteCount: Int = 1 << 20
    /// How deeply structures may nest in one another at run time, 1 to 1,000; a message's own fields are at depth 0.
    public var maximumDepth: Int = 32
    /// Whether bytes behind the last known field are kept (true) or refused.
    public var keepsTrailingBytes: Bool = true
    /// Whether `properties` refuse duplicate keys and lines without a colon.
    public var hasStrictProperties: Bool = true

    /// Makes the options of a protocol without `option` lines.
    public init() {}
}

/// Where something stands in the schema's text.
public struct SourceLocation: Equatable, Hashable, Sendable {
    /// The file's path as it was given.
    public var file: String
    /// From 1.
    public var line: Int
    /// From 1, in UTF-8 bytes, as compilers print it.
    public var column: Int

    /// Makes a location.
    public init(file: String, line: Int, column: Int) {
        self.file = file
        self.line = line
        self.column = column
    }
}
