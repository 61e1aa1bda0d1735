// SPDX-License-Identifier: Apache-2.0

/// A JSON document, exact: members keep their order, numbers their digits.
///
/// Two values are equal when they would be printed alike: members in another order, numbers in another notation and
/// strings in another normal form are different.
public enum JSONValue: Sendable {
    case null
    case boolean(Bool)
    case number(JSONNumber)
    case string(String)
    case array([JSONValue])
    /// Names and values in the order of the text; no name stands twice.
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
    /// An integer as a JSON number.
    public static func integer(_ value: Int128) -> JSONValue { .number(JSONNumber(value)) }

    /// The value of the object's member with this name; nil without one, and when this is not an object.
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

    /// What kind of value this is, in words: `an object`, `a string`, `null`, …
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

// Not by `nil`: in place of a `JSONValue?` it would be taken for `null`.
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

    /// Makes an object, in the order of the literal; no name may stand twice.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(elements.map { name, value in Member(name, value) })
    }
}

extension String {
    /// Whether the two are the same bytes; `==` would also equate strings that Unicode calls equivalent, and those are
    /// different keys on the wire.
    func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
