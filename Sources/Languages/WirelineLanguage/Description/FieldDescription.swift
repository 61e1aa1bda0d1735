// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec

/// One field of a message or a structure.
public struct FieldDescription: Equatable, Sendable {
    /// The name in the schema; `padding[0]` for the first `padding` of a body, `padding[1]` for the next one.
    ///
    /// Errors have such a name in their path. No field can have it.
    public var name: String
    /// The alias in `@name(…)`.
    public var alias: String?
    /// The number in `= 1`, if it is written.
    public var number: Int?
    /// The type, with its form on the wire.
    public var type: TypeDescription
    /// Whether it is a value of the message, or bytes that the schema fixes.
    public var role: Role = .value
    /// Whether it may be absent, and when.
    public var presence: Presence
    /// The offset in bytes from the start of the payload; nil if a field of variable width, or with a condition, comes
    /// before.
    ///
    /// In a structure it counts from the first field, after any size prefix.
    public var offset: Int?
    /// The field before it that holds the tag of a union, as in `@tag(kind)`; nil if the tag precedes the value.
    ///
    /// That field is ``Role/derived``.
    public var tagField: String?
    /// The place among the fields that share bytes with it; nil if it begins and ends at bytes, as most fields do.
    ///
    /// ``offset`` is then that of their first byte.
    public var packing: FieldPacking?
    /// The `@range` of an integer or varint; both ends are allowed values.
    public var range: ClosedRange<Int128>?
    /// The `@range` of a float; both ends are allowed values.
    public var floatRange: ClosedRange<Double>?
    /// The `@max`: bytes of a string or of `bytes`, items of a list; strings inside a list have no limit.
    public var maximumCount: Int?
    /// The value in `@example(v)`, which examples for people have; of a list it is the value of each item.
    ///
    /// nil: examples have a made-up value. The text of `bytes` stands for its UTF-8.
    public var example: DefaultValue?
    /// Whether it is `@sensitive`: hidden in logs.
    public var isSensitive: Bool
    /// The comments above or after it, without comment marks and rulers; may be empty.
    public var documentation: String
    /// The reason in `@deprecated("why")`.
    public var deprecation: String?
    /// The place of its name.
    public var location: SourceLocation

    /// Makes a required field without limits.
    public init(name: String, type: TypeDescription, location: SourceLocation) {
        self.name = name
        self.type = type
        self.location = location
        presence = .required
        isSensitive = false
        documentation = ""
    }

    /// Makes `padding`, the one at `position` among those of its body.
    public init(padding byteCount: Int, position: Int, location: SourceLocation) {
        self.init(
            name: "padding[\(position)]", type: .fixedList(.integer(.uint8, .bigEndian), count: byteCount),
            location: location)
        role = .padding
    }

    /// Whether programs see it as a value: a property, a key in JSON, a field of a record.
    ///
    /// Every body contains the bytes of other fields, but no program sets or sees them.
    public var hasValue: Bool { role == .value }

    /// The purpose of a field.
    public enum Role: Equatable, Sendable {
        /// A value of the message.
        case value
        /// Bytes that writers fill with zeros and readers ignore; the type is a list of so many `uint8`.
        case padding
        /// A value that writers always write and readers verify.
        ///
        /// The type is an integer, a `bool`, an enum or text of fixed width.
        case constant(DefaultValue)
        /// A number that follows from later fields of the body; readers use it to read those.
        ///
        /// It is the tag of a union, or counts the items or bytes of others; 0 if none of them is present.
        case derived
    }

    /// Whether a field may be absent.
    public enum Presence: Equatable, Sendable {
        /// The field is in every payload.
        case required
        /// The field is absent if the payload ends before it.
        case optional
        /// The field is always written, and has the default if the payload ends before it.
        ///
        /// The number is that of `@since`, 1 or more.
        case since(Int, default: DefaultValue)
        /// The field is present exactly if the condition holds. The condition refers to earlier fields of the body and,
        /// in a message, to the packet's header.
        case when(WireCondition)
        /// The prefix of the field is in every payload; it is -1 if the field is absent.
        case nullable

        package var isAppended: Bool {
            switch self {
            case .optional, .since: true
            case .required, .when, .nullable: false
            }
        }

        /// Whether every payload has bytes of the field: its value, or the prefix that says that it is absent.
        package var isInEveryBody: Bool {
            switch self {
            case .required, .nullable: true
            case .optional, .since, .when: false
            }
        }

        package var mayBeUnset: Bool {
            switch self {
            case .optional, .when, .nullable: true
            case .required, .since: false
            }
        }

        /// Whether the field is present in a body whose other fields are zero or have their defaults.
        package var isInZero: Bool {
            switch self {
            case .required, .since: true
            case .optional, .nullable: false
            case .when(let condition): condition.holds { _ in 0 }
            }
        }

        package var condition: WireCondition? { if case .when(let condition) = self { condition } else { nil } }
    }
}

/// The value of a `@since` field if the bytes end before it, of a constant, or a field's example.
public enum DefaultValue: Equatable, Sendable {
    /// An integer, varint, enum or flags; for a `bool` 0 or 1.
    case integer(Int128)
    /// The default of a float.
    case float(Double)
    /// The default of a `string`.
    case string(String)
    /// Zero, false, empty, or the enum's 0; for a structure or a fixed list, this default for each part.
    case zero
}

extension [FieldDescription] {
    /// The packet fields that conditions of these fields refer to, each once.
    package var headerOperands: [String] {
        var names: [String] = []
        for case .header(let name) in compactMap(\.presence.condition).flatMap(\.operands) where !names.contains(name) {
            names.append(name)
        }
        return names
    }
}
