// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

extension SchemaComparison {
    mutating func compareTypes(_ pair: FieldPair) {
        if pair.before.role == .padding {
            let (before, after) = (old.text(of: pair.before), new.text(of: pair.after))
            if before != after { misalign(pair, .fieldType, "was `\(before)`, is `\(after)`") }
            return
        }
        guard pair.before.packing == pair.after.packing else { return comparePlaces(pair) }
        let (before, after) = (pair.before.role, pair.after.role)
        if before != after {
            let texts = (old.text(of: pair.before), new.text(of: pair.after))
            suspect(
                pair, .fieldType, "was `\(texts.0)`, is `\(texts.1)`", breaks: [.old: [], .new: []], isContained: true)
            // If width or byte order changed as well, that must be reported, too.
            if old.text(of: pair.before.type) == new.text(of: pair.after.type) { return }
        }
        compareTagPlaces(pair)
        compare(pair, pair.before.type, pair.after.type, isItem: false)
        compareFloatRanges(pair)
    }

    private mutating func compareTagPlaces(_ pair: FieldPair) {
        let places = (
            old.fields(of: pair.owner.old).tagPlace(of: pair.before),
            new.fields(of: pair.owner.new).tagPlace(of: pair.after)
        )
        switch places {
        case (nil, nil): return
        case (let left?, let right?):
            guard alignments[pair.owner]?.pairs.contains(where: { $0.old == left && $0.new == right }) != true else {
                return
            }
        default: break
        }
        let before = pair.before.tagField.map { "was in `\($0)`" } ?? "stood before it"
        let after = pair.after.tagField.map { "is in `\($0)`" } ?? "stands before it"
        misalign(pair, .unionTag, "its tag \(before), \(after)")
    }

    /// Compares fields that share bytes in one version, with other bits or none in the other version.
    private mutating func comparePlaces(_ pair: FieldPair) {
        _ = compareDeclarations(of: pair.owner, pair.before.type, pair.after.type)
        misalign(
            pair, .fieldType,
            "was \(old.text(ofPlace: pair.before)), is \(new.text(ofPlace: pair.after))")
    }

    /// - Parameter isItem: Whether these are the items of lists; `@range` and `@max` do not apply to them.
    private mutating func compare(_ pair: FieldPair, _ before: TypeDescription, _ after: TypeDescription, isItem: Bool)
    {
        switch (before, after) {
        case (.structure(let left), .structure(let right)):
            compareStructures(pair, left, right)
        case (.sized(let left, let before), .sized(let right, let after)) where left.isList == right.isList:
            compareSizes(pair, (before, left), (after, right))
            compare(pair, left, right, isItem: isItem)
        case (.sized, _), (_, .sized):
            let hasSameContent =
                before.isList == after.isList && before.isStructure == after.isStructure
                && before.content.isUTF16 == after.content.isUTF16
            let rule: CompatibilityRule = before.isList != after.isList ? .fieldCardinality : .fieldType
            misalign(pair, hasSameContent ? .fieldPrefix : rule, changed(before, after))
        case (.union(let left), .union(let right)): compareUnions(pair, left, right)
        case (.fixedList(let left, let before), .fixedList(let right, let after)):
            if before != after { misalign(pair, .fixedCount, "had \(before) items, has \(after)") }
            compare(pair, left, right, isItem: true)
        case (.list(let left, let before), .list(let right, let after)):
            compareExtents(pair, before, after, isItem: isItem)
            compare(pair, left, right, isItem: true)
        case (.string(.fixed(let left, let padding)), .string(.fixed(let right, let other))):
            compareFixedTexts(pair, (left, padding), (right, other))
        case (.string(.fixed), .string), (.string, .string(.fixed)), (.string(.fixed), .bytes),
            (.bytes, .string(.fixed)):
            misalign(pair, .fieldType, changed(pair.before.type, pair.after.type))
        case (.utf16(let left, let order), .utf16(let right, let other)):
            guard order == other else { return misalign(pair, .byteOrder, "stands in the other byte order") }
            switch (left, right) {
            case (.fixed(let before, let padding), .fixed(let after, let filler)):
                compareFixedTexts(pair, (before, padding), (after, filler))
            case (.fixed, _), (_, .fixed): misalign(pair, .fieldType, changed(pair.before.type, pair.after.type))
            default: compareExtents(pair, left, right, isItem: isItem)
            }
        case (.digits(let left), .digits(let right)):
            if left != right { misalign(pair, .fieldType, changed(pair.before.type, pair.after.type)) }
        case (.string(let left), .string(let right)), (.bytes(let left), .bytes(let right)):
            compareExtents(pair, left, right, isItem: isItem)
        case (.string(let left), .bytes(let right)), (.bytes(let left), .string(let right)):
            let reader: SchemaVersion = if case .string = after { .new } else { .old }
            let byteCount = if case .exact(let count) = reader == .new ? left : right { count } else { 1 }
            let bytes = JSONValue.string(Base64.encode([UInt8](repeating: 0xFF, count: byteCount)))
            suspect(
                pair, .fieldType, changed(before, after),
                breaks: [reader: [.value(pair.key(writtenFor: reader), bytes)]],
                isContained: true)
            compareExtents(pair, left, right, isItem: isItem)
        case (.float(let one, let left), .float(let other, let right)) where one == other:
            if left != right { misalign(pair, .byteOrder, "stands in the other byte order") }
        case (.properties, .properties): break
        default: compareNumbers(pair, before, after, isItem: isItem)
        }
    }

    /// Adds a change of width or kind: readers may misread all later fields, too.
    private mutating func misalign(_ pair: FieldPair, _ rule: CompatibilityRule, _ summary: String) {
        suspect(pair, rule, summary, breaks: [.old: [], .new: []])
    }

    func changed(_ before: TypeDescription, _ after: TypeDescription) -> String {
        "was `\(old.text(of: before))`, is `\(new.text(of: after))`"
    }

    // MARK: Lists and text

    private mutating func compareExtents(
        _ pair: FieldPair, _ before: TypeDescription.Extent, _ after: TypeDescription.Extent, isItem: Bool
    ) {
        guard !before.hasSameBytes(as: after) else {
            if !isItem { compareCounts(pair, before, after) }
            return
        }
        var readers: [SchemaVersion: [ExampleHint]] = [.old: [], .new: []]
        if let count = before.firstCount(writtenOtherwiseBy: after) {
            for reader in SchemaVersion.allCases {
                let key = pair.key(writtenFor: reader)
                readers[reader] = [isItem ? .itemCount(key, count) : .count(key, count)]
            }
        }
        addAbsence(of: pair, before, after, to: &readers)
        suspect(pair, .fieldPrefix, changed(pair.before.type, pair.after.type), breaks: readers)
    }

    /// Adds hints for a value that only one of two prefixes can call absent, if they encode counts alike.
    func addAbsence(
        of pair: FieldPair, _ before: TypeDescription.Extent, _ after: TypeDescription.Extent,
        to readers: inout [SchemaVersion: [ExampleHint]]
    ) {
        guard before.differsInSign(from: after) else { return }
        let reader: SchemaVersion = before.isNullable ? .new : .old
        readers[reader, default: []].append(.absent(pair.key(writtenFor: reader)))
    }

    private mutating func compareFixedTexts(
        _ pair: FieldPair, _ before: (byteCount: Int, padding: UInt8), _ after: (byteCount: Int, padding: UInt8)
    ) {
        let summary = changed(pair.before.type, pair.after.type)
        guard before.byteCount == after.byteCount else { return misalign(pair, .fieldType, summary) }
        guard before.padding != after.padding else { return }
        // A full field has no padding; an empty one is all padding.
        suspect(pair, .fieldType, summary, breaks: [.old: [], .new: []], isContained: true)
    }

    private mutating func compareCounts(
        _ pair: FieldPair, _ before: TypeDescription.Extent, _ after: TypeDescription.Extent
    ) {
        guard pair.before.maximumCount != pair.after.maximumCount else { return }
        let left = min(pair.before.maximumCount ?? .max, before.capacity)
        let right = min(pair.after.maximumCount ?? .max, after.capacity)
        var readers: [SchemaVersion: [ExampleHint]] = [:]
        if left > right { readers[.new] = [.count(pair.key(writtenFor: .new), right + 1)] }
        if right > left { readers[.old] = [.count(pair.key(writtenFor: .old), left + 1)] }
        let texts = [pair.before.maximumCount, pair.after.maximumCount].map {
            $0.map { "`@max(\($0))`" } ?? "no `@max`"
        }
        suspect(pair, .maximumCount, "had \(texts[0]), has \(texts[1])", breaks: readers, isContained: true)
    }

    // MARK: Numbers

    private mutating func compareNumbers(
        _ pair: FieldPair, _ before: TypeDescription, _ after: TypeDescription, isItem: Bool
    ) {
        guard let left = NumberWire(before, in: old), let right = NumberWire(after, in: new) else {
            let rule: CompatibilityRule = before.isList != after.isList ? .fieldCardinality : .fieldType
            return misalign(pair, rule, changed(before, after))
        }
        let isDeclared = compareDeclarations(of: pair.owner, before, after)
        guard left.byteCount == right.byteCount else {
            // A change of two enums is reported at their declarations.
            if isDeclared { return }
            return misalign(pair, .fieldType, changed(before, after))
        }
        guard left.byteOrder == right.byteOrder else {
            return misalign(pair, .byteOrder, "stands in the other byte order")
        }
        let ranges = isItem ? (nil, nil) : (pair.before.range, pair.after.range)
        guard let oldNumbers = NumberSet(before, in: old, limit: ranges.0),
            let newNumbers = NumberSet(after, in: new, limit: ranges.1)
        else { return }
        var readers: [SchemaVersion: [ExampleHint]] = [:]
        if let value = oldNumbers.example(notIn: newNumbers) ?? misread(oldNumbers, before, after) {
            readers[.new] = numberHints(pair.key(writtenFor: .new), value, in: old)
        }
        if let value = newNumbers.example(notIn: oldNumbers) ?? misread(newNumbers, after, before) {
            readers[.old] = numberHints(pair.key(writtenFor: .old), value, in: new)
        }
        if !isDeclared, before.kindText(in: old) != after.kindText(in: new) {
            suspect(
                pair, .fieldType, changed(before, after), breaks: readers, isContained: !decidesOthers(pair))
        } else if ranges.0 != ranges.1 {
            let texts = [ranges.0, ranges.1].map { $0.map { "\($0.lowerBound)..\($0.upperBound)" } ?? "no range" }
            suspect(pair, .range, "had \(texts[0]), has \(texts[1])", breaks: readers, isContained: true)
        }
    }

    /// Returns a number of both types that one writes and the other reads as another number.
    private func misread(_ numbers: NumberSet, _ written: TypeDescription, _ read: TypeDescription) -> Int128? {
        guard case .varint(let format) = written, case .varint(let other) = read else { return nil }
        return numbers.example(writtenAs: format, misreadAs: other)
    }

    private mutating func compareFloatRanges(_ pair: FieldPair) {
        let (left, right) = (pair.before.floatRange, pair.after.floatRange)
        guard left != right else { return }
        let texts = [left, right].map { $0.map { "\($0.lowerBound)..\($0.upperBound)" } ?? "no range" }
        var readers: [SchemaVersion: [ExampleHint]] = [:]
        for (reader, written, read) in [(SchemaVersion.new, left, right), (.old, right, left)] {
            guard let read else { continue }
            let ends = written.map { [$0.lowerBound, $0.upperBound] } ?? [.nan]
            guard written == nil || ends.contains(where: { !read.contains($0) }) else { continue }
            readers[reader] = ends.map { .value(pair.key(writtenFor: reader), .float($0)) }
        }
        suspect(pair, .range, "had \(texts[0]), has \(texts[1])", breaks: readers, isContained: true)
    }

    // MARK: Declared types

    private mutating func compareStructures(_ field: FieldPair, _ left: Int, _ right: Int) {
        let pair = OwnerPair(old: .structure(left), new: .structure(right))
        contents[field.owner, default: []].insert(.structure(old: left, new: right))
        guard alignments[pair] == nil else { return }
        let (before, after) = (old.structures[left], new.structures[right])
        let subject = "struct " + after.name
        if before.name != after.name { noteName(before.name, subject, .owner(pair), before.location, after.location) }
        compareAliases(before.alias, after.alias, of: subject, at: .owner(pair), before.location, after.location)
        let extents = (before.sizeExtent, after.sizeExtent)
        if !extents.0.hasSameBytes(as: extents.1) {
            let texts = [before, after].map { item in item.sizePrefix.map { "`sized(\($0.name))`" } ?? "of fixed shape"
            }
            let summary =
                texts[0] == texts[1] ? "its size stands in the other byte order" : "was \(texts[0]), is \(texts[1])"
            let isOfLargeOnes = extents.0.firstCount(writtenOtherwiseBy: extents.1) != nil
            suspect(
                .sizedStructure, subject, summary, at: .owner(pair), old: before.location, new: after.location,
                breaks: [
                    .old: isOfLargeOnes ? [.largeBody(.structure(right))] : [],
                    .new: isOfLargeOnes ? [.largeBody(.structure(left))] : [],
                ])
        }
        open(pair, subject: subject)
    }

    mutating func noteName(
        _ name: String, _ subject: String, _ place: Suspect.Place, _ before: SourceLocation, _ after: SourceLocation
    ) {
        suspect(.typeName, subject, "was called `\(name)`", at: place, old: before, new: after)
    }
}

extension [FieldDescription] {
    /// Returns the index of the field that holds the tag of a union; nil if the tag precedes the value.
    fileprivate func tagPlace(of field: FieldDescription) -> Int? {
        field.tagField.flatMap { name in firstIndex { $0.name == name } }
    }
}

struct NumberWire: Equatable {
    /// The width; nil for varints.
    var byteCount: Int?
    /// The byte order; nil if there is only one.
    var byteOrder: ByteOrder?

    init?(_ type: TypeDescription, in description: ProtocolDescription) {
        switch type {
        case .integer(let format, let order): set(format, order)
        case .enumeration(let index, let order): set(description.enumerations[index].format, order)
        case .flags(let index, let order): set(description.flagSets[index].format, order)
        case .boolean, .bit: byteCount = 1
        case .varint: break
        default: return nil
        }
    }

    private mutating func set(_ format: IntegerFormat, _ order: ByteOrder) {
        byteCount = format.byteCount
        byteOrder = format.byteCount > 1 ? order : nil
    }
}

extension TypeDescription {
    fileprivate var isList: Bool {
        switch content {
        case .list, .fixedList: true
        default: false
        }
    }

    fileprivate var isStructure: Bool { if case .structure = content { true } else { false } }

    /// Returns the kind of a number's values, in words.
    fileprivate func kindText(in description: ProtocolDescription) -> String {
        switch self {
        case .integer(let format, _): "\(format)"
        case .enumeration: "enum"
        case .flags: "flags"
        default: description.text(of: self)
        }
    }
}

extension TypeDescription.Extent {
    func hasSameBytes(as other: Self) -> Bool {
        guard case .counted(let left, let leftOrder) = self, case .counted(let right, let rightOrder) = other else {
            return self == other
        }
        return left == right && (!left.hasByteOrder || leftOrder == rightOrder)
    }

    /// Returns the first count that two prefixes encode differently, if they encode smaller ones alike; otherwise nil.
    func firstCount(writtenOtherwiseBy other: Self) -> Int? {
        switch (self, other) {
        case (.counted(.uint8, _), .counted(.varint, _)), (.counted(.varint, _), .counted(.uint8, _)):
            SchemaComparison.firstLongVarint
        case _ where differsInSign(from: other): capacity < other.capacity ? capacity + 1 : other.capacity + 1
        default: nil
        }
    }

    /// Whether two prefixes differ only in their sign: they encode their common counts alike.
    func differsInSign(from other: Self) -> Bool {
        guard case .counted(let left, let leftOrder) = self, case .counted(let right, let rightOrder) = other else {
            return false
        }
        return left.isSigned != right.isSigned && left.fixedByteCount != nil
            && left.fixedByteCount == right.fixedByteCount && leftOrder == rightOrder
    }
}

extension StructureDescription {
    /// The size prefix, treated as the count of a text.
    fileprivate var sizeExtent: TypeDescription.Extent { sizePrefix.map { .counted($0, byteOrder) } ?? .rest }
}
