// SPDX-License-Identifier: Apache-2.0

/// An exact JSON document: members keep their order, and numbers their digits.
///
/// Two values are equal if they are printed the same. Members in another order, numbers in another notation and strings
/// in another normal form make them different.
public enum JSONValue: Sendable {
    case null
    case boolean(Bool)
    case number(JSONNumber)
    case string(String)
    case array([JSONValue])
    /// Names and values in the order of the text; each name occurs once.
    case object([Member])

    /// One name and its value in an object.
    public struct Member: Equatable, Sendable {
        public var name: String
        public var value: JSONValue

        /// Makes a member.
        public init(_ name: String, _ value: JSONValue) {
            self.name = name
            self.value = value
        }

        public static func == (left: Member, right: Member) -> Bool {
            left.name.hasSameBytes(as: right.name) && left.value == right.value
        }
    }
}

extension JSONValue {
    /// Makes a JSON number of an integer.
    public static func integer(_ value: Int128) -> JSONValue { .number(JSONNumber(value)) }

    /// The value of the object's member with this name; nil if there is none, or if this is not an object.
    ///
    /// - Complexity: O(*n*) in the number of members.
    public subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name.hasSameBytes(as: name) }?.value
    }

    /// Whether this is `null`.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The kind of this value in words: `an object`, `a string`, `null`, and so on.
    package var kind: String {
        switch self {
        case .null: "null"
        case .boolean: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

extension JSONValue: Equatable {
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.boolean(let left), .boolean(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): left.hasSameBytes(as: right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }
}

// There is no `nil` literal: for a `JSONValue?` it would be ambiguous with `null`.
extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Makes a string.
    public init(stringLiteral value: String) { self = .string(value) }

    /// Makes a number.
    public init(integerLiteral value: Int128) { self = .integer(value) }

    /// Makes a boolean.
    public init(booleanLiteral value: Bool) { self = .boolean(value) }

    /// Makes an array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

    /// Makes an object, in the order of the literal; each name may occur only once.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(elements.map { name, value in Member(name, value) })
    }
}

extension String {
    /// Whether the two strings have the same bytes.
    ///
    /// `==` would also equate strings that Unicode calls equivalent, but those are different keys on the wire.
    func hasSameBytes(as other: String) -> Bool {
        // `==` finds most differences, and much faster.
        self == other && utf8.elementsEqual(other.utf8)
    }
}
