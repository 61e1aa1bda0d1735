// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec

extension TypeDescription {
    /// How a value of variable length ends; nil for other types.
    package var extent: Extent? {
        switch self {
        case .string(let extent), .utf16(let extent, _), .bytes(let extent), .list(_, let extent),
            .sized(_, let extent):
            extent
        default: nil
        }
    }

    /// Whether the prefix of a value has a sign: -1 says that the value is absent.
    package var isNullable: Bool { extent?.isNullable ?? false }

    /// Whether it is text or digits in a fixed number of bytes, a `char[n]` or a `bcd[n]`.
    package var isFixedText: Bool {
        switch self {
        case .string(.fixed), .utf16(.fixed, _), .digits: true
        default: false
        }
    }

    package var isUTF16: Bool { if case .utf16 = self { true } else { false } }

    /// Whether it is text or bytes that fill a number of bytes: `@size(16) bytes`.
    package var isExactText: Bool {
        switch self {
        case .string(.exact), .bytes(.exact): true
        default: false
        }
    }

    /// Whether it is a list, a structure or text in UTF-16 inside a number of bytes.
    package var isSized: Bool { if case .sized = self { true } else { false } }

    package var itemType: TypeDescription? {
        switch self {
        case .list(let element, _), .fixedList(let element, _), .sized(.list(let element, _), _): element
        default: nil
        }
    }

    /// Whether a value consists of fields that have attributes of their own.
    package var isBody: Bool {
        switch self {
        case .structure, .union: true
        default: false
        }
    }

    /// The zero of a type that has a number or a text; nil for other types.
    package var zero: DefaultValue? {
        switch self {
        case .integer, .varint, .boolean, .bit, .enumeration, .flags: .integer(0)
        case .float: .float(0)
        case .string(.exact(let byteCount)): .string(String(repeating: "\0", count: byteCount))
        case .string, .utf16: .string("")
        case .digits(let format): .string(format.zero)
        case .sized(let content, _): content.zero
        case .bytes, .properties, .list, .fixedList, .structure, .union: nil
        }
    }

    /// The content of a sized type; any other type itself.
    package var content: TypeDescription { if case .sized(let content, _) = self { content } else { self } }

    /// Whether the value extends to the end of its bytes.
    package var goesToEnd: Bool { self.extent == .rest || self.isProperties }

    private var isProperties: Bool { if case .properties = self { true } else { false } }
}

extension PacketField.Format {
    /// The type of a message's field with the same values.
    package var type: TypeDescription {
        switch self {
        case .integer(let format, let order): .integer(format, order)
        case .boolean: .boolean
        case .bit: .bit(.bigEndian)
        case .varint(let format): .varint(format)
        case .text(let byteCount, let padding): .string(.fixed(byteCount: byteCount, padding: padding))
        case .digits(let format): .digits(format)
        case .bytes(let byteCount): .bytes(.exact(byteCount: byteCount))
        }
    }
}

extension TypeDescription.Extent {
    /// Whether its prefix has a sign: -1 says that the value is absent.
    package var isNullable: Bool { if case .counted(let format, _) = self { format.isSigned } else { false } }

    /// The byte that ends a list; nil for other extents.
    package var terminator: UInt8? { if case .until(let terminator) = self { terminator } else { nil } }
}
