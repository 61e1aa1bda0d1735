// SPDX-License-Identifier: Apache-2.0

/// The values of a packet's header and trailer fields, by name, in wire order.
///
/// A header that was read has all fields of the packet. A header to write needs only the values that differ from the
/// defaults. IDs, lengths, constants and checksums are computed and cannot be set, and neither can a field whose
/// condition does not hold.
///
/// ```swift
/// var header: PacketHeader = ["version": 2]
/// header[text: "phone"] = "013912345678"
/// ```
public struct PacketHeader: Equatable, Sendable {
    /// Field names and values, in the order in which they were read or set.
    public private(set) var fields: [(name: String, value: FieldValue)] = []

    /// Makes a header that sets nothing.
    public init() {}

    init(capacity: Int) { fields.reserveCapacity(capacity) }

    /// The value of a header field.
    @frozen
    public enum FieldValue: Sendable {
        /// A number; a `bool` or a `bit` is 0 or 1.
        case integer(Int128)
        /// The text of a `char[n]`, or the digits of a `bcd[n]`.
        case text(String)
        /// The bytes of a field of bytes.
        case bytes([UInt8])
    }

    /// Makes a header that sets some fields, in this order: `PacketHeader(values: ["version": 2, "phone": "0139"])`.
    public init(values: KeyValuePairs<String, FieldValue>) {
        for (name, value) in values { self[value: name] = value }
    }

    /// The number of the field with this name; nil if it is not set, or has no number. A `bool` is 0 or 1.
    public subscript(name: String) -> Int128? {
        get { if case .integer(let number)? = self[value: name] { number } else { nil } }
        set { self[value: name] = newValue.map { .integer($0) } }
    }

    /// The text of the field with this name; nil if it is not set, or has no text.
    public subscript(text name: String) -> String? {
        get { if case .text(let text)? = self[value: name] { text } else { nil } }
        set { self[value: name] = newValue.map { .text($0) } }
    }

    /// The bytes of the field with this name; nil if it is not set, or is no field of bytes.
    public subscript(bytes name: String) -> [UInt8]? {
        get { if case .bytes(let bytes)? = self[value: name] { bytes } else { nil } }
        set { self[value: name] = newValue.map { .bytes($0) } }
    }

    /// The value of the field with this name; nil if it is not set.
    public subscript(value name: String) -> FieldValue? {
        get { fields.first { $0.name == name }?.value }
        set {
            let index = fields.firstIndex { $0.name == name }
            switch (index, newValue) {
            case (let index?, let value?): fields[index].value = value
            case (let index?, nil): fields.remove(at: index)
            case (nil, let value?): fields.append((name, value))
            case (nil, nil): break
            }
        }
    }

    /// Adds a field whose name has not occurred before.
    mutating func append(_ name: String, _ value: FieldValue) { fields.append((name, value)) }

    public static func == (left: PacketHeader, right: PacketHeader) -> Bool {
        left.fields.elementsEqual(right.fields) { $0.name == $1.name && $0.value == $1.value }
    }
}

extension PacketHeader: ExpressibleByDictionaryLiteral {
    /// Makes a header from names and numbers: `["Sequence": 7]`.
    public init(dictionaryLiteral elements: (String, Int128)...) {
        for (name, value) in elements { self[name] = value }
    }
}

extension PacketHeader.FieldValue {
    /// 0 for text and bytes.
    package var number: Int128 { if case .integer(let number) = self { number } else { 0 } }

    /// Nil for numbers and bytes.
    package var text: String? { if case .text(let text) = self { text } else { nil } }
}

extension PacketHeader.FieldValue: Equatable {
    /// Texts are equal if their bytes are: `é` as one character differs from `e` with an accent after it.
    public static func == (left: PacketHeader.FieldValue, right: PacketHeader.FieldValue) -> Bool {
        switch (left, right) {
        case (.integer(let left), .integer(let right)): left == right
        case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
        case (.bytes(let left), .bytes(let right)): left == right
        default: false
        }
    }
}

extension PacketHeader.FieldValue: ExpressibleByIntegerLiteral {
    /// Makes a number.
    public init(integerLiteral value: Int128) { self = .integer(value) }
}

extension PacketHeader.FieldValue: ExpressibleByStringLiteral {
    /// Makes a text.
    public init(stringLiteral value: String) { self = .text(value) }
}

extension PacketHeader {
    package init(_ name: String, _ value: FieldValue) { self[value: name] = value }
}
