// SPDX-License-Identifier: Apache-2.0

/// What a connection may cost.
///
/// The most memory that one connection's peer can make it hold is a packet (``maximumPacketByteCount``, at most doubled
/// while it grows), what waits to be sent (``pendingByteCount`` and one packet) and, while requests wait, what arrives
/// in front of their replies (``unreadByteCount`` and one packet). An idle connection holds no buffer.
public struct ConnectionLimits: Equatable, Sendable {
    /// The most bytes of a packet that arrives, header and trailer included; nil (the default): the schema's
    /// `max_packet`, 1 MiB where it has none. A longer packet ends the connection at its header.
    public var maximumPacketByteCount: Int?

    /// How many bytes may wait to be sent before senders wait (default 64 KiB; less than 1 counts as 1). One packet may
    /// go beyond it.
    public var pendingByteCount: Int

    /// How many bytes of packets may wait for somebody who iterates, while a request waits for a reply that stands
    /// behind them (default 1 MiB, less than 1 counts as 1; each packet counts for 256 bytes more than it has). Then nothing more is read until
    /// somebody iterates, or the request ends at its deadline.
    public var unreadByteCount: Int

    /// How long a peer may take nothing of what is sent to it before the connection is given up (default 30 s); nil: for
    /// ever. What its system acknowledges counts, and is looked at four times in that time: a slow line has all the time
    /// that it needs.
    public var writeTimeout: Duration?

    /// Makes limits; what is left out has its default.
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
