// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The form of a value on the wire, with the names of its type.
///
/// It differs from `TypeDescription` in that most cases can be copied without counting references.
enum ValueForm: Sendable {
    case integer(IntegerFormat, ByteOrder)
    case varint(VarintFormat)
    case float(FloatFormat, ByteOrder)
    case boolean
    case enumeration(NameTable, ByteOrder)
    case flags(NameTable, ByteOrder)
    case string(Extent)
    case bytes(Extent)
    case utf16(Extent, ByteOrder)
    case digits(DigitFormat)
    case properties(isStrict: Bool)
    /// The index of the structure in the plan.
    case structure(Int)
    /// The index of the union in the plan.
    case union(Int)
    case list(ItemForm, Extent)
    case fixedList(ItemForm, count: Int)
    /// A value with its length in bytes, or of a fixed length.
    case sized(ItemForm, Extent)

    /// The rule for the end of a value of variable length.
    enum Extent: Equatable, Sendable {
        case counted(CountFormat, ByteOrder)
        case terminated
        /// At the end of the bytes. For writing, also if an earlier field holds the length.
        case rest
        case until(UInt8)
        case fixed(byteCount: Int, padding: UInt8)
        case exact(count: Int)

        init(_ extent: TypeDescription.Extent) {
            self =
                switch extent {
                case .counted(let format, let order): .counted(format, order)
                case .terminated: .terminated
                case .rest, .field: .rest
                case .until(let terminator): .until(terminator)
                case .fixed(let byteCount, let padding): .fixed(byteCount: byteCount, padding: padding)
                case .exact(let byteCount): .exact(count: byteCount)
                }
        }
    }

    /// The form for a length that an earlier field held.
    func holding(_ count: Int) -> ValueForm {
        switch self {
        case .string: .string(.exact(count: count))
        case .bytes: .bytes(.exact(count: count))
        case .list(let item, _): .fixedList(item, count: count)
        case .sized(let content, _): .sized(content, .exact(count: count))
        default: self
        }
    }

    var isList: Bool { if case .list = self { true } else { false } }

    var isSized: Bool { if case .sized = self { true } else { false } }

    /// The form without its length in bytes.
    var content: ValueForm { if case .sized(let content, _) = self { content.form } else { self } }
}

/// The form of a list's items, or of a value with a length in bytes.
final class ItemForm: Sendable {
    let form: ValueForm
    /// At least 1.
    let minimumByteCount: Int
    /// Whether a value extends to the end of its bytes.
    let goesToEnd: Bool

    init(_ form: ValueForm, minimumByteCount: Int, goesToEnd: Bool) {
        self.form = form
        self.minimumByteCount = max(1, minimumByteCount)
        self.goesToEnd = goesToEnd
    }

    /// Whether a list of these may be encoded as a string.
    var isByte: Bool {
        if case .integer(let format, _) = form { format.bitWidth == 8 && !format.isSigned } else { false }
    }
}
