// SPDX-License-Identifier: Apache-2.0

package struct FramedPacket {
    /// The positions of the packet's parts, without marks and escapes.
    package let bounds: PacketBounds
    /// The packet's first byte in the given bytes; nil if ``PacketSplitter/takeUnescaped()`` must take the packet.
    package let start: Int?
}

/// Packets between marks.
///
/// A packet without escapes that has arrived whole is lent where it lies. The splitter puts any other packet together,
/// without its escapes, in its own memory. It does not change received bytes, because earlier packets may share them.
/// It also keeps the beginning of a packet, so it reads each byte once.
extension PacketSplitter {
    /// Finds the next packet in bytes that have arrived.
    /// - Parameter position: The start of the unread bytes; moved past the packet, or to the end of the bytes, which
    ///   the caller need not keep.
    /// - Returns: The packet; nil if none has ended.
    /// - Throws: ``CodecError`` for a fault of the marks, the escapes or the packet; every later call throws it again.
    package mutating func nextFramedPacket(
        in bytes: RawSpan, from position: inout Int
    ) throws(CodecError) -> FramedPacket? {
        try throwFailure()
        guard let table = layout.framingTable else { return nil }
        let limit = maximumPacketByteCount
        do throws(CodecError) {
            switch try frames.nextPacket(in: bytes, from: &position, table, limit: limit) {
            case nil: return nil
            case .given(let range):
                let bounds = try layout.boundsOfOnlyPacket(in: bytes.extracting(range), limit: limit)
                return FramedPacket(bounds: bounds, start: range.lowerBound)
            case .content:
                let bounds = try layout.boundsOfOnlyPacket(in: frames.content.rawSpan, limit: limit)
                return FramedPacket(bounds: bounds, start: nil)
            }
        } catch {
            failure = error
            frames = FrameReader()
            throw error
        }
    }

    package mutating func takeUnescaped() -> [UInt8] { frames.takeContent() }

    package var framedByteCount: Int { layout.isFramed ? frames.byteCount : 0 }

    /// Whether packets stand between marks, and none has begun.
    package var isBetweenFrames: Bool { layout.isFramed && endOfFrames() == nil }

    /// Returns the error of a stream that ends here; nil if it ends between packets.
    package func endOfFrames() -> CodecError? {
        guard let framing = layout.framing, frames.isInsidePacket(framing) else { return nil }
        return .endOfStream(in: frames.content.rawSpan, neededByteCount: frames.content.count + 1)
    }

    @usableFromInline
    mutating func receiveFrames(
        _ bytes: RawSpan, _ receiver: (borrowing Packet) throws(CodecError) -> Void
    ) throws(CodecError) {
        if let (held, start) = takeUndelivered() {
            var position = start
            do throws(CodecError) {
                try splitFrames(held.rawSpan, from: &position, receiver)
            } catch {
                keep(held, from: position)
                keep(bytes, from: 0)
                throw error
            }
        }
        var position = 0
        do throws(CodecError) {
            try splitFrames(bytes, from: &position, receiver)
        } catch {
            keep(bytes, from: position)
            throw error
        }
    }

    private mutating func splitFrames(
        _ bytes: RawSpan, from position: inout Int, _ receiver: (borrowing Packet) throws(CodecError) -> Void
    ) throws(CodecError) {
        while let packet = try nextFramedPacket(in: bytes, from: &position) {
            guard let start = packet.start else {
                let content = takeUnescaped()
                try receiver(Packet(content.rawSpan, packet.bounds))
                continue
            }
            try receiver(Packet(bytes, packet.bounds, at: start))
        }
    }
}
