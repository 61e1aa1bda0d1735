// SPDX-License-Identifier: Apache-2.0

/// Layouts whose packets depend on their sender.
///
/// Such a layout has a plain one for each sender, made once. All code that reads and writes packets works on plain
/// layouts, so no packet pays for a condition about the sender.
extension PacketLayout {
    /// Whether conditions look at the packet's sender, so that only ``layout(from:)`` can read and write packets.
    public var dependsOnSender: Bool { !storage.variants.isEmpty }

    /// Returns the layout of the packets of one sender: fields that it never sends are left out.
    ///
    /// A layout that does not depend on the sender returns itself.
    public func layout(from sender: Sender) -> PacketLayout {
        storage.variants.isEmpty ? self : storage.variants[sender == .client ? 0 : 1]
    }

    /// Returns the layout of a sender's packets; the same layout if the sender is not known.
    @inlinable @inline(__always)
    package func layout(from sender: Sender?) -> PacketLayout {
        guard let sender else { return self }
        return layout(from: sender)
    }

    /// The layouts of a client's and of a server's packets; this one alone if it does not depend on the sender.
    package var senderLayouts: [PacketLayout] { storage.variants.isEmpty ? [self] : storage.variants }

    /// Returns the layout that a packet of this layout was read with.
    package func layout(of packet: borrowing Packet) -> PacketLayout {
        storage.variants.isEmpty ? self : storage.variants[min(packet.variant, storage.variants.count - 1)]
    }

    /// Returns the packet with which an end echoes another packet: the same ID and payload, and those header values that
    /// its packets can have.
    ///
    /// - Throws: ``CodecError`` if its packets cannot have the ID.
    package func packet(
        returning packet: borrowing Packet, from sender: Sender, limit: Int
    ) throws(CodecError) -> [UInt8] {
        let target = layout(from: sender)
        var header = PacketHeader()
        for (name, value) in try self.header(of: packet).fields {
            guard let field = target.fields.first(where: { $0.name == name }), field.canBeSet(to: value) else {
                continue
            }
            header.append(name, value)
        }
        return try target.encode(id: packet.id, header: header, payload: packet.payload, limit: limit)
    }

    /// Refuses a layout that depends on the sender, where the sender is not known.
    func requireSender() throws(CodecError) {
        guard storage.variants.isEmpty else { throw CodecError(.invalidLayout(.needsSender)) }
    }
}

/// The fields of a layout that remain when the sender is known.
struct ContextFields {
    private(set) var header: [PacketField] = []
    private(set) var trailer: [PacketField] = []
    /// The fields that no packet has.
    private(set) var absent: [PacketField] = []

    init(header: [PacketField], trailer: [PacketField], in context: PacketContext) {
        self.header = keep(header, context)
        self.trailer = keep(trailer, context)
        guard !absent.isEmpty else { return }
        let names = PacketLayout.partNames(header: header, trailer: trailer)
        self.header = self.header.map { narrow($0, names) }
        self.trailer = self.trailer.map { narrow($0, names) }
    }

    private mutating func keep(_ fields: [PacketField], _ context: PacketContext) -> [PacketField] {
        var kept: [PacketField] = []
        for field in fields {
            var field = field
            let remainder = field.condition?.remainder { operand in
                if case .field(let name) = operand { return absent.contains { $0.name == name } ? 0 : nil }
                return context.number(of: operand)
            }
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

    /// Makes the range of a checksum begin and end with fields that are there.
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
