// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage
import WirelineLayers

/// Layers, `packets` and `opaque`. Packets that are sealed with made-up keys show the damage of a difference.
extension SchemaComparison {
    /// The limits of headers to try: in general, and for limits, whose packets are large.
    private static let (headerLimit, limitHeaderLimit) = (32, 4)

    /// Compares the content of packets other than a message's fields.
    mutating func compareContents() {
        compareLayers()
        let (before, after) = (old.layout.content, new.layout.content)
        compareLines("packets", before.packets, after.packets)
        compareLines("opaque", before.opaque, after.opaque)
    }

    mutating func compareContentLimits() {
        let (before, after) = (old.layout.content, new.layout.content)
        let headers = Dictionary(
            uniqueKeysWithValues: SchemaVersion.allCases.map { version in
                (version, contentHeaders(of: version).prefix(Self.limitHeaderLimit))
            })
        if before.isCompressed, after.isCompressed {
            compareLimits(
                .maximumInflated, "max_inflated", before.maximumInflatedByteCount, after.maximumInflatedByteCount
            ) { count, writer in
                headers[writer, default: []].map { .contentByteCount(count, $0) }
            }
        }
        if before.packets != nil, after.packets != nil {
            compareLimits(.maximumDepth, "max_nested", before.maximumNestedDepth, after.maximumNestedDepth) {
                depth, writer in
                headers[writer, default: []].map { .nestedDepth(depth, $0) }
            }
        }
    }

    // MARK: Layers

    /// Reports the first layer that differs on the wire; if none does, each that has other names.
    private mutating func compareLayers() {
        let (before, after) = (old.layout.content.layers, new.layout.content.layers)
        let kinds = (old: before.map(\.kind), new: after.map { kindOfOld($0.kind) })
        if before.count != after.count {
            // The first layer that the other version does not have at its place.
            let index = zip(kinds.old, kinds.new).prefix { $0 == $1 }.count
            let summary =
                before.count > after.count
                ? "`\(before[index].kind.text)` is gone" : "`\(after[index].kind.text)` is a new layer"
            return suspectContent(summary, breaks: [.old: contentHints(of: .new), .new: contentHints(of: .old)])
        }
        let hasSameFields = old.layout.header.count == new.layout.header.count
        for (index, (left, right)) in zip(before, after).enumerated() {
            let (leftText, rightText) = (left.kind.text, right.kind.text)
            guard kinds.old[index] == kinds.new[index], !hasSameFields || left.fieldCount == right.fieldCount else {
                return suspectContent(
                    leftText == rightText
                        ? "`\(rightText)` stands in another place" : "`\(leftText)` is now `\(rightText)`",
                    breaks: [.old: contentHints(of: .new), .new: contentHints(of: .old)])
            }
            if leftText != rightText { suspectContent("`\(leftText)` is now `\(rightText)`", breaks: [:]) }
            compareConditions("`\(rightText)`", rule(left.condition), rule(right.condition))
        }
    }

    private mutating func compareLines(_ word: String, _ before: PacketContent.Line?, _ after: PacketContent.Line?) {
        compareConditions(
            "`\(word)`", before.map { rule($0.condition) } ?? .never, after.map { rule($0.condition) } ?? .never)
    }

    private func rule(_ condition: WireCondition?) -> WireCondition.Remainder { condition.map { .when($0) } ?? .always }

    private mutating func compareConditions(
        _ subject: String, _ before: WireCondition.Remainder, _ after: WireCondition.Remainder
    ) {
        guard before != peerRule(after, for: .old) else { return }
        let summary =
            switch (before, after) {
            case (.never, _): "\(subject) is new"
            case (_, .never): "\(subject) is gone"
            default: "\(subject) has another condition"
            }
        suspectContent(
            summary,
            breaks: [
                .new: differenceHints(of: .old, before, peerRule(after, for: .old)) + contentHints(of: .old),
                .old: differenceHints(of: .new, after, peerRule(before, for: .new)) + contentHints(of: .new),
            ])
    }

    private mutating func suspectContent(_ summary: String, breaks readers: [SchemaVersion: [ExampleHint]]) {
        suspect(
            .layer, "packet", summary, at: .packet, old: old.packetLocation, new: new.packetLocation, breaks: readers)
    }

    // MARK: Headers that show a difference

    /// Headers of a version for both outcomes of either version's conditions; those with most conditions fulfilled come
    /// first.
    private func contentHeaders(of version: SchemaVersion) -> [PacketHeader] {
        let (own, others) = (description(of: version).layout, description(of: version.peer).layout)
        let conditions = own.content.conditions + others.content.conditions.map { condition($0, for: version) }
        return Array(own.headers(for: conditions).prefix(Self.headerLimit))
    }

    private func contentHints(of version: SchemaVersion) -> [ExampleHint] {
        contentHeaders(of: version).map { .header($0) }
    }

    /// Returns hints for headers of a version for which its condition and that of the other version differ.
    private func differenceHints(
        of version: SchemaVersion, _ own: WireCondition.Remainder, _ other: WireCondition.Remainder
    ) -> [ExampleHint] {
        guard case .when(let left) = own, case .when(let right) = other, !description(of: version).messages.isEmpty
        else { return [] }
        let conditions = [left, right].map { condition in
            condition.mapOperands { if case .field(let name) = $0 { .header(name) } else { $0 } }
        }
        return description(of: version).operandValues(for: .and(conditions[0], conditions[1]), in: .message(0)) {
            $0.differences(between: conditions[0], and: conditions[1])
        }.map { .header($0.header) }
    }

    // MARK: Names

    /// Returns a rule of one version with the names of the other one.
    private func peerRule(_ rule: WireCondition.Remainder, for version: SchemaVersion) -> WireCondition.Remainder {
        if case .when(let condition) = rule { .when(self.condition(condition, for: version)) } else { rule }
    }

    /// Returns a condition of one version with the other one's names for its operands.
    private func condition(_ condition: WireCondition, for version: SchemaVersion) -> WireCondition {
        condition.mapOperands { operand in
            switch operand {
            case .field(let name): .field(packetFieldName(name, for: version))
            case .state(let name): .state(peer(ofState: name, for: version) ?? name)
            case .header, .sender, .nested: operand
            }
        }
    }

    /// Returns a layer of the new version with the names of the old one.
    private func kindOfOld(_ kind: LayerKind) -> LayerKind {
        kind.renamed(key: oldLayerName, field: { packetFieldName($0, for: .old) })
    }

    /// Returns the old version's name of a key or a transform of the new one; the same name if there is no other.
    ///
    /// A renamed one belongs to the same layer at the same place.
    private func oldLayerName(_ name: String) -> String {
        let (before, after) = (old.layout.content.layers.map(\.kind), new.layout.content.layers.map(\.kind))
        let oldNames = before.flatMap(\.programNames)
        guard !oldNames.contains(name) else { return name }
        let newNames = after.flatMap(\.programNames)
        for (left, right) in zip(before, after) where left.word == right.word {
            for (oldName, newName) in zip(left.programNames, right.programNames) where newName == name {
                if !newNames.contains(oldName) { return oldName }
            }
        }
        return name
    }

    // MARK: Made-up keys

    /// Makes a translator with made-up keys and transforms; they are the same for the same names in both versions.
    func translator(of version: SchemaVersion) -> PacketTranslator {
        let layout = description(of: version).layout
        var translator = PacketTranslator(description(of: version))
        for case .custom(let name) in layout.content.layers.map(\.kind) {
            let mark = UInt8(truncatingIfNeeded: layerNumber(of: name, in: version) + 1)
            translator.layers.options[name] = { _ in ProbeLayer(mark: mark) }
        }
        let keys = madeUpKeys(of: version).compactMap { LayerKey($0.key, $0.value) }
        // They fit: each cipher takes 16 bytes.
        try? translator.layers.setKeys(keys, in: layout)
        return translator
    }

    /// Returns the keys with which packets of a version are sealed, by name.
    func madeUpKeys(of version: SchemaVersion) -> [String: [UInt8]] {
        let names = description(of: version).layout.content.layers.flatMap(\.kind.keyNames)
        return names.reduce(into: [:]) { $0[$1] = LayerKey.madeUpBytes(layerNumber(of: $1, in: version)) }
    }

    /// Returns the number of a key or a transform: its position among those of both versions.
    private func layerNumber(of name: String, in version: SchemaVersion) -> Int {
        let names =
            old.layout.content.layers.flatMap(\.kind.programNames)
            + new.layout.content.layers.flatMap(\.kind.programNames).map(oldLayerName)
        return names.firstIndex(of: version == .old ? name : oldLayerName(name)) ?? 0
    }
}
