// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// How a value of fixed width stands in bytes.
enum PackedFormat: Sendable {
    case integer(IntegerFormat, ByteOrder)
    case float(byteCount: Int, ByteOrder)
    case bytes(Int)
    /// Bytes that are not looked at, and are written as zeros.
    case filler(Int)

    var byteCount: Int {
        switch self {
        case .integer(let format, _): format.byteCount
        case .float(let byteCount, _), .bytes(let byteCount), .filler(let byteCount): byteCount
        }
    }

    /// The order of a number's bytes; nil if it has one byte, and for what is no number.
    var byteOrder: ByteOrder? {
        switch self {
        case .integer(let format, let order): format.byteCount == 1 ? nil : order
        case .float(_, let order): order
        case .bytes, .filler: nil
        }
    }
}

extension ValuePlan {
    /// How a number, a float or a boolean of whole bytes stands there; nil for another value.
    var fixedFormat: PackedFormat? {
        switch self {
        case .number(let number): .integer(number.format, number.byteOrder)
        case .float(let byteCount, let order, _): .float(byteCount: byteCount, order)
        case .boolean: .integer(.uint8, .bigEndian)
        default: nil
        }
    }
}
