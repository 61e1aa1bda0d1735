// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec

/// The bytes of a constant, and how to verify them.
package enum PlannedConstant: Equatable, Sendable {
    /// An integer, compared as a whole; for a `bool` it is its byte, for a `bit` one bit.
    case number(Int128, IntegerFormat, ByteOrder)
    /// Text of fixed width, compared byte by byte; the error is at the first byte that differs.
    case text(String, byteCount: Int, padding: UInt8)

    /// The bytes of a text that a reader compares.
    ///
    /// It ignores bytes after the first NUL, but compares any other padding.
    package static func comparedBytes(of text: String, byteCount: Int, padding: UInt8) -> [UInt8] {
        let content = Array(text.utf8)
        let restCount = max(0, byteCount - content.count)
        return content + Array(repeating: padding, count: padding == 0 ? min(1, restCount) : restCount)
    }
}

extension PacketField.Format {
    /// The bytes of a header field's text that a reader compares.
    package func comparedBytes(ofText text: String) -> [UInt8] {
        guard case .text(let byteCount, let padding) = self else { return bytes(ofText: text) }
        return PlannedConstant.comparedBytes(of: text, byteCount: byteCount, padding: padding)
    }
}

extension ProtocolDescription {
    /// Returns the bytes of a field with `@constant`; nil for other fields.
    package func constant(of field: FieldDescription) -> PlannedConstant? {
        guard case .constant(let value) = field.role else { return nil }
        switch (field.type, value) {
        case (.integer(let format, let order), .integer(let number)): return .number(number, format, order)
        case (.enumeration(let index, let order), .integer(let number)):
            return .number(number, enumerations[index].format, order)
        case (.boolean, .integer(let number)): return .number(number, .uint8, .bigEndian)
        case (.bit(let order), .integer(let number)):
            return .number(number, IntegerFormat(bitWidth: 1, isSigned: false), order)
        case (.string(.fixed(let byteCount, let padding)), .string(let text)):
            return .text(text, byteCount: byteCount, padding: padding)
        default: return nil
        }
    }
}
