// SPDX-License-Identifier: Apache-2.0

/// Faults of the layers in a layout whose fields are valid.
extension PacketLayout {
    static func contentFault(header: [PacketField], _ content: PacketContent, trailer: [PacketField]) -> Fault? {
        if let fault = contentLengthFault(header: header, content, trailer: trailer) { return fault }
        guard !content.isPlain else { return nil }
        let places = content.layers.map { $0.fieldCount }
        guard places.count <= PacketContent.maximumLayerCount, places == places.sorted(),
            places.allSatisfy({ 0...header.count ~= $0 })
        else { return .invalidLayers }
        let starts = LayeredParts.starts(of: content)
        let innerStart = starts.first ?? header.count
        for layer in content.layers {
            if let fault = fault(of: layer, header: header) { return fault }
        }
        if content.packets != nil {
            let endless = content.layers.first { $0.condition == nil && $0.kind.hasLastingKeystream }
            if let endless { return .nestedKeystream(endless.kind.name) }
        }
        for (line, name) in [(content.packets, "packets"), (content.opaque, "opaque")] {
            guard let condition = line?.condition else { continue }
            guard condition.isTestable(in: header) else { return .invalidLayerCondition(name) }
        }
        for (start, end) in zip(starts, starts.dropFirst() + [header.count]) {
            if let fault = fault(ofSection: Array(header[start..<end]), header: header) {
                return fault
            }
        }
        return trailerFault(trailer, inner: header[innerStart...])
    }

    private static func fault(
        of layer: PacketContent.Layer, header: [PacketField]
    ) -> Fault? {
        let fields = Array(header.prefix(layer.fieldCount))
        if let condition = layer.condition, !condition.isTestable(in: fields) {
            return .invalidLayerCondition(layer.kind.name)
        }
        // A layer does not begin inside a byte.
        if PackedRuns(fields).fault != nil, let last = fields.last { return .unfinishedRun(last.name) }
        guard let name = layer.kind.vectorField else { return nil }
        guard let field = fields.first(where: { $0.name == name }), case .bytes(byteCount: 16) = field.format else {
            return .invalidVector(name)
        }
        return nil
    }

    private static func fault(ofSection fields: [PacketField], header: [PacketField]) -> Fault? {
        let names = fields.map { $0.name }
        for field in fields {
            if case .length(of: .packet, plus: _) = field.role { return .lengthInsideLayer(field.name) }
            if let condition = field.condition, !condition.isTestable(in: header) {
                return .invalidCondition(field.name)
            }
            guard case .parts(let first, let last)? = field.checksum?.range else { continue }
            for part in [first, last] {
                guard case .field(let name) = part, !names.contains(name) else { continue }
                return .invalidChecksumRange(field.name)
            }
        }
        return nil
    }

    private static func trailerFault(_ trailer: [PacketField], inner: ArraySlice<PacketField>) -> Fault? {
        let names = inner.map { $0.name }
        let hasInnerID = inner.contains { $0.role == .messageID }
        for field in trailer {
            if hasInnerID, field.role == .messageID { return .splitMessageID(field.name) }
            let looksInside =
                field.condition?.operands.contains { operand in
                    if case .field(let name) = operand { names.contains(name) } else { false }
                } ?? false
            if looksInside { return .invalidCondition(field.name) }
        }
        return nil
    }

    private static func contentLengthFault(
        header: [PacketField], _ content: PacketContent, trailer: [PacketField]
    ) -> Fault? {
        let innermost = content.layers.last?.fieldCount ?? 0
        var isFirst = true
        for (index, field) in (header + trailer).enumerated() where field.role.contentConstant != nil {
            guard isFirst, index < innermost else { return .invalidContentLength(field.name) }
            isFirst = false
            let isAsked = content.conditionalLayers.contains { $0.operands.contains(.field(field.name)) }
            guard !isAsked else { continue }
            // A writer knows it only after sealing the layers.
            let user = (header + trailer).first { $0.condition?.operands.contains(.field(field.name)) ?? false }
            if let user { return .invalidCondition(user.name) }
        }
        return nil
    }
}

extension WireCondition {
    /// Whether layers can depend on the condition: its operands are known before the layers are sealed.
    ///
    /// - Parameter fields: The fields before it. An `@fit` field is known last, so a condition cannot test it.
    fileprivate func isTestable(in fields: [PacketField]) -> Bool {
        operands.allSatisfy { operand in
            guard case .field(let name) = operand else { return operand.isContext }
            guard let index = fields.firstIndex(where: { $0.name == name }) else { return false }
            return fields[index].isTestable && !fields[index].role.isFitting
        }
    }
}
