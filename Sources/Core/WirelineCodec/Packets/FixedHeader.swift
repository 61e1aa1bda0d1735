// SPDX-License-Identifier: Apache-2.0

/// The header fields that have the same value in every packet of a message: what `@header(…)` says in a schema.
///
/// It is made once for each message. Packets are then written from their bytes, and verified at fixed places, if the
/// layout allows that.
public final class FixedHeader: Sendable {
    /// The names and values.
    public let values: PacketHeader
    private let layout: PacketLayout
    private let template: HeaderTemplate?
    /// The numbers to verify; nil if that takes the general path.
    private let checks: [HeaderInstruction]?

    /// Makes the fixed header of a message.
    ///
    /// - Parameters:
    ///   - values: Values that the layout's fields can have.
    ///   - id: The message's ID.
    ///   - layout: The fields around each payload.
    public init(_ values: PacketHeader, of id: UInt64, in layout: PacketLayout) {
        self.values = values
        self.layout = layout
        template = HeaderTemplate(layout, id: id, header: values)
        // If the layout depends on the sender, the packet tells which fields it has.
        checks = layout.dependsOnContext ? nil : layout.steps(verifying: values)
    }

    /// Returns the header of a packet that sets no other values.
    @usableFromInline
    package func header(payloadByteCount: Int, limit: Int) -> WrittenHeader {
        template?.header(id: 0, payloadByteCount: payloadByteCount, limit: limit) ?? .none
    }

    /// Refuses a packet whose header has another value for one of the fields.
    ///
    /// - Throws: ``CodecError/Reason/wrongConstant(value:expected:)`` for the first of them.
    public func verify(_ packet: borrowing Packet) throws(CodecError) {
        if let checks, areRight(checks, in: packet.bytes) { return }
        try layout.verify(values, in: packet)
    }

    private func areRight(_ checks: [HeaderInstruction], in packet: RawSpan) -> Bool {
        for check in checks {
            guard check.offset + check.byteCount <= packet.byteCount,
                check.number(in: packet, at: check.offset) == check.number
            else { return false }
        }
        return true
    }
}

extension PacketLayout {
    /// Returns steps that read the fields with these values; nil if one of them has no number at a fixed place.
    fileprivate func steps(verifying values: PacketHeader) -> [HeaderInstruction]? {
        var steps: [HeaderInstruction] = []
        var offset = 0
        for (index, field) in header.enumerated() {
            guard steps.count < values.fields.count else { break }
            guard field.condition == nil, let byteCount = byteCounts[index] else { return nil }
            let place = packedPlace(ofField: index)
            if let value = values[field.name] {
                // Fields that share bytes count with the first of them.
                let start = place.map { $0.isFirst ? offset : offset - $0.runByteCount } ?? offset
                steps.append(
                    HeaderInstruction(.check, field, place, offset: start, number: field.format.bits(of: value)))
            }
            offset += byteCount
        }
        return steps.count == values.fields.count ? steps : nil
    }
}
