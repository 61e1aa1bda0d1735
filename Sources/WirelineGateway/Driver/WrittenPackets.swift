// SPDX-License-Identifier: Apache-2.0

import WirelineErlangGateway

/// The packets that were written to one client in a turn, one after another.
///
/// Those of one protocol are all bytes, or are all made by the connection.
struct WrittenPackets: Sendable {
    private(set) var bytes: [UInt8] = []
    private(set) var count = 0
    /// What the connection does to make its packets, in order.
    private(set) var unsealed: [Unsealed] = []

    enum Unsealed: Sendable {
        /// A packet. If it is owed, the client must not miss it. One for many is left out if it cannot be made.
        case packet(BackendMessage, isOwed: Bool)
        /// The packets that follow have another key or state.
        case change(ConnectionChange)

        fileprivate var byteCount: Int { if case .packet(let message, _) = self { message.byteCount } else { 0 } }
    }

    var isEmpty: Bool { count == 0 && unsealed.isEmpty }

    /// What they count against the limits.
    var byteCount: Int { unsealed.reduce(bytes.count) { $0 + $1.byteCount } }

    /// - Parameter isShared: Whether other clients get it, too.
    mutating func append(_ packet: ClientPacket, isShared: Bool) {
        switch packet {
        case .bytes(let packet): bytes += packet
        case .unsealed(let packet):
            // The protocol of the gateway has made it.
            guard let message = packet as? BackendMessage else { return }
            unsealed.append(.packet(message, isOwed: !isShared))
        }
        count += 1
    }

    /// Changes the packets that follow.
    mutating func append(_ change: ConnectionChange) { unsealed.append(.change(change)) }

    /// Forgets the packets and keeps their memory.
    mutating func clear() {
        bytes.removeAll(keepingCapacity: true)
        unsealed.removeAll(keepingCapacity: true)
        count = 0
    }
}
