// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLayers
import WirelineTransport

/// Opened packets of a connection that were not taken.
///
/// A packet of the stream is opened when its first packet is taken, so that a program can set a key before that. Only the
/// connection's loop uses this.
final class LayeredInput {
    /// The connection's layers, in both directions.
    let traffic: LayeredTraffic
    private var opened = OpenedPackets()
    /// The index of the next entry that is no packet around others.
    private var next = 0
    /// The packet of the stream, if it needs no opening and was not taken.
    private var plain: ReceivedPacket?
    /// The memory of opened packets, by the buffer that it replaces.
    private var blocks: [SharedBlock?] = []
    /// The bytes of opened packets.
    private(set) var byteCount = 0

    init(_ traffic: LayeredTraffic) { self.traffic = traffic }

    /// Whether there is an opened packet to take, or an error.
    var hasMore: Bool { plain != nil || next < opened.entries.count || opened.failure != nil }

    /// The block of the next packet; nil if there is none.
    var block: SharedBlock? {
        if let plain { return plain.block }
        return next < opened.entries.count ? block(ofBuffer: opened.entries[next].buffer) : nil
    }

    /// Opens a packet of the stream; the ones before it were taken.
    ///
    /// - Parameter states: The connection's states where it begins.
    func open(_ packet: ReceivedPacket, _ states: PacketStates) {
        opened = traffic.open(packet.lent, states)
        if let bounds = opened.plain {
            plain = ReceivedPacket(block: packet.block, start: packet.start, bounds: bounds)
        }
        blocks = Array(repeating: nil, count: opened.buffers.count)
        byteCount = opened.buffers.reduce(0) { $0 + $1.count }
        next = 0
        skipOuterPackets()
    }

    /// Takes the next packet; nil after the last one.
    ///
    /// - Throws: What is wrong with the packet that follows; later calls throw it again.
    func take() throws(CodecError) -> ReceivedPacket? {
        if let packet = plain.take() { return packet }
        if next < opened.entries.count {
            let entry = opened.entries[next]
            let block = block(ofBuffer: entry.buffer)
            next += 1
            skipOuterPackets()
            return ReceivedPacket(block: block, start: entry.start, bounds: entry.bounds)
        }
        if let failure = opened.failure { throw failure }
        if byteCount > 0 { drop() }
        return nil
    }

    /// Drops all packets that were not taken.
    func drop() {
        plain = nil
        opened = OpenedPackets()
        blocks = []
        (next, byteCount) = (0, 0)
    }

    /// Moves past packets that are only around others.
    private func skipOuterPackets() {
        while next < opened.entries.count, opened.entries[next].kind == .packets { next += 1 }
    }

    /// Returns the block with the bytes of a buffer, which packets share.
    private func block(ofBuffer index: Int) -> SharedBlock {
        if let block = blocks[index] { return block }
        let block = SharedBlock(Block(copying: opened.takeBuffer(index)), of: nil)
        blocks[index] = block
        return block
    }
}
