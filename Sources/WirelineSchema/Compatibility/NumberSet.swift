// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// The numbers that a field can have.
struct NumberSet {
    private var ranges: [ClosedRange<Int128>]

    /// All that a type has; nil for what is no number.
    ///
    /// - Parameter limit: The field's `@range`.
    init?(_ type: TypeDescription, in description: ProtocolDescription, limit: ClosedRange<Int128>? = nil) {
        let format: ClosedRange<Int128>
        switch type {
        case .integer(let integer, _): format = integer.range
        case .boolean: format = 0...1
        case .varint(let count): format = PacketField.Format.varint(maximumByteCount: count).range
        case .flags(let index, _): format = description.flagSets[index].format.range
        case .enumeration(let index, _):
            let enumeration = description.enumerations[index]
            guard !enumeration.isClosed else {
                ranges = enumeration.cases.map { $0.value...$0.value }
                return
            }
            format = enumeration.format.range
        default: return nil
        }
        ranges = [limit.map { format.clamped(to: $0) } ?? format]
    }

    func contains(_ value: Int128) -> Bool { ranges.contains { $0.contains(value) } }

    /// A number of this set that another one lacks; nil if that has them all.
    ///
    /// One that has such numbers has the first above or below a range of the other, or an end of its own.
    func example(notIn other: NumberSet) -> Int128? {
        let candidates =
            other.ranges.flatMap { [$0.upperBound + 1, $0.lowerBound - 1] }
            + ranges.flatMap { [$0.upperBound, $0.lowerBound] }
        return candidates.first { contains($0) && !other.contains($0) }
    }
}
