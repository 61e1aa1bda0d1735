// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec

/// One `enum`.
public struct EnumerationDescription: Equatable, Sendable {
    /// The name in the schema.
    public var name: String
    /// The alias in `@name(…)`.
    public var alias: String?
    /// The format of its numbers on the wire.
    public var format: IntegerFormat
    /// The cases, at least one, in order of declaration; no two have the same number.
    public var cases: [Case]
    /// Whether it is `@closed`: numbers that are not listed are refused.
    public var isClosed: Bool
    /// The `reserved` numbers, which no case has.
    public var reservedValues: [ClosedRange<Int128>]
    /// The comments above or after it, without comment marks and rulers; may be empty.
    public var documentation: String
    /// The reason in `@deprecated("why")`.
    public var deprecation: String?
    /// The place of its name.
    public var location: SourceLocation

    /// Makes an open enum without alias, reserved values, documentation and deprecation.
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
        /// The name in the schema.
        public var name: String
        /// The alias in `@name(…)`.
        public var alias: String?
        /// The number, or the mask of a flag.
        public var value: Int128
        /// The comments above or after it, without comment marks and rulers; may be empty.
        public var documentation: String
        /// The reason in `@deprecated("why")`.
        public var deprecation: String?

        /// Makes a case without alias, documentation and deprecation.
        public init(name: String, value: Int128) {
            self.name = name
            self.value = value
            documentation = ""
        }
    }
}

/// One `flags`: named masks in an integer.
public struct FlagsDescription: Equatable, Sendable {
    /// The name in the schema.
    public var name: String
    /// The alias in `@name(…)`.
    public var alias: String?
    /// The format of the number, which is unsigned.
    public var format: IntegerFormat
    /// The flags, at least one, in order of declaration; a mask has one bit or more, and masks may overlap.
    public var cases: [EnumerationDescription.Case]
    /// The comments above or after it, without comment marks and rulers; may be empty.
    public var documentation: String
    /// The reason in `@deprecated("why")`.
    public var deprecation: String?
    /// The place of its name.
    public var location: SourceLocation

    /// Makes flags without alias, documentation and deprecation.
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
    /// The name in the schema.
    public var name: String
    /// The type with which it is declared.
    public var format: IntegerFormat
    /// The value, which fits ``format``.
    public var value: Int128
    /// The comments above or after it, without comment marks and rulers; may be empty.
    public var documentation: String
    /// The place of its name.
    public var location: SourceLocation

    /// Makes a constant without documentation.
    public init(name: String, format: IntegerFormat, value: Int128, location: SourceLocation) {
        self.name = name
        self.format = format
        self.value = value
        self.location = location
        documentation = ""
    }
}
