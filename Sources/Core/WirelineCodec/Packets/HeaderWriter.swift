// SPDX-License-Identifier: Apache-2.0

/// Writes headers with values that a program sets, as one number of at most 16 bytes.
///
/// It serves most layouts. It returns no header for anything wrong or unusual: the general path then writes the packet,
/// or makes the error.
final class HeaderWriter: Sendable {
    fileprivate struct Step: Sendable {
        let role: Role
        let format: Format
        let constant: Int
        let range: ClosedRange<Int128>
        let mask: UInt64
        /// The bytes that the field adds to the ones after it; 0 for a varint.
        let byteCount: Int
        /// The number of bits after the field in the bytes that it shares.
        let shift: Int
    }

    fileprivate enum Role: UInt8, Sendable {
        /// A value that can be set, or one that cannot.
        case settable, constant
        case messageID
        case length, lengthOfRest, lengthOfPayload
    }

    fileprivate enum Format: Sendable {
        case bigEndian
        case littleEndian
        case varint(VarintFormat)
    }

    private let names: [String]
    private let steps: [Step]
    /// The values of the fields if a header sets nothing.
    private let usualValues: [Int128]
    private let conditions: [PlacedCondition?]

    /// Nil for a layout with a trailer, a checksum, `@fit`, text, bits in little-endian order, or an ID in several
    /// pieces or with a condition.
    init?(header: [PacketField], trailer: [PacketField], _ conditions: [PlacedCondition?]) {
        let identifiers = header.filter { $0.role == .messageID }
        guard trailer.isEmpty, header.count <= 64, identifiers.count <= 1,
            identifiers.allSatisfy({ $0.condition == nil })
        else { return nil }
        var steps: [Step] = []
        for (field, place) in zip(header, PackedRuns(header).places) {
            guard let step = Step(field, place) else { return nil }
            steps.append(step)
        }
        self.steps = steps
        self.conditions = conditions
        names = header.map { $0.name }
        usualValues = header.map { field in
            switch field.role {
            case .value(let value), .constant(let value): value.number
            default: 0
            }
        }
    }

    /// Returns the header of a packet; ``WrittenHeader/none`` if only the general path can make it, or its error.
    func header(_ set: PacketHeader, id: UInt64, payloadByteCount: Int, limit: Int) -> WrittenHeader {
        // No sum below can overflow, not even in 32 bits.
        guard payloadByteCount <= 1 << 27 else { return .none }
        var values = usualValues
        var setFields: UInt64 = 0
        for (name, value) in set.fields {
            guard case .integer(let number) = value, let index = names.firstIndex(of: name),
                steps[index].role == .settable, steps[index].range.contains(number)
            else { return .none }
            values[index] = number
            setFields |= 1 << UInt64(index)
        }
        guard let absent = findAbsent(&values, id), absent & setFields == 0 else { return .none }
        return write(values, absent, payloadByteCount, limit)
    }

    /// Finds the absent fields and sets their values to 0; nil if the ID does not fit.
    private func findAbsent(_ values: inout [Int128], _ id: UInt64) -> UInt64? {
        var absent: UInt64 = 0
        var restOfID = id
        for index in steps.indices {
            if !conditions.isEmpty, let condition = conditions[index], !condition.holds(values) {
                absent |= 1 << UInt64(index)
                values[index] = 0
            } else if steps[index].role == .messageID {
                guard Int128(id) <= steps[index].range.upperBound else { return nil }
                values[index] = Int128(id)
                restOfID = 0
            }
        }
        return restOfID == 0 ? absent : nil
    }

    /// Writes the present fields, the last one first: so the bytes after a length are known.
    private func write(
        _ values: [Int128], _ absent: UInt64, _ payloadByteCount: Int, _ limit: Int
    ) -> WrittenHeader {
        var bits = HeaderBits()
        // The length that counts the packet and the bytes after it; negative if there is none.
        var packetLength = (index: -1, offset: 0)
        var lengthCount = 0
        for index in steps.indices.reversed() where absent & 1 << UInt64(index) == 0 {
            var value = values[index]
            switch steps[index].role {
            case .settable, .constant, .messageID: break
            case .lengthOfRest: value = Int128(bits.byteCount &+ payloadByteCount &+ steps[index].constant)
            case .lengthOfPayload: value = Int128(payloadByteCount &+ steps[index].constant)
            case .length: packetLength = (index, bits.byteCount)
            }
            if steps[index].role.isLength {
                lengthCount += 1
                guard steps[index].range.contains(value) else { return .none }
            }
            append(value, steps[index], bits.byteCount, to: &bits)
            guard bits.byteCount <= 16 else { return .none }
        }
        let packetByteCount = bits.byteCount + payloadByteCount
        guard lengthCount == 1, packetByteCount <= limit else { return .none }
        if packetLength.index >= 0 {
            let step = steps[packetLength.index]
            let value = Int128(packetByteCount &+ step.constant)
            guard step.range.contains(value) else { return .none }
            var length = HeaderBits()
            append(value, step, packetLength.offset, to: &length)
            bits.add(length)
        }
        return WrittenHeader(bits: bits.left, byteCount: bits.byteCount, packetByteCount: packetByteCount)
    }

    /// - Parameter offset: The number of bytes after the field, or after those that share its bytes.
    private func append(_ value: Int128, _ step: Step, _ offset: Int, to bits: inout HeaderBits) {
        switch step.format {
        case .bigEndian:
            let number = step.bits(of: value)
            // These fields arrive one by one; the first one on the wire adds all bytes of the run.
            bits.insert(number, after: 8 &* offset &+ step.shift, byteCount: step.byteCount)
        case .littleEndian:
            let number = step.bits(of: value).byteSwapped >> UInt64(64 - 8 * step.byteCount)
            bits.insert(number, after: 8 &* offset, byteCount: step.byteCount)
        case .varint(let format): bits.insertVarint(format.bits(of: value), after: 8 &* offset)
        }
    }
}

extension HeaderWriter.Role {
    fileprivate var isLength: Bool {
        switch self {
        case .length, .lengthOfRest, .lengthOfPayload: true
        case .settable, .constant, .messageID: false
        }
    }
}

extension HeaderWriter.Step {
    /// Nil for a field that needs the general path.
    fileprivate init?(_ field: PacketField, _ place: PackedPlace?) {
        switch field.role {
        case .value, .sequence: role = .settable
        case .constant: role = .constant
        case .messageID: role = .messageID
        case .length(let base, _):
            guard field.range.lowerBound == 0, base != .packet || field.format.byteCount != nil else { return nil }
            switch base {
            case .packet: role = .length
            case .payload: role = .lengthOfPayload
            case .rest: role = .lengthOfRest
            }
        case .checksum, .fitting, .padding, .contentLength: return nil
        }
        switch field.format {
        case .integer(let integer, let byteOrder):
            let isLittleEndian = integer.byteCount > 1 && (place?.byteOrder ?? byteOrder) == .littleEndian
            guard place == nil || place?.byteOrder == .bigEndian else { return nil }
            format = place == nil && isLittleEndian ? .littleEndian : .bigEndian
        case .boolean, .bit: format = .bigEndian
        case .varint(let varint): format = .varint(varint)
        case .text, .digits, .bytes: return nil
        }
        if case .length(_, let constant) = field.role { self.constant = constant } else { constant = 0 }
        range = field.range
        mask = field.format.loadedBits
        byteCount = place.map { $0.isFirst ? $0.runByteCount : 0 } ?? field.format.byteCount ?? 0
        shift = place?.shift ?? 0
    }

    fileprivate func bits(of value: Int128) -> UInt64 { UInt64(truncatingIfNeeded: value) & mask }
}

/// The end of a header as a number; bytes are added before it.
private struct HeaderBits {
    private var number: UInt128 = 0
    private(set) var byteCount = 0

    /// The bytes as the first ones of a big-endian number of 16 bytes.
    var left: UInt128 { number << UInt128(128 - 8 * byteCount) }

    /// Inserts a number that has `bitCount` bits after it, and adds bytes.
    mutating func insert(_ bits: UInt64, after bitCount: Int, byteCount: Int) {
        number |= UInt128(bits) << UInt128(bitCount)
        self.byteCount += byteCount
    }

    mutating func insertVarint(_ bits: UInt64, after bitCount: Int) {
        var rest = bits
        var varint: UInt128 = 0
        byteCount += 1
        while rest >= 0x80 {
            varint = varint << 8 | UInt128(rest & 0x7F | 0x80)
            rest >>= 7
            byteCount += 1
        }
        number |= (varint << 8 | UInt128(rest)) << UInt128(bitCount)
    }

    mutating func add(_ other: HeaderBits) { number |= other.number }
}
