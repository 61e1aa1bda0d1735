// SPDX-License-Identifier: Apache-2.0

/// Layouts whose packets depend on their sender, or on states of the connection.
///
/// Such a layout makes a plain layout once for each context that makes a difference. All code that reads and writes
/// packets works on plain layouts, so no packet pays for a condition about its context.
extension PacketLayout {
    /// Whether conditions look at the packet's sender, at states or at `nested`, or packets have layers.
    ///
    /// Then only ``layout(in:)`` and ``layout(from:)`` return layouts that can read and write packets.
    public var dependsOnContext: Bool { !storage.variants.isEmpty }

    /// Whether conditions look at the packet's sender.
    public var dependsOnSender: Bool {
        let conditions = fields.compactMap { $0.condition } + content.conditions
        return conditions.contains { $0.operands.contains(.sender) }
    }

    /// The states of a connection; empty also in the layouts that ``layout(in:)`` returns.
    public var states: [PacketState] { storage.contexts?.states ?? [] }

    /// Whether a connection has states on which its packets depend.
    @inlinable public var hasStates: Bool { storage.hasStates }

    /// Whether packets must be encoded on the connection's loop: they depend on its states, or have layers.
    @inlinable package var isEncodedOnLoop: Bool { storage.hasStates || storage.hasLayers }

    /// Whether the bytes of a received packet can be sent as they are.
    @inlinable package var isSentUnchanged: Bool { !storage.isFramed && !isEncodedOnLoop }

    /// The messages that set states.
    public var stateChanges: [PacketStateChange] { storage.contexts?.changes ?? [] }

    /// Returns the layout of the packets in a context: fields that such packets never have are left out.
    ///
    /// A layout with layers returns that of its packets in a stream. Another one that does not depend on the context
    /// returns itself.
    public func layout(in context: PacketContext) -> PacketLayout {
        guard dependsOnContext, let contexts = storage.contexts else { return self }
        return storage.variants[contexts.position(of: context)]
    }

    /// Returns the layout of the packets that one sender sends while all states are 0.
    ///
    /// A layout that does not depend on the context returns itself.
    public func layout(from sender: Sender) -> PacketLayout { layout(in: PacketContext(from: sender)) }

    /// Returns the layout of a sender's packets; this layout if the sender is unknown and makes a difference.
    @inlinable @inline(__always)
    package func layout(from sender: Sender?) -> PacketLayout {
        guard let sender else { return storage.hasLayers ? layoutFromAnySender : self }
        return layout(from: sender)
    }

    /// The layout of packets in a stream with layers if all senders have the same; otherwise this one.
    @usableFromInline
    package var layoutFromAnySender: PacketLayout { dependsOnSender ? self : layout(from: .client) }

    /// The layouts of the packets in all contexts, each once; this one alone if it does not depend on the context.
    package var plainLayouts: [PacketLayout] {
        guard storage.layerings.isEmpty else { return storage.layerings.map { $0.outer } }
        return dependsOnContext ? storage.variants : [self]
    }

    /// Returns the layouts of a sender's packets, in all states.
    package func plainLayouts(from sender: Sender) -> [PacketLayout] {
        guard dependsOnContext, let contexts = storage.contexts else { return [self] }
        return zip(contexts.combinations, storage.variants).filter { $0.0.sender == sender }.map { $0.1 }
    }

    /// Returns the layouts of a sender's packets, in all states, with the fields inside layers.
    package func wholeLayouts(from sender: Sender) -> [PacketLayout] {
        guard let contexts, hasContent else { return plainLayouts(from: sender) }
        return zip(contexts.combinations, storage.layerings).filter { $0.0.sender == sender }.map { $0.1.whole }
    }

    /// The differences between contexts; nil if there are none.
    package var contexts: LayoutContexts? { dependsOnContext ? storage.contexts : nil }

    /// Returns the layout that a packet of this layout was read with.
    package func layout(of packet: borrowing Packet) -> PacketLayout {
        layout(ofVariant: packet.frame.variant)
    }

    /// Returns the layout at a position among those of a layout that depends on the context; otherwise this one.
    package func layout(ofVariant position: UInt16) -> PacketLayout {
        storage.variants.isEmpty ? self : storage.variants[min(Int(position), storage.variants.count - 1)]
    }

    /// Returns the packet that echoes another one: the same ID and payload, and the header values that can be set.
    ///
    /// - Throws: ``CodecError`` if packets in the context cannot have the ID.
    package func packet(
        returning packet: borrowing Packet, in context: PacketContext, limit: Int
    ) throws(CodecError) -> [UInt8] {
        let target = layout(in: context)
        var header = PacketHeader()
        for (name, value) in try self.header(of: packet).fields {
            guard let field = target.fields.first(where: { $0.name == name }), field.canBeSet(to: value) else {
                continue
            }
            header.append(name, value)
        }
        return try target.encode(id: packet.id, header: header, payload: packet.payload, limit: limit)
    }

    /// Refuses a layout that depends on the context.
    func requireContext() throws(CodecError) {
        guard storage.variants.isEmpty else { throw CodecError(.invalidLayout(.needsContext)) }
    }
}

/// The fields of a layout that remain when the context is known.
struct ContextFields {
    private(set) var header: [PacketField] = []
    private(set) var trailer: [PacketField] = []
    /// The fields that no packet has.
    private(set) var absent: [PacketField] = []

    init(_ parts: LayoutParts) {
        header = parts.header
        trailer = parts.trailer
    }

    init(_ parts: LayoutParts, in combination: LayoutContexts.Combination, _ tests: [ContextTest]) {
        let known = { (test: WireCondition.Test) in combination.outcome(of: test, tests) }
        header = keep(parts.header, known)
        trailer = keep(parts.trailer, known)
        guard !absent.isEmpty else { return }
        let names = PacketLayout.partNames(header: parts.header, trailer: parts.trailer)
        header = header.map { narrow($0, names) }
        trailer = trailer.map { narrow($0, names) }
    }

    private mutating func keep(
        _ fields: [PacketField], _ known: (WireCondition.Test) -> Bool?
    ) -> [PacketField] {
        var kept: [PacketField] = []
        for field in fields {
            var field = field
            let remainder = field.condition.map { self.remainder(of: $0, known) }
            switch remainder {
            case .never:
                absent.append(field)
                continue
            case .when(let condition): field.condition = condition
            case .always, nil: field.condition = nil
            }
            kept.append(field)
        }
        return kept
    }

    /// - Parameter known: Returns whether a test of the context holds; nil for another test.
    func remainder(
        of condition: WireCondition, _ known: (WireCondition.Test) -> Bool?
    ) -> WireCondition.Remainder {
        condition.remainder { test in
            guard case .field(let name) = test.operand else { return known(test) }
            // An absent field counts as 0.
            return absent.contains { $0.name == name } ? test.comparison.holds(0, test.number) : nil
        }
    }

    /// Makes the range of a checksum begin and end with present fields.
    ///
    /// A range of absent fields alone keeps a name that no field has, and so covers nothing.
    ///
    /// - Parameter names: The names of all parts of a packet.
    private func narrow(_ field: PacketField, _ names: [String?]) -> PacketField {
        guard case .parts(let first, let last)? = field.checksum?.range, var checksum = field.checksum,
            let start = first.position(in: names), let end = last.position(in: names), start <= end
        else { return field }
        let isThere = { (part: Int) in !absent.contains { $0.name == names[part] } }
        guard let start = (start...end).first(where: isThere), let end = (start...end).last(where: isThere) else {
            return field
        }
        checksum.range = .parts(Self.part(names[start]), through: Self.part(names[end]))
        var field = field
        field.role = .checksum(checksum)
        return field
    }

    private static func part(_ name: String?) -> PacketChecksum.Part { name.map { .field($0) } ?? .payload }
}
