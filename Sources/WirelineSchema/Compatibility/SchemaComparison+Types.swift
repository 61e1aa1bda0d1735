// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

extension SchemaComparison {
    mutating func compareTypes(_ pair: FieldPair) {
        compare(pair, pair.before.type, pair.after.type, isItem: false)
        compareFloatRanges(pair)
    }

    /// - Parameter isItem: Whether these are the items of lists, to which `@range` and `@max` do not apply.
    private mutating func compare(_ pair: FieldPair, _ before: TypeDescription, _ after: TypeDescription, isItem: Bool)
    {
        switch (before, after) {
        case (.structure(let left), .structure(let right)):
            compareStructures(pair, left, right)
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
        case (.digits(let left), .digits(let right)):
            if left != right { misalign(pair, .fieldType, changed(pair.before.type, pair.after.type)) }
        case (.string(let left), .string(let right)), (.bytes(let left), .bytes(let right)):
            compareExtents(pair, left, right, isItem: isItem)
        case (.string(let left), .bytes(let right)), (.bytes(let left), .string(let right)):
            let reader: SchemaVersion = if case .string = after { .new } else { .old }
            let bytes = JSONValue.string(Base64.encode([0xFF]))
            suspect(
                pair, .fieldType, changed(before, after),
                breaks: [reader: [.value(pair.key(writtenFor: reader), bytes)]],
                isContained: true)
            compareExtents(pair, left, right, isItem: isItem)
        case (.float32(let left), .float32(let right)), (.float64(let left), .float64(let right)):
            if left != right { misalign(pair, .byteOrder, "stands in the other byte order") }
        case (.properties, .properties): break
        default: compareNumbers(pair, before, after, isItem: isItem)
        }
    }

    /// Adds a change of width or kind: everything after it may be read wrongly too.
    private mutating func misalign(_ pair: FieldPair, _ rule: CompatibilityRule, _ summary: String) {
        suspect(pair, rule, summary, breaks: [.old: [], .new: []])
    }

    private func changed(_ before: TypeDescription, _ after: TypeDescription) -> String {
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
        suspect(pair, .fieldPrefix, changed(pair.before.type, pair.after.type), breaks: readers)
    }

    /// Compares two `char[n]`, each with its bytes and padding.
    private mutating func compareFixedTexts(
        _ pair: FieldPair, _ before: (byteCount: Int, padding: UInt8), _ after: (byteCount: Int, padding: UInt8)
    ) {
        let summary = changed(pair.before.type, pair.after.type)
        guard before.byteCount == after.byteCount else { return misalign(pair, .fieldType, summary) }
        guard before.padding != after.padding else { return }
        // A field that is full has no padding; an empty one is all padding.
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
        let isDeclared = compareDeclarations(pair, before, after)
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
            readers[.new] = [.value(pair.key(writtenFor: .new), .exactInteger(value))]
        }
        if let value = newNumbers.example(notIn: oldNumbers) ?? misread(newNumbers, after, before) {
            readers[.old] = [.value(pair.key(writtenFor: .old), .exactInteger(value))]
        }
        if !isDeclared, before.kindText(in: old) != after.kindText(in: new) {
            suspect(pair, .fieldType, changed(before, after), breaks: readers, isContained: true)
        } else if ranges.0 != ranges.1 {
            let texts = [ranges.0, ranges.1].map { $0.map { "\($0.lowerBound)..\($0.upperBound)" } ?? "no range" }
            suspect(pair, .range, "had \(texts[0]), has \(texts[1])", breaks: readers, isContained: true)
        }
    }

    /// Returns a number that one type writes and another one reads otherwise, although both have it.
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
                    .old: isOfLargeOnes ? [.largeStructure(right)] : [],
                    .new: isOfLargeOnes ? [.largeStructure(left)] : [],
                ])
        }
        open(pair, subject: subject)
    }

    private mutating func noteName(
        _ name: String, _ subject: String, _ place: Suspect.Place, _ before: SourceLocation, _ after: SourceLocation
    ) {
        suspect(.typeName, subject, "was called `\(name)`", at: place, old: before, new: after)
    }

    /// - Returns: Whether both are enums, or both are flags.
    private mutating func compareDeclarations(
        _ field: FieldPair, _ before: TypeDescription, _ after: TypeDescription
    ) -> Bool {
        switch (before, after) {
        case (.enumeration(let left, _), .enumeration(let right, _)):
            let pair = TypePair.enumeration(old: left, new: right)
            contents[field.owner, default: []].insert(pair)
            if comparedCases.insert(pair).inserted { compareEnumerations(pair, left, right) }
            return true
        case (.flags(let left, _), .flags(let right, _)):
            let pair = TypePair.flags(old: left, new: right)
            contents[field.owner, default: []].insert(pair)
            if comparedCases.insert(pair).inserted { compareFlags(pair, left, right) }
            return true
        default: return false
        }
    }

    private mutating func compareEnumerations(_ pair: TypePair, _ left: Int, _ right: Int) {
        let (before, after) = (old.enumerations[left], new.enumerations[right])
        var cases = CaseComparison(
            subject: "enum " + after.name, place: .type(pair), before: before.cases, after: after.cases,
            locations: (before.location, after.location), isClosed: (before.isClosed, after.isClosed))
        cases.hint = { version, value in .enumeration(version == .old ? left : right, .exactInteger(value)) }
        if before.name != after.name {
            noteName(before.name, cases.subject, cases.place, before.location, after.location)
        }
        compareAliases(before.alias, after.alias, of: cases.subject, at: cases.place, before.location, after.location)
        compareFormats(cases, before.format, after.format)
        if before.isClosed != after.isClosed {
            let reader: SchemaVersion = after.isClosed ? .new : .old
            let (listed, format) = after.isClosed ? (after.cases, before.format) : (before.cases, after.format)
            let numbers = Set(listed.map(\.value))
            let unlisted = (0...Int128(listed.count)).first { value in
                format.range.contains(value) && !numbers.contains(value)
            }
            let hints = (unlisted ?? format.range.lowerBound).hint(cases.hint, for: reader)
            suspect(
                .closedEnumeration, cases.subject, after.isClosed ? "is closed now" : "is open now", at: cases.place,
                old: before.location, new: after.location, breaks: [reader: hints])
        }
        compareCases(cases, changedRule: .caseNumber)
    }

    private mutating func compareFlags(_ pair: TypePair, _ left: Int, _ right: Int) {
        let (before, after) = (old.flagSets[left], new.flagSets[right])
        var cases = CaseComparison(
            subject: "flags " + after.name, place: .type(pair), before: before.cases, after: after.cases,
            locations: (before.location, after.location), isClosed: (false, false))
        cases.hint = { version, value in .flags(version == .old ? left : right, .exactInteger(value)) }
        if before.name != after.name {
            noteName(before.name, cases.subject, cases.place, before.location, after.location)
        }
        compareAliases(before.alias, after.alias, of: cases.subject, at: cases.place, before.location, after.location)
        compareFormats(cases, before.format, after.format)
        compareCases(cases, changedRule: .flagBits)
    }

    // MARK: Cases

    private struct CaseComparison {
        var subject: String
        var place: Suspect.Place
        var before: [EnumerationDescription.Case]
        var after: [EnumerationDescription.Case]
        var locations: (SourceLocation, SourceLocation)
        var isClosed: (old: Bool, new: Bool)
        /// Makes a hint for a value that a version writes.
        var hint: (SchemaVersion, Int128) -> ExampleHint = { _, _ in .depth(0) }
    }

    private mutating func compareFormats(_ cases: CaseComparison, _ before: IntegerFormat, _ after: IntegerFormat) {
        guard before != after else { return }
        var readers: [SchemaVersion: [ExampleHint]] = [.old: [], .new: []]
        if before.byteCount == after.byteCount {
            let values = [
                before.range.lowerBound, before.range.upperBound, after.range.lowerBound, after.range.upperBound,
            ]
            readers[.new] = values.filter { !after.range.contains($0) }.map { cases.hint(.old, $0) }
            readers[.old] = values.filter { !before.range.contains($0) }.map { cases.hint(.new, $0) }
        }
        suspect(
            .enumerationFormat, cases.subject, "stands on the wire as another integer", at: cases.place,
            old: cases.locations.0, new: cases.locations.1, breaks: readers)
    }

    private mutating func compareCases(_ cases: CaseComparison, changedRule: CompatibilityRule) {
        let before = (names: Set(cases.before.map(\.name)), numbers: Set(cases.before.map(\.value)))
        let byName = Dictionary(cases.after.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        // Several flags can have the same number.
        let byNumber = Dictionary(
            cases.after.filter { !before.names.contains($0.name) }.map { ($0.value, $0) },
            uniquingKeysWith: { first, _ in first })
        for item in cases.before {
            let same = byName[item.name]
            let replacement = byNumber[item.value]
            if let same {
                guard same.value != item.value else { continue }
                suspect(
                    cases, changedRule, item.name, "was \(item.value), is \(same.value)",
                    breaks: [.new: [cases.hint(.old, item.value)], .old: [cases.hint(.new, same.value)]])
            } else if let replacement {
                suspect(cases, .caseName, replacement.name, "was called `\(item.name)`", breaks: [:])
            } else {
                suspect(
                    cases, .caseDeleted, item.name, "is gone",
                    breaks: cases.isClosed.new ? [.new: [cases.hint(.old, item.value)]] : [:])
            }
        }
        for item in cases.after where !before.names.contains(item.name) && !before.numbers.contains(item.value) {
            suspect(
                cases, cases.isClosed.old ? .closedEnumeration : .addition, item.name, "is new",
                breaks: cases.isClosed.old ? [.old: [cases.hint(.new, item.value)]] : [:])
        }
    }

    private mutating func suspect(
        _ cases: CaseComparison, _ rule: CompatibilityRule, _ name: String, _ summary: String,
        breaks readers: [SchemaVersion: [ExampleHint]]
    ) {
        suspect(
            rule, cases.subject + "." + name, summary, at: cases.place, old: cases.locations.0, new: cases.locations.1,
            breaks: readers)
    }
}

extension Int128 {
    fileprivate func hint(_ make: (SchemaVersion, Int128) -> ExampleHint, for reader: SchemaVersion) -> [ExampleHint] {
        [make(reader.peer, self)]
    }
}

/// The form of a number on the wire.
private struct NumberWire {
    /// The width; nil for varints.
    var byteCount: Int?
    /// The byte order; nil if there is only one.
    var byteOrder: ByteOrder?

    init?(_ type: TypeDescription, in description: ProtocolDescription) {
        switch type {
        case .integer(let format, let order): set(format, order)
        case .enumeration(let index, let order): set(description.enumerations[index].format, order)
        case .flags(let index, let order): set(description.flagSets[index].format, order)
        case .boolean: byteCount = 1
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
        switch self {
        case .list, .fixedList: true
        default: false
        }
    }

    /// Returns what determines a number's values, in words.
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
    fileprivate func hasSameBytes(as other: Self) -> Bool {
        guard case .counted(let left, let leftOrder) = self, case .counted(let right, let rightOrder) = other else {
            return self == other
        }
        let hasOrder = left == .uint16 || left == .uint32
        return left == right && (!hasOrder || leftOrder == rightOrder)
    }

    /// Returns the first count that two prefixes encode differently, if they encode smaller ones alike; otherwise nil.
    fileprivate func firstCount(writtenOtherwiseBy other: Self) -> Int? {
        switch (self, other) {
        case (.counted(.uint8, _), .counted(.varint, _)), (.counted(.varint, _), .counted(.uint8, _)):
            SchemaComparison.firstLongVarint
        default: nil
        }
    }
}

extension StructureDescription {
    /// The size prefix, treated as the count of a text.
    fileprivate var sizeExtent: TypeDescription.Extent { sizePrefix.map { .counted($0, byteOrder) } ?? .rest }
}
