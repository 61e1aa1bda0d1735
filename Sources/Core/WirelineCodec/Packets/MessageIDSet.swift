// SPDX-License-Identifier: Apache-2.0

/// ID fields that a packet can have together: those that are always there, and some of those with a condition.
///
/// The ID is the bits of all of them, the first field most significant.
package struct MessageIDSet: Sendable {
    /// The most ID fields with a condition: a writer may have to try all their combinations, 16.
    static let maximumConditionalFieldCount = 4

    /// The positions of the fields in their layout, in wire order.
    package let fields: [Int]
    package let bitWidth: Int

    init(_ fields: [Int], in list: [PacketField]) {
        self.fields = fields
        bitWidth = fields.reduce(0) { $0 + list[$1].format.bitWidth }
    }

    /// Returns all sets, the widest first; of those of one width, first the one with the earlier fields.
    static func all(of list: [PacketField]) -> [MessageIDSet] {
        var sets: [[Int]] = [[]]
        for (index, field) in list.enumerated() where field.role == .messageID {
            let longer = sets.map { $0 + [index] }
            sets = field.condition == nil ? longer : zip(longer, sets).flatMap { [$0, $1] }
        }
        let unsorted = sets.map { MessageIDSet($0, in: list) }
        // The standard library's sort is stable, but does not promise it.
        return unsorted.enumerated().sorted { left, right in
            (right.element.bitWidth, left.offset) < (left.element.bitWidth, right.offset)
        }.map { $0.element }
    }

    func canHold(_ id: UInt64) -> Bool { bitWidth == 0 ? id == 0 : id <= UInt64.max >> UInt64(64 - bitWidth) }

    /// Returns the bits of an ID that belong to one of the layout's fields, as a number of that field.
    ///
    /// - Parameter list: The fields of the layout.
    func part(of id: UInt64, for index: Int, in list: [PacketField]) -> Int128 {
        var rest = id
        for candidate in fields.reversed() {
            let format = list[candidate].format
            let width = format.bitWidth
            if candidate == index { return format.number(ofBits: rest & (UInt64.max >> UInt64(64 - width))) }
            rest = width == 64 ? 0 : rest >> UInt64(width)
        }
        return 0
    }
}

extension PacketField.Format {
    func number(ofBits bits: UInt64) -> Int128 {
        guard isSigned else { return Int128(bits) }
        return Int128(Int64(truncatingIfNeeded: bits << UInt64(64 - bitWidth)) >> Int64(64 - bitWidth))
    }
}
