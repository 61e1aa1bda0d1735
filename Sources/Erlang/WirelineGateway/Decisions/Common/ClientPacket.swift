// SPDX-License-Identifier: Apache-2.0

package enum ClientPacket: Sendable {
    /// The bytes of the packet, the same for all clients.
    case bytes([UInt8])
    /// A checked message. Each connection makes the packet, because it depends on the connection's states, keys or
    /// keystreams.
    case unsealed(any UnsealedClientPacket)

    /// The bytes that count for limits.
    var byteCount: Int {
        switch self {
        case .bytes(let bytes): bytes.count
        case .unsealed(let packet): packet.byteCount
        }
    }
}

/// A message from which each connection makes a packet.
package protocol UnsealedClientPacket: AnyObject, Sendable {
    /// An estimate of the packet's bytes; more than 0.
    var byteCount: Int { get }
}

extension ClientPacket: Equatable {
    package static func == (left: ClientPacket, right: ClientPacket) -> Bool {
        switch (left, right) {
        case (.bytes(let bytes), .bytes(let others)): bytes == others
        case (.unsealed(let packet), .unsealed(let other)): packet === other
        default: false
        }
    }
}
