// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// How to read and write one value, with everything that the schema decides about it.
///
/// A ``TypeDescription`` says what a value is. This adds the limits of the field, the minimum size of a list's item,
/// and the numbers of a closed enum.
indirect enum ValuePlan: Sendable {
    case number(PlannedNumber)
    /// A float of 2, 4 or 8 bytes; code holds one of 2 bytes in 8. Without a range, any value is allowed.
    case float(byteCount: Int, ByteOrder, range: ClosedRange<Double>?)
    /// One byte, or one bit of a group, 0 or 1.
    case boolean
    /// An integer of variable length; only numbers in the range are allowed.
    case varint(VarintFormat, allowed: ClosedRange<Int128>)
    /// Bytes and their meaning. Digits have an exact number of bytes; properties take all remaining ones.
    case content(CountPlan, ContentEncoding)
    case structure(Int)
    /// A union; with the index of the field that has the tag, unless the tag precedes the value.
    case union(Int, tagSource: Int?)
    /// Items. The minimum item size bounds the memory that a reader reserves for the bytes at hand.
    case list(ValuePlan, CountPlan, leastItemByteCount: Int)
    /// A value inside a number of bytes. If it must fill them, remaining bytes are an error; otherwise they are
    /// skipped.
    case sized(ValuePlan, CountPlan, fills: Bool)
}

extension ValuePlan {
    /// The content of a sized value; otherwise the value itself.
    var content: ValuePlan { if case .sized(let content, _, _) = self { content.content } else { self } }

    /// Whether it is a number or a boolean, which languages copy and initialize by themselves.
    var isScalar: Bool {
        switch content {
        case .number, .varint, .float, .boolean: true
        default: false
        }
    }

    var isClosed: Bool {
        if case .number(let number) = self { number.isClosed } else { false }
    }
}

/// The meaning of a value's bytes.
enum ContentEncoding: Equatable, Sendable {
    case utf8
    /// Counts are of 16-bit units.
    case utf16(ByteOrder)
    case bytes
    /// Two digits in each byte.
    case digits(DigitFormat.Notation)
    /// Lines, each with a key and a value.
    case properties(isStrict: Bool)

    /// Its name in runtime functions.
    var name: String {
        switch self {
        case .utf8: "text"
        case .utf16: "utf16"
        case .bytes: "bytes"
        case .digits(let notation): notation.word
        case .properties: "properties"
        }
    }

    /// The order of the bytes in a unit; nil if each unit is a byte.
    var byteOrder: ByteOrder? { if case .utf16(let order) = self { order } else { nil } }

    /// The size of the units that counts count, in bytes.
    var unitByteCount: Int { byteOrder == nil ? 1 : 2 }
}

/// How to find a value's end: by a number of bytes, 16-bit units or items, or by a terminator.
enum CountPlan: Sendable {
    /// A prefix has the number.
    case prefix(PlannedCount)
    /// An earlier field has the number; the count's addend is added to it.
    case field(FieldCount, index: Int, limit: Int?)
    case exactly(Int)
    /// Content in a fixed number of bytes, filled with the padding.
    case filled(byteCount: Int, padding: UInt8)
    /// A unit of 0 ends it.
    case terminated(limit: Int?)
    /// A list ends at this byte, in place of an item.
    case until(UInt8, limit: Int?)
    /// It extends to the end of the bytes.
    case rest(limit: Int?)

    /// The most that may be written; nil if there is no limit.
    var maximum: Int? {
        switch self {
        case .prefix(let count): count.maximum
        case .field(let count, _, let limit): min(limit ?? .max, count.range.upperBound)
        case .exactly: nil
        case .filled(let byteCount, _): byteCount
        case .terminated(let limit), .until(_, let limit), .rest(let limit): limit
        }
    }

    /// The fewest that may be written.
    var minimum: Int { if case .field(let count, _, _) = self { count.range.lowerBound } else { 0 } }
}

extension CodingPlan {
    /// Returns how to read and write a value.
    ///
    /// - Parameters:
    ///   - field: The field whose limits apply; nil for the items of a list.
    ///   - body: The fields of the body, including those that count others.
    func value(
        _ type: TypeDescription, _ field: FieldDescription?, in body: [FieldDescription], tagSource: Int? = nil
    ) -> ValuePlan {
        func count(_ extent: TypeDescription.Extent, sized: Bool = false) -> CountPlan {
            let limit = sized ? nil : field?.maximumCount
            switch extent {
            case .counted(let format, let order):
                return .prefix(PlannedCount(format, order, limit: limit))
            case .field(let count):
                return .field(count, index: body.firstIndex { $0.name == count.field } ?? 0, limit: limit)
            case .exact(let byteCount): return .exactly(byteCount)
            case .fixed(let byteCount, let padding): return .filled(byteCount: byteCount, padding: padding)
            case .terminated: return .terminated(limit: limit)
            case .until(let byte): return .until(byte, limit: limit)
            case .rest: return .rest(limit: limit)
            }
        }
        switch type {
        case .integer, .enumeration, .flags:
            return .number(number(type, range: field?.range) ?? PlannedNumber(.uint8, .bigEndian))
        case .float(let format, let order):
            return .float(byteCount: format.byteCount, order, range: field?.floatRange)
        case .boolean, .bit: return .boolean
        case .varint(let format): return .varint(format, allowed: field?.range ?? format.range)
        case .string(let extent): return .content(count(extent), .utf8)
        case .bytes(let extent): return .content(count(extent), .bytes)
        case .utf16(.exact(let byteCount), let order): return .content(.exactly(byteCount / 2), .utf16(order))
        case .utf16(let extent, let order): return .content(count(extent), .utf16(order))
        case .digits(let format): return .content(.exactly(format.byteCount), .digits(format.notation))
        case .properties(let isStrict): return .content(.rest(limit: nil), .properties(isStrict: isStrict))
        case .structure(let index): return .structure(index)
        case .union(let index): return .union(index, tagSource: tagSource)
        case .list(let element, let extent):
            return .list(
                value(element, nil, in: body), count(extent), leastItemByteCount: itemByteCount(of: element))
        case .fixedList(let element, let count):
            return .list(
                value(element, nil, in: body), .exactly(count), leastItemByteCount: itemByteCount(of: element))
        case .sized(let content, let extent):
            return .sized(
                value(content, field, in: body, tagSource: tagSource), count(extent, sized: true),
                fills: content.goesToEnd)
        }
    }
}

extension IntegerFormat {
    /// The format of the narrowest type for the integer, in a language whose integers have 8, 16, 32 or 64 bits.
    var held: IntegerFormat {
        IntegerFormat(bitWidth: [8, 16, 32].first { bitWidth <= $0 } ?? 64, isSigned: isSigned)
    }
}
