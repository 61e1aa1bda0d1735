// SPDX-License-Identifier: Apache-2.0

/// A connection's counts of sent and received data, and of waiting data.
public struct ConnectionCounters: Equatable, Sendable {
    /// The number of bytes received, and of bytes that the system has taken to send. With TLS, these are TLS's bytes.
    public var receivedByteCount = 0, sentByteCount = 0
    /// The number of packets that the program has taken.
    public var receivedPacketCount = 0
    /// The number of packets that were given to the connection to send. Packets that the sender joined count as one.
    public var sentPacketCount = 0
    /// The number of bytes that wait to be sent.
    public var pendingByteCount = 0
    /// The number of bytes of packets that have arrived and were not taken, a partial packet included.
    public var unreadByteCount = 0
    /// The number of tasks that wait to send.
    public var waitingSenderCount = 0
    /// The number of messages whose ID the schema does not know.
    ///
    /// It counts only what passes ``PacketEndpoint/messages`` and requests, not packets that a program reads in other
    /// ways.
    public var unknownIDCount = 0
    /// The number of malformed or incomplete packets, and of messages that do not match the schema.
    ///
    /// Messages are counted as in ``unknownIDCount``.
    public var refusedPacketCount = 0
    /// The number of messages, answers and heartbeats that a session did not send because it could not encode them.
    public var unencodableMessageCount = 0

    /// Makes counters that are all 0.
    public init() {}

    static func += (left: inout ConnectionCounters, right: ConnectionCounters) {
        left.receivedByteCount += right.receivedByteCount
        left.sentByteCount += right.sentByteCount
        left.receivedPacketCount += right.receivedPacketCount
        left.sentPacketCount += right.sentPacketCount
        left.pendingByteCount += right.pendingByteCount
        left.unreadByteCount += right.unreadByteCount
        left.waitingSenderCount += right.waitingSenderCount
        left.unknownIDCount += right.unknownIDCount
        left.refusedPacketCount += right.refusedPacketCount
        left.unencodableMessageCount += right.unencodableMessageCount
    }
}
