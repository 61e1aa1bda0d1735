// SPDX-License-Identifier: Apache-2.0

/// An order to the room's part on a loop.
enum RoomCommand: Sendable {
    case join(PacketConnection, RoomOptions.SlowReaderPolicy?)
    case leave(PacketConnection)
    case send(RoomMessage)
    case kick(farewell: SharedPacket, within: Duration)
    /// Ends all memberships, because the program does not keep the room.
    case dissolve
}

/// The orders that wait for a loop, in the order of their arrival.
struct RoomInbox {
    private let limit: Int
    private var commands: [RoomCommand] = []
    /// The cost of the messages that some members on the loop have not got.
    private(set) var pendingByteCount = 0
    /// The number of messages that were dropped because the loop is slow, since ``takeAll()``.
    private var lostCount = 0

    init(limit: Int) {
        self.limit = limit
    }

    /// Adds an order. Drops a message if there is no memory for it.
    ///
    /// - Returns: Whether the loop must be woken, because no order was waiting.
    mutating func append(_ command: RoomCommand) -> Bool {
        if case .send(let message) = command {
            guard pendingByteCount == 0 || message.cost <= limit - pendingByteCount else {
                lostCount += 1
                return false
            }
            pendingByteCount += message.cost
        }
        commands.append(command)
        return commands.count == 1
    }

    mutating func takeAll() -> (commands: [RoomCommand], lostCount: Int) {
        defer { (commands, lostCount) = ([], 0) }
        return (commands, lostCount)
    }

    /// Call it when all members have got messages of this cost.
    mutating func release(_ cost: Int) { pendingByteCount -= cost }
}
