// SPDX-License-Identifier: Apache-2.0

/// The packets to one client in a turn, in order.
///
/// A protocol uses either `bytes` or `unsealed` for all packets.
struct WrittenPackets: Sendable {
    private(set) var bytes: [UInt8] = []
    private(set) var count = 0
    /// The steps with which the connection makes its packets, in order.
    private(set) var unsealed: [Unsealed] = []

    enum Unsealed: Sendable {
        /// A packet. A client must not miss one that `isOwed`. A packet for many is left out if it cannot be made.
        case packet(BackendMessage, isOwed: Bool)
        /// Later packets have another key or state.
        case change(ConnectionChange)

        fileprivate var byteCount: Int { if case .packet(let message, _) = self { message.byteCount } else { 0 } }
    }

    var isEmpty: Bool { count == 0 && unsealed.isEmpty }

    /// The bytes that count for limits.
    var byteCount: Int { unsealed.reduce(bytes.count) { $0 + $1.byteCount } }

    /// - Parameter isShared: Whether other clients get the packet, too.
    mutating func append(_ packet: ClientPacket, isShared: Bool) {
        switch packet {
        case .bytes(let packet): bytes += packet
        case .unsealed(let packet):
            // Only the gateway's protocol makes these packets.
            guard let message = packet as? BackendMessage else { return }
            unsealed.append(.packet(message, isOwed: !isShared))
        }
        count += 1
    }

    /// The change applies to later packets.
    mutating func append(_ change: ConnectionChange) { unsealed.append(.change(change)) }

    /// Drops the packets, but keeps their memory.
    mutating func clear() {
        bytes.removeAll(keepingCapacity: true)
        unsealed.removeAll(keepingCapacity: true)
        count = 0
    }
}
