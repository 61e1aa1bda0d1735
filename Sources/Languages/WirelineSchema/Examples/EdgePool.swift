// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Numbers and counts at which two versions of a protocol may begin to differ.
///
/// Random values are rarely exactly at a limit; values from a pool often are.
struct EdgePool {
    /// The ends of integers and ranges, the numbers of cases and conditions; in ascending order, each one once.
    private let numbers: [Int128]
    /// Small counts, and those at the limits of fields; each one once.
    private let counts: [Int]
    let tags: Set<Int128>

    /// Larger counts are limits of memory, and their values are not worth trying.
    private static let largestCount = 300
    /// Long values: one byte holds their count as a number, but not as a varint.
    private static let longCounts = 128...255
    /// One in this many counts is long.
    private static let longInterval = 16

    init(_ versions: [ProtocolDescription]) {
        var numbers: Set<Int128> = [0, 1, 2, 3, 127, 128, 255, 256, 0x0102, 0x0102_0304]
        for format in IntegerFormat.allCases { numbers.formUnion(format.range.ends) }
        var counts: Set<Int> = [0, 1, 2, 3]
        for version in versions {
            for field in version.allFields {
                if let range = field.range { numbers.formUnion(range.ends.flatMap { [$0 - 1, $0, $0 + 1] }) }
                for test in field.presence.condition?.tests ?? [] {
                    numbers.formUnion([test.number - 1, test.number, test.number + 1])
                }
                if let count = field.maximumCount, count <= Self.largestCount { counts.formUnion([count, count + 1]) }
            }
            numbers.formUnion(version.layout.framing?.escapes.map { Int128($0.byte) } ?? [])
            numbers.formUnion(version.enumerations.flatMap(\.cases).map(\.value))
            numbers.formUnion(version.flagSets.flatMap(\.cases).map(\.value))
        }
        self.numbers = numbers.sorted()
        self.counts = counts.sorted()
        tags = Set(versions.flatMap(\.unions).flatMap(\.arms).compactMap(\.tag))
    }

    /// Returns a number in a range; nil if the pool has none there.
    func number(in range: ClosedRange<Int128>, _ random: inout SplitMix64) -> Int128? {
        let start = index(ofFirst: range.lowerBound)
        let count = index(ofFirst: range.upperBound + 1) - start
        return count > 0 ? numbers[start + Int(random.next() % UInt64(count))] : nil
    }

    /// Returns the index of the first number that is at least `number`.
    private func index(ofFirst number: Int128) -> Int {
        var (low, high) = (0, numbers.count)
        while low < high {
            let middle = low + (high - low) / 2
            if numbers[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Returns a number of bytes or items.
    ///
    /// - Parameter hasLong: Whether some part of the value is long already: several long parts would not fit.
    func count(_ random: inout SplitMix64, hasLong: inout Bool) -> Int {
        if !hasLong, random.next() % UInt64(Self.longInterval) == 0 {
            hasLong = true
            return Self.longCounts.lowerBound + Int(random.next() % UInt64(Self.longCounts.count))
        }
        return counts[Int(random.next() % UInt64(counts.count))]
    }
}

extension ClosedRange<Int128> {
    fileprivate var ends: [Int128] { [lowerBound, upperBound] }
}
