// SPDX-License-Identifier: Apache-2.0

/// The fields of a message or a structure.
enum FieldListKey: Hashable {
    case message(Int)
    case structure(Int)
}

/// A field of one version.
struct FieldKey: Hashable {
    var owner: FieldListKey
    var index: Int
}

extension ProtocolDescription {
    func fields(of owner: FieldListKey) -> [FieldDescription] {
        switch owner {
        case .message(let index): messages[index].fields
        case .structure(let index): structures[index].fields
        }
    }
}

/// Which fields of two versions are the same one.
///
/// Those of one name are. So are fields of another name that stand in the same places between such, and have the same types:
/// they have been renamed.
struct FieldAlignment {
    /// By the order in the new version.
    private(set) var pairs: [(old: Int, new: Int)] = []
    /// Pairs that other pairs have overtaken, by the index in the new version.
    private(set) var moved: Set<Int> = []
    private(set) var deleted: [Int] = []
    private(set) var inserted: [Int] = []

    /// - Parameters:
    ///   - old: The names.
    ///   - new: The names.
    ///   - canBeRenamed: Whether an old and a new field have the same type.
    init(old: [String], new: [String], canBeRenamed: (Int, Int) -> Bool) {
        let anchors = Self.longestCommonSubsequence(old, new)
        let oldIndices = Dictionary(old.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        let newNames = Set(new)
        pairs = anchors
        for (index, name) in new.enumerated() {
            guard let oldIndex = oldIndices[name], !anchors.contains(where: { $0.new == index }) else { continue }
            pairs.append((oldIndex, index))
            moved.insert(index)
        }
        var start = (old: 0, new: 0)
        for end in anchors + [(old.count, new.count)] {
            let gone = (start.old..<end.old).filter { !newNames.contains(old[$0]) }
            let come = (start.new..<end.new).filter { oldIndices[new[$0]] == nil }
            // Where more are on one side, those behind have come or gone.
            let renamed = zip(gone, come).allSatisfy(canBeRenamed) ? min(gone.count, come.count) : 0
            pairs += zip(gone, come).prefix(renamed).map { (old: $0, new: $1) }
            deleted += gone.dropFirst(renamed)
            inserted += come.dropFirst(renamed)
            start = (end.old + 1, end.new + 1)
        }
        pairs.sort { $0.new < $1.new }
    }

    /// Whether nothing of the new version stands behind an old field that is gone.
    func isTail(deleted index: Int) -> Bool {
        pairs.allSatisfy { $0.old < index } && !inserted.contains { new in pairs.allSatisfy { $0.new < new } }
    }

    /// Whether nothing of the old version stands behind a field that is new.
    func isTail(inserted index: Int) -> Bool {
        pairs.allSatisfy { $0.new < index } && !deleted.contains { old in pairs.allSatisfy { $0.old < old } }
    }

    private static func longestCommonSubsequence(_ left: [String], _ right: [String]) -> [(old: Int, new: Int)] {
        let width = right.count + 1
        var lengths = Array(repeating: 0, count: (left.count + 1) * width)
        for row in left.indices.reversed() {
            for column in right.indices.reversed() {
                lengths[row * width + column] =
                    left[row] == right[column]
                    ? lengths[(row + 1) * width + column + 1] + 1
                    : max(lengths[(row + 1) * width + column], lengths[row * width + column + 1])
            }
        }
        var result: [(old: Int, new: Int)] = []
        var (row, column) = (0, 0)
        while row < left.count, column < right.count {
            if left[row] == right[column] {
                result.append((row, column))
                (row, column) = (row + 1, column + 1)
            } else if lengths[(row + 1) * width + column] >= lengths[row * width + column + 1] {
                row += 1
            } else {
                column += 1
            }
        }
        return result
    }
}
