// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSchema

/// The type of an expression's value, as far as it is known before it runs.
enum ScriptType {
    /// Any value.
    case unknown
    case kind(Kind)
    /// A field, or part of one.
    case field(TypeDescription)
    /// The fields of one of these messages.
    case messages([Int])
    /// The fields of the header and the trailer.
    case header

    /// The kinds of JSON values that a script distinguishes.
    enum Kind: String {
        case number = "a number"
        case string = "a string"
        case boolean = "true or false"
        case list = "a list"
        case object = "an object"
        case null
    }

    /// The kind; nil if several are possible.
    var kind: Kind? {
        switch self {
        case .unknown: nil
        case .kind(let kind): kind
        case .messages, .header: .object
        case .field(let type): Self.kind(of: type)
        }
    }

    /// Returns the JSON kind for values of a field's type; nil if several are possible.
    static func kind(of type: TypeDescription) -> Kind? {
        switch type {
        case .integer, .varint: .number
        // Floats that are not finite have names, and an enum's value may have no name.
        case .float, .enumeration: nil
        case .boolean, .bit: .boolean
        case .string, .utf16, .bytes, .digits: .string
        case .properties, .structure, .union: .object
        case .flags, .fixedList, .list: .list
        case .sized(let content, _): kind(of: content)
        }
    }

    /// Whether values beyond 53 bits are strings in JSON.
    var isInteger: Bool {
        switch self {
        case .field(.integer), .field(.varint): true
        default: false
        }
    }

    /// The type of a list's items.
    var item: ScriptType {
        guard case .field(let type) = self else { return .unknown }
        if case .flags = type { return .kind(.string) }
        return type.itemType.map { .field($0) } ?? .unknown
    }
}
