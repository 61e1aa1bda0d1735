// SPDX-License-Identifier: Apache-2.0

/// An encoded message for the members of a room.
struct RoomMessage: Sendable {
    /// What a message counts in addition to its bytes.
    private static let overhead = 64

    /// The packet.
    let packet: SharedPacket
    /// The member that does not get it; nil: all members do.
    let except: PacketConnection?

    /// What it counts against ``RoomOptions/pendingByteLimit``.
    let cost: Int

    init(_ packet: SharedPacket, except: PacketConnection?) {
        self.init(packet, except: except, cost: packet.byteCount + Self.overhead)
    }

    private init(_ packet: SharedPacket, except: PacketConnection?, cost: Int) {
        self.packet = packet
        self.except = except
        self.cost = cost
    }

    /// The packet as it stands in a stream; nil if each connection seals it.
    var bytes: [UInt8]? { if case .bytes(let bytes) = packet.form { bytes } else { nil } }

    /// Returns the same message, sealed if all connections send the same bytes; nil if it cannot be sealed.
    ///
    /// - Parameter connection: One of them, which seals it.
    func sealed(on connection: PacketConnection) -> RoomMessage? {
        guard case .sealedOnce = packet.form else { return self }
        let bytes = connection.asSent(packet)
        guard !bytes.isEmpty else { return nil }
        return RoomMessage(packet.sealed(bytes), except: except, cost: cost)
    }
}
