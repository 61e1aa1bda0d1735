// SPDX-License-Identifier: Apache-2.0

extension PacketLayout {
    /// Why fields cannot form a layout.
    @nonexhaustive
    public enum Fault: Equatable, Sendable, CustomStringConvertible {
        /// No field of the header is a length, so nothing could tell where a packet ends.
        case noLength
        /// Two fields have this name.
        case duplicateName(String)
        /// More than one field of variable width, or one in the trailer.
        case severalVarints(String)
        /// A varint of fewer than 1 or more than 10 bytes.
        case invalidVarint(String)
        /// More than one sequence, or more than one checksum.
        case repeatedRole(String)
        /// A constant or default that its field cannot hold.
        case valueOutOfRange(String)
        /// A checksum that is not 4 bytes wide.
        case narrowChecksum(String)
        /// ID fields of more than 64 bits together.
        case wideMessageID(String)
        /// A length in a field that cannot hold one, such as a `bool`, or with a constant beyond ±65,535.
        case invalidLength(String)
        /// Lengths that not even one packet's byte count fits into, such as a `uint8` that counts 300 bytes too many.
        case noPacketFits
        /// A header or trailer of more than ``maximumHeaderByteCount`` bytes.
        case tooLarge

        /// One sentence without a full stop.
        public var description: String {
            switch self {
            case .noLength: "no header field is a length"
            case .duplicateName(let name): "two fields are named `\(name)`"
            case .severalVarints(let name): "`\(name)`: only one field may vary in width, and it stands in the header"
            case .invalidVarint(let name): "`\(name)`: a varint has 1 to 10 bytes"
            case .repeatedRole(let name): "`\(name)`: there can be one sequence and one checksum"
            case .valueOutOfRange(let name): "`\(name)` cannot hold its value"
            case .narrowChecksum(let name): "`\(name)`: a CRC-32 takes 4 bytes"
            case .wideMessageID(let name): "`\(name)`: an ID has at most 64 bits"
            case .invalidLength(let name): "`\(name)` cannot hold a length"
            case .noPacketFits: "no packet has a byte count that its lengths can say"
            case .tooLarge: "header or trailer has more than \(PacketLayout.maximumHeaderByteCount) bytes"
            }
        }
    }

    /// The most bytes that a header, or a trailer, can have: 256, several times what any known protocol uses.
    @inlinable
    public static var maximumHeaderByteCount: Int { 256 }

    static func firstFault(header: [PacketField], trailer: [PacketField]) -> Fault? {
        guard header.contains(where: \.role.isLength) else { return .noLength }
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
        let counts = PacketPlan.packetByteCounts(header: header, trailer: trailer)
        return counts.least <= counts.most ? nil : .noPacketFits
    }
}

extension PacketField.Role {
    var isLength: Bool {
        if case .length = self { true } else { false }
    }
}

/// What the fields before the one that is looked at have used up.
private struct SeenFields {
    private var names: Set<String> = []
    private var messageIDBits = 0
    private var hasVarint = false
    private var hasSequence = false
    private var hasChecksum = false

    mutating func fault(of field: PacketField, mayVary: Bool) -> PacketLayout.Fault? {
        guard names.insert(field.name).inserted else { return .duplicateName(field.name) }
        if case .varint(let maximumByteCount) = field.format {
            guard (1...10).contains(maximumByteCount) else { return .invalidVarint(field.name) }
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
        case .checksum:
            guard !hasChecksum else { return .repeatedRole(field.name) }
            guard case .integer(.uint32, _) = field.format else { return .narrowChecksum(field.name) }
            hasChecksum = true
        }
        return nil
    }
}
