// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLayers

/// Vectors of packets with layers: both outcomes of each condition, packets inside others, and broken layers.
extension VectorMaker {
    /// The limit of headers to try, and the number of packets inside one.
    private static let (headerLimit, innerCount) = (32, 2)

    private var contentHeaders: ArraySlice<PacketHeader> {
        description.layout.headers(for: description.layout.content.conditions).prefix(Self.headerLimit)
    }

    /// Returns recipes for a message whose packets have layers, with headers for both outcomes of their conditions.
    func layerRecipes(for subject: Subject) -> [Recipe] {
        guard description.layout.hasContent else { return [] }
        let fixed = description.fixedHeader(of: description.messages[subject.message]) ?? PacketHeader()
        return contentHeaders.enumerated().flatMap { number, header in
            // With another value for a field that the message fixes, the message has two faults.
            let isOfMessage = fixed.fields.allSatisfy { (header[value: $0.name] ?? $0.value) == $0.value }
            let value = Recipe.value(subject, .plain, .header(header), label: "layers-\(number + 1)")
            return (isOfMessage ? [value] : []) + [.bundle(subject, header, label: "packets-\(number + 1)")]
                + LayerDamage.allCases.map { .layerDamage(subject, header, $0) }
        }
    }

    /// Adds a packet with packets inside, and packets that nest too deeply; nothing if no packets may be inside.
    mutating func addBundle(_ subject: Subject, _ header: PacketHeader, label: String) {
        let inner = line(subject.message, .plain, nil)
        guard let line = bundle(of: Array(repeating: inner, count: Self.innerCount), header) else { return }
        addLine(line, insteadOf: inner, in: subject.context, label: label)
        var deep = line
        for _ in 0..<description.layout.content.maximumNestedDepth {
            guard let outer = bundle(of: [deep], header) else { return }
            deep = outer
        }
        addLine(deep, insteadOf: line, in: subject.context, label: label + "-too-deep")
        addLine(bundle(of: [], header) ?? line, insteadOf: inner, in: subject.context, label: label + "-none")
    }

    private func bundle(of packets: [JSONValue], _ header: PacketHeader) -> JSONValue? {
        guard description.layout.content.packets != nil, let id = description.messages.first?.id else { return nil }
        var members = [
            JSONValue.Member(LineKey.message, .null), JSONValue.Member(LineKey.id, .exactInteger(Int128(id))),
        ]
        if let header = translator.index.json(of: header) { members.append(JSONValue.Member(LineKey.header, header)) }
        return .object(members + [JSONValue.Member(LineKey.packets, .array(packets))])
    }

    // MARK: Bombs

    /// The limits of a bomb's bytes, and of its layers' output: larger ones take long to make and to list.
    private static let (bombByteLimit, bombContentLimit) = (1 << 16, 16 << 20)

    /// Returns recipes for packets whose layers make too much: one for each header in each context.
    func bombRecipes(in contexts: [PacketContext]) -> [Recipe] {
        let content = description.layout.content
        guard content.isCompressed, content.maximumInflatedByteCount < Self.bombContentLimit else { return [] }
        return contexts.flatMap { context in contentHeaders.map { .bomb(context, $0) } }
    }

    /// Adds a packet whose layers make one byte more than a reader may accept; nothing if the header selects no such
    /// layer.
    mutating func addBomb(_ header: PacketHeader, in context: PacketContext) {
        guard let id = description.messages.first?.id else { return }
        let zeros = [UInt8](repeating: 0, count: description.layout.content.maximumInflatedByteCount + 1)
        var sealer = PacketSealer(
            description.layout, from: context.sender, packetLimit: description.options.maximumPacketByteCount,
            settings: translator.layers, contentLimit: .max)
        sealer.beginPacket()
        var keystreams = LayerSet()
        let packet = try? sealer.packet(
            id: id, header: header, payload: zeros.rawSpan, nil, states: context.states, &keystreams)
        guard let packet else { return }
        addBytes(packet, in: context, label: "bomb", limit: Self.bombByteLimit)
    }

    // MARK: Broken layers

    /// A fault of the bytes inside the outermost layer, or of their content.
    enum LayerDamage: String, CaseIterable {
        case cut, flipped, trailing, empty
        case innerCut = "inner-packet-cut"
        case tooDeep = "too-deep"
    }

    /// Adds a packet whose layer is broken; nothing if this one has no layer.
    mutating func addDamage(_ damage: LayerDamage, _ subject: Subject, _ header: PacketHeader) {
        let message = line(subject.message, .plain, nil)
        guard let packet = packet(message, header, in: subject.context) else { return }
        let label = description.messages[subject.message].name + "-layer-" + damage.rawValue
        guard damage != .innerCut, damage != .tooDeep else {
            let made =
                damage == .innerCut
                ? innerCut(message, header, in: subject.context) : tooDeep(header, in: subject.context)
            if let made { addBytes(made, in: subject.context, label: label) }
            return
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
        case .empty, .innerCut, .tooDeep: sealed = []
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

    /// Returns the packet of a message with a header. If the header selects packets, the message's packet is inside.
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

    /// Returns a packet whose inner packet is cut off; nil if no packets may be inside.
    private func innerCut(_ message: JSONValue, _ header: PacketHeader, in context: PacketContext) -> [UInt8]? {
        guard description.layout.content.packets != nil, let id = description.messages.first?.id else { return nil }
        let whole = try? translator.encode(line: message, from: context.sender, states: context.states)
        guard let whole, !whole.isEmpty else { return nil }
        let cut = Array(whole.dropLast())
        var sealer = translator.makeSealer(from: context.sender)
        sealer.beginPacket()
        var keystreams = LayerSet()
        return try? sealer.packet(
            id: id, header: header, payload: cut.rawSpan, .packets, states: context.states, &keystreams)
    }

    /// Returns packets in packets, one level too deep, with an empty innermost one; nil if none may be inside.
    private func tooDeep(_ header: PacketHeader, in context: PacketContext) -> [UInt8]? {
        let content = description.layout.content
        guard content.packets != nil, let id = description.messages.first?.id else { return nil }
        var sealer = translator.makeSealer(from: context.sender)
        sealer.beginPacket()
        var keystreams = LayerSet()
        var packet: [UInt8] = []
        for depth in (0...content.maximumNestedDepth).reversed() {
            let outer = try? sealer.packet(
                id: id, header: header, payload: packet.rawSpan, .packets, isNested: depth > 0, states: context.states,
                &keystreams)
            guard let outer else { return nil }
            packet = outer
        }
        return packet
    }
}
