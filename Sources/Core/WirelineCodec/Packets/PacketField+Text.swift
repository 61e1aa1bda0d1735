// SPDX-License-Identifier: Apache-2.0

/// The values of header fields that have no number.
extension PacketField.Format {
    package func canHold(_ value: PacketHeader.FieldValue) -> Bool {
        switch (self, value) {
        case (_, .integer(let number)): range.contains(number)
        case (.text, .text), (.digits, .text), (.bytes, .bytes): textFault(of: value) == nil
        default: false
        }
    }

    /// Returns why text, digits or bytes do not fit; nil if they do, or if the value is of another kind.
    func textFault(of value: PacketHeader.FieldValue) -> CodecError.Reason? {
        switch (self, value) {
        case (.text(let byteCount, let padding), .text(let text)):
            text.fixedTextFault(byteCount: byteCount, padding: padding)
        case (.digits(let format), .text(let text)): format.fault(in: text.utf8)
        case (.bytes(let byteCount), .bytes(let bytes)) where bytes.count != byteCount:
            .wrongItemCount(count: bytes.count, expected: byteCount)
        default: nil
        }
    }

    /// The text must fit; empty for a field without text.
    package func bytes(ofText text: String) -> [UInt8] {
        switch self {
        case .text(let byteCount, let padding):
            return text.utf8 + Array(repeating: padding, count: max(0, byteCount - text.utf8.count))
        case .digits(let format):
            return [UInt8](byteCount: format.byteCount) { format.write(Array(text.utf8), to: &$0) }
        case .integer, .boolean, .bit, .varint, .bytes: return []
        }
    }
}
