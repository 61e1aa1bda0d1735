// SPDX-License-Identifier: Apache-2.0

import WirelineErlangGateway

/// The packets that were written to one client in a turn, one after another.
///
/// Those of one protocol are all bytes, or are all made by the connection.
struct WrittenPackets: Sendable {
    private(set) var bytes: [UInt8] = []
    private(set) var count = 0
    private(set) var unsealed: [Unsealed] = []

    /// A packet that the connection makes.
    struct Unsealed: Sendable {
        let message: BackendMessage
        /// Whether the client must not miss it. A packet for many is left out where it cannot be made.
        let isOwed: Bool
    }

    var isEmpty: Bool { count == 0 }

    /// What they count against the limits.
    var byteCount: Int { unsealed.reduce(bytes.count) { $0 + $1.message.byteCount } }

    /// - Parameter isShared: Whether other clients get it, too.
    mutating func append(_ packet: ClientPacket, isShared: Bool) {
        switch packet {
        case .bytes(let packet): bytes += packet
        case .unsealed(let packet):
            // The protocol of the gateway has made it.
            guard let message = packet as? BackendMessage else { return }
            unsealed.append(Unsealed(message: message, isOwed: !isShared))
        }
        count += 1
    }

    /// Forgets the packets and keeps their memory.
    mutating func clear() {
        bytes.removeAll(keepingCapacity: true)
        unsealed.removeAll(keepingCapacity: true)
        count = 0
    }
}
