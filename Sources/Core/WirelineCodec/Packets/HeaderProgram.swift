// SPDX-License-Identifier: Apache-2.0

/// The middle path: a header as steps that read it once, without errors.
///
/// It serves the headers that a ``PacketPlan`` does not cover, such as those with varints, constants and fields that
/// share bytes. It finds a valid packet or returns nil. ``HeaderReader`` handles anything wrong or missing, and makes
/// the error.
///
/// It is an object that callers borrow from its layout: counting references would take longer than reading a header.
final class HeaderProgram: Sendable {
    /// The fields that have to be read.
    private let steps: [HeaderInstruction]
    /// The bytes from a packet's first that every step can load from without a check.
    private let roomByteCount: Int
    /// The bytes of the header after its last varint or condition; all bytes if there is none.
    private let lastByteCount: Int
    private let trailer: TrailerProgram
    private let variant: UInt16

    /// Nil for a signed length, a checksum in the header or of some of its fields, or a trailer with conditions.
    ///
    /// - Parameters:
    ///   - conditions: The conditions of all fields; none if all are always there.
    ///   - variant: The layout's position among those of a layout that depends on the sender.
    init?(header: [PacketField], trailer: [PacketField], _ conditions: [PlacedCondition?], variant: UInt16) {
        let conditions = Array(conditions.prefix(header.count))
        guard trailer.allSatisfy({ $0.condition == nil }), var maker = HeaderCompiler(header, conditions),
            maker.add(header, conditions), let trailer = TrailerProgram(trailer, afterHeaderOf: header)
        else { return nil }
        steps = maker.steps
        lastByteCount = maker.offset
        roomByteCount = maker.roomByteCount
        self.trailer = trailer
        self.variant = variant
    }

    /// Returns the bounds of the packet at `start`; nil if a quick check is not enough.
    ///
    /// The payload and the trailer may be incomplete. They are verified as soon as they are whole.
    @inline(__always)
    func bounds(in bytes: RawSpan, at start: Int, limit: Int) -> PacketBounds? {
        let available = bytes.byteCount &- start
        let read =
            available >= roomByteCount
            ? read(bytes, at: start, UncheckedBounds.self) : readInScantRoom(bytes, at: start)
        guard var bounds = read, bounds.packetByteCount <= limit, bounds.payloadStart <= available,
            trailer.isEmpty || trailer.verify(bytes, at: start, &bounds)
        else { return nil }
        return bounds
    }

    @inline(never)
    private func readInScantRoom(_ bytes: RawSpan, at start: Int) -> PacketBounds? {
        read(bytes, at: start, CheckedBounds.self)
    }

    /// Reads a header; it may end after the bytes.
    ///
    /// - Parameter room: Whether there are ``roomByteCount`` bytes. A type makes the compiler emit two functions.
    @inline(__always)
    private func read<Room: BoundsRule>(_ bytes: RawSpan, at start: Int, _ room: Room.Type) -> PacketBounds? {
        var cursor = start
        var id: UInt64 = 0
        var value: UInt64 = 0
        var flags: UInt32 = 0
        var lengths = AgreeingLengths()
        let list = self.steps
        let steps = list.span
        var index = 0
        // Steps are used in place: a copy of each would be more work than most of them are.
        while steps.indices.contains(index) {
            let position = cursor &+ steps[index].offset
            if steps[index].source != .before {
                // SAFETY: with room, no step begins later than ``roomByteCount``, less the 8 bytes that it loads.
                let word = Room.isAmple ? unsafe bytes.word(at: position) : bytes.wordOrZeros(at: position)
                if steps[index].source == .varint {
                    guard let varint = steps[index].varint(word) else { return nil }
                    value = varint.value
                    cursor = position &+ varint.byteCount
                } else {
                    value = steps[index].number(in: word)
                }
            }
            switch steps[index].use {
            case .check: guard value &- steps[index].number <= steps[index].span else { return nil }
            case .messageID: id = id &<< steps[index].number | value
            case .length: guard lengths.add(value, steps[index].constant, position: 0) else { return nil }
            case .lengthOfRest:
                let end = steps[index].source == .varint ? cursor : position &+ steps[index].byteCount
                guard lengths.add(value, steps[index].constant, position: end &- start) else { return nil }
            case .lengthOfPayload: guard lengths.addPayload(value, steps[index].constant) else { return nil }
            case .testRange, .testBits: flags |= steps[index].flag(testing: value)
            case .raise: flags |= (steps[index].term.holds(flags) ? 1 : 0) &<< UInt32(steps[index].flag)
            case .skip: cursor = position &+ (steps[index].term.holds(flags) ? steps[index].byteCount : 0)
            case .enter: index &+= steps[index].term.holds(flags) ? 0 : steps[index].stepCount
            case .digits, .ascii:
                let text = position..<position &+ steps[index].byteCount
                guard bytes.areText(text, isDigits: steps[index].use == .digits) else { return nil }
            }
            index &+= 1
        }
        let headerByteCount = cursor &+ lastByteCount &- start
        guard let packetByteCount = lengths.packetByteCount(around: headerByteCount &+ trailer.byteCount) else {
            return nil
        }
        return PacketBounds(
            id: id, packetByteCount: packetByteCount,
            PacketFrame(
                headerByteCount: headerByteCount, trailerByteCount: trailer.byteCount, variant: variant))
    }
}

/// Whether all steps can load 8 bytes without a check.
private protocol BoundsRule {
    static var isAmple: Bool { get }
}

private enum UncheckedBounds: BoundsRule {
    static var isAmple: Bool { true }
}

private enum CheckedBounds: BoundsRule {
    static var isAmple: Bool { false }
}

/// The lengths of a header that is being read: they must agree.
private struct AgreeingLengths {
    /// The byte count of the packet; negative if no length has said it.
    private var packet = -1
    /// The byte count of the payload; negative if no length has said it.
    private var payload = -1

    /// - Parameters:
    ///   - constant: The number of bytes that the length counts in addition.
    ///   - position: The position in the packet from which the length counts.
    @inline(__always)
    mutating func add(_ length: UInt64, _ constant: Int, position: Int) -> Bool {
        // Sums of numbers up to here cannot overflow, not even in 32 bits. The general path handles longer packets.
        guard length <= 1 << 30 else { return false }
        let byteCount = Int(truncatingIfNeeded: length) &- constant &+ position
        defer { packet = byteCount }
        return byteCount >= 0 && (packet < 0 || packet == byteCount)
    }

    @inline(__always)
    mutating func addPayload(_ length: UInt64, _ constant: Int) -> Bool {
        guard length <= 1 << 30 else { return false }
        let byteCount = Int(truncatingIfNeeded: length) &- constant
        defer { payload = byteCount }
        return byteCount >= 0 && (payload < 0 || payload == byteCount)
    }

    /// Returns the byte count of the packet, given that of header and trailer; nil if there is no such packet.
    ///
    /// The payload of a packet without a length is empty.
    @inline(__always)
    func packetByteCount(around other: Int) -> Int? {
        guard packet >= 0 else { return max(payload, 0) &+ other }
        guard packet >= other, payload < 0 || payload &+ other == packet else { return nil }
        return packet
    }
}

private struct TrailerProgram: Sendable {
    let byteCount: Int
    private let steps: [HeaderInstruction]
    private let checksums: [TrailerChecksum]

    /// Nil for a layout whose checksums need more than this.
    init?(_ fields: [PacketField], afterHeaderOf header: [PacketField]) {
        guard var maker = HeaderCompiler(header), maker.add(fields) else { return nil }
        steps = maker.steps
        byteCount = maker.offset
        var checksums: [TrailerChecksum] = []
        for planned in PlannedChecksum.all(header: header, trailer: fields) {
            guard let checksum = TrailerChecksum(planned, header: header, trailer: fields) else { return nil }
            checksums.append(checksum)
        }
        self.checksums = checksums
    }

    var isEmpty: Bool { steps.isEmpty && checksums.isEmpty }

    /// Verifies the trailer, if the packet is whole.
    ///
    /// - Parameter bounds: Gets the bits of the ID that stand in the trailer.
    func verify(_ bytes: RawSpan, at start: Int, _ bounds: inout PacketBounds) -> Bool {
        guard bounds.packetByteCount <= bytes.byteCount &- start else { return true }
        let packet = bytes.extracting(start..<start &+ bounds.packetByteCount)
        for index in steps.indices {
            let step = steps[index]
            let value = step.number(in: packet, at: bounds.payloadEnd &+ step.offset)
            switch step.use {
            case .check: guard value &- step.number <= step.span else { return false }
            case .messageID: bounds.id = bounds.id &<< step.number | value
            case .digits, .ascii:
                let start = bounds.payloadEnd &+ step.offset
                let isDigits = step.use == .digits
                guard packet.areText(start..<start &+ step.byteCount, isDigits: isDigits) else { return false }
            case .length, .lengthOfRest, .lengthOfPayload, .testRange, .testBits, .raise, .skip, .enter: return false
            }
        }
        return checksums.allSatisfy { $0.isRight(in: packet, bounds) }
    }
}

/// A checksum in the trailer, over whole packets from their first byte, or from their payload's.
private struct TrailerChecksum: Sendable {
    private let kind: ChecksumKind
    private let isFromPayload: Bool
    /// The bytes of the trailer that the checksum covers, too.
    private let trailerByteCount: Int
    /// The checksum itself, as a number of the trailer.
    private let step: HeaderInstruction

    init?(_ planned: PlannedChecksum, header: [PacketField], trailer: [PacketField]) {
        let payload = header.count
        let index = planned.part - payload - 1
        guard index >= 0, planned.zeros.isEmpty, [0, payload].contains(planned.parts.lowerBound),
            planned.parts.contains(payload), case .integer(let format, let byteOrder) = trailer[index].format,
            PackedRuns(trailer).places[index] == nil
        else { return nil }
        let byteCounts = trailer.byteCounts.map { $0 ?? 0 }
        kind = planned.kind
        isFromPayload = planned.parts.lowerBound == payload
        trailerByteCount = byteCounts[..<(planned.parts.upperBound - payload - 1)].reduce(0, +)
        step = HeaderInstruction(
            .check, offset: byteCounts[..<index].reduce(0, +), byteCount: format.byteCount, byteOrder,
            bitWidth: format.bitWidth)
    }

    func isRight(in packet: RawSpan, _ bounds: PacketBounds) -> Bool {
        let start = isFromPayload ? bounds.payloadStart : 0
        let computed = kind.checksum(of: packet.extracting(start..<bounds.payloadEnd + trailerByteCount))
        return step.number(in: packet, at: bounds.payloadEnd + step.offset) == UInt64(computed)
    }
}
