// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSchema

/// A packet's header and trailer, field by field, so that wrong values can be written into them.
struct HeaderBytes {
    private let layout: PacketLayout
    private var fields: [String: [UInt8]] = [:]
    private let rightValues: PacketHeader
    private let payload: [UInt8]

    /// - Returns: nil if the bytes are not a packet of the layout.
    init?(of packet: [UInt8], _ payload: [UInt8], _ layout: PacketLayout) {
        let span = packet.rawSpan
        guard let whole = try? Packet(span, layout: layout, limit: packet.count),
            let values = try? layout.header(of: whole), let ranges = try? layout.fieldRanges(of: whole)
        else { return nil }
        self.layout = layout
        self.payload = payload
        rightValues = values
        for (field, range) in zip(layout.fields, ranges) { fields[field.name] = Array(packet[range]) }
    }

    /// Returns the correct value of a field.
    func right(of field: PacketField) -> Int128 { rightValues[field.name] ?? 0 }

    /// Writes a number that fits into the field.
    mutating func put(_ number: Int128, into field: PacketField) {
        var bytes: [UInt8] = []
        switch field.format {
        case .boolean: bytes.append(UInt8(truncatingIfNeeded: number))
        case .integer(let format, let order): bytes.append(number, format, order)
        case .varint(let format): bytes.append(varint: format.bits(of: number))
        }
        fields[field.name] = bytes
    }

    var packet: [UInt8] {
        layout.header.flatMap { fields[$0.name] ?? [] } + payload + layout.trailer.flatMap { fields[$0.name] ?? [] }
    }
}
