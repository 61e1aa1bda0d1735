// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineTransport

/// Packets between marks.
///
/// The splitter keeps the bytes of a partial packet, so no block waits for the rest. A packet that was found and not
/// taken keeps its own block.
extension PacketInput {
    var isFramed: Bool { splitter.layout.isFramed }

    /// Looks for a whole packet.
    ///
    /// - Throws: ``ConnectionError/codec(_:)`` if the bytes cannot be a packet.
    mutating func lookForFramedPacket() throws(ConnectionError) -> Bool {
        if foundPacket == nil, let block { foundPacket = try nextFramedPacket(in: block) }
        return foundPacket != nil
    }

    /// Takes the next whole packet; nil if there is none.
    mutating func takeFramedPacket() throws(ConnectionError) -> ReceivedPacket? {
        guard try lookForFramedPacket() else { return nil }
        packetCount &+= 1
        defer { foundPacket = nil }
        return foundPacket
    }

    private mutating func nextFramedPacket(in block: SharedBlock) throws(ConnectionError) -> ReceivedPacket? {
        do throws(CodecError) {
            // SAFETY: the bytes up to `end` lie inside the block, which is held here.
            let bytes = unsafe RawSpan(_unsafeStart: block.base, byteCount: end)
            guard let packet = try splitter.nextFramedPacket(in: bytes, from: &position) else { return nil }
            guard let start = packet.start else {
                return ReceivedPacket(copying: splitter.takeUnescaped(), packet.bounds)
            }
            return ReceivedPacket(block: block, start: start, bounds: packet.bounds)
        } catch {
            throw .codec(error)
        }
    }

    /// The bytes of a packet whose end mark has not arrived; nil if no packet has begun.
    var partialFramedByteCount: Int? {
        let byteCount = splitter.framedByteCount
        return foundPacket == nil && unreadByteCount == 0 && byteCount > 0 ? byteCount : nil
    }
}
