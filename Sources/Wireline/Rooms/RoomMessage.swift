// SPDX-License-Identifier: Apache-2.0

/// An encoded message for the members of a room.
struct RoomMessage: Sendable {
    /// What a message counts in addition to its bytes.
    private static let overhead = 64

    /// The packet.
    let bytes: [UInt8]
    /// The member that does not get it; nil: all members do.
    let except: PacketConnection?

    /// What it counts against ``RoomOptions/pendingByteLimit``.
    var cost: Int { bytes.count + Self.overhead }
}
