// SPDX-License-Identifier: Apache-2.0

/// The messages that a ``Room`` has sent, and those that its members did not get.
///
/// If no message waits, each message to each member counts once: as delivered, dropped or replaced.
public struct RoomCounters: Equatable, Sendable {
    /// The number of members.
    public var memberCount = 0
    /// The number of messages that were sent to the room.
    public var sentCount = 0
    /// How many times a message was given to a member's connection.
    public var deliveredCount = 0
    /// How many times a member did not get a message: it was slow, or its loop was (``RoomOptions/pendingByteLimit``),
    /// or it could not make the packet, such as without the key of its layers or in its states.
    public var droppedCount = 0
    /// How many times a message that waited for a slow member was replaced by a newer one of its kind.
    public var replacedCount = 0
    /// The number of members whose connections were closed because they were slow.
    public var closedCount = 0
    /// The number of bytes that wait for the loops of the members, with 64 bytes for each message.
    public var pendingByteCount = 0
    /// The number of bytes that wait for slow members (``RoomOptions/SlowReaderPolicy/keepLatest``).
    public var keptByteCount = 0

    /// Makes counters that are all 0.
    public init() {}

    /// Adds the counters of another loop.
    static func += (left: inout RoomCounters, right: RoomCounters) {
        left.deliveredCount += right.deliveredCount
        left.droppedCount += right.droppedCount
        left.replacedCount += right.replacedCount
        left.closedCount += right.closedCount
        left.pendingByteCount += right.pendingByteCount
        left.keptByteCount += right.keptByteCount
    }
}
