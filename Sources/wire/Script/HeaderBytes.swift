// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// A packet's header and trailer, field by field, to write what is wrong into them.
struct HeaderBytes {
    private let layout: PacketLayout
    private var fields: [String: [UInt8]] = [:]
    private let rightValues: PacketHeader
    private let payload: [UInt8]

    /// - Returns: Nil for bytes that are no packet of the layout.
    init?(of packet: [UInt8], _ payload: [UInt8], _ layout: PacketLayout) {
        let span = packet.rawSpan
        guard let whole = try? Packet(span, layout: layout, limit: packet.count),
            let values = try? layout.header(of: whole)
        else { return nil }
        self.layout = layout
        self.payload = payload
        rightValues = values
        // At most one field varies in width, and it stands in the header.
        let fixed = layout.header.reduce(0) { $0 + ($1.format.byteCount ?? 0) }
        let varying = whole.payloadRange.lowerBound - fixed
        var offset = 0
        for field in layout.header {
            let end = offset + (field.format.byteCount ?? varying)
            fields[field.name] = Array(packet[offset..<end])
            offset = end
        }
        offset = whole.payloadRange.upperBound
        for field in layout.trailer {
            let end = offset + (field.format.byteCount ?? 0)
            fields[field.name] = Array(packet[offset..<end])
            offset = end
        }
    }

    /// What is right for a field.
    func right(of field: PacketField) -> Int128 { rightValues[field.name] ?? 0 }

    /// Writes a number, which the field can hold.
    mutating func put(_ number: Int128, into field: PacketField) {
        switch field.format {
        case .boolean: fields[field.name] = [UInt8(truncatingIfNeeded: number)]
        case .integer(let format, let order):
            let bytes = (0..<format.byteCount).map { UInt8(truncatingIfNeeded: number >> (8 * Int128($0))) }
            fields[field.name] = order == .littleEndian ? bytes : bytes.reversed()
        case .varint:
            // LEB128: seven bits a byte, the lowest first; all but the last byte have the top bit.
            var bytes: [UInt8] = []
            var rest = UInt64(truncatingIfNeeded: number)
            while rest >= 0x80 {
                bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
                rest >>= 7
            }
            fields[field.name] = bytes + [UInt8(rest)]
        }
    }

    var packet: [UInt8] {
        layout.header.flatMap { fields[$0.name] ?? [] } + payload + layout.trailer.flatMap { fields[$0.name] ?? [] }
    }
}
