// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// A constant value in generated code: the default of a `@since` field, or a zero.
indirect enum LiteralPlan: Sendable {
    /// A number of a type: an integer, a varint, an enum or flags.
    case integer(Int128, ValuePlan)
    case boolean(Bool)
    /// A float, rounded to its type.
    case float(Double)
    case text(String)
    /// Some bytes of 0; none for `bytes` without a fixed length.
    case zeros(byteCount: Int)
    case noProperties
    /// Equal items; none for a list without a fixed length.
    case list(LiteralPlan, count: Int)
    /// A structure with the default or zero of each field; by its index.
    case structure(Int)

    /// Whether it is the zero of its type; a text of zeros is not.
    var isZero: Bool {
        switch self {
        case .integer(let number, _): number == 0
        case .boolean(let value): !value
        case .float(let number): number == 0 && number.sign == .plus
        case .text(let text): text.isEmpty
        case .zeros, .noProperties, .list, .structure: true
        }
    }
}

extension CodingPlan {
    /// Returns the value of a `@since` field if the bytes end before it; nil for other fields.
    func absentValue(of field: FieldDescription) -> LiteralPlan? {
        guard case .since(_, let value) = field.presence else { return nil }
        return literal(value, field.type)
    }

    private func literal(_ value: DefaultValue, _ type: TypeDescription) -> LiteralPlan {
        switch value {
        case .integer(let number): return literal(number, type)
        case .float(let number):
            guard case .float(let format, _) = type else { return .float(number) }
            return .float(format.nearest(to: number))
        case .string(let text): return .text(text)
        case .zero: return zero(of: type)
        }
    }

    /// Returns the zero of a type: 0, false, no text, no items, or a structure of them.
    func zero(of type: TypeDescription) -> LiteralPlan {
        if let value = type.zero { return literal(value, type) }
        switch type {
        case .bytes(.exact(let byteCount)): return .zeros(byteCount: byteCount)
        case .properties: return .noProperties
        case .sized(let content, _): return zero(of: content)
        case .fixedList(let element, let count): return .list(zero(of: element), count: count)
        case .list(let element, _): return .list(zero(ofItem: element), count: 0)
        case .structure(let index): return .structure(index)
        // Bytes, or a union. The checker refuses a `@since` field with a union, because a union has no zero.
        default: return .zeros(byteCount: 0)
        }
    }

    /// The zero of an item in an empty list. It is never written, so a union, which has no zero, may have any.
    private func zero(ofItem type: TypeDescription) -> LiteralPlan {
        if case .union = type { .boolean(false) } else { zero(of: type) }
    }

    func literal(_ number: Int128, _ type: TypeDescription) -> LiteralPlan {
        switch type {
        case .boolean, .bit: .boolean(number != 0)
        case .float(let format, _): .float(format.nearest(to: Double(number)))
        default: .integer(number, value(type, nil, in: []))
        }
    }
}
