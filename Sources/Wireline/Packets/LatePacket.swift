// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLayers
import WirelineTransport

/// A packet that is sent when the long ones before it are compressed, or that is long itself.
struct LatePacket {
    enum Content {
        /// A packet, and the states for which it is sealed.
        case unsealed(UnsealedPacket, PacketStates, AheadCompression)
        /// A packet that is sealed once for many connections.
        case once(UnsealedPacket, OnceSealed)
        case bytes([UInt8])
    }

    let content: Content
    /// Whether other connections get it, too. Then no sender waits for it.
    let isShared: Bool
    /// Receives the error of a packet that could not be sealed.
    let onFailure: (CodecError) -> Void

    init(_ content: Content, isShared: Bool = false, onFailure: @escaping (CodecError) -> Void = { _ in }) {
        self.content = content
        self.isShared = isShared
        self.onFailure = onFailure
    }

    /// Whether it can be sent when it is the first one.
    var isReady: Bool {
        switch content {
        case .unsealed(_, _, let ahead): ahead.isDone
        case .once(_, let once): once.outcome != nil
        case .bytes: true
        }
    }

    /// The number of bytes to send, before they are compressed.
    fileprivate var byteCount: Int {
        switch content {
        case .unsealed(let packet, _, _), .once(let packet, _): packet.payloadByteCount
        case .bytes(let bytes): bytes.count
        }
    }

    /// Its memory, in bytes, without that of the work on it. All connections share that of a packet that is sealed once.
    fileprivate var heldByteCount: Int { if case .once = content { 0 } else { byteCount } }
}

/// The packets of a connection that wait to be sealed, in the order in which they were sent.
struct LatePackets {
    private var packets = Queue<LatePacket>()
    private var memoryByteCount = 0
    /// The bytes of those that other connections get, too.
    private(set) var sharedByteCount = 0
    private var action: (() -> Void)?

    var isEmpty: Bool { packets.isEmpty }

    var first: LatePacket? { packets.first }

    /// Their memory, in bytes. Only the first one is worked on.
    var heldByteCount: Int {
        guard case .unsealed(_, _, let ahead)? = first?.content else { return memoryByteCount }
        return memoryByteCount + ahead.heldByteCount
    }

    mutating func append(_ packet: LatePacket) {
        packets.append(packet)
        count(packet, 1)
    }

    mutating func popFirst() -> LatePacket? {
        guard let packet = packets.popFirst() else { return nil }
        count(packet, -1)
        return packet
    }

    private mutating func count(_ packet: LatePacket, _ sign: Int) {
        memoryByteCount += sign * packet.heldByteCount
        if packet.isShared { sharedByteCount += sign * packet.byteCount }
    }

    /// Stores a closure that is called when no packet waits any more, after earlier ones.
    mutating func whenSent(_ action: @escaping () -> Void) {
        let earlier = self.action
        self.action = {
            earlier?()
            action()
        }
    }

    mutating func takeAction() -> (() -> Void)? { action.take() }
}
