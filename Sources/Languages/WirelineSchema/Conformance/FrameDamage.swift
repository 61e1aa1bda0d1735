// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// A packet whose marks or escapes are damaged.
struct FrameDamage {
    var label: String
    /// The bytes, which replace all of the packet's on the wire.
    var bytes: [UInt8]

    /// Returns all kinds of damage for a packet.
    ///
    /// - Parameter packet: The packet with its marks.
    static func all(of packet: [UInt8], _ framing: PacketFraming) -> [FrameDamage] {
        guard packet.count > 2 else { return [] }
        let inside = packet[1..<packet.count - 1]
        func framed(_ bytes: [UInt8]) -> [UInt8] { [framing.start] + bytes + [framing.end] }
        var result = [
            FrameDamage(label: "start-mark-missing", bytes: Array(packet.dropFirst())),
            FrameDamage(label: "start-mark-changed", bytes: [packet[0] ^ 1] + packet.dropFirst()),
            FrameDamage(label: "end-mark-missing", bytes: Array(packet.dropLast())),
            FrameDamage(label: "empty-before", bytes: [framing.start, framing.end] + packet),
            FrameDamage(label: "last-byte-missing", bytes: framed(Array(inside.dropLast()))),
        ]
        if !framing.hasSameMarks {
            result.append(FrameDamage(label: "start-mark-inside", bytes: framed(inside + [framing.start] + inside)))
        }
        for first in Set(framing.escapes.map(\.first)).sorted() {
            let seconds = Set(framing.escapes.filter { $0.first == first }.map(\.second))
            let others = (0...255).map { UInt8($0) }.filter {
                !seconds.contains($0) && $0 != framing.start && $0 != framing.end
            }
            let digits = Hexadecimal.text(of: [first])
            if let other = others.first {
                result.append(FrameDamage(label: "escape-\(digits)-wrong", bytes: framed([first, other] + inside)))
            }
            result.append(FrameDamage(label: "escape-\(digits)-at-end", bytes: framed(inside + [first])))
            result.append(FrameDamage(label: "escape-\(digits)-cut", bytes: [framing.start] + inside + [first]))
        }
        return result
    }
}
