// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// A value that generated code contains: that of a `@since` field if the bytes end before it.
indirect enum LiteralPlan: Sendable {
    /// A number of a type: an integer, a varint, an enum or flags.
    case integer(Int128, ValuePlan)
    case boolean(Bool)
    /// A float, rounded to its type.
    case float(Double)
    case text(String)
    /// So many bytes of 0; none for `bytes` without a fixed length.
    case zeros(byteCount: Int)
    case noProperties
    /// So many equal items; none for a list without a fixed length.
    case list(LiteralPlan, count: Int)
    /// A structure with the default or zero of each field; by its index.
    case structure(Int)

    /// Whether it is the zero of its type, and no text of zeros.
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
        switch value {
        case .integer(let number): return literal(number, field.type)
        case .float(let number):
            guard case .float(let format, _) = field.type else { return .float(number) }
            return .float(format.nearest(to: number))
        case .string(let text): return .text(text)
        case .zero: return zero(of: field.type)
        }
    }

    /// Returns the zero of a type: 0, false, no text, no items, or a structure of them.
    func zero(of type: TypeDescription) -> LiteralPlan {
        switch type {
        case .integer, .varint, .boolean, .bit, .enumeration, .flags, .float: literal(0, type)
        case .bytes(.exact(let byteCount)): .zeros(byteCount: byteCount)
        case .bytes: .zeros(byteCount: 0)
        case .string(.exact(let byteCount)): .text(String(repeating: "\0", count: byteCount))
        case .string, .utf16: .text("")
        case .digits(let format): .text(format.zero)
        case .properties: .noProperties
        case .sized(let content, _): zero(of: content)
        case .fixedList(let element, let count): .list(zero(of: element), count: count)
        case .list(let element, _): .list(zero(ofItem: element), count: 0)
        case .structure(let index): .structure(index)
        // The checker refuses a `@since` field with a union: there is no zero.
        case .union: .zeros(byteCount: 0)
        }
    }

    /// The zero of a list's item, which is not written; a structure in it may contain the list.
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
