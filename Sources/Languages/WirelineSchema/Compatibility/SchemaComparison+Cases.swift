// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Enums and flags: their integers, and their cases.
extension SchemaComparison {
    /// - Returns: Whether both are enums, or both are flags.
    mutating func compareDeclarations(
        of owner: OwnerPair, _ before: TypeDescription, _ after: TypeDescription
    ) -> Bool {
        switch (before, after) {
        case (.enumeration(let left, _), .enumeration(let right, _)):
            let pair = TypePair.enumeration(old: left, new: right)
            contents[owner, default: []].insert(pair)
            if comparedCases.insert(pair).inserted { compareEnumerations(pair, left, right) }
            return true
        case (.flags(let left, _), .flags(let right, _)):
            let pair = TypePair.flags(old: left, new: right)
            contents[owner, default: []].insert(pair)
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
        var hint: (SchemaVersion, Int128) -> ExampleHint = { _, _ in .depth(0) }
    }

    private mutating func compareFormats(_ cases: CaseComparison, _ before: IntegerFormat, _ after: IntegerFormat) {
        guard before != after else { return }
        var readers: [SchemaVersion: [ExampleHint]] = [.old: [], .new: []]
        if before.bitWidth == after.bitWidth {
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
