// SPDX-License-Identifier: Apache-2.0

/// One field of a message or a structure.
public struct FieldDescription: Equatable, Sendable {
    /// The name in the schema.
    public var name: String
    /// `@name(…)`.
    public var alias: String?
    /// `= 1`, where it is written.
    public var number: Int?
    /// What it holds and how that stands on the wire.
    public var type: TypeDescription
    /// Whether a packet may end before it.
    public var presence: Presence
    /// Bytes from the start of the payload (of a structure: from its first field, behind any size prefix), or nil
    /// when something of variable width stands before.
    public var offset: Int?
    /// `@range` on integers and varints; both ends are allowed values.
    public var range: ClosedRange<Int128>?
    /// `@range` on floats; both ends are allowed values.
    public var floatRange: ClosedRange<Double>?
    /// `@max`: bytes of a string or of `bytes`, items of a list; the strings inside a list have no limit of their own.
    public var maximumCount: Int?
    /// `@sensitive`: hidden in logs.
    public var isSensitive: Bool
    /// The comments above it or behind it, without comment marks and rulers, or empty.
    public var documentation: String
    /// `@deprecated("why")`.
    public var deprecation: String?
    /// Where its name stands.
    public var location: SourceLocation

    /// Makes a field that is always there and has no limits.
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
        /// Every payload has it.
        case required
        /// Absent when the payload ends before it.
        case optional
        /// Always written; takes the default when the payload ends before it. The number is that of `@since`, 1 or more.
        case since(Int, default: DefaultValue)
    }
}

/// What a `@since` field is when the bytes end before it.
public enum DefaultValue: Equatable, Sendable {
    /// An integer, varint, enum or flags; of a `bool` 0 or 1.
    case integer(Int128)
    /// Of a `float32` or `float64`.
    case float(Double)
    /// Of a `string`.
    case string(String)
    /// Zero, false, empty, the enum's 0; of a structure or a fixed list: that of each part.
    case zero
}
