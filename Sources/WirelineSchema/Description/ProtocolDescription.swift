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
    public var options: ProtocolOptions
    public var layout: PacketLayout
    /// In the order of file names, then of declaration; so are the other lists.
    public var messages: [MessageDescription]
    public var structures: [StructureDescription]
    public var enumerations: [EnumerationDescription]
    public var flagSets: [FlagsDescription]
    public var constants: [ConstantDescription]
    /// Message IDs that must not be used.
    public var reservedIDs: [ClosedRange<UInt64>]

    public init(name: String) {
        self.name = name
        documentation = ""
        options = ProtocolOptions()
        layout = .standard
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

/// The `option` lines of a protocol, with their defaults.
public struct ProtocolOptions: Equatable, Sendable {
    public var byteOrder: ByteOrder = .bigEndian
    public var stringCount: CountFormat = .uint16
    public var listCount: CountFormat = .uint16
    /// The most bytes that a whole packet may have.
    public var maximumPacketByteCount: Int = 1 << 20
    /// How deeply structures may nest in one another at run time; a message's own fields are at depth 0.
    public var maximumDepth: Int = 32
    /// Whether bytes behind the last known field are kept (true) or refused.
    public var keepsTrailingBytes: Bool = true
    /// Whether `properties` refuse duplicate keys and lines without a colon.
    public var hasStrictProperties: Bool = true

    public init() {}
}

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
    public var fields: [FieldDescription]
    public var documentation: String
    /// `@deprecated("why")`.
    public var deprecation: String?
    public var location: SourceLocation

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
    public var name: String
    public var alias: String?
    /// `sized(uint16)`: the prefix that counts the bytes behind it.
    public var sizePrefix: CountFormat?
    /// The byte order of the size prefix.
    public var byteOrder: ByteOrder
    public var fields: [FieldDescription]
    public var documentation: String
    public var deprecation: String?
    public var location: SourceLocation

    public init(name: String, fields: [FieldDescription], byteOrder: ByteOrder, location: SourceLocation) {
        self.name = name
        self.fields = fields
        self.byteOrder = byteOrder
        self.location = location
        documentation = ""
    }
}

/// One field of a message or a structure.
public struct FieldDescription: Equatable, Sendable {
    public var name: String
    public var alias: String?
    /// `= 1`, where it is written.
    public var number: Int?
    public var type: TypeDescription
    public var presence: Presence
    /// Bytes from the start of the payload (of a structure: from its first field, behind any size prefix), or nil
    /// when something of variable width stands before.
    public var offset: Int?
    /// `@range` on integers.
    public var range: ClosedRange<Int128>?
    /// `@range` on floats.
    public var floatRange: ClosedRange<Double>?
    /// `@max`: bytes of a string or of `bytes`, items of a list.
    public var maximumCount: Int?
    /// `@max` of each string or `bytes` in a list of them is not sayable; this is of the field itself.
    public var isSensitive: Bool
    public var documentation: String
    public var deprecation: String?
    public var location: SourceLocation

    public init(name: String, type: TypeDescription, location: SourceLocation) {
        self.name = name
        self.type = type
        self.location = location
        presence = .required
        isSensitive = false
        documentation = ""
    }

    /// Whether a packet may end before this field.
    public enum Presence: Equatable, Sendable {
        case required
        /// Absent when the payload ends before it.
        case optional
        /// Always written; takes the default when the payload ends before it.
        case since(Int, default: DefaultValue)
    }
}

/// What a `@since` field is when the bytes end before it.
public enum DefaultValue: Equatable, Sendable {
    /// An integer, varint, enum or flags; of a `bool` 0 or 1.
    case integer(Int128)
    case float(Double)
    case string(String)
    /// Zero, false, empty, the enum's 0; of a structure or a fixed list: that of each part.
    case zero
}

/// One `enum`.
public struct EnumerationDescription: Equatable, Sendable {
    public var name: String
    public var alias: String?
    public var format: IntegerFormat
    public var cases: [Case]
    /// `@closed`: a number that is not listed is refused.
    public var isClosed: Bool
    public var reservedValues: [ClosedRange<Int128>]
    public var documentation: String
    public var deprecation: String?
    public var location: SourceLocation

    public init(name: String, format: IntegerFormat, cases: [Case], location: SourceLocation) {
        self.name = name
        self.format = format
        self.cases = cases
        self.location = location
        isClosed = false
        reservedValues = []
        documentation = ""
    }

    /// One name and its number.
    public struct Case: Equatable, Sendable {
        public var name: String
        public var alias: String?
        public var value: Int128
        public var documentation: String
        public var deprecation: String?

        public init(name: String, value: Int128) {
            self.name = name
            self.value = value
            documentation = ""
        }
    }
}

/// One `flags`: named masks in an integer.
public struct FlagsDescription: Equatable, Sendable {
    public var name: String
    public var alias: String?
    /// An unsigned format.
    public var format: IntegerFormat
    /// In order of declaration; a mask may have several bits, and masks may overlap.
    public var cases: [EnumerationDescription.Case]
    public var documentation: String
    public var deprecation: String?
    public var location: SourceLocation

    public init(
        name: String, format: IntegerFormat, cases: [EnumerationDescription.Case], location: SourceLocation
    ) {
        self.name = name
        self.format = format
        self.cases = cases
        self.location = location
        documentation = ""
    }
}

/// One `const`.
public struct ConstantDescription: Equatable, Sendable {
    public var name: String
    public var format: IntegerFormat
    public var value: Int128
    public var documentation: String
    public var location: SourceLocation

    public init(name: String, format: IntegerFormat, value: Int128, location: SourceLocation) {
        self.name = name
        self.format = format
        self.value = value
        self.location = location
        documentation = ""
    }
}

/// Where something stands in the schema's text.
public struct SourceLocation: Equatable, Hashable, Sendable {
    /// The file's path as it was given.
    public var file: String
    /// From 1.
    public var line: Int
    /// From 1, in UTF-8 bytes, as compilers print it.
    public var column: Int

    public init(file: String, line: Int, column: Int) {
        self.file = file
        self.line = line
        self.column = column
    }
}
