// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The bytes of a value of fixed width.
enum PackedFormat: Sendable {
    case integer(IntegerFormat, ByteOrder)
    case float(byteCount: Int, ByteOrder)
    case bytes(Int)
    /// Bytes that readers ignore, and writers fill with zeros.
    case filler(Int)

    var byteCount: Int {
        switch self {
        case .integer(let format, _): format.byteCount
        case .float(let byteCount, _), .bytes(let byteCount), .filler(let byteCount): byteCount
        }
    }

    /// The order of a number's bytes; nil if it has one byte, or is not a number.
    var byteOrder: ByteOrder? {
        switch self {
        case .integer(let format, let order): format.byteCount == 1 ? nil : order
        case .float(_, let order): order
        case .bytes, .filler: nil
        }
    }
}

extension ValuePlan {
    /// The format of a number, a float or a boolean of whole bytes; nil for other values.
    var fixedFormat: PackedFormat? {
        switch self {
        case .number(let number): .integer(number.format, number.byteOrder)
        case .float(let byteCount, let order, _): .float(byteCount: byteCount, order)
        case .boolean: .integer(.uint8, .bigEndian)
        default: nil
        }
    }
}
