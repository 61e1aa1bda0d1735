// SPDX-License-Identifier: Apache-2.0

extension PacketLayout {
    /// Why fields cannot form a layout.
    public typealias Fault = PacketLayoutFault

    /// The most bytes that a header or a trailer can have: 256, several times more than any known protocol uses.
    @inlinable
    public static var maximumHeaderByteCount: Int { 256 }

    static func firstFault(header: [PacketField], trailer: [PacketField]) -> Fault? {
        guard header.contains(where: { $0.role.isLength }) else { return .noLength }
        for fields in [header, trailer] {
            let byteCount = fields.reduce(0) { $0 + ($1.format.byteCount ?? 10) }
            guard byteCount <= maximumHeaderByteCount else { return .tooLarge }
        }
        var seen = SeenFields()
        for field in header {
            if let fault = seen.fault(of: field, mayVary: true) { return fault }
        }
        for field in trailer {
            if let fault = seen.fault(of: field, mayVary: false) { return fault }
        }
        if let fault = checksumRangeFault(header: header, trailer: trailer) { return fault }
        let counts = PacketPlan.packetByteCounts(header: header, trailer: trailer)
        return counts.least <= counts.most ? nil : .noPacketFits
    }

    /// Returns the first checksum whose range names no field of the packet, or ends before it begins.
    private static func checksumRangeFault(header: [PacketField], trailer: [PacketField]) -> Fault? {
        let names = partNames(header: header, trailer: trailer)
        for field in header + trailer {
            guard case .parts(let first, let last)? = field.checksum?.range else { continue }
            guard let start = first.position(in: names), let end = last.position(in: names), start <= end else {
                return .invalidChecksumRange(field.name)
            }
        }
        return nil
    }
}

extension PacketField.Role {
    var isLength: Bool {
        if case .length = self { true } else { false }
    }
}

/// What the fields before the current one have used.
private struct SeenFields {
    private var names: Set<String> = []
    private var messageIDBits = 0
    private var hasVarint = false
    private var hasSequence = false

    mutating func fault(of field: PacketField, mayVary: Bool) -> PacketLayout.Fault? {
        guard names.insert(field.name).inserted else { return .duplicateName(field.name) }
        if case .varint(let format) = field.format {
            guard (1...format.encoding.maximumByteCount).contains(format.maximumByteCount) else {
                return .invalidVarint(field.name)
            }
            guard mayVary, !hasVarint else { return .severalVarints(field.name) }
            hasVarint = true
        }
        return roleFault(of: field)
    }

    private mutating func roleFault(of field: PacketField) -> PacketLayout.Fault? {
        switch field.role {
        case .value(let value), .constant(let value):
            guard field.format.range.contains(value) else { return .valueOutOfRange(field.name) }
        case .length(_, let constant):
            guard field.format != .boolean, constant.magnitude <= 0xFFFF else { return .invalidLength(field.name) }
        case .messageID:
            messageIDBits += field.format.bitWidth
            guard messageIDBits <= 64 else { return .wideMessageID(field.name) }
        case .sequence:
            guard !hasSequence else { return .repeatedRole(field.name) }
            hasSequence = true
        case .checksum(let checksum):
            guard case .integer(let format, _) = field.format, !format.isSigned,
                format.byteCount >= checksum.kind.byteCount
            else { return .narrowChecksum(field.name, checksum.kind) }
        }
        return nil
    }
}
