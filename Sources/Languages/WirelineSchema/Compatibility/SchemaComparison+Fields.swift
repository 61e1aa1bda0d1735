// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

extension SchemaComparison {
    /// Compares the fields of a message, and of its structures that have not been compared.
    ///
    /// The open lists of fields are in ``openLists`` rather than on the stack: structures can nest more deeply than the
    /// program's stack.
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
        // Padding has no name to match, so its position identifies it.
        let alignment = FieldAlignment(
            old: before.map { $0.role == .padding ? "old " + $0.name : $0.name },
            new: after.map { $0.role == .padding ? "new " + $0.name : $0.name }
        ) { left, right in
            guard before[left].hasValue == after[right].hasValue else { return false }
            return before[left].role == .padding || old.text(of: before[left]) == new.text(of: after[right])
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

    /// A message, a structure or a union whose fields are being compared.
    struct OpenList {
        let pair: OwnerPair
        let subject: String
        let before: [FieldDescription]
        let after: [FieldDescription]
        let alignment: FieldAlignment
        var next = 0
    }

    struct FieldPair {
        var owner: OwnerPair
        var old: Int
        var new: Int
        var before: FieldDescription
        var after: FieldDescription
        var subject: String

        /// Returns the field in the version of the reader's peer, which writes the values to try.
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
        if !isTail || !field.presence.isAppended { readers[.old] = [] }
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
        if !isTail || !field.presence.isAppended { readers[.new] = [] }
        if !isTail || !skipsTail(pair.old, of: old) { readers[.old] = [] }
        let rule: CompatibilityRule =
            !isTail
            ? .fieldInserted
            : isFrozen
                ? .frozenStructure
                : !field.presence.isAppended ? .fieldAppended : readers.isEmpty ? .addition : .trailing
        suspect(
            rule, subject + "." + field.name, isTail ? "is new, at the end" : "is new, in front of others",
            at: .owner(pair), old: nil, new: field.location, breaks: readers)
    }

    /// Whether a reader skips bytes after the last field that it knows.
    private func skipsTail(_ owner: FieldListKey, of description: ProtocolDescription) -> Bool {
        switch owner {
        case .message: description.options.keepsTrailingBytes
        case .structure(let index): description.structures[index].sizePrefix != nil
        case .union(let index): description.unions[index].sizePrefix != nil
        }
    }

    private func isFrozen(_ owner: FieldListKey, of description: ProtocolDescription) -> Bool {
        guard case .structure(let index) = owner else { return false }
        return description.structures[index].sizePrefix == nil
    }

    // MARK: Fields in both versions

    private mutating func compare(_ pair: FieldPair) {
        let (before, after) = (pair.before, pair.after)
        if before.name != after.name, before.role != .padding { note(.fieldName, pair, "was called `\(before.name)`") }
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
        var readers = readers
        for (reader, hints) in readers where hints.isEmpty { readers[reader] = armHints(pair, for: reader) }
        suspect(
            rule, pair.subject, summary, at: .owner(pair.owner), old: pair.before.location, new: pair.after.location,
            breaks: readers, only: isContained ? pair.names : nil)
    }

    /// Whether other fields depend on a field's value: by a condition, a count or a tag.
    func decidesOthers(_ pair: FieldPair) -> Bool {
        func isNamed(_ name: String, by fields: [FieldDescription]) -> Bool {
            fields.contains { field in
                field.tagField == name || field.type.fieldCount?.field == name
                    || field.presence.condition?.operands.contains(.field(name)) == true
            }
        }
        return isNamed(pair.before.name, by: old.fields(of: pair.owner.old))
            || isNamed(pair.after.name, by: new.fields(of: pair.owner.new))
    }

    /// Returns a hint for the arm with a field; none for a field outside a union.
    private func armHints(_ pair: FieldPair, for reader: SchemaVersion) -> [ExampleHint] {
        let key = pair.key(writtenFor: reader)
        guard case .union(let index) = key.owner else { return [] }
        let arms = description(of: reader.peer).unions[index].arms
        let withFields = arms.indices.filter { arms[$0].field != nil }
        return withFields.indices.contains(key.index) ? [.arm(index, withFields[key.index])] : []
    }

    private mutating func comparePresence(_ pair: FieldPair) {
        let absentInOld = [ExampleHint.absent(pair.key(writtenFor: .new))]
        let absentInNew = [ExampleHint.absent(pair.key(writtenFor: .old))]
        switch (pair.before.presence, pair.after.presence) {
        case (.required, .required), (.optional, .optional), (.nullable, .nullable): break
        // Their prefixes differ; that is reported.
        case (.required, .nullable), (.nullable, .required): break
        case (.since(let before, let left), .since(let after, let right)):
            if before != after { note(.since, pair, "was `@since(\(before))`, is `@since(\(after))`") }
            if left != right {
                note(.defaultValue, pair, "has another default: \(right.words), which was \(left.words)")
            }
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
        case (.when, _), (_, .when): compareConditions(pair)
        case (.nullable, _), (_, .nullable):
            suspect(
                pair, .fieldPresence, "may be absent in another way", breaks: [.old: absentInNew, .new: absentInOld],
                isContained: true)
        }
    }

    /// Compares conditions by their meaning: fields may have other names.
    private mutating func compareConditions(_ pair: FieldPair) {
        let owner = pair.owner
        let (before, after) = (pair.before.presence.condition, pair.after.presence.condition)
        let renamed = before.map { condition in
            condition.mapOperands { operand in
                switch operand {
                case .header(let name): return .header(packetFieldName(name, for: .new))
                case .sender, .nested, .state: return operand
                case .field(let name):
                    guard let index = old.fields(of: owner.old).firstIndex(named: name),
                        let other = alignments[owner]?.pairs.first(where: { $0.old == index })
                    else { return operand }
                    return .field(new.fields(of: owner.new)[other.new].name)
                }
            }
        }
        guard renamed != after else { return }
        func text(_ field: FieldDescription, _ version: ProtocolDescription, _ owner: FieldListKey) -> String {
            guard let condition = field.presence.condition else {
                return field.presence == .optional ? "`optional`" : "without a condition"
            }
            return "`@if(\(version.text(of: condition, among: version.fields(of: owner))))`"
        }
        let (left, right) = (text(pair.before, old, owner.old), text(pair.after, new, owner.new))
        suspect(
            pair, .fieldCondition, "was \(left), is \(right)",
            breaks: [
                .new: hints(for: before, unlike: after, in: owner.old, of: old),
                .old: hints(for: after, unlike: before, in: owner.new, of: new),
            ])
    }

    /// Returns numbers of operands for which a condition and that of the other version may differ.
    private func hints(
        for condition: WireCondition?, unlike other: WireCondition?, in owner: FieldListKey,
        of version: ProtocolDescription
    ) -> [ExampleHint] {
        guard let one = condition ?? other else { return [] }
        let both = if let condition, let other { WireCondition.and(condition, other) } else { one }
        return version.operandValues(for: both, in: owner) { trials in
            trials.differences(between: condition, and: other) + trials.choices()
        }.map { .operands($0) }
    }
}

extension ProtocolDescription {
    /// Returns a field's type in words, as it matters on the wire: `repeated Item`, `uint16 (little-endian)`.
    func text(of field: FieldDescription) -> String {
        if field.role == .padding, case .fixedList(_, let byteCount) = field.type { return "padding \(byteCount)" }
        let condition = field.presence.condition.map { "@if(\(text(of: $0, among: []))) " } ?? ""
        let tag = field.tagField.map { "@tag(\($0)) " } ?? ""
        return condition + (field.presence == .optional ? "optional " : "") + (constantText(of: field) ?? "") + tag
            + text(of: field.type) + (field.role == .derived ? " (derived)" : "")
    }

    /// Returns the attribute of a constant, and a space after it; nil for other fields.
    private func constantText(of field: FieldDescription) -> String? {
        let value: String
        switch (field.role, field.type) {
        case (.constant(.integer(let number)), .boolean), (.constant(.integer(let number)), .bit):
            value = number == 0 ? "false" : "true"
        case (.constant(.integer(let number)), .enumeration(let index, _)):
            value = enumerations[index].cases.first { $0.value == number }?.name ?? "\(number)"
        case (.constant(.integer(let number)), _): value = "\(number)"
        case (.constant(.string(let text)), _): value = JSONValue.string(text).description
        default: return nil
        }
        return "@constant(\(value)) "
    }

    /// Returns a field's type and, if it shares bytes, its bits in them: `` `uint4` in the bits 0xF0 of 1 byte ``.
    func text(ofPlace field: FieldDescription) -> String {
        let type = "`\(text(of: field))`"
        guard let packing = field.packing else { return type }
        let mask = String(packing.mask, radix: 16, uppercase: true)
        let byteCount = packing.runByteCount == 1 ? "1 byte" : "\(packing.runByteCount) bytes"
        return "\(type) in the bits 0x\(mask) of \(byteCount)"
    }

    func text(of type: TypeDescription) -> String {
        switch type {
        case .integer(let format, let order): format.name + text(of: order, format.byteCount)
        case .float(let format, let order): format.name + text(of: order, format.byteCount)
        case .boolean: "bool"
        case .bit(let order): "bit" + text(of: order, 1)
        case .varint(let format):
            (format.isUnlimited ? "" : "@max_bytes(\(format.maximumByteCount)) ") + format.encoding.name
        case .string(.fixed(let byteCount, 0)): "char[\(byteCount)]"
        case .string(.fixed(let byteCount, let padding)):
            "@pad(0x\(String(padding, radix: 16, uppercase: true))) char[\(byteCount)]"
        case .utf16(.fixed(let byteCount, let padding), let order):
            "@utf16 " + text(of: .string(.fixed(byteCount: byteCount / 2, padding: padding))) + text(of: order, 2)
        case .utf16(let extent, let order): "@utf16 string" + text(of: extent) + text(of: order, 2)
        case .digits(let format): format.name
        case .string(let extent): "string" + text(of: extent)
        case .bytes(let extent): "bytes" + text(of: extent)
        case .properties: "properties"
        case .enumeration(let index, let order):
            enumerations[index].name + text(of: order, enumerations[index].format.byteCount)
        case .flags(let index, let order): flagSets[index].name + text(of: order, flagSets[index].format.byteCount)
        case .structure(let index): structures[index].name
        case .union(let index): unions[index].name
        case .fixedList(let element, let count): text(of: element) + "[\(count)]"
        case .list(let element, let extent): text(of: element) + "[]" + text(of: extent)
        case .sized(.list(let element, _), let extent): text(of: element) + "[]" + text(ofSize: extent)
        case .sized(let content, let extent): text(of: content) + text(ofSize: extent)
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
        case .until(let terminator):
            " until 0x\(terminator < 16 ? "0" : "")\(String(terminator, radix: 16, uppercase: true))"
        case .field(let count): " counted by \(count.text)"
        case .fixed(let byteCount, _), .exact(let byteCount): " of \(byteCount) bytes"
        }
    }

    private func text(ofSize extent: TypeDescription.Extent) -> String {
        guard case .counted(let format, let order) = extent else { return text(of: extent) }
        return " with a size of \(format.name)" + text(of: order, format == .varint ? 1 : format.minimumByteCount)
    }
}

extension [FieldDescription] {
    fileprivate func firstIndex(named name: String) -> Int? { firstIndex { $0.name == name } }
}

extension DefaultValue {
    /// The value in the schema's notation.
    fileprivate var words: String {
        switch self {
        case .integer(let value): "\(value)"
        case .float(let value): "\(value)"
        case .string(let text): text.inQuotes()
        case .zero: "zero"
        }
    }
}
