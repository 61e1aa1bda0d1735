// SPDX-License-Identifier: Apache-2.0

/// A connection as a member of a room. Only the connection's loop uses it, so `@unchecked Sendable` needs no lock.
final class RoomMember: Membership, @unchecked Sendable {
    /// Slow readers' settings and messages. Most members have none.
    final class Exceptional {
        /// What happens if this member reads slowly; nil: what the room's options say.
        var policy: RoomOptions.SlowReaderPolicy?
        /// The messages that wait for the member; nil: none.
        var kept: KeptMessages?
    }

    let connection: PacketConnection
    let shard: RoomShard
    /// The member's index in the shard; −1: it is no member any more.
    var index: Int32 = -1
    /// The number of the last message that was handled for this member.
    var seen: UInt32
    var exceptional: Exceptional?

    init(_ connection: PacketConnection, in shard: RoomShard, after seen: UInt32) {
        self.connection = connection
        self.shard = shard
        self.seen = seen
    }

    /// Returns the exceptional state; makes it if there is none.
    func makeExceptional() -> Exceptional {
        if let exceptional { return exceptional }
        let made = Exceptional()
        exceptional = made
        return made
    }

    override func settle() { shard.deliver(to: self) }

    override func end() { shard.connectionEnded(of: self) }
}
