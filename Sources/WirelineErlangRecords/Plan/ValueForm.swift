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
    /// The index of a structure.
    case structure(Int)
    /// The index of a union.
    case union(Int)
    case list(ItemForm, Extent)
    case fixedList(ItemForm, count: Int)
    /// A value inside a number of bytes.
    case sized(ItemForm, Extent)

    /// How a value of variable length ends.
    enum Extent: Equatable, Sendable {
        case counted(CountFormat, ByteOrder)
        case terminated
        /// At the end of the bytes; when it is written, also if an earlier field has the number of its items or bytes.
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

    /// The form whose number of items or bytes an earlier field has said.
    func holding(_ count: Int) -> ValueForm {
        switch self {
        case .string: .string(.exact(count: count))
        case .bytes: .bytes(.exact(count: count))
        case .list(let item, _): .fixedList(item, count: count)
        case .sized(let content, _): .sized(content, .exact(count: count))
        default: self
        }
    }

    /// Whether it is a list.
    var isList: Bool { if case .list = self { true } else { false } }

    /// Whether it stands inside a number of bytes.
    var isSized: Bool { if case .sized = self { true } else { false } }

    /// The form inside a number of bytes; any other form itself.
    var content: ValueForm { if case .sized(let content, _) = self { content.form } else { self } }
}

/// The form of the items of a list, or of what stands inside a number of bytes.
final class ItemForm: Sendable {
    let form: ValueForm
    /// The fewest bytes that a value takes, at least 1.
    let minimumByteCount: Int
    /// Whether a value extends to the end of its bytes.
    let goesToEnd: Bool

    init(_ form: ValueForm, minimumByteCount: Int, goesToEnd: Bool) {
        self.form = form
        self.minimumByteCount = max(1, minimumByteCount)
        self.goesToEnd = goesToEnd
    }

    /// Whether its values are bytes that a list can hold as a string.
    var isByte: Bool {
        if case .integer(let format, _) = form { format.bitWidth == 8 && !format.isSigned } else { false }
    }
}
