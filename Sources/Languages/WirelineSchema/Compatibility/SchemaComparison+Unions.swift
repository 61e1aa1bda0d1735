// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

extension SchemaComparison {
    /// Compares two unions, unless that has been done, and opens the fields of the arms that are in both.
    mutating func compareUnions(_ field: FieldPair, _ left: Int, _ right: Int) {
        let pair = OwnerPair(old: .union(left), new: .union(right))
        contents[field.owner, default: []].insert(.union(old: left, new: right))
        guard alignments[pair] == nil else { return }
        let arms = ArmComparison(
            pair: pair, left: left, right: right, before: old.unions[left], after: new.unions[right])
        let (before, after) = (arms.before, arms.after)
        if before.name != after.name {
            noteName(before.name, arms.subject, .owner(pair), before.location, after.location)
        }
        compareAliases(before.alias, after.alias, of: arms.subject, at: .owner(pair), before.location, after.location)
        compareTags(arms)
        compareSizes(arms)
        let fields = compareArms(arms)
        let alignment = FieldAlignment(pairs: fields)
        alignments[pair] = alignment
        openLists.append(
            OpenList(
                pair: pair, subject: arms.subject, before: before.fields, after: after.fields, alignment: alignment))
    }

    private struct ArmComparison {
        let pair: OwnerPair
        let left: Int
        let right: Int
        let before: UnionDescription
        let after: UnionDescription

        var subject: String { "union " + after.name }

        /// Hints for each arm; the peer of each reader writes them.
        var all: [SchemaVersion: [ExampleHint]] {
            [
                .old: after.arms.indices.map { .arm(right, $0) },
                .new: before.arms.indices.map { .arm(left, $0) },
            ]
        }
    }

    private mutating func suspect(
        _ arms: ArmComparison, _ rule: CompatibilityRule, _ name: String?, _ summary: String,
        old before: SourceLocation?, new after: SourceLocation?, breaks readers: [SchemaVersion: [ExampleHint]]
    ) {
        suspect(
            rule, [arms.subject, name].compactMap(\.self).joined(separator: "."), summary, at: .owner(arms.pair),
            old: before, new: after, breaks: readers)
    }

    // MARK: Tag and size

    private mutating func compareTags(_ arms: ArmComparison) {
        let (before, after) = (arms.before, arms.after)
        let isDeclared = compareDeclarations(of: arms.pair, before.tag, after.tag)
        let wires = (NumberWire(before.tag, in: old), NumberWire(after.tag, in: new))
        let texts = (old.text(of: before.tag), new.text(of: after.tag))
        guard texts.0 != texts.1 || wires.0 != wires.1 else { return }
        // A change of an enum's width is reported at its declaration.
        if isDeclared, wires.0?.byteOrder == wires.1?.byteOrder || wires.0?.byteCount != wires.1?.byteCount { return }
        suspect(
            arms, .unionTag, nil, "its tag was `\(texts.0)`, is `\(texts.1)`", old: before.location,
            new: after.location, breaks: wires.0 == wires.1 ? [:] : arms.all)
    }

    private mutating func compareSizes(_ arms: ArmComparison) {
        let (before, after) = (arms.before, arms.after)
        let extents = (before.sizeExtent, after.sizeExtent)
        guard !extents.0.hasSameBytes(as: extents.1) else { return }
        let texts = [before, after].map { item in item.sizePrefix.map { "`sized(\($0.name))`" } ?? "without a size" }
        let summary =
            texts[0] == texts[1] ? "its size stands in the other byte order" : "was \(texts[0]), is \(texts[1])"
        var readers = arms.all
        if extents.0.firstCount(writtenOtherwiseBy: extents.1) != nil {
            // Only the sizes of long values differ.
            readers[.old, default: []].append(.largeBody(.union(arms.right)))
            readers[.new, default: []].append(.largeBody(.union(arms.left)))
        }
        suspect(
            arms, .sizedStructure, nil, summary, old: before.location, new: after.location, breaks: readers)
    }

    // MARK: Arms

    /// Reports arms that are gone or new, or have another tag.
    ///
    /// - Returns: The fields of arms that are in both versions, each by its index among those of its union.
    private mutating func compareArms(_ arms: ArmComparison) -> [(old: Int, new: Int)] {
        var pairs: [(old: Int, new: Int)] = []
        var taken: Set<Int> = []
        for (index, arm) in arms.before.arms.enumerated() {
            guard let other = arms.after.counterpart(of: arm, in: arms.before) else {
                suspect(
                    arms, .unionArm, arm.name, "is gone", old: arm.location, new: nil,
                    breaks: [.new: [.arm(arms.left, index)]])
                continue
            }
            taken.insert(other)
            compare(arms, index, other, &pairs)
        }
        for (index, arm) in arms.after.arms.enumerated() where !taken.contains(index) {
            let isKept = arms.before.defaultArm != nil
            suspect(
                arms, isKept ? .addition : .unionArm, arm.name, "is new", old: nil, new: arm.location,
                breaks: [.old: [.arm(arms.right, index)]])
        }
        return pairs
    }

    private mutating func compare(
        _ arms: ArmComparison, _ left: Int, _ right: Int, _ pairs: inout [(old: Int, new: Int)]
    ) {
        let (before, after) = (arms.before.arms[left], arms.after.arms[right])
        let readers: [SchemaVersion: [ExampleHint]] = [.old: [.arm(arms.right, right)], .new: [.arm(arms.left, left)]]
        if let tag = before.tag, let other = after.tag, tag != other {
            suspect(
                arms, .unionTag, after.name, "had the tag \(tag), has \(other)", old: before.location,
                new: after.location, breaks: readers)
        }
        switch (before.field, after.field) {
        case (nil, nil):
            guard before.name != after.name else { return }
            suspect(
                arms, .fieldName, after.name, "was called `\(before.name)`", old: before.location,
                new: after.location, breaks: [:])
        case (let one?, let other?) where before.tag == nil:
            guard one.name != other.name else { return }
            suspect(
                arms, .fieldName, other.name, "was called `\(one.name)`", old: one.location, new: other.location,
                breaks: [:])
        case (_?, _?): pairs.append((arms.before.fieldIndex(ofArm: left), arms.after.fieldIndex(ofArm: right)))
        case (let one, let other):
            let texts = (
                one.map { "held `\(old.text(of: $0.type))`" } ?? "held nothing",
                other.map { "holds `\(new.text(of: $0.type))`" } ?? "holds nothing"
            )
            suspect(
                arms, .fieldType, after.name, "\(texts.0), \(texts.1)", old: before.location, new: after.location,
                breaks: readers)
        }
    }
}

extension UnionDescription {
    /// Returns the same arm in this version: the one with its name or, if that is new, with its tag.
    fileprivate func counterpart(of arm: Arm, in other: UnionDescription) -> Int? {
        guard arm.tag != nil else { return arms.firstIndex { $0.tag == nil } }
        if let same = arms.firstIndex(where: { $0.tag != nil && $0.name == arm.name }) { return same }
        return arms.firstIndex { candidate in
            candidate.tag == arm.tag && !other.arms.contains { $0.tag != nil && $0.name == candidate.name }
        }
    }

    fileprivate func fieldIndex(ofArm index: Int) -> Int { arms[..<index].count { $0.field != nil } }

    /// The size prefix, treated as the count of a text.
    fileprivate var sizeExtent: TypeDescription.Extent { sizePrefix.map { .counted($0, byteOrder) } ?? .rest }
}
