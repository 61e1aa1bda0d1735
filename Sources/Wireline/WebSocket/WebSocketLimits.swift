// SPDX-License-Identifier: Apache-2.0

public import WirelineSession
public import WirelineWebSocket

/// What one WebSocket may cost, and how it is kept alive.
///
/// The most memory that a peer can make it hold is ``unreadByteCount`` and one message (`frames.messageLimit`, at most doubled
/// while it grows), and of what is sent `frames.outputLimit` and one message. One that is silent holds no buffer.
public struct WebSocketLimits: Equatable, Sendable {
    /// What holds for frames and messages: of how many bytes they may be, how many may wait to be sent, and how long the peer
    /// has to close.
    public var frames = WebSocketConfiguration()
    /// How many bytes of messages may wait for somebody who receives (default 1 MiB; each message counts for 64 bytes more than
    /// it has). Then nothing more is read until somebody does, and the peer has to wait; a message that somebody waits for is
    /// read whole in any case, as far as a server's connections together have room for it.
    public var unreadByteCount = 1 << 20
    /// How long a peer may take nothing of what is sent to it before the connection is given up (default 30 s); nil: for ever.
    public var writeTimeout: Duration? = .seconds(30)
    /// When pings are sent without anybody asking for them, and when a peer that does not answer is held for dead: the
    /// connection ends with `TransportError.timedOut` then. Nil (default): never. Any byte counts for an answer, and time in
    /// which nothing is read, because nobody receives, is not the peer's.
    public var heartbeat: HeartbeatPolicy?

    /// The defaults.
    public init() {}
}
