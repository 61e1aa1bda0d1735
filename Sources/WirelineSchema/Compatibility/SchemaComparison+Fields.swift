// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

extension SchemaComparison {
    /// Compares the fields of a message, and of its structures that have not been compared.
    ///
    /// The lists of fields under comparison are in ``openLists``: structures can nest more deeply than the program's
    /// stack.
    mutating func compareFields(ofMessage pair: OwnerPair, subject: String) {
        open(pair, subject: subject)
        while let list = openLists.last {
            guard list.next < list.alignment.pairs.count else {
                openLists.removeLast()
                continue
            }
            openLists[openLists.count - 1].next += 1
            compare(list, list.alignment.pairs[list.next])
        }
    }

    /// Starts to compare the fields of a message or a structure, unless that has been done.
    mutating func open(_ pair: OwnerPair, subject: String) {
        guard alignments[pair] == nil else { return }
        let (before, after) = (old.fields(of: pair.old), new.fields(of: pair.new))
        let alignment = FieldAlignment(old: before.map(\.name), new: after.map(\.name)) { left, right in
            old.text(of: before[left]) == new.text(of: after[right])
        }
        alignments[pair] = alignment
        for index in alignment.deleted { suspectDeleted(before[index], index, pair, alignment, subject) }
        for index in alignment.inserted { suspectInserted(after[index], index, pair, alignment, subject) }
        openLists.append(OpenList(pair: pair, subject: subject, before: before, after: after, alignment: alignment))
    }

    private mutating func compare(_ list: OpenList, _ indices: (old: Int, new: Int)) {
        let (before, after) = (list.before[indices.old], list.after[indices.new])
        let subject = list.subject + "." + after.name
        if list.alignment.moved.contains(indices.new) {
            suspect(
                .fieldOrder, subject, "stands in another place among its fields", at: .owner(list.pair),
                old: before.location, new: after.location, breaks: [.old: [], .new: []])
        }
        compare(
            FieldPair(
                owner: list.pair, old: indices.old, new: indices.new, before: before, after: after, subject: subject))
    }

    /// A message or a structure whose fields are being compared.
    struct OpenList {
        let pair: OwnerPair
        let subject: String
        let before: [FieldDescription]
        let after: [FieldDescription]
        let alignment: FieldAlignment
        /// The next pair of fields.
        var next = 0
    }

    struct FieldPair {
        var owner: OwnerPair
        var old: Int
        var new: Int
        var before: FieldDescription
        var after: FieldDescription
        var subject: String

        /// Returns the field in the version of the reader's peer, whose values are tried.
        func key(writtenFor reader: SchemaVersion) -> FieldKey {
            reader == .new ? FieldKey(owner: owner.old, index: old) : FieldKey(owner: owner.new, index: new)
        }

        var names: Set<String> { [before.name, after.name] }
    }

    // MARK: Deleted and inserted fields

    private mutating func suspectDeleted(
        _ field: FieldDescription, _ index: Int, _ pair: OwnerPair, _ alignment: FieldAlignment, _ subject: String
    ) {
        let isTail = alignment.isTail(deleted: index)
        var readers: [SchemaVersion: [ExampleHint]] = [:]
        if !isTail || field.presence == .required { readers[.old] = [] }
        if !isTail || !skipsTail(pair.new, of: new) { readers[.new] = [] }
        suspect(
            .fieldDeleted, subject + "." + field.name, isTail ? "is gone from the end" : "is gone",
            at: .owner(pair), old: field.location, new: nil, breaks: readers)
    }

    private mutating func suspectInserted(
        _ field: FieldDescription, _ index: Int, _ pair: OwnerPair, _ alignment: FieldAlignment, _ subject: String
    ) {
        let isTail = alignment.isTail(inserted: index)
        let isFrozen = isFrozen(pair.new, of: new)
        var readers: [SchemaVersion: [ExampleHint]] = [:]
        if !isTail || field.presence == .required { readers[.new] = [] }
        if !isTail || !skipsTail(pair.old, of: old) { readers[.old] = [] }
        let rule: CompatibilityRule =
            !isTail
            ? .fieldInserted
            : isFrozen
                ? .frozenStructure
                : field.presence == .required ? .fieldAppended : readers.isEmpty ? .addition : .trailing
        suspect(
            rule, subject + "." + field.name, isTail ? "is new, at the end" : "is new, in front of others",
            at: .owner(pair), old: nil, new: field.location, breaks: readers)
    }

    /// Whether a reader skips bytes after the last field that it knows.
    private func skipsTail(_ owner: FieldListKey, of description: ProtocolDescription) -> Bool {
        switch owner {
        case .message: description.options.keepsTrailingBytes
        case .structure(let index): description.structures[index].sizePrefix != nil
        }
    }

    private func isFrozen(_ owner: FieldListKey, of description: ProtocolDescription) -> Bool {
        guard case .structure(let index) = owner else { return false }
        return description.structures[index].sizePrefix == nil
    }

    // MARK: Fields in both versions

    private mutating func compare(_ pair: FieldPair) {
        let (before, after) = (pair.before, pair.after)
        if before.name != after.name { note(.fieldName, pair, "was called `\(before.name)`") }
        compareAliases(
            before.alias, after.alias, of: pair.subject, at: .owner(pair.owner), before.location, after.location)
        comparePresence(pair)
        compareTypes(pair)
    }

    /// Adds a change that no packet between the two versions shows.
    private mutating func note(_ rule: CompatibilityRule, _ pair: FieldPair, _ summary: String) {
        suspect(pair, rule, summary, breaks: [:])
    }

    mutating func suspect(
        _ pair: FieldPair, _ rule: CompatibilityRule, _ summary: String, breaks readers: [SchemaVersion: [ExampleHint]],
        isContained: Bool = false
    ) {
        suspect(
            rule, pair.subject, summary, at: .owner(pair.owner), old: pair.before.location, new: pair.after.location,
            breaks: readers, only: isContained ? pair.names : nil)
    }

    private mutating func comparePresence(_ pair: FieldPair) {
        let absentInOld = [ExampleHint.absent(pair.key(writtenFor: .new))]
        let absentInNew = [ExampleHint.absent(pair.key(writtenFor: .old))]
        switch (pair.before.presence, pair.after.presence) {
        case (.required, .required), (.optional, .optional): break
        case (.since(let before, let left), .since(let after, let right)):
            if before != after { note(.since, pair, "was `@since(\(before))`, is `@since(\(after))`") }
            if left != right { note(.defaultValue, pair, "has another default: \(right), which was \(left)") }
        case (.optional, .required):
            suspect(pair, .fieldPresence, "was `optional`, is required", breaks: [.new: absentInOld], isContained: true)
        case (.optional, .since):
            suspect(
                pair, .fieldPresence, "was `optional`, is `@since`: what is absent is read as the default",
                breaks: [.new: absentInOld], isContained: true)
        case (.required, .optional), (.since, .optional):
            suspect(pair, .fieldPresence, "may be absent now", breaks: [.old: absentInNew], isContained: true)
        case (.required, .since): note(.since, pair, "was required, is `@since`")
        case (.since, .required): note(.since, pair, "was `@since`, is required")
        }
    }
}

extension ProtocolDescription {
    /// Returns a field's type in words, as far as it matters on the wire: `repeated Item`, `uint16 (little-endian)`.
    func text(of field: FieldDescription) -> String {
        (field.presence == .optional ? "optional " : "") + text(of: field.type)
    }

    func text(of type: TypeDescription) -> String {
        switch type {
        case .integer(let format, let order): format.text + text(of: order, format.byteCount)
        case .float32(let order): "float32" + text(of: order, 4)
        case .float64(let order): "float64" + text(of: order, 8)
        case .boolean: "bool"
        case .varint(let format):
            (format.isUnlimited ? "" : "@max_bytes(\(format.maximumByteCount)) ") + format.encoding.name
        case .string(.fixed(let byteCount, 0)): "char[\(byteCount)]"
        case .string(.fixed(let byteCount, let padding)):
            "@pad(0x\(String(padding, radix: 16, uppercase: true))) char[\(byteCount)]"
        case .digits(let byteCount): "bcd[\(byteCount)]"
        case .string(let extent): "string" + text(of: extent)
        case .bytes(let extent): "bytes" + text(of: extent)
        case .properties: "properties"
        case .enumeration(let index, let order):
            enumerations[index].name + text(of: order, enumerations[index].format.byteCount)
        case .flags(let index, let order): flagSets[index].name + text(of: order, flagSets[index].format.byteCount)
        case .structure(let index): structures[index].name
        case .fixedList(let element, let count): text(of: element) + "[\(count)]"
        case .list(let element, let extent): text(of: element) + "[]" + text(of: extent)
        }
    }

    private func text(of order: ByteOrder, _ byteCount: Int) -> String {
        byteCount > 1 && order != options.byteOrder ? order == .littleEndian ? " (little-endian)" : " (big-endian)" : ""
    }

    private func text(of extent: TypeDescription.Extent) -> String {
        switch extent {
        case .counted(let format, let order):
            " with a count of \(format.name)" + text(of: order, format == .varint ? 1 : format.minimumByteCount)
        case .terminated: " up to a NUL"
        case .rest: " to the end"
        case .fixed(let byteCount, _): " of \(byteCount) bytes"
        }
    }
}

extension IntegerFormat {
    /// The format's name in the language.
    fileprivate var text: String { (range.lowerBound < 0 ? "int" : "uint") + "\(byteCount * 8)" }
}
