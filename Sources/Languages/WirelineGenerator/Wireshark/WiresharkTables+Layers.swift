// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage
import WirelineSwiftGenerator

extension WiresharkTables {
    /// Returns the layouts of all contexts' packets; and for each sender, the layout for each outcome of the tests of
    /// states and of `nested`.
    func shapes(of contexts: LayoutContexts) -> [String] {
        let texts =
            description.layout.hasContent
            ? description.layout.layerings.map(shape) : description.plainVariants.map { shape(of: $0.layout) }
        var distinct: [String] = []
        var numbers: [Int] = []
        for text in texts {
            let known = distinct.firstIndex(of: text)
            if known == nil { distinct.append(text) }
            numbers.append((known ?? distinct.count - 1) + 1)
        }
        let choices = Sender.allCases.map { sender in
            let own = zip(contexts.combinations, numbers).filter { $0.0.sender == sender }
            return "\(sender.rawValue) = \(table(own.map { "[\($0.0.outcomes)] = \($0.1)" }))"
        }
        let nested = [false, true].map { "\(contexts.outcomes(isNested: $0))" }
        return [
            list("shapes", distinct), "layouts = \(table(choices))", "nested = \(table(nested))",
            list("states", zip(description.states, naming.states).map { state($0, $1, contexts) }),
        ]
    }

    // MARK: States

    /// Returns a state: its named values, and the bit of each of its tests in the outcomes.
    private func state(_ state: StateDescription, _ filter: String, _ contexts: LayoutContexts) -> String {
        let range = description.integerFormat(of: state.type)?.range ?? 0...0
        let names = values(of: state.type).map { "[\(LuaText.literal($0.name))] = \(LuaText.integer($0.value))" }
        let tests = contexts.tests.enumerated().filter { $0.element.operand == .state(state.name) }.map { index, test in
            table([
                LuaText.literal(test.comparison.rawValue), LuaText.integer(test.number), "\(1 << index)",
            ])
        }
        return table([
            "name = \(LuaText.literal(state.name))", "filter = \(LuaText.literal(filter))",
            "least = \(LuaText.integer(range.lowerBound)), most = \(LuaText.integer(range.upperBound))",
            "names = \(table(names))", "tests = \(table(tests))", about(state.documentation, nil),
        ])
    }

    private func values(of type: TypeDescription) -> [(name: String, value: Int128)] {
        switch type {
        case .boolean, .bit: [("false", 0), ("true", 1)]
        case .enumeration(let index, _): description.enumerations[index].cases.map { ($0.name, $0.value) }
        case .flags(let index, _): description.flagSets[index].cases.map { ($0.name, $0.value) }
        default: []
        }
    }

    /// Returns the state that a message sets, and the outcomes of the state's tests afterwards.
    func change(by message: MessageDescription) -> String? {
        guard let change = message.stateChange, let contexts = description.layout.contexts else { return nil }
        let outcomes = contexts.outcomes(ofState: description.states[change.state].name, change.value)
        return "sets = \(table(["\(change.state + 1)", "\(outcomes)"]))"
    }

    // MARK: Layers

    /// Returns the limits of all packets with layers, and the keys that users set as preferences.
    func layers(of content: PacketContent) -> [String] {
        let keystreams = content.layers.indices.filter {
            if case .rc4 = content.layers[$0].kind { true } else { false }
        }
        return [
            "most_inflated = \(content.maximumInflatedByteCount)", "most_nested = \(content.maximumNestedDepth)",
            "has_packets = \(content.packets != nil)",
            "keystreams = \(table(keystreams.map { "\($0 + 1)" }))",
            list("keys", zip(description.preferredKeys, naming.keys).map(key)),
        ]
    }

    private func key(_ key: PreferredKey, _ filter: String) -> String {
        table(
            [
                "name = \(LuaText.literal(key.name))", "filter = \(LuaText.literal(filter))",
                "most = \(key.maximumByteCount)",
            ] + (key.senders.count > 1 ? ["has_sides = true"] : []))
    }

    /// Returns how to open packets of one context.
    private func shape(_ layering: Layering) -> String {
        let sections = layering.sections.map { section in
            let inside = section.reading.map { layout in
                "inside = \(shape(of: layout, isBounded: true, indentation: "            "))"
            }
            return table([
                "layers = \(table(section.layers.compactMap(layer)))", "first = \(section.earlierFieldCount + 1)",
                section.mayHaveFiller ? "has_filler = true" : nil,
                section.hasID ? "has_id = true" : nil, inside,
            ])
        }
        let counter = layering.contentLength.map {
            "counter = \(table(["name = \(LuaText.literal($0.name))", "plus = \($0.constant)", "first = \($0.firstLayer + 1)"]))"
        }
        return shape(
            of: layering.outer,
            adding: [
                layering.outer.plan.canReadAtOnce ? "is_quick = true" : nil,
                layering.sections.contains(where: \.hasID) ? "has_inner_id = true" : nil,
                list("sections", sections, indentation: "            "),
                rule("packets", layering.packets), rule("opaque", layering.opaque), counter,
            ].compactMap(\.self))
    }

    private func layer(_ index: Int, _ kind: LayerKind, _ rule: WireCondition.Remainder) -> String? {
        let arguments = kind.arguments.isEmpty ? "" : "(\(kind.arguments.joined(separator: ", ")))"
        let key = kind.preferredKey.flatMap { key in description.preferredKeys.firstIndex { $0.name == key.name } }
        let parts: [String?] = [
            "kind = \"\(kind.word)\"", "name = \(LuaText.literal(kind.name))",
            "called = \(LuaText.literal(kind.word + arguments))", "index = \(index + 1)", key.map { "key = \($0 + 1)" },
        ]
        switch rule {
        case .never: return nil
        case .always: return table(parts)
        case .when(let condition): return table(parts + ["when = \(self.condition(condition))"])
        }
    }

    /// Returns when a line of the content applies; nil if it never does.
    private func rule(_ name: String, _ rule: WireCondition.Remainder) -> String? {
        switch rule {
        case .never: nil
        case .always: "\(name) = {}"
        case .when(let condition): "\(name) = \(table(["when = \(self.condition(condition))"]))"
        }
    }

    private func shape(
        of layout: PacketLayout, isBounded: Bool = false, indentation: String = "        ", adding more: [String] = []
    ) -> String {
        WiresharkTables(description, naming, in: description.with(layout: layout))
            .layout(isBounded: isBounded, indentation: indentation, adding: more)
    }
}

extension Layering.Section {
    /// Whether a part of the ID is inside its layers.
    fileprivate var hasID: Bool {
        reading?.header.dropFirst(earlierFieldCount).contains { $0.role == .messageID } ?? false
    }
}

/// A key that users of the dissector set as a preference.
struct PreferredKey: Equatable {
    let name: String
    var maximumByteCount: Int
    /// The senders whose packets can have a layer with the key.
    var senders: Set<Sender> = []
}

extension LayerKind {
    /// The key of a cipher that the dissector supports; nil for other layers.
    var preferredKey: PreferredKey? {
        switch self {
        case .xor(let name): PreferredKey(name: name, maximumByteCount: 65_536)
        case .rc4(let name): PreferredKey(name: name, maximumByteCount: 256)
        case .zlib, .deflate, .gzip, .brotli, .aesCTR, .aesCBC, .custom: nil
        }
    }
}

extension ProtocolDescription {
    /// The keys that users set as preferences, each once, in the order of the layers.
    var preferredKeys: [PreferredKey] {
        var keys: [PreferredKey] = []
        for (index, layer) in layout.content.layers.enumerated() {
            guard var key = layer.kind.preferredKey else { continue }
            key.senders = senders(ofLayer: index)
            if let known = keys.firstIndex(where: { $0.name == key.name }) {
                keys[known].maximumByteCount = min(keys[known].maximumByteCount, key.maximumByteCount)
                keys[known].senders.formUnion(key.senders)
            } else {
                keys.append(key)
            }
        }
        return keys
    }

    private func senders(ofLayer index: Int) -> Set<Sender> {
        let contexts = zip(layout.contexts?.combinations ?? [], layout.layerings)
        let having = contexts.filter { _, layering in
            layering.sections.contains { $0.layers.contains { $0.index == index && $0.rule != .never } }
        }
        return Set(having.map(\.0.sender))
    }
}
