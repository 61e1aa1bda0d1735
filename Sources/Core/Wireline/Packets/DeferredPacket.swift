// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLayers
import WirelineTransport

/// A packet that waits for its compression, or for that of an earlier packet.
struct DeferredPacket {
    enum Content {
        /// The states are those for which the packet is sealed.
        case unsealed(UnsealedPacket, PacketStates, AheadCompression)
        case once(UnsealedPacket, OnceSealed)
        case bytes([UInt8])
    }

    let content: Content
    /// Whether other connections get the packet, too. Then no sender waits for it.
    let isShared: Bool
    let onFailure: (CodecError) -> Void

    init(_ content: Content, isShared: Bool = false, onFailure: @escaping (CodecError) -> Void = { _ in }) {
        self.content = content
        self.isShared = isShared
        self.onFailure = onFailure
    }

    /// Whether the packet can be sent as soon as it is the first.
    var isReady: Bool {
        switch content {
        case .unsealed(_, _, let ahead): ahead.isDone
        case .once(_, let once): once.outcome != nil
        case .bytes: true
        }
    }

    /// The byte count before compression.
    fileprivate var byteCount: Int {
        switch content {
        case .unsealed(let packet, _, _), .once(let packet, _): packet.payloadByteCount
        case .bytes(let bytes): bytes.count
        }
    }

    /// The packet's memory, in bytes, without that of the work on it. A packet that is sealed once counts as 0, because
    /// all connections share its memory.
    fileprivate var heldByteCount: Int { if case .once = content { 0 } else { byteCount } }
}

/// The packets of a connection that wait to be sealed, in the order of sending.
struct DeferredPackets {
    private var packets = Queue<DeferredPacket>()
    private var memoryByteCount = 0
    /// The bytes of packets that other connections get, too.
    private(set) var sharedByteCount = 0
    private var action: (() -> Void)?

    var isEmpty: Bool { packets.isEmpty }

    var first: DeferredPacket? { packets.first }

    /// The packets' memory, in bytes. Only the first packet is being worked on.
    var heldByteCount: Int {
        guard case .unsealed(_, _, let ahead)? = first?.content else { return memoryByteCount }
        return memoryByteCount + ahead.heldByteCount
    }

    mutating func append(_ packet: DeferredPacket) {
        packets.append(packet)
        count(packet, 1)
    }

    mutating func popFirst() -> DeferredPacket? {
        guard let packet = packets.popFirst() else { return nil }
        count(packet, -1)
        return packet
    }

    private mutating func count(_ packet: DeferredPacket, _ sign: Int) {
        memoryByteCount += sign * packet.heldByteCount
        if packet.isShared { sharedByteCount += sign * packet.byteCount }
    }

    /// Adds a closure that is called after the last packet, and after earlier closures.
    mutating func whenSent(_ action: @escaping () -> Void) {
        let earlier = self.action
        self.action = {
            earlier?()
            action()
        }
    }

    mutating func takeAction() -> (() -> Void)? { action.take() }
}
