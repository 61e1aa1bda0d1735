// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec

/// Finds and opens the packets that one end sends in a stream, cut anywhere; for tools.
///
/// It keeps an incomplete packet. After an error it stays failed.
package struct OpenedStream: ~Copyable {
    private var splitter: PacketSplitter
    private var opener: PacketOpener
    private let layout: PacketLayout
    private let sender: Sender
    private var bytes: [UInt8] = []
    /// The start of the next packet, and the end of the bytes in which the splitter has found no end mark.
    private var start = 0
    private var scanned = 0

    /// - Parameters:
    ///   - layout: The protocol's layout, with layers or another content.
    ///   - context: The end that sends the packets, and the states of the connection at the first one.
    ///   - packetLimit: The most bytes of a packet: `max_packet`.
    package init(_ layout: PacketLayout, in context: PacketContext, packetLimit: Int, settings: LayerSettings) {
        self.layout = layout
        sender = context.sender
        splitter = PacketSplitter(layout: layout, context: context, maximumPacketByteCount: packetLimit)
        opener = PacketOpener(layout, from: context.sender, packetLimit: packetLimit, settings: settings)
    }

    /// The states of the connection, for the next packet.
    package var states: PacketStates { splitter.states }

    /// Call it when the other end has changed the states.
    package mutating func setStates(_ states: PacketStates) {
        if states != splitter.states { splitter.setStates(states) }
    }

    package var unreadByteCount: Int { bytes.count - start }

    package mutating func receive(_ piece: [UInt8]) {
        if start > bytes.count / 2 {
            bytes.removeFirst(start)
            scanned -= start
            start = 0
        }
        bytes += piece
    }

    /// Opens the next packet, and sets the states that its messages set; nil if it is incomplete.
    ///
    /// - Throws: `CodecError` if the bytes are no packet. A fault inside a packet is its ``OpenedPackets/failure``.
    package mutating func next() throws(CodecError) -> (sealed: SealedPacket, opened: OpenedPackets)? {
        var end = scanned
        guard let (content, bounds) = try splitter.nextPacket(in: bytes, from: &end) else {
            scanned = end
            return nil
        }
        let opened = opener.open(Packet(content.rawSpan, bounds), states: splitter.states)
        for entry in opened.entries where entry.kind == .message { splitter.follow(entry.bounds.id) }
        let sealed = SealedPacket(content: content, bounds: bounds, streamByteCount: end - start)
        (start, scanned) = (end, end)
        return (sealed, opened)
    }

    /// A packet as it stands in the stream.
    package struct SealedPacket: Sendable {
        /// Its bytes, without the marks and escapes of a frame.
        package let content: [UInt8]
        package let bounds: PacketBounds
        package let streamByteCount: Int
    }

    /// Nil if the stream ends between packets.
    package mutating func endError() -> CodecError? {
        if layout.isFramed { return splitter.endOfFrames() }
        guard unreadByteCount > 0 else { return nil }
        let bytes = bytes
        return splitter.endOfStream(in: bytes.rawSpan.extracting(start..<bytes.count))
    }

    /// The fewest bytes that the incomplete packet still needs.
    package var missingByteCount: Int { max(1, splitter.neededByteCount - unreadByteCount) }
}
