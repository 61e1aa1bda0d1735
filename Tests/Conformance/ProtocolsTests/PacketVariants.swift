// SPDX-License-Identifier: Apache-2.0

import TestingSupport
import WirelineCodec
import WirelineSchema

extension PacketTranslator {
    /// A packet with others after it, each prefix of it, and some copies with changed bytes; and the same for its
    /// payload, inside a valid packet.
    func variants(
        of bytes: [UInt8], in context: PacketContext, using random: inout SeededGenerator
    ) -> [[UInt8]] {
        var variants = changed(bytes, using: &random) + [bytes + bytes, bytes + [0]]
        let layout = description.layout.layout(in: context)
        let limit = description.options.maximumPacketByteCount
        guard let content = try? layout.unframed(bytes),
            let packet = try? Packet(content.rawSpan, layout: layout, limit: limit)
        else { return variants }
        for payload in changed([UInt8](copying: packet.payload), using: &random) {
            let whole = try? layout.encode(id: packet.id, payload: payload.span.bytes, limit: limit)
            if let whole { variants.append(whole) }
        }
        return variants
    }

    private func changed(_ bytes: [UInt8], using random: inout SeededGenerator) -> [[UInt8]] {
        // For long packets only both ends, where most faults are possible.
        let offsets = bytes.indices.filter { $0 < 80 || $0 >= bytes.count - 20 }
        var variants = [bytes] + offsets.map { Array(bytes[..<$0]) }
        for offset in offsets {
            var other = bytes
            other[offset] ^= [0x01, 0x80, 0xFF, 0x7F, 0x20, .random(in: 1...255, using: &random)].randomElement(
                using: &random)!
            variants.append(other)
        }
        for _ in 0..<10 {
            var other = bytes
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let offset = Int.random(in: 0...other.count, using: &random)
                let byte = UInt8.random(in: 0...255, using: &random)
                if Bool.random(using: &random), offset < other.count {
                    other[offset] = byte
                } else {
                    other.insert(byte, at: offset)
                }
            }
            variants.append(other)
        }
        return variants
    }
}
