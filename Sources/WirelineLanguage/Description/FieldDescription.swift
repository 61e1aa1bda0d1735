// SPDX-License-Identifier: Apache-2.0

/// One field of a message or a structure.
public struct FieldDescription: Equatable, Sendable {
    /// The name in the schema.
    public var name: String
    /// The alias in `@name(…)`.
    public var alias: String?
    /// The number in `= 1`, if it is written.
    public var number: Int?
    /// The type, with its form on the wire.
    public var type: TypeDescription
    /// Whether a packet may end before it.
    public var presence: Presence
    /// The offset in bytes from the start of the payload; nil if a field of variable width comes before.
    ///
    /// In a structure it counts from the first field, after any size prefix.
    public var offset: Int?
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

    /// Whether a packet may end before this field.
    public enum Presence: Equatable, Sendable {
        /// The field is in every payload.
        case required
        /// The field is absent if the payload ends before it.
        case optional
        /// The field is always written, and has the default if the payload ends before it.
        ///
        /// The number is that of `@since`, 1 or more.
        case since(Int, default: DefaultValue)
    }
}

/// The value of a `@since` field if the bytes end before it, or a field's example.
public enum DefaultValue: Equatable, Sendable {
    /// An integer, varint, enum or flags; for a `bool` 0 or 1.
    case integer(Int128)
    /// The default of a `float32` or `float64`.
    case float(Double)
    /// The default of a `string`.
    case string(String)
    /// Zero, false, empty, or the enum's 0; for a structure or a fixed list, this default for each part.
    case zero
}
