// SPDX-License-Identifier: Apache-2.0

extension PacketLayout {
    /// Why fields cannot form a layout.
    public typealias Fault = PacketLayoutFault

    /// The most bytes that a header or a trailer can have: 256, several times more than any known protocol uses.
    @inlinable
    public static var maximumHeaderByteCount: Int { 256 }

    static func firstFault(_ parts: LayoutParts) -> Fault? {
        let (framing, header, content, trailer) = (parts.framing, parts.header, parts.content, parts.trailer)
        if let fault = framing?.fault { return .invalidFraming(fault) }
        // A stream is split without opening layers.
        let outerHeader = Array(header.prefix(content.layers.first?.fieldCount ?? header.count))
        if framing == nil {
            guard outerHeader.contains(where: { $0.role.isLength }) else { return .noLength }
        } else {
            // An empty frame is no packet.
            guard outerHeader.leastByteCount + trailer.leastByteCount > 0 else { return .emptyFrame }
        }
        for fields in [header, trailer] {
            if let fault = PackedRuns(fields).fault { return layoutFault(fault, fields) }
            let byteCount = fields.byteCounts.reduce(0) { $0 + ($1 ?? 10) }
            guard byteCount <= maximumHeaderByteCount else { return .tooLarge }
        }
        var seen = SeenFields()
        for (fields, mayVary) in [(header, true), (trailer, false)] {
            for (field, place) in zip(fields, PackedRuns(fields).places) {
                if let fault = seen.fault(of: field, mayVary: mayVary, isPacked: place != nil) { return fault }
            }
        }
        if let fault = stateFault(parts) { return fault }
        if let fault = conditionFault(parts) { return fault }
        if let fault = checksumRangeFault(header: header, trailer: trailer) { return fault }
        if let fault = contentFault(header: header, content, trailer: trailer) { return fault }
        let isFramed = framing != nil
        let counts = PacketPlan.packetByteCounts(header: outerHeader, trailer: trailer, isFramed: isFramed)
        guard counts.least <= counts.most else { return .noPacketFits }
        guard parts.tests.count <= ContextTest.maximumCount else { return .tooManyContextTests }
        return contextFault(parts.outer)
    }

    private static func stateFault(_ parts: LayoutParts) -> Fault? {
        var names = Set((parts.header + parts.trailer).map { $0.name })
        for state in parts.states {
            guard names.insert(state.name).inserted else { return .duplicateName(state.name) }
        }
        for change in parts.stateChanges {
            guard let state = parts.states.first(where: { $0.name == change.state }),
                state.format.range.contains(change.value)
            else { return .invalidStateChange(change.state) }
        }
        return nil
    }

    private static func contextFault(_ parts: LayoutParts) -> Fault? {
        guard parts.dependsOnContext else { return nil }
        let contexts = parts.contexts
        for combination in contexts.combinations {
            let fields = ContextFields(parts, in: combination, contexts.tests)
            // A field stands after those that its condition tests, so a packet with any field has at least one byte.
            guard !fields.header.isEmpty || !fields.trailer.isEmpty else { return .noFields(combination.sender) }
            let counts = PacketPlan.packetByteCounts(
                header: fields.header, trailer: fields.trailer, isFramed: parts.framing != nil)
            guard counts.least <= counts.most else { return .noPacketFits }
        }
        return nil
    }

    private static func layoutFault(_ fault: PackedRuns.Fault, _ fields: [PacketField]) -> Fault {
        switch fault {
        case .ends(let run, _), .interrupted(let run, _): .unfinishedRun(fields[run.upperBound - 1].name)
        case .tooLong(let run): .wideRun(fields[run.lowerBound].name)
        case .mixedOrders(let run): .mixedRun(fields[run.upperBound - 1].name)
        }
    }

    /// Returns the first field whose condition cannot be tested, or that cannot have one.
    private static func conditionFault(_ parts: LayoutParts) -> Fault? {
        let (header, trailer) = (parts.header, parts.trailer)
        let places = PackedRuns(header).places + PackedRuns(trailer).places
        var conditionalIDCount = 0
        for (index, field) in (header + trailer).enumerated() {
            guard let condition = field.condition else { continue }
            guard places[index] == nil else { return .conditionalBits(field.name) }
            let candidates = header.prefix(index)
            let isTestable = condition.operands.allSatisfy { operand in
                switch operand {
                case .field(let name): candidates.first { $0.name == name }?.isTestable ?? false
                case .state(let name): parts.states.contains { $0.name == name }
                case .header, .sender, .nested: operand.isContext
                }
            }
            guard isTestable else { return .invalidCondition(field.name) }
            guard field.role == .messageID else { continue }
            conditionalIDCount += 1
            guard conditionalIDCount <= MessageIDSet.maximumConditionalFieldCount else {
                return .tooManyMessageIDs(field.name)
            }
        }
        return nil
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

extension PacketField {
    /// Whether conditions can test the field.
    ///
    /// A length or a checksum follows from the fields that are there, so no field can depend on it.
    package var isTestable: Bool { format.isNumber && !role.isLength && checksum == nil }

    /// Whether a program chooses the value; in some layouts it chooses that of a content's count, too.
    package var isSettable: Bool {
        switch role {
        case .value, .fitting, .sequence: true
        case .length, .contentLength, .messageID, .constant, .checksum, .padding: false
        }
    }
}

extension PacketField {
    /// Whether a field without a number can have the role.
    fileprivate var canBeText: Bool {
        switch (format, role) {
        case (_, .value(default: .integer(0))), (.bytes, .padding): true
        case (.text, .value(default: let value)), (.digits, .value(default: let value)), (.text, .constant(let value)):
            value.text != nil
        default: false
        }
    }
}

extension PacketField.Role {
    var isFitting: Bool {
        if case .fitting = self { true } else { false }
    }

    package var isLength: Bool {
        if case .length = self { true } else { false }
    }
}

private struct SeenFields {
    private var names: Set<String> = []
    private var messageIDBits = 0
    private var hasSequence = false
    private var hasFit = false

    mutating func fault(of field: PacketField, mayVary: Bool, isPacked: Bool) -> PacketLayout.Fault? {
        guard names.insert(field.name).inserted else { return .duplicateName(field.name) }
        if case .varint(let format) = field.format {
            guard (1...format.encoding.maximumByteCount).contains(format.maximumByteCount) else {
                return .invalidVarint(field.name)
            }
            guard mayVary else { return .varintInTrailer(field.name) }
        }
        if !field.format.isNumber, !field.canBeText || field.format.byteCount ?? 0 < 1 {
            return .invalidText(field.name)
        }
        return roleFault(of: field, isPacked: isPacked)
    }

    private mutating func roleFault(of field: PacketField, isPacked: Bool) -> PacketLayout.Fault? {
        switch field.role {
        case .value(let value), .constant(let value):
            guard field.format.canHold(value) else { return .valueOutOfRange(field.name) }
        case .fitting(let values):
            guard !hasFit else { return .repeatedRole(field.name) }
            hasFit = true
            guard !values.isEmpty, values.allSatisfy(field.format.range.contains) else {
                return .valueOutOfRange(field.name)
            }
        case .length(_, let constant), .contentLength(let constant):
            guard !field.format.isBoolean, constant.magnitude <= 0xFFFF else { return .invalidLength(field.name) }
        case .messageID:
            messageIDBits += field.format.bitWidth
            guard messageIDBits <= 64 else { return .wideMessageID(field.name) }
        case .sequence:
            guard !hasSequence else { return .repeatedRole(field.name) }
            hasSequence = true
        case .padding:
            guard !field.format.isNumber else { return .invalidText(field.name) }
        case .checksum(let checksum):
            guard case .integer(let format, _) = field.format, !format.isSigned, format.isWholeBytes,
                format.byteCount >= checksum.kind.byteCount, !isPacked
            else { return .narrowChecksum(field.name, checksum.kind) }
        }
        return nil
    }
}
