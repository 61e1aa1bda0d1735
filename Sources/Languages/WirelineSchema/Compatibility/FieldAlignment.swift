// SPDX-License-Identifier: Apache-2.0

/// Pairs the fields of two versions that are the same field.
///
/// Fields with the same name are paired. Fields with other names are paired as renamed, if they have the same position
/// between paired fields and the same types.
struct FieldAlignment {
    /// The pairs, in the order of the new version.
    private(set) var pairs: [(old: Int, new: Int)] = []
    /// The pairs that have changed places with others, by the index in the new version.
    private(set) var moved: Set<Int> = []
    private(set) var deleted: [Int] = []
    private(set) var inserted: [Int] = []
    /// The last fields that are in both versions; -1 if there are none.
    private var lastPaired = (old: -1, new: -1)

    /// Uses pairs that are known to be the same; the caller reports the other fields.
    init(pairs: [(old: Int, new: Int)]) { self.pairs = pairs }

    /// - Parameters:
    ///   - old: The names, each once.
    ///   - new: The names, each once.
    ///   - canBeRenamed: Whether an old and a new field have the same type.
    /// - Complexity: O(*n* log *n*) in the number of names.
    init(old: [String], new: [String], canBeRenamed: (Int, Int) -> Bool) {
        let oldIndices = Dictionary(old.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        let newNames = Set(new)
        let common = new.enumerated().compactMap { index, name in oldIndices[name].map { (old: $0, new: index) } }
        let anchors = Self.longestAscent(of: common)
        pairs = common
        moved = Set(common.map(\.new)).subtracting(anchors.map(\.new))
        var start = (old: 0, new: 0)
        for end in anchors + [(old.count, new.count)] {
            let gone = (start.old..<end.old).filter { !newNames.contains(old[$0]) }
            let come = (start.new..<end.new).filter { oldIndices[new[$0]] == nil }
            // If one side has more, its last fields are removed or new.
            let renamed = zip(gone, come).allSatisfy(canBeRenamed) ? min(gone.count, come.count) : 0
            pairs += zip(gone, come).prefix(renamed).map { (old: $0, new: $1) }
            deleted += gone.dropFirst(renamed)
            inserted += come.dropFirst(renamed)
            start = (end.old + 1, end.new + 1)
        }
        pairs.sort { $0.new < $1.new }
        lastPaired = (pairs.map(\.old).max() ?? -1, pairs.last?.new ?? -1)
    }

    /// Whether no field of the new version comes after a deleted field.
    func isTail(deleted index: Int) -> Bool {
        lastPaired.old < index && lastPaired.new >= inserted.last ?? -1
    }

    /// Whether no field of the old version comes after an inserted field.
    func isTail(inserted index: Int) -> Bool {
        lastPaired.new < index && lastPaired.old >= deleted.last ?? -1
    }

    /// Returns the longest list of pairs whose fields have the same order in both versions.
    ///
    /// If there are several, it returns the one whose first pairs come first in the new version.
    ///
    /// - Parameter common: Pairs in the order of the new version.
    private static func longestAscent(of common: [(old: Int, new: Int)]) -> [(old: Int, new: Int)] {
        // The most pairs possible from each one on.
        var lengths = Array(repeating: 0, count: common.count)
        // The largest old index from which 1, 2, … pairs are possible: it descends.
        var starts: [Int] = []
        for index in common.indices.reversed() {
            var (low, high) = (0, starts.count)
            while low < high {
                let middle = low + (high - low) / 2
                if starts[middle] > common[index].old { low = middle + 1 } else { high = middle }
            }
            lengths[index] = low + 1
            if low == starts.count { starts.append(common[index].old) } else { starts[low] = common[index].old }
        }
        var result: [(old: Int, new: Int)] = []
        for (pair, length) in zip(common, lengths)
        where length == starts.count - result.count && pair.old > result.last?.old ?? -1 { result.append(pair) }
        return result
    }
}
