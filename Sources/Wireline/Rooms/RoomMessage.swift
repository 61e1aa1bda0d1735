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

    /// Returns the same message with the bytes that all connections send.
    func sealed(_ bytes: [UInt8]) -> RoomMessage { RoomMessage(packet.sealed(bytes), except: except, cost: cost) }
}
