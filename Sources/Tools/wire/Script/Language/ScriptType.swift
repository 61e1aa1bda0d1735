// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSchema

/// The type of an expression's value, as far as it is known before the script runs.
enum ScriptType {
    case unknown
    case kind(Kind)
    /// A field of a message, or a part of one.
    case field(TypeDescription)
    /// The fields of one of these messages.
    case messages([Int])
    /// The fields of the header and the trailer.
    case header

    enum Kind: String {
        case number = "a number"
        case string = "a string"
        case boolean = "true or false"
        case list = "a list"
        case object = "an object"
        case null
    }

    /// The kind of the value; nil if several kinds are possible.
    var kind: Kind? {
        switch self {
        case .unknown: nil
        case .kind(let kind): kind
        case .messages, .header: .object
        case .field(let type): Self.kind(of: type)
        }
    }

    /// Returns the JSON kind of a field's values; nil if several kinds are possible.
    static func kind(of type: TypeDescription) -> Kind? {
        switch type {
        case .integer, .varint: .number
        // JSON writes infinity and NaN as strings, and an enum's value without a name as a number.
        case .float, .enumeration: nil
        case .boolean, .bit: .boolean
        case .string, .utf16, .bytes, .digits: .string
        case .properties, .structure, .union: .object
        case .flags, .fixedList, .list: .list
        case .sized(let content, _): kind(of: content)
        }
    }

    /// Whether JSON can write the value as a string, because it can have more than 53 bits.
    var isInteger: Bool {
        switch self {
        case .field(.integer), .field(.varint): true
        default: false
        }
    }

    var item: ScriptType {
        guard case .field(let type) = self else { return .unknown }
        if case .flags = type { return .kind(.string) }
        return type.itemType.map { .field($0) } ?? .unknown
    }
}
