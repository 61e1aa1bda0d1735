// SPDX-License-Identifier: Apache-2.0

/// An encoded message for the members of a room.
struct RoomMessage: Sendable {
    /// The cost of a message in addition to its bytes.
    private static let overhead = 64

    let packet: SharedPacket
    /// The member that does not get the message; nil: all members do.
    let except: PacketConnection?

    /// The message's cost against ``RoomOptions/pendingByteLimit``.
    let cost: Int

    init(_ packet: SharedPacket, except: PacketConnection?) {
        self.init(packet, except: except, cost: packet.byteCount + Self.overhead)
    }

    private init(_ packet: SharedPacket, except: PacketConnection?, cost: Int) {
        self.packet = packet
        self.except = except
        self.cost = cost
    }

    /// The packet as it stands in a stream; nil if it is not sealed for all connections.
    var bytes: [UInt8]? { if case .bytes(let bytes) = packet.form { bytes } else { nil } }

    /// Returns the same message with the sealed bytes.
    func sealed(_ bytes: [UInt8]) -> RoomMessage { RoomMessage(packet.sealed(bytes), except: except, cost: cost) }
}
