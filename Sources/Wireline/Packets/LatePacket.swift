// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLayers
import WirelineTransport

/// A packet that is sent when the long ones before it are compressed, or that is long itself.
struct LatePacket {
    enum Content {
        /// A packet, and the states for which it is sealed.
        case unsealed(UnsealedPacket, PacketStates, AheadCompression)
        /// A packet that other connections get, too, and the states for which it was encoded.
        case shared(SharedPacket, PacketStates)
        case bytes([UInt8])
    }

    let content: Content
    /// Receives the error of a packet that could not be sealed.
    let onFailure: (CodecError) -> Void

    init(_ content: Content, onFailure: @escaping (CodecError) -> Void = { _ in }) {
        self.content = content
        self.onFailure = onFailure
    }

    /// What compresses it; nil if it waits only for those before it.
    var ahead: AheadCompression? { if case .unsealed(_, _, let ahead) = content { ahead } else { nil } }

    /// Its memory, in bytes, without that of the work on it.
    fileprivate var byteCount: Int {
        switch content {
        case .unsealed(let packet, _, _): packet.payloadByteCount
        case .shared(let packet, _): packet.byteCount
        case .bytes(let bytes): bytes.count
        }
    }
}

/// The packets of a connection that wait to be sealed, in the order in which they were sent.
struct LatePackets {
    private var packets = Queue<LatePacket>()
    private var byteCount = 0
    /// The bytes of those that other connections get, too.
    private(set) var sharedByteCount = 0
    private var action: (() -> Void)?

    var isEmpty: Bool { packets.isEmpty }

    var first: LatePacket? { packets.first }

    /// Their memory, in bytes. Only the first one is worked on.
    var heldByteCount: Int { byteCount + (first?.ahead?.heldByteCount ?? 0) }

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
        byteCount += sign * packet.byteCount
        if packet.ahead == nil { sharedByteCount += sign * packet.byteCount }
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
