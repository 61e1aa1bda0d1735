// SPDX-License-Identifier: Apache-2.0

/// What a room asks its part on a loop to do.
enum RoomOrder: Sendable {
    case join(PacketConnection, RoomOptions.SlowReaderPolicy?)
    case leave(PacketConnection)
    case send(RoomMessage)
    /// Sends a last message to all members and ends their connections.
    case kick(farewell: SharedPacket, within: Duration)
    /// Ends all memberships, because the program does not keep the room.
    case dissolve
}

/// The orders that wait for a loop, in the order in which they were given.
struct RoomInbox {
    private let limit: Int
    private var orders: [RoomOrder] = []
    /// The cost of the messages that not all members on the loop have got.
    private(set) var pendingByteCount = 0
    /// The number of messages that were dropped because the loop is slow, since ``takeAll()``.
    private var lostCount = 0

    init(limit: Int) {
        self.limit = limit
    }

    /// Adds an order. A message for which there is no memory is dropped.
    ///
    /// - Returns: Whether the loop must be told, because no order has waited before.
    mutating func append(_ order: RoomOrder) -> Bool {
        if case .send(let message) = order {
            guard pendingByteCount == 0 || message.cost <= limit - pendingByteCount else {
                lostCount += 1
                return false
            }
            pendingByteCount += message.cost
        }
        orders.append(order)
        return orders.count == 1
    }

    /// Takes all orders, and the number of messages that were dropped.
    mutating func takeAll() -> (orders: [RoomOrder], lostCount: Int) {
        defer { (orders, lostCount) = ([], 0) }
        return (orders, lostCount)
    }

    /// Notes that all members have got messages of this cost.
    mutating func release(_ cost: Int) { pendingByteCount -= cost }
}
