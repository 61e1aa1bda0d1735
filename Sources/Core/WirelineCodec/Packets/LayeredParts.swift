// SPDX-License-Identifier: Apache-2.0

/// The fields and layers that packets have in one context, sorted by layer.
struct LayeredParts {
    /// The header fields before the first layer, then those inside each layer, or inside several adjacent layers.
    private(set) var sections: [[PacketField]] = []
    /// The layers before each section but the first.
    private(set) var layers: [[(index: Int, kind: LayerKind, rule: WireCondition.Remainder)]] = []
    let trailer: [PacketField]
    let absent: [PacketField]
    let packets: WireCondition.Remainder
    let opaque: WireCondition.Remainder
    let contentLength: Layering.ContentLength?

    init(_ parts: LayoutParts, in combination: LayoutContexts.Combination, _ tests: [ContextTest]) {
        let (header, content) = (parts.header, parts.content)
        let kept = ContextFields(parts, in: combination, tests)
        absent = kept.absent
        trailer = kept.trailer
        func rule(_ condition: WireCondition?) -> WireCondition.Remainder {
            condition.map { kept.remainder(of: $0) { combination.outcome(of: $0, tests) } } ?? .always
        }
        packets = content.packets.map { rule($0.condition) } ?? .never
        opaque = content.opaque.map { rule($0.condition) } ?? .never
        // Layers without a field between them are one step.
        let starts = [0] + Self.starts(of: content)
        for (start, end) in zip(starts, starts.dropFirst() + [header.count]) {
            let names = header[start..<end].map { $0.name }
            sections.append(kept.header.filter { names.contains($0.name) })
        }
        for start in starts.dropFirst() {
            let indices = content.layers.indices.filter { content.layers[$0].fieldCount == start }
            layers.append(indices.map { ($0, content.layers[$0].kind, rule(content.layers[$0].condition)) })
        }
        let counter = kept.header.first { $0.role.contentConstant != nil }
        contentLength = counter.map { field in
            Layering.ContentLength(
                name: field.name, constant: field.role.contentConstant ?? 0,
                firstLayer: Self.layerCount(of: content, before: header.firstIndex { $0.name == field.name } ?? 0),
                isSettable: content.conditionalLayers.contains { $0.operands.contains(.field(field.name)) })
        }
    }

    private static func layerCount(of content: PacketContent, before position: Int) -> Int {
        content.layers.count { $0.fieldCount <= position }
    }

    static func starts(of content: PacketContent) -> [Int] {
        var starts: [Int] = []
        for layer in content.layers where starts.last != layer.fieldCount { starts.append(layer.fieldCount) }
        return starts
    }
}

extension PacketContent {
    var conditionalLayers: [WireCondition] { layers.compactMap { $0.condition } }
}

extension WireCondition.Remainder {
    /// Whether each packet decides it.
    var isOpen: Bool { if case .when = self { true } else { false } }

    func holds(_ header: PacketHeader) -> Bool {
        switch self {
        case .always: true
        case .never: false
        case .when(let condition):
            condition.holds { operand in if case .field(let name) = operand { header[name] ?? 0 } else { 0 } }
        }
    }
}

extension LayerKind {
    var looksAtHeader: Bool {
        if case .custom = self { return true }
        return vectorField != nil
    }
}

extension PacketField.Role {
    /// The constant that a content's count adds to the bytes inside the innermost layer; nil for another role.
    package var contentConstant: Int? { if case .contentLength(let constant) = self { constant } else { nil } }

    var isLengthOfPayload: Bool { if case .length(of: .payload, plus: _) = self { true } else { false } }
}

extension PacketField {
    private func with(_ role: Role) -> PacketField {
        var field = self
        field.role = role
        return field
    }

    /// The field as a plain number if it is computed from sealed bytes.
    var asNumber: PacketField {
        switch role {
        case .length, .checksum, .contentLength: with(.value(default: 0))
        case .value, .fitting, .messageID, .constant, .sequence, .padding: self
        }
    }

    /// An `@fit` field as a plain number with the last of its values; otherwise the field itself.
    var asChosen: PacketField { fittingValues?.last.map { with(.value(default: .integer($0))) } ?? self }

    /// The field as a plain number if it counts the content, which only the layers know.
    var withoutContentLength: PacketField { role.contentConstant == nil ? self : with(.value(default: 0)) }

    /// The field as a plain number if it is a part of the ID, or counts the content.
    var withGivenID: PacketField {
        role == .messageID || role.contentConstant != nil ? with(.value(default: 0)) : self
    }

    /// Lets a checksum cover the payload in place of fields inside layers: outside, the layers' output is the payload.
    func coveringContent(of innerNames: [String]) -> PacketField {
        guard var checksum, case .parts(let first, let last) = checksum.range else { return self }
        func outside(_ part: PacketChecksum.Part) -> PacketChecksum.Part {
            if case .field(let name) = part, innerNames.contains(name) { .payload } else { part }
        }
        checksum.range = .parts(outside(first), through: outside(last))
        return with(.checksum(checksum))
    }
}
