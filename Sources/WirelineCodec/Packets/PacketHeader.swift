// SPDX-License-Identifier: Apache-2.0

/// The values of a packet's header and trailer fields, by name, in wire order.
///
/// A header that was read has every field. A header to write needs only the values that differ from the defaults. IDs,
/// lengths, constants and checksums are computed and cannot be set.
public struct PacketHeader: Equatable, Sendable {
    /// Field names and values, in the order in which they were read or set.
    public private(set) var fields: [(name: String, value: Int128)] = []

    /// Makes a header that sets nothing.
    public init() {}

    /// The value of the field with this name; nil if it is not set. A `bool` is 0 or 1.
    public subscript(name: String) -> Int128? {
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

    public static func == (left: PacketHeader, right: PacketHeader) -> Bool {
        left.fields.elementsEqual(right.fields) { $0.name == $1.name && $0.value == $1.value }
    }
}

extension PacketHeader: ExpressibleByDictionaryLiteral {
    /// Makes a header from names and values: `["Sequence": 7]`.
    public init(dictionaryLiteral elements: (String, Int128)...) {
        for (name, value) in elements { self[name] = value }
    }
}
