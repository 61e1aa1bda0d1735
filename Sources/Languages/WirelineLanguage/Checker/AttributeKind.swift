// SPDX-License-Identifier: Apache-2.0

enum AttributeKind: String, CaseIterable {
    case id, from, reply, name, deprecated, sensitive, closed
    case count, size, terminated, until, rest, little, big, range, max, since, `default`, pad, utf16
    case maximumByteCount = "max_bytes"
    case length, constant, sequence, checksum, header, fit
    case exampleValue = "example"
    case condition = "if"
    case tag, sets, accept

    /// The declarations that an attribute can precede.
    enum Place: String {
        case message = "a message"
        case structure = "a struct"
        case enumeration = "an enum"
        case union = "a union"
        case flags = "flags"
        case constant = "a constant"
        case reserved = "reserved IDs"
        case option = "an option"
        case packet = "the packet"
        case enumerationCase = "a case of an enum"
        case flag = "a flag"
        case field = "a field"
        case defaultArm = "the `default` arm"
        case headerField = "a field of the packet"
        case content = "a line of the packet"
    }

    enum Shape: Equatable {
        case none
        case integer, range, name, string, length
        /// The name of a checksum and, after a comma, the bytes that it covers.
        case checksum
        /// A name, or several with `|` between them.
        case names
        /// A number of bytes, the prefix that counts them, or an earlier field with a number added.
        case size
        case value
        /// Values for names: `qos = 1, dup = true`.
        case assignments
        /// A name, or a value for one: `phase = play`.
        case setting
        /// None, or `failure = -1`.
        case failure
        case condition
    }

    var places: [Place] {
        switch self {
        case .id: [.message, .headerField]
        case .from, .reply, .header, .sets: [.message]
        case .name, .deprecated:
            [.message, .structure, .union, .enumeration, .flags, .field, .enumerationCase, .flag]
        case .closed: [.enumeration]
        case .count, .terminated, .until, .rest, .range, .max, .since, .sensitive, .exampleValue, .utf16, .tag: [.field]
        case .little, .big, .default, .maximumByteCount, .pad, .constant, .size: [.field, .headerField]
        case .condition: [.field, .headerField, .content]
        case .accept: [.packet, .content]
        case .length, .sequence, .checksum, .fit: [.headerField]
        }
    }

    func shape(at place: Place) -> Shape {
        switch self {
        case .id: place == .headerField ? .none : .integer
        case .max, .since, .maximumByteCount, .pad, .until: .integer
        case .from, .name, .count, .tag, .accept: .name
        case .checksum: .checksum
        case .size: .size
        case .reply: .names
        case .header: .assignments
        case .sets: .setting
        case .terminated, .rest, .little, .big, .sensitive, .closed, .utf16, .fit: .none
        case .sequence: .failure
        case .range: .range
        case .default, .constant, .exampleValue: .value
        case .deprecated: .string
        case .condition: .condition
        case .length: .length
        }
    }

    /// Returns the attribute's syntax, for error messages.
    func example(at place: Place) -> String {
        switch self {
        case .id: place == .headerField ? "@id" : "@id(20001)"
        case .from: "@from(client)"
        case .reply: "@reply(EnterSceneReply | Failure)"
        case .name: "@name(EnterScene)"
        case .deprecated: "@deprecated(\"why\")"
        case .count: "@count(uint8)"
        case .size: "@size(16)"
        case .until: "@until(0)"
        case .range: "@range(0..100)"
        case .max: "@max(32)"
        case .pad: "@pad(0x20)"
        case .since: "@since(2)"
        case .default: "@default(1)"
        case .constant: "@constant(16)"
        case .exampleValue: "@example(7)"
        case .maximumByteCount: "@max_bytes(4)"
        case .length: "@length(packet - 4)"
        case .checksum: "@checksum(crc32)"
        case .header: "@header(qos = 1)"
        case .condition: "@if(version > 1)"
        case .tag: "@tag(kind)"
        case .sets: "@sets(started)"
        case .accept: "@accept(unauthenticated)"
        case .sequence: "@sequence(failure = -1)"
        case .terminated, .rest, .little, .big, .sensitive, .closed, .utf16, .fit: "@" + rawValue
        }
    }

    func argumentDescription(at place: Place) -> String {
        switch shape(at: place) {
        case .none: "no argument"
        case .integer: "a whole number"
        case .range: "a range"
        case .name: "a name"
        case .names: "a name, or several with `|` between them"
        case .string: "a string"
        case .length: "what is counted"
        case .checksum: "the name of a checksum, and what it covers"
        case .size: "a number of bytes, the type of a prefix, or an earlier field"
        case .value: "a value"
        case .assignments: "fields of the packet with their values"
        case .setting: "a state, or a state and its value"
        case .condition: "a condition"
        case .failure: "no argument, or the number of failed requests"
        }
    }
}

/// The attributes of one declaration or field, once each.
struct AttributeSet {
    private var table: [AttributeKind: Entry] = [:]

    private struct Entry {
        var span: SourceSpan
        /// Empty without arguments, or if one of them was reported.
        var arguments: [ArgumentSyntax]
    }

    mutating func insert(_ kind: AttributeKind, _ arguments: [ArgumentSyntax], at span: SourceSpan) -> Bool {
        guard table[kind] == nil else { return false }
        table[kind] = Entry(span: span, arguments: arguments)
        return true
    }

    /// Whether the attribute is there, even with a faulty argument.
    func has(_ kind: AttributeKind) -> Bool { table[kind] != nil }

    func span(of kind: AttributeKind) -> SourceSpan? { table[kind]?.span }

    /// Returns the argument of an attribute; the first if there are several.
    func argument(of kind: AttributeKind) -> ArgumentSyntax? { table[kind]?.arguments.first }

    func arguments(of kind: AttributeKind) -> [ArgumentSyntax] { table[kind]?.arguments ?? [] }

    func integer(_ kind: AttributeKind) -> (value: Int128, span: SourceSpan)? {
        guard case .number(let number)? = argument(of: kind), let value = number.integer else { return nil }
        return (value, number.span)
    }

    func name(_ kind: AttributeKind) -> NameSyntax? {
        if case .name(let name)? = argument(of: kind) { name } else { nil }
    }

    /// The prefix in `@count(uint8)` or `@size(uint8)`; nil if there is none.
    var prefix: NameSyntax? { name(.count) ?? name(.size) }

    /// Returns the names of an attribute that may have several; empty if it is absent or faulty.
    func names(_ kind: AttributeKind) -> [NameSyntax] { argument(of: kind)?.names ?? [] }

    func string(_ kind: AttributeKind) -> String? {
        if case .string(let text, _)? = argument(of: kind) { text } else { nil }
    }
}
