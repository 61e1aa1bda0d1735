// SPDX-License-Identifier: Apache-2.0

extension PacketHeader.FieldValue: CustomStringConvertible {
    /// The number, the text in quotation marks, or hexadecimal digits.
    public var description: String {
        switch self {
        case .integer(let number): "\(number)"
        case .text(let text): "\"" + text.escaped() + "\""
        case .bytes(let bytes): Hexadecimal.text(of: bytes)
        }
    }
}
