// SPDX-License-Identifier: Apache-2.0

/// An order to the room's part on a loop.
enum RoomOrder: Sendable {
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
    private var orders: [RoomOrder] = []
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

    mutating func takeAll() -> (orders: [RoomOrder], lostCount: Int) {
        defer { (orders, lostCount) = ([], 0) }
        return (orders, lostCount)
    }

    /// Call it when all members have got messages of this cost.
    mutating func release(_ cost: Int) { pendingByteCount -= cost }
}
