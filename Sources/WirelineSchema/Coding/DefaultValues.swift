// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// What `@since` fields are when the bytes end before them.
struct DefaultValues {
    private let description: ProtocolDescription
    private let enumerations: [EnumerationPlan]
    private let flagSets: [EnumerationPlan]
    /// The defaults of structures, so that one is worked out once however often it stands in others.
    private var structures: [Int: JSONValue] = [:]

    init(_ description: ProtocolDescription, enumerations: [EnumerationPlan], flagSets: [EnumerationPlan]) {
        self.description = description
        self.enumerations = enumerations
        self.flagSets = flagSets
    }

    /// The default of a `@since` field; nil for any other.
    mutating func value(of field: FieldDescription) -> JSONValue? {
        guard case .since(_, let value) = field.presence else { return nil }
        switch value {
        case .integer(let value): return integer(value, field.type)
        case .float(let value):
            if case .float32 = field.type { return .float(Float(value)) }
            return .float(value)
        case .string(let text):
            if case .bytes = field.type { return .string(Base64.encode(Array(text.utf8))) }
            return .string(text)
        case .zero: return zero(field.type)
        }
    }

    private func integer(_ value: Int128, _ type: TypeDescription) -> JSONValue {
        switch type {
        case .boolean: .boolean(value != 0)
        case .enumeration(let index, _): enumerations[index].json(enumeration: value)
        case .flags(let index, _): flagSets[index].json(flags: value)
        case .float32, .float64: .float(Double(value))
        default: .exactInteger(value)
        }
    }

    private mutating func zero(_ type: TypeDescription) -> JSONValue {
        switch type {
        case .integer, .varint, .boolean, .enumeration, .flags: return integer(0, type)
        case .float32, .float64: return .float(0.0)
        case .string, .bytes: return .string("")
        case .properties: return .object([])
        case .list: return .array([])
        case .fixedList(let element, let count): return .array(Array(repeating: zero(element), count: count))
        case .structure(let index):
            if let known = structures[index] { return known }
            structures[index] = .object([])  // A structure that holds itself by value would never end.
            let members = description.structures[index].fields.compactMap { field in
                field.presence == .optional
                    ? nil : JSONValue.Member(field.name, value(of: field) ?? zero(field.type))
            }
            structures[index] = .object(members)
            return .object(members)
        }
    }
}
