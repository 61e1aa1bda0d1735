// SPDX-License-Identifier: Apache-2.0

/// What a server has had to do with its connections.
public struct ServerCounters: Equatable, Sendable {
    /// How many connections there are.
    public var connectionCount = 0
    /// How many there have been, those that there are included, and without those that were refused.
    public var acceptedConnectionCount = 0
    /// How many were refused because their address had as many as it may (``ConnectionError/tooManyConnections(limit:)``).
    public var refusedConnectionCount = 0
    /// How many were closed because they sent nothing, or took nothing, for too long.
    public var timedOutConnectionCount = 0
    /// How many were closed because the rest of a packet or message came too slowly (``ConnectionError/tooSlow(_:)``).
    public var tooSlowConnectionCount = 0
    /// How many were closed because there was no room for what they sent (``ConnectionError/noRoom(limit:)``).
    public var noRoomConnectionCount = 0
    /// How many were kicked.
    public var kickedConnectionCount = 0
    /// How many bytes connections have been granted beyond what each may hold uncounted
    /// (``ServerConfiguration/heldByteLimit``, ``WebSocketServerConfiguration/heldByteLimit``).
    public var heldByteCount = 0
    /// What has passed through all connections, ended ones included, and what waits in those that there are.
    public var traffic = ConnectionCounters()

    /// Makes counters of nothing.
    public init() {}

    /// Counts a connection that has ended.
    mutating func add(_ counters: ConnectionCounters, endedBy error: ConnectionError?) {
        var counters = counters
        // Nothing waits any more.
        (counters.pendingByteCount, counters.unreadByteCount, counters.waitingSenderCount) = (0, 0, 0)
        traffic += counters
        switch error {
        case .transport(.timedOut): timedOutConnectionCount += 1
        case .tooSlow: tooSlowConnectionCount += 1
        case .noRoom: noRoomConnectionCount += 1
        case .kicked: kickedConnectionCount += 1
        default: break
        }
    }
}
