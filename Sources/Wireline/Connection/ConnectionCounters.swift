// SPDX-License-Identifier: Apache-2.0

/// What has passed through a connection, and what waits in it.
public struct ConnectionCounters: Equatable, Sendable {
    /// How many bytes have come, and how many the system has taken to send; with TLS, those are TLS's.
    public var receivedByteCount = 0, sentByteCount = 0
    /// How many packets have been taken by whoever waits for them.
    public var receivedPacketCount = 0
    /// How many packets have been handed over to be sent; packets that were put together by the sender count as one.
    public var sentPacketCount = 0
    /// How many bytes wait to be sent.
    public var pendingByteCount = 0
    /// How many bytes of packets have come that nobody has taken, those of a packet that has begun included.
    public var unreadByteCount = 0
    /// How many tasks wait until they can send.
    public var waitingSenderCount = 0
    /// How many messages had an ID that the schema does not know. Whoever takes packets and reads them without
    /// ``PacketEndpoint/messages`` or requests is not seen here.
    public var unknownIDCount = 0
    /// How many packets were none, or broke off, and how many messages were not what the schema says; the latter as in
    /// ``unknownIDCount``.
    public var refusedPacketCount = 0

    /// Makes counters of nothing.
    public init() {}

    /// Adds what another connection's counters say.
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
    }
}
