// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec

/// One `enum`.
public struct EnumerationDescription: Equatable, Sendable {
    /// The name in the schema.
    public var name: String
    /// `@name(…)`.
    public var alias: String?
    /// How its numbers stand on the wire.
    public var format: IntegerFormat
    /// At least one, in order of declaration; no two have one number.
    public var cases: [Case]
    /// `@closed`: a number that is not listed is refused.
    public var isClosed: Bool
    /// `reserved`: numbers that no case has.
    public var reservedValues: [ClosedRange<Int128>]
    /// The comments above it or behind it, without comment marks and rulers, or empty.
    public var documentation: String
    /// `@deprecated("why")`.
    public var deprecation: String?
    /// Where its name stands.
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
        /// `@name(…)`.
        public var alias: String?
        /// The number, or the mask of a flag.
        public var value: Int128
        /// The comments above it or behind it, without comment marks and rulers, or empty.
        public var documentation: String
        /// `@deprecated("why")`.
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
    /// `@name(…)`.
    public var alias: String?
    /// An unsigned format.
    public var format: IntegerFormat
    /// At least one, in order of declaration; a mask has one bit or more, and masks may overlap.
    public var cases: [EnumerationDescription.Case]
    /// The comments above it or behind it, without comment marks and rulers, or empty.
    public var documentation: String
    /// `@deprecated("why")`.
    public var deprecation: String?
    /// Where its name stands.
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
    /// The type that it is declared with.
    public var format: IntegerFormat
    /// A value that fits ``format``.
    public var value: Int128
    /// The comments above it or behind it, without comment marks and rulers, or empty.
    public var documentation: String
    /// Where its name stands.
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
