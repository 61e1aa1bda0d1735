// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSchema

/// A packet split into the fields of its header and trailer, so that wrong values can be written into them.
struct HeaderBytes {
    private let layout: PacketLayout
    /// The bytes of each field. If several fields share bytes, the first field has them and the others have none.
    private var fields: [[UInt8]]
    private let rightValues: PacketHeader
    private let payload: [UInt8]

    /// - Returns: nil if the bytes are not a packet of the layout.
    init?(of packet: [UInt8], _ layout: PacketLayout) {
        guard let packet = try? layout.unframed(packet),
            let whole = try? Packet(packet.rawSpan, layout: layout, limit: packet.count),
            let values = try? layout.header(of: whole), let ranges = try? layout.fieldRanges(of: whole)
        else { return nil }
        self.layout = layout
        payload = [UInt8](copying: whole.payload)
        rightValues = values
        fields = ranges.enumerated().map { index, range in
            layout.packedPlace(ofField: index)?.isFirst == false ? [] : Array(packet[range])
        }
    }

    func right(of field: PacketField) -> Int128 { rightValues[field.name] ?? 0 }

    /// Replaces the value of a field. The number must be in the range of the field's type.
    mutating func put(_ number: Int128, intoField index: Int) {
        if let place = layout.packedPlace(ofField: index) {
            fields[index - place.position].put(number, at: place)
            return
        }
        var bytes: [UInt8] = []
        switch layout.fields[index].format {
        case .boolean, .bit: bytes.append(UInt8(truncatingIfNeeded: number))
        case .integer(let format, let order): bytes.append(number, format, order)
        case .varint(let format): bytes.append(varint: format.bits(of: number))
        case .text, .digits, .bytes: return
        }
        fields[index] = bytes
    }

    var packet: [UInt8] {
        let header = Array(fields[..<layout.header.count].joined())
        return layout.framed(header + payload + Array(fields[layout.header.count...].joined()))
    }
}

extension [UInt8] {
    /// Replaces the bits of one field in bytes that several fields share.
    fileprivate mutating func put(_ number: Int128, at place: PackedPlace) {
        for bit in 0..<place.bitWidth {
            let position = place.shift + bit
            let fromEnd = position / 8
            let index = place.byteOrder == .bigEndian ? count - 1 - fromEnd : fromEnd
            let mask = UInt8(1) << UInt8(position % 8)
            self[index] = number >> Int128(bit) & 1 == 1 ? self[index] | mask : self[index] & ~mask
        }
    }
}
