// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLayers

/// Opens the packets that this end has sent, for the log of its connection. Only the connection's loop uses this.
///
/// Packets are shown later than they are sealed. So a key that was set in between counts from the packet on that was
/// sealed with it.
final class SentPackets {
    private let layout: PacketLayout
    private let side: Sender
    private var opener: PacketOpener
    private var keys: [(sealedCount: Int, name: String, bytes: [UInt8])] = []
    private var sealedCount = 0
    private var shownCount = 0
    /// Whether a packet could not be opened: then nothing is known about the ones after it.
    private var isLost = false

    init(_ layout: PacketLayout, from side: Sender, packetLimit: Int, settings: LayerSettings) {
        self.layout = layout
        self.side = side
        opener = PacketOpener(layout, from: side, packetLimit: packetLimit, settings: settings)
    }

    /// Notes that a packet has been sealed.
    func noteSealed() { sealedCount += 1 }

    /// Notes a key for the packets that are sealed from now on.
    func setKey(_ name: String, _ bytes: [UInt8]) { keys.append((sealedCount, name, bytes)) }

    /// Passes the opened packets at the start of written bytes to `body`, in their order; not those around others.
    ///
    /// - Parameter states: The connection's states where the bytes begin.
    /// - Returns: The number of bytes of packets that were opened.
    func forEachPacket(
        atStartOf bytes: [UInt8], _ states: PacketStates, _ body: (borrowing Packet) -> Void
    ) -> Int {
        var states = states
        var end = 0
        while end < bytes.count, !isLost {
            let layout = layout.layout(in: PacketContext(from: side, states: states))
            var splitter = PacketSplitter(layout: layout, maximumPacketByteCount: .max)
            var next = end
            guard let (content, bounds) = try? splitter.nextPacket(in: bytes, from: &next) else { break }
            setKeys()
            let opened = opener.open(Packet(content.rawSpan, bounds), states: states)
            shownCount += 1
            isLost = opened.failure != nil
            guard !isLost else { break }
            for (index, entry) in opened.entries.enumerated() where entry.kind != .packets {
                opened.withPacket(at: index) { body($0) }
                if entry.kind == .message { layout.apply(entry.bounds.id, from: side, to: &states) }
            }
            end = next
        }
        return end
    }

    /// Sets the keys with which the next packet was sealed.
    private func setKeys() {
        while let key = keys.first, key.sealedCount <= shownCount {
            keys.removeFirst()
            // It has been set on the connection, so it fits.
            try? opener.setKey(key.name, key.bytes.rawSpan)
        }
    }
}
