// SPDX-License-Identifier: Apache-2.0

/// The limits of a connection.
///
/// The most memory that a peer can make one connection hold is the sum of three parts: a packet
/// (``maximumPacketByteCount``, at most doubled while it grows); output that waits to be sent (``pendingByteCount`` and
/// one packet); while requests wait, packets that arrive before their replies (``unreadByteCount`` and one packet). An
/// idle connection holds no buffer.
public struct ConnectionLimits: Equatable, Sendable {
    /// The most bytes of an incoming packet, header and trailer included.
    ///
    /// nil (default): the schema's `max_packet`, or 1 MiB if it has none. A longer packet ends the connection at its
    /// header.
    public var maximumPacketByteCount: Int?

    /// How many bytes may wait to be sent before senders wait (default 64 KiB; less than 1 counts as 1).
    ///
    /// One packet may exceed it.
    public var pendingByteCount: Int

    /// How many bytes of packets may wait to be taken while a request waits for a later reply (default 1 MiB).
    ///
    /// Less than 1 counts as 1. Each packet counts 256 bytes more than it has. At the limit, the connection reads
    /// nothing until the program takes packets, or the request times out. Each ``MessageStream`` has the same limit,
    /// and drops its oldest messages there.
    public var unreadByteCount: Int

    /// How long a peer may read none of the output (default 30 s); nil: no limit.
    ///
    /// After that the connection is given up. Bytes that the peer's system acknowledges count, also for data that this
    /// machine's system has taken and still sends. The connection checks this four times in that time, so a slow line
    /// has all the time that it needs.
    public var writeTimeout: Duration?

    /// Makes limits; parameters that you leave out have their defaults.
    public init(
        maximumPacketByteCount: Int? = nil, pendingByteCount: Int = 64 << 10, unreadByteCount: Int = 1 << 20,
        writeTimeout: Duration? = .seconds(30)
    ) {
        self.maximumPacketByteCount = maximumPacketByteCount
        self.pendingByteCount = pendingByteCount
        self.unreadByteCount = unreadByteCount
        self.writeTimeout = writeTimeout
    }
}
