// SPDX-License-Identifier: Apache-2.0

/// A ``PacketFraming`` as lookup tables.
///
/// It is an object, so that a layout without a frame has only an empty reference.
final class FramingTable: Sendable {
    enum Use: UInt8 {
        case keep, end, escape, start
    }

    let framing: PacketFraming
    private let uses: [Use]
    /// The two bytes that replace each byte, the first one in the high half; nil for a byte that stands for itself.
    private let pairs: [UInt16?]
    private let bytes: [UInt16: UInt8]

    init(_ framing: PacketFraming) {
        self.framing = framing
        var uses = [Use](repeating: .keep, count: 256)
        var pairs = [UInt16?](repeating: nil, count: 256)
        var bytes: [UInt16: UInt8] = [:]
        for escape in framing.escapes {
            uses[Int(escape.first)] = .escape
            pairs[Int(escape.byte)] = escape.pair
            bytes[escape.pair] = escape.byte
        }
        uses[Int(framing.start)] = .start
        uses[Int(framing.end)] = .end
        self.uses = uses
        self.pairs = pairs
        self.bytes = bytes
    }

    func use(of byte: UInt8) -> Use { uses[Int(byte)] }

    /// Returns the byte that an escape stands for; nil if the two bytes are no escape.
    func byte(for first: UInt8, _ second: UInt8) -> UInt8? { bytes[UInt16(first) << 8 | UInt16(second)] }

    /// Returns the end of the bytes from `start` on that stand for themselves.
    func endOfRun(in bytes: RawSpan, from start: Int) -> Int {
        let list = uses
        let uses = list.span
        var end = start
        while end < bytes.byteCount, uses[Int(bytes[end])] == .keep { end += 1 }
        return end
    }

    func framed(_ packet: RawSpan) -> [UInt8] {
        var escapeCount = 0
        for offset in 0..<packet.byteCount where pairs[Int(packet[offset])] != nil { escapeCount += 1 }
        return [UInt8](byteCount: packet.byteCount + escapeCount + 2) { writer in
            writer.writeInteger(framing.start, .bigEndian)
            if escapeCount == 0 {
                writer.writeBytes(packet)
            } else {
                for offset in 0..<packet.byteCount {
                    let byte = packet[offset]
                    if let pair = pairs[Int(byte)] {
                        writer.writeInteger(pair, .bigEndian)
                    } else {
                        writer.writeInteger(byte, .bigEndian)
                    }
                }
            }
            writer.writeInteger(framing.end, .bigEndian)
        }
    }
}

extension PacketFraming.Escape {
    /// The first byte in the high half.
    fileprivate var pair: UInt16 { UInt16(first) << 8 | UInt16(second) }
}
