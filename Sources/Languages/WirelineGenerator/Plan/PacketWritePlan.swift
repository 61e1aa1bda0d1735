// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// How to put header and trailer around a payload, in one plain layout.
///
/// A back end does this in order:
///
/// 1. It takes and checks the values that conditions refer to (``operands``).
/// 2. It finds the fields that are present (``sets``): variables such as `c3`.
/// 3. It finds the widths of the varints: variables such as `w3`. Each is 1 at first. All sizes, and the values of
/// varints, follow from them. If a value needs another width, the next round uses that. A wider field never makes
/// another one narrower, so the first widths that fit are the shortest. In each round the packet must stay within the
/// limit.
/// 4. It checks the other values, and the ID.
/// 5. It writes header, payload and trailer; checksums are 0 until it computes them last, in wire order.
///
/// For an `@fit` field (``fitting``), it tries the values in order; the first one that encodes is used.
struct PacketWritePlan: Sendable {
    let layout: PacketLayout
    /// The source of each header and trailer field, in wire order.
    let values: [WrittenValue]
    /// The fields that a program sets and conditions refer to. They may have a condition of their own.
    let operands: [Int]
    /// The possible sets of ID fields, in the order of trial; empty without conditions.
    let sets: [WrittenIDFields]
    /// The header's fields of variable width.
    let varints: [Int]
    /// The size of header and trailer, with the widths of fields that vary or may be absent.
    let around: PacketOffset
    let payloadStart: PacketOffset
    let maximumHeaderByteCount: Int
    /// The `@fit` field with its values; nil if there is none.
    let fitting: (field: Int, values: [Int128])?
    /// The lengths of which at least one must be present if the payload is not empty. Nil if one always is, or none is
    /// needed.
    let lengthsThatMustBeThere: [Int]?

    init(_ layout: PacketLayout) {
        self.layout = layout
        let reading = PacketReadPlan(layout)
        let indices = layout.fields.indices
        let trailer = PacketReadPlan.trailerCount(layout, layout.header.count..<layout.fields.count)
        var header = PacketOffset(constant: 0)
        var ends: [PacketOffset] = []
        for index in layout.header.indices {
            if layout.fields[index].condition == nil, let byteCount = layout.byteCounts[index] {
                header.constant += byteCount
            } else {
                header.widths.append(index)
            }
            ends.append(header)
        }
        payloadStart = header
        around = header + trailer
        maximumHeaderByteCount = layout.header.indices.reduce(0) { sum, index in
            if case .varint(let format) = layout.header[index].format { return sum + format.maximumByteCount }
            return sum + (layout.byteCounts[index] ?? 0)
        }
        varints = layout.header.indices.filter { layout.header[$0].format.byteCount == nil }
        operands = layout.operands.filter { layout.fields[$0].isSettable }
        sets = layout.messageIDSets.map { WrittenIDFields($0, in: layout) }
        let fittings = indices.compactMap { index in layout.fields[index].fittingValues.map { (index, $0) } }
        fitting = fittings.first.map { (field: $0.0, values: $0.1) }
        let lengths = layout.header.indices.filter { layout.header[$0].role.isLength }
        let isCertain = lengths.contains { layout.fields[$0].condition == nil }
        lengthsThatMustBeThere = layout.isBounded || isCertain ? nil : lengths
        values = indices.map { index in
            WrittenValue(
                of: index, in: layout, reading,
                rest: index < layout.header.count
                    ? .totalLess(ends[index])
                    : .fixed(PacketReadPlan.trailerCount(layout, index + 1..<layout.fields.count)))
        }
    }

    /// Whether a length is in range for every packet up to a limit, so that it needs no check.
    func alwaysFits(
        _ counted: WrittenValue.Counted, _ constant: Int, in range: ClosedRange<Int128>, limit: Int
    ) -> Bool {
        let least =
            switch counted {
            case .packet: layout.minimumPacketByteCount
            case .payload, .totalLess, .fixed: 0
            }
        return range.contains(Int128(least + constant)) && range.contains(Int128(limit) + Int128(constant))
    }

    /// Whether conditions refer to a field, so that its number is needed before all others.
    func isOperand(_ index: Int) -> Bool { operands.contains(index) }
}

/// The source of a header or trailer field's value.
enum WrittenValue: Sendable {
    /// The program's value, or the given default.
    case settable(usual: PacketHeader.FieldValue)
    case constant(Int128)
    case constantText([UInt8])
    case zeros(byteCount: Int)
    case identifier(WrittenIDPart)
    case length(Counted, constant: Int)
    case checksum(ChecksumKind, ChecksumRange)

    enum Counted: Sendable {
        case packet
        case payload
        case totalLess(PacketOffset)
        case fixed(PacketOffset)
    }

    fileprivate init(of index: Int, in layout: PacketLayout, _ reading: PacketReadPlan, rest: Counted) {
        let field = layout.fields[index]
        switch field.role {
        case .value(let value): self = .settable(usual: value)
        case .fitting(let values): self = .settable(usual: .integer(values.last ?? 0))
        case .sequence: self = .settable(usual: .integer(0))
        case .constant(.text(let text)): self = .constantText(field.format.bytes(ofText: text))
        case .constant(let value): self = .constant(value.number)
        case .padding: self = .zeros(byteCount: field.format.byteCount ?? 0)
        // Layers compute it; in their parts it is a given number.
        case .contentLength: self = .constant(0)
        case .messageID: self = .identifier(WrittenIDPart(of: index, in: layout))
        case .length(.packet, let constant): self = .length(.packet, constant: constant)
        case .length(.payload, let constant): self = .length(.payload, constant: constant)
        case .length(.rest, let constant): self = .length(rest, constant: constant)
        case .checksum(let checksum):
            let planned = layout.checksums.first { layout.fieldIndex(of: $0) == index }
            let nothing = ChecksumRange(start: .header(reading.starts[0]), end: .header(reading.starts[0]), zeros: [])
            self = .checksum(checksum.kind, planned.map { reading.range(of: $0) } ?? nothing)
        }
    }
}

/// The bits of a message's ID in one field.
struct WrittenIDPart: Sendable {
    let bitWidth: Int
    /// Whether the field is signed; then its bits are the two's complement.
    let isSigned: Bool
    /// The number of lower ID bits, in later fields that are always present.
    let laterBitWidth: Int
    let laterConditional: [(field: Int, bitWidth: Int)]

    fileprivate init(of index: Int, in layout: PacketLayout) {
        let fields = layout.fields
        bitWidth = fields[index].format.bitWidth
        isSigned = fields[index].format.range.lowerBound < 0
        let later = (index + 1..<fields.count).filter { fields[$0].role == .messageID }
        laterBitWidth = later.reduce(0) { $0 + (fields[$1].condition == nil ? fields[$1].format.bitWidth : 0) }
        laterConditional = later.filter { fields[$0].condition != nil }.map { ($0, fields[$0].format.bitWidth) }
    }
}

/// One of the possible sets of ID fields, and the fields that are present with it.
struct WrittenIDFields: Sendable {
    /// The bits for the ID; with 0 bits, only the ID 0 fits.
    let bitWidth: Int
    /// The conditional fields, in wire order. Those with parts of the ID must be present exactly as `mustBe` says.
    let fields: [(field: Int, condition: WireCondition, mustBe: Bool?)]
    /// The value of each header field as conditions see it.
    let operands: [Operand]

    /// The number of a field in a condition; 0 if the field is absent.
    enum Operand: Sendable {
        case given
        case number(Int128)
        case identifier(laterBitWidth: Int, bitWidth: Int, isSigned: Bool)
    }

    fileprivate init(_ set: MessageIDSet, in layout: PacketLayout) {
        bitWidth = set.bitWidth
        fields = layout.fields.enumerated().compactMap { index, field in
            field.condition.map { (index, $0, field.role == .messageID ? set.fields.contains(index) : nil) }
        }
        operands = layout.header.enumerated().map { index, field in
            if field.isSettable { return .given }
            if case .constant(let value) = field.role { return .number(value.number) }
            guard let position = set.fields.firstIndex(of: index) else { return .number(0) }
            let later = set.fields[(position + 1)...].reduce(0) { $0 + layout.fields[$1].format.bitWidth }
            return .identifier(
                laterBitWidth: later, bitWidth: field.format.bitWidth,
                isSigned: field.format.range.lowerBound < 0)
        }
    }
}
