// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLayers

/// Vectors of packets with layers: each condition both ways, packets inside of others, and broken layers.
extension VectorMaker {
    /// The most headers that are tried, and the packets inside of one.
    private static let (headerLimit, innerCount) = (32, 2)

    /// Returns recipes for a message whose packets have layers, with the headers that their conditions look at.
    func layerRecipes(for subject: Subject) -> [Recipe] {
        guard description.layout.hasContent else { return [] }
        return description.layout.contentHeaders.prefix(Self.headerLimit).enumerated().flatMap { number, header in
            [
                Recipe.value(subject, .plain, .header(header), label: "layers-\(number + 1)"),
                .bundle(subject, header, label: "packets-\(number + 1)"),
            ] + LayerDamage.allCases.map { .layerDamage(subject, header, $0) }
        }
    }

    /// Adds a packet with packets inside, and packets that stand too deep; nothing if no packets may be inside.
    mutating func addBundle(_ subject: Subject, _ header: PacketHeader, label: String) {
        guard
            let line = bundle(of: Array(repeating: line(subject.message, .plain, nil), count: Self.innerCount), header)
        else { return }
        addLine(line, in: subject.context, label: label)
        var deep = line
        for _ in 0..<description.layout.content.maximumNestedDepth {
            guard let outer = bundle(of: [deep], header) else { return }
            deep = outer
        }
        addLine(deep, in: subject.context, label: label + "-too-deep")
        addLine(bundle(of: [], header) ?? line, in: subject.context, label: label + "-none")
    }

    private func bundle(of packets: [JSONValue], _ header: PacketHeader) -> JSONValue? {
        guard description.layout.content.packets != nil, let id = description.messages.first?.id else { return nil }
        var members = [
            JSONValue.Member(LineKey.message, .null), JSONValue.Member(LineKey.id, .exactInteger(Int128(id))),
        ]
        if let header = translator.index.json(of: header) { members.append(JSONValue.Member(LineKey.header, header)) }
        return .object(members + [JSONValue.Member(LineKey.packets, .array(packets))])
    }

    // MARK: Broken layers

    /// What is wrong with the bytes inside the outermost layer, or with what it contains.
    enum LayerDamage: String, CaseIterable {
        case cut, flipped, trailing, empty
        case innerCut = "inner-packet-cut"
    }

    /// Adds a packet whose layer is broken; nothing if this one has no layer.
    mutating func addDamage(_ damage: LayerDamage, _ subject: Subject, _ header: PacketHeader) {
        let message = line(subject.message, .plain, nil)
        guard let packet = packet(message, header, in: subject.context) else { return }
        let label = description.messages[subject.message].name + "-layer-" + damage.rawValue
        guard damage != .innerCut else {
            guard let cut = innerCut(message, header, in: subject.context) else { return }
            return addBytes(cut, in: subject.context, label: label)
        }
        let layout = description.layout.layout(in: subject.context)
        guard let content = try? layout.unframed(packet),
            let whole = try? Packet(content.rawSpan, layout: layout, limit: .max), !whole.payloadRange.isEmpty,
            let values = try? layout.header(of: whole)
        else { return }
        var sealed = [UInt8](copying: whole.payload)
        switch damage {
        case .cut: sealed.removeLast((sealed.count + 1) / 2)
        case .flipped: sealed[sealed.count / 2] ^= 0x10
        case .trailing: sealed.append(0)
        case .empty, .innerCut: sealed = []
        }
        var settable = PacketHeader()
        for field in layout.fields where field.isSettable { settable[value: field.name] = values[value: field.name] }
        guard
            let bytes = try? layout.encode(
                id: whole.id, header: settable, payload: sealed.rawSpan,
                limit: description.options.maximumPacketByteCount)
        else { return }
        addBytes(bytes, in: subject.context, label: label)
    }

    /// Returns the packet of a message with a header, or with it inside if packets must be there.
    private func packet(_ message: JSONValue, _ header: PacketHeader, in context: PacketContext) -> [UInt8]? {
        var lines = [bundle(of: [message], header)].compactMap { $0 }
        if case .object(let members) = message, let header = translator.index.json(of: header) {
            let rest = members.filter { $0.name != LineKey.header }
            lines.append(.object(rest + [JSONValue.Member(LineKey.header, header)]))
        }
        for line in lines {
            let packet = try? translator.encode(line: line, from: context.sender, states: context.states)
            if let packet { return packet }
        }
        return nil
    }

    /// Returns a packet that ends inside of the one inside; nil if no packets may be inside.
    private func innerCut(_ message: JSONValue, _ header: PacketHeader, in context: PacketContext) -> [UInt8]? {
        guard description.layout.content.packets != nil, let id = description.messages.first?.id else { return nil }
        let whole = try? translator.encode(line: message, from: context.sender, states: context.states)
        guard let whole, !whole.isEmpty else { return nil }
        let cut = Array(whole.dropLast())
        var sealer = translator.makeSealer(from: context.sender)
        sealer.beginPacket()
        return try? sealer.packet(
            id: id, header: header, payload: cut.rawSpan, .packets, states: context.states, &keystreams)
    }
}

extension PacketLayout {
    /// Headers with which the conditions of layers, `packets` and `opaque` hold and do not hold.
    ///
    /// Those with which most of them hold come first.
    var contentHeaders: [PacketHeader] {
        var headers = [PacketHeader()]
        for field in fields where isSettable(field) && field.format.isNumber {
            let tests = content.conditions.flatMap(\.tests).filter { $0.operand == .field(field.name) }
            guard !tests.isEmpty else { continue }
            var numbers: Set<Int128> = [0, 1]
            for test in tests { numbers.formUnion([test.number, test.number + 1]) }
            let chosen = numbers.filter(field.format.range.contains).sorted()
            headers = headers.flatMap { header in
                [header]
                    + chosen.map { number in
                        var header = header
                        header[field.name] = number
                        return header
                    }
            }
            headers = Array(headers.prefix(256))
        }
        func count(_ header: PacketHeader) -> Int {
            content.conditions.count { condition in
                condition.holds { operand in if case .field(let name) = operand { header[name] ?? 0 } else { 0 } }
            }
        }
        return headers.enumerated().sorted { (-count($0.element), $0.offset) < (-count($1.element), $1.offset) }
            .map(\.element)
    }
        var keystreams = LayerSet()
}
