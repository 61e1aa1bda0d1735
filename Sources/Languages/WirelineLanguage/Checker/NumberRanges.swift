// SPDX-License-Identifier: Apache-2.0

package struct NumberRanges {
    /// The ranges, ascending and disjoint.
    private var ranges: [ClosedRange<Int128>] = []

    package init(_ list: [ClosedRange<Int128>]) {
        for range in list.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = ranges.last, range.lowerBound <= last.upperBound {
                ranges[ranges.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                ranges.append(range)
            }
        }
    }

    package init(_ list: [ClosedRange<UInt64>]) {
        self.init(list.map { Int128($0.lowerBound)...Int128($0.upperBound) })
    }

    package func contains(_ value: Int128) -> Bool {
        var low = 0
        var high = ranges.count
        while low < high {
            let middle = low + (high - low) / 2
            if ranges[middle].upperBound < value { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].contains(value)
    }
}
