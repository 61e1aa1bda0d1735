// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The numbers of the fields of a body that count others.
struct DerivedNumbers {
    private var numbers: [(name: String, value: Int)] = []

    mutating func add(_ value: JSONValue, of field: JSONField) {
        guard case .number(let number) = value, let integer = number.integer else { return }
        numbers.append((field.name, Int(clamping: integer)))
    }

    func count(_ count: FieldCount) -> Int {
        guard let number = numbers.first(where: { $0.name == count.field })?.value else { return 0 }
        let sum = number.addingReportingOverflow(count.addend)
        return sum.overflow ? .max : sum.partialValue
    }
}

extension PayloadDecoder {
    /// Returns the type of a field; if an earlier field counts it, with that number of items or bytes.
    func type(
        of field: JSONField, _ numbers: DerivedNumbers, from reader: borrowing ByteReader
    ) throws(CodecError) -> TypeDescription {
        guard let fieldCount = field.fieldCount else { return field.type }
        let count = numbers.count(fieldCount)
        try require(count < 0 ? .negativeSize(count) : nil, at: reader.offset)
        if !field.type.isSized { try require(field.limits.fault(ofCount: count), at: reader.offset) }
        return field.type.holding(count)
    }
}

extension TypeDescription {
    /// The same type with a fixed number of items or bytes, in place of the earlier field's.
    fileprivate func holding(_ count: Int) -> TypeDescription {
        switch self {
        case .string: .string(.exact(byteCount: count))
        case .bytes: .bytes(.exact(byteCount: count))
        case .list(let element, _): .fixedList(element, count: count)
        case .sized(let content, _): .sized(content, .exact(byteCount: count))
        default: self
        }
    }
}
