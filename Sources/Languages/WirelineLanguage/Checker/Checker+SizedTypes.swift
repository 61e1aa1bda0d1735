// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// The types with a number of bytes in brackets: `char[24]`, `bcd[6]`.
extension Checker {
    /// Returns the sized type that a field names; nil for other types, or if a declaration has its name.
    func sizedType(of field: FieldSyntax) -> SizedType? {
        symbols[field.typeName.text] == nil ? SizedType(rawValue: field.typeName.text) : nil
    }

    /// Moves the first brackets after `char` or `bcd` to the type: `char[8][4]` is a list of four.
    func withSize(_ field: FieldSyntax) -> FieldSyntax {
        guard sizedType(of: field) != nil, !field.brackets.isEmpty else { return field }
        var field = field
        field.size = field.brackets.removeFirst()
        return field
    }

    mutating func elementType(
        _ type: SizedType, _ field: FieldSyntax, _ attributes: AttributeSet, _ order: ByteOrder, isInList: Bool
    ) -> TypeDescription? {
        let isText = type.notation == nil
        guard
            checkAttributes(
                attributes, fit: field, isText: false, isVarint: false, isPadded: isText, hasUnits: isText,
                isInList: isInList)
        else { return nil }
        guard let size = field.size, let count = size.count else {
            reporter.error(
                "\(type.rawValue.quoted) does not say how many bytes it takes",
                at: field.size?.span ?? field.typeName.span,
                help: "write \(type.example)"
                    + (isText ? "; a single byte is `uint8`, text of any length `string`" : ""))
            return nil
        }
        guard let byteCount = fixedCount(count, of: type) else { return nil }
        if let notation = type.notation { return .digits(DigitFormat(notation, byteCount: byteCount)) }
        return padding(attributes).map { padding in
            attributes.has(.utf16)
                ? .utf16(.fixed(byteCount: 2 * byteCount, padding: padding), order)
                : .string(.fixed(byteCount: byteCount, padding: padding))
        }
    }

    /// Returns the byte that `@pad` names, 0 without one; nil if it was reported.
    private func padding(_ attributes: AttributeSet) -> UInt8? {
        guard attributes.has(.pad) else { return 0 }
        guard let (value, span) = attributes.integer(.pad) else { return nil }
        guard (1...255).contains(value) else {
            reporter.error(
                "`@pad` takes a byte from 1 to 255", at: span, help: "without `@pad`, text is filled with NULs")
            return nil
        }
        return UInt8(value)
    }
}
