// SPDX-License-Identifier: Apache-2.0

/// The counters of a server and its connections.
public struct ServerCounters: Equatable, Sendable {
    /// The number of open connections.
    public var connectionCount = 0
    /// The number of accepted connections, open and ended, without refused ones.
    public var acceptedConnectionCount = 0
    /// The number of refused connections for each reason. A reason that did not occur may be missing.
    public var refusedConnectionCounts: [RefusalReason: Int] = [:]
    /// The number of refused connections, for all reasons together.
    public var refusedConnectionCount: Int { refusedConnectionCounts.values.reduce(0, +) }
    /// How often connections had to wait because ``ListeningOptions/connectionLimit`` was reached.
    ///
    /// It is counted when connections begin to wait, and again only after none waited.
    public var connectionLimitCount = 0
    /// How often the system could not give the server a connection, usually because no descriptors were left.
    ///
    /// The server tries again every 100 ms (``ListeningOptions/acceptFailed``).
    public var failedAcceptCount = 0
    /// The number of connections closed because they sent nothing, or read nothing, for too long.
    public var timedOutConnectionCount = 0
    /// The number of connections closed because a packet or message was too slow (``ConnectionError/tooSlow(_:)``).
    public var tooSlowConnectionCount = 0
    /// The number of connections closed because the byte budget was used up (``ConnectionError/noRoom(limit:)``).
    public var noRoomConnectionCount = 0
    /// The number of connections closed because the client took output too slowly
    /// (``ConnectionError/readTooSlowly(_:)``).
    public var readTooSlowlyConnectionCount: Int { endedConnectionCounts[.readTooSlowly, default: 0] }
    /// The number of connections that were kicked.
    public var kickedConnectionCount = 0
    /// The number of ended connections for each reason. A reason that did not occur may be missing.
    ///
    /// Together they are the accepted connections that are not open any more.
    public var endedConnectionCounts: [EndReason: Int] = [:]
    /// The number of bytes granted to connections, beyond what each may hold uncounted.
    ///
    /// See ``ListeningOptions/heldByteLimit``.
    public var heldByteCount = 0
    /// The number of bytes that zlib may keep for the WebSockets with compression that are open.
    ///
    /// See `WebSocketHandshakePolicy.compressionByteLimit`.
    public var compressionByteCount = 0
    /// The number of WebSockets whose clients asked for compression and did not get it, because that limit was reached.
    public var uncompressedConnectionCount = 0
    /// The sums over all connections, ended ones included; waiting bytes and senders are those of open ones.
    public var traffic = ConnectionCounters()

    /// Makes counters that are all 0.
    public init() {}

    /// Adds a connection that has ended.
    ///
    /// - Parameters:
    ///   - counters: The connection's counters.
    ///   - error: The error that ended the connection; nil if there is none.
    ///   - failure: The error that the handler threw; nil if it returned.
    mutating func add(_ counters: ConnectionCounters, endedBy error: ConnectionError?, handler failure: (any Error)?) {
        endedConnectionCounts[EndReason(connection: error, handler: failure), default: 0] += 1
        var counters = counters
        // Nothing waits in it any more.
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
