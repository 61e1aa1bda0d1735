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
        guard case .field(let type) = self else { return false }
        switch type {
        case .integer, .varint: return true
        default: return false
        }
    }

    /// The type of a list's items.
    var item: ScriptType {
        guard case .field(let type) = self else { return .unknown }
        switch type {
        case .fixedList(let element, _), .list(let element, _), .sized(.list(let element, _), _): return .field(element)
        case .flags: return .kind(.string)
        default: return .unknown
        }
    }
}

extension ProtocolDescription {
    /// Returns a possible value for a field, ignoring its limits, so that the surrounding values can be checked.
    func sample(of field: FieldDescription) -> JSONValue {
        if let range = field.range, !range.contains(0) { return .integer(range.lowerBound) }
        if let range = field.floatRange, !range.contains(0) {
            return JSONNumber(range.lowerBound).map { .number($0) } ?? 0
        }
        return sample(of: field.type)
    }

    private func sample(of type: TypeDescription) -> JSONValue {
        switch type {
        case .integer, .varint, .float: return 0
        case .boolean, .bit: return false
        case .string(.exact(let byteCount)): return .string(String(repeating: " ", count: byteCount))
        case .bytes(.exact(let byteCount)): return .string(Base64.encode([UInt8](repeating: 0, count: byteCount)))
        case .string(.field(let count)): return .string(String(repeating: " ", count: count.range.lowerBound))
        case .bytes(.field(let count)):
            return .string(Base64.encode([UInt8](repeating: 0, count: count.range.lowerBound)))
        case .string, .utf16, .bytes: return ""
        case .sized(.utf16, .exact(let byteCount)): return .string(String(repeating: " ", count: byteCount / 2))
        case .sized(let content, _):
            guard let count = WireSizes(self).itemCount(filling: type) else { return sample(of: content) }
            return .array(Array(repeating: sample(of: content.leaf), count: count))
        case .digits(let byteCount): return .string(String(repeating: "0", count: 2 * byteCount))
        case .properties: return .object([])
        case .enumeration(let index, _): return enumerations[index].cases.first.map { .string($0.name) } ?? 0
        case .flags, .list: return .array([])
        case .fixedList(let element, let count): return .array(Array(repeating: sample(of: element), count: count))
        case .structure(let index):
            let fields = structures[index].fields.filter { $0.hasValue && $0.presence.isInZero }
            return .object(fields.map { JSONValue.Member($0.name, sample(of: $0)) })
        case .union(let index):
            guard let arm = unions[index].taggedArms.first else { return .object([]) }
            return .object([JSONValue.Member(arm.name, arm.field.map { sample(of: $0) } ?? .null)])
        }
    }
}
