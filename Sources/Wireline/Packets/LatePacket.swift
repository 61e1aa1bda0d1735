// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLayers

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

    /// Its memory, in bytes.
    var heldByteCount: Int {
        switch content {
        case .unsealed(let packet, _, let ahead): packet.payloadByteCount + ahead.heldByteCount
        case .shared(let packet, _): packet.byteCount
        case .bytes(let bytes): bytes.count
        }
    }
}
