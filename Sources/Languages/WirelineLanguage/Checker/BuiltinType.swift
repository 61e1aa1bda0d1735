// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec

enum BuiltinType: Equatable {
    case integer(IntegerFormat)
    case varint(VarintFormat.Encoding)
    case float(FloatFormat)
    case boolean, bit, string, bytes, properties

    /// All names, the more likely ones first: if two are close to a misspelt word, the first is suggested.
    static let names =
        ["uint8", "uint16", "uint32", "uint64", "uint24", "int8", "int16", "int32", "int64", "int24"]
        + ["float", "double", "float32", "float64", "float16", "bool", "string", "String", "bytes", "varint"]
        + ["properties", "zigzag", "varint32", "varint64", "char"] + DigitFormat.Notation.allCases.map(\.rawValue) + [
            "bit"
        ]
        + ["uint40", "uint48", "uint56", "int40", "int48", "int56"]

    /// The types of other languages and schemas, with their names here.
    static let foreignNames = [
        "byte": "uint8", "ubyte": "uint8", "uchar": "uint8", "u8": "uint8", "sbyte": "int8",
        "i8": "int8",
        "ushort": "uint16", "u16": "uint16", "word": "uint16", "short": "int16", "i16": "int16", "u24": "uint24",
        "i24": "int24", "uint": "uint32", "u32": "uint32", "dword": "uint32", "fixed32": "uint32", "int": "int32",
        "i32": "int32", "sint32": "int32", "ulong": "uint64", "u64": "uint64", "fixed64": "uint64", "long": "int64",
        "i64": "int64", "sint64": "int64", "f16": "float16", "half": "float16", "f32": "float32", "f64": "float64",
        "boolean": "bool", "str": "string", "text": "string", "utf8": "string", "binary": "bytes", "blob": "bytes",
        "data": "bytes", "leb128": "varint",
        "uvarint": "varint", "zigzag64": "zigzag", "varlong": "varint64",
    ]

    init?(name: String) {
        switch name {
        case "float": self = .float(.binary32)
        case "double": self = .float(.binary64)
        case "bool": self = .boolean
        case "bit": self = .bit
        case "string", "String": self = .string
        case "bytes": self = .bytes
        case "properties": self = .properties
        default:
            if let format = IntegerFormat(name: name) {
                self = .integer(format)
            } else if let format = FloatFormat.allCases.first(where: { $0.name == name }) {
                self = .float(format)
            } else if let encoding = VarintFormat.Encoding.allCases.first(where: { $0.name == name }) {
                self = .varint(encoding)
            } else {
                return nil
            }
        }
    }

    var isVarint: Bool {
        if case .varint = self { true } else { false }
    }
}

/// A type with the number of bytes in the brackets after its name: `char[24]`.
///
/// A declaration of the folder can hide its name.
struct SizedType: Equatable {
    /// The notation of digits; nil for `char`, which has text.
    let notation: DigitFormat.Notation?

    init?(rawValue name: String) {
        notation = DigitFormat.Notation(rawValue: name)
        if notation == nil, name != "char" { return nil }
    }

    var rawValue: String { notation?.rawValue ?? "char" }

    var example: String { "`\(rawValue)[\(notation == nil ? 24 : 6)]`" }
}

extension IntegerFormat {
    /// Makes the format with this name in the language: `uint1` to `uint64`, `int1` to `int64`.
    init?(name: String) {
        guard let width = Self.width(inName: name), width >= 1, width <= 64 else { return nil }
        self.init(bitWidth: width, isSigned: !name.hasPrefix("u"))
    }

    /// Returns the number in a name such as `uint4` or `int128`, even if no integer has that many bits; nil for other
    /// names.
    static func width(inName name: String) -> Int? {
        let prefix = name.hasPrefix("u") ? "uint" : "int"
        guard name.hasPrefix(prefix) else { return nil }
        let digits = name.dropFirst(prefix.count)
        guard let width = Int(digits), width >= 0, String(width) == digits else { return nil }
        return width
    }

    /// The range as text for error messages: `0 to 255`.
    var rangeText: String { "\(range.lowerBound) to \(range.upperBound)" }
}

extension CountFormat {
    init?(name: String) {
        guard let format = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = format
    }

    /// The formats without a sign: they cannot say that a value is absent.
    package static let unsigned = allCases.filter { !$0.isSigned }

    static let choices = "`uint8`, `uint16`, `uint32` or `varint`"
    static let signedChoices = "`int16`, `int32` or `zigzag`"
}
