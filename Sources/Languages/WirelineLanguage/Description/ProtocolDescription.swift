// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec

/// A checked protocol: the resolved content of its `.wire` files, in a form that every back end can use.
///
/// Types refer to one another by their index in ``structures``, ``unions``, ``enumerations`` and ``flagSets``. A
/// description from the checker guarantees:
///
/// - every index is in range, and every name is unique among names of its kind;
/// - every `rest`-extent type, `properties`, optional and `@since` field is where the language allows it;
/// - structures and unions nest by value without cycles; a cycle goes through a list;
/// - each list item has at least one byte, so a count never exceeds the number of bytes that follow it;
/// - a decoded packet takes at most 128 times its bytes and 32 MiB of memory in generated Swift.
public struct ProtocolDescription: Equatable, Sendable {
    /// The folder's name.
    public var name: String
    /// The comments before the `packet` declaration; may be empty.
    public var documentation: String
    /// The options of all messages.
    public var options: ProtocolOptions
    /// The header and trailer of all packets.
    public var layout: PacketLayout
    /// The fields of the layout as declared, header then trailer; empty if no `packet` is declared.
    public var packetFields: [PacketFieldDescription]
    /// The states of a connection, as the `packet` declares them; they are the layout's.
    public var states: [StateDescription] = []
    /// Every `message`, in the order of file names, then of declaration, like the other lists.
    public var messages: [MessageDescription]
    /// Every `struct`.
    public var structures: [StructureDescription]
    /// Every `union`.
    public var unions: [UnionDescription]
    /// Every `enum`.
    public var enumerations: [EnumerationDescription]
    /// Every `flags`.
    public var flagSets: [FlagsDescription]
    /// Every `const`.
    public var constants: [ConstantDescription]
    /// Message IDs that must not be used.
    public var reservedIDs: [ClosedRange<UInt64>]
    /// The fields that cannot count longer packets; none if `max_packet` allows less than they do.
    package var limitingLengths: [String] = []

    /// Makes a protocol without messages, with the defaults of the language.
    public init(name: String) {
        self.name = name
        documentation = ""
        options = ProtocolOptions()
        layout = .standard
        packetFields = []
        messages = []
        structures = []
        unions = []
        enumerations = []
        flagSets = []
        constants = []
        reservedIDs = []
    }

    /// Returns the message with this schema name or `@name`.
    public func message(named name: String) -> MessageDescription? {
        messages.first { $0.name == name } ?? messages.first { $0.alias == name }
    }

    /// Whether a field, or the items of a list, have a type that passes the test.
    ///
    /// Generated code contains the helpers of a type only if the protocol uses it.
    package func uses(_ test: (TypeDescription) -> Bool) -> Bool {
        messages.contains { $0.fields.contains { test($0.type.leaf) } }
            || bodies.contains { $0.contains { test($0.type.leaf) } }
    }

    /// The float formats in use for which languages have no type.
    package var floatsWithoutHostType: [FloatFormat] {
        FloatFormat.allCases.filter { format in
            !format.hasHostType && uses { if case .float(format, _) = $0 { true } else { false } }
        }
    }

    /// Returns the header fields that are constant in a message's packets, with their values; nil if there are none.
    package func fixedHeader(of message: MessageDescription) -> PacketHeader? {
        guard !message.headerValues.isEmpty else { return nil }
        var header = PacketHeader()
        for item in message.headerValues { header[value: layout.fields[item.field].name] = item.value }
        return header
    }

    /// Returns the enum or the flags of a layout field; nil for a plain number.
    package func packetFieldType(_ index: Int) -> TypeDescription? {
        packetFields.indices.contains(index) ? packetFields[index].type : nil
    }

    package var hasPadding: Bool { hasField { $0.role == .padding } }

    /// Whether a field of a message or a structure has `@constant` and whole bytes.
    package var hasConstants: Bool { hasField { $0.packing == nil && constant(of: $0) != nil } }

    /// Whether a field of a message or a structure has `@constant`, and shares bytes with others.
    package var hasPackedConstants: Bool { hasField { $0.packing != nil && constant(of: $0) != nil } }

    package var hasTagFields: Bool { hasField { $0.tagField != nil } }

    /// Whether a field of a message or a structure counts others: `@count(n)`, `@size(n - 4)`.
    package var hasCounters: Bool { hasField { $0.type.fieldCount != nil } }

    package var hasConditions: Bool { hasField { $0.presence.condition != nil } }

    /// Whether a message, a structure or an arm of a union has a field that passes the test.
    package func hasField(where test: (FieldDescription) -> Bool) -> Bool {
        allFields.contains(where: test)
    }

    /// Whether the packet's header decides which fields of a message are present.
    package var hasHeaderConditions: Bool { messages.contains(where: \.looksAtHeader) }

    /// Returns the position of the layout field with this name; nil if there is none.
    package func packetField(named name: String) -> Int? { layout.fields.firstIndex { $0.name == name } }

    /// Returns the message with this ID that `sender` may send.
    public func message(id: UInt64, from sender: Sender) -> MessageDescription? {
        messages.first { $0.id == id && $0.senders.contains(sender) }
    }
}

/// The details of a `packet`'s field that `PacketLayout` does not have.
public struct PacketFieldDescription: Equatable, Sendable {
    /// The name in the schema.
    public var name: String
    /// The enum or the flags that the field's number belongs to; nil for a plain number.
    public var type: TypeDescription?
    /// The comments above the field or after it; may be empty.
    public var documentation: String
    /// The place of its name.
    public var location: SourceLocation

    /// Makes a description of a header or trailer field.
    public init(name: String, type: TypeDescription? = nil, documentation: String, location: SourceLocation) {
        self.name = name
        self.type = type
        self.documentation = documentation
        self.location = location
    }
}

/// The `option` lines of a protocol, with their defaults.
///
/// The first three are already applied to the types in a ``ProtocolDescription``.
public struct ProtocolOptions: Equatable, Sendable {
    /// The byte order of numbers, also in header and trailer.
    public var byteOrder: ByteOrder = .bigEndian
    /// The prefix of a `string` or `bytes`.
    public var stringCount: CountFormat = .uint16
    /// The prefix of a list.
    public var listCount: CountFormat = .uint16
    /// The most bytes that a whole packet may have: `max_packet`, or the most that the layout's lengths allow, if less.
    public var maximumPacketByteCount: Int = 1 << 20
    /// How deeply structures may nest at run time, 1 to 1,000; a message's own fields are at depth 0.
    public var maximumDepth: Int = 32
    /// The most bytes that decompression and custom layers may make of one packet, including the packets in it:
    /// `max_inflated`.
    public var maximumInflatedByteCount: Int = 8 << 20
    /// How deep packets may nest in packets, 1 to 16: `max_nested`.
    public var maximumNestedDepth: Int = 4
    /// Whether bytes after the last known field are kept (true) or refused.
    public var keepsTrailingBytes: Bool = true
    /// Whether `properties` refuse duplicate keys and lines without a colon.
    public var hasStrictProperties: Bool = true
    /// The forms that readers accept of varints, and of prefixes that are varints.
    ///
    /// Types and packet fields already have it applied, but prefixes do not.
    public var varintForms: VarintForms = .shortest

    /// Makes the options of a protocol without `option` lines.
    public init() {}
}

/// A place in the schema's text.
public struct SourceLocation: Equatable, Hashable, Sendable {
    /// The file's path as it was given.
    public var file: String
    /// The line, from 1.
    public var line: Int
    /// The column, from 1, in UTF-8 bytes, as compilers print it.
    public var column: Int

    /// Makes a location.
    public init(file: String, line: Int, column: Int) {
        self.file = file
        self.line = line
        self.column = column
    }
}
