// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

struct NumberSet {
    private let ranges: [ClosedRange<Int128>]
    /// The same ranges, for look-ups.
    private let lookup: NumberRanges

    /// Makes the set of all numbers of a type; nil for a type that is not a number.
    ///
    /// - Parameter limit: The field's `@range`.
    init?(_ type: TypeDescription, in description: ProtocolDescription, limit: ClosedRange<Int128>? = nil) {
        let format: ClosedRange<Int128>
        switch type {
        case .integer(let integer, _): format = integer.range
        case .boolean, .bit: format = 0...1
        case .varint(let varint): format = varint.range
        case .flags(let index, _): format = description.flagSets[index].format.range
        case .enumeration(let index, _):
            let enumeration = description.enumerations[index]
            guard !enumeration.isClosed else {
                self.init(enumeration.cases.map { $0.value...$0.value })
                return
            }
            format = enumeration.format.range
        default: return nil
        }
        self.init([limit.map { format.clamped(to: $0) } ?? format])
    }

    init(_ range: ClosedRange<Int128>) { self.init([range]) }

    private init(_ ranges: [ClosedRange<Int128>]) {
        self.ranges = ranges
        lookup = NumberRanges(ranges)
    }

    func contains(_ value: Int128) -> Bool { lookup.contains(value) }

    /// The largest number; 0 in an empty set.
    var most: Int128 { ranges.map(\.upperBound).max() ?? 0 }

    /// Returns a number of this set that another one lacks; nil if the other one has them all.
    ///
    /// If there is such a number, one is next to a range of the other set, or at an end of a range here.
    func example(notIn other: NumberSet) -> Int128? {
        let candidates =
            other.ranges.flatMap { [$0.upperBound + 1, $0.lowerBound - 1] }
            + ranges.flatMap { [$0.upperBound, $0.lowerBound] }
        return candidates.first { contains($0) && !other.contains($0) }
    }

    /// Returns a number of this set that one format writes, and another one refuses or reads as a different number.
    ///
    /// The formats differ at every negative number, or at every number except 0, or nowhere.
    func example(writtenAs format: VarintFormat, misreadAs other: VarintFormat) -> Int128? {
        let ends: [Int128] = ranges.flatMap { [$0.lowerBound, $0.upperBound] }
        let candidates: [Int128] = ends + [-1, 1]
        return candidates.first { contains($0) && other.value(ofBits: format.bits(of: $0)) != $0 }
    }
}
