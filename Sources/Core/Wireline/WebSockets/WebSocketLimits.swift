// SPDX-License-Identifier: Apache-2.0

public import WirelineWebSocket

/// The limits of one WebSocket, and its heartbeat.
///
/// The most input that a peer can make it hold is ``unreadByteCount`` and one message (`frames.messageLimit`, at most
/// doubled while it grows). The most output is `frames.outputLimit` and one message. A silent WebSocket holds no
/// buffer.
public struct WebSocketLimits: Equatable, Sendable {
    /// The limits of frames and messages: their length, how much may wait to be sent, and the timeout for closing.
    public var frames = WebSocketEngine.Configuration()
    /// How many bytes of messages may wait to be received (default 1 MiB).
    ///
    /// Each message counts 64 bytes more than it has. At the limit nothing more is read until the program receives, and
    /// back-pressure slows the peer down. A message that a task waits for is always read whole, as far as the byte
    /// budget of a server's connections allows.
    public var unreadByteCount = 1 << 20
    /// How long a peer may read none of the output (default 30 s); nil: no limit.
    ///
    /// After that the connection is given up.
    public var writeTimeout: Duration? = .seconds(30)
    /// When pings are sent automatically, and the timeout for an answer; nil: never (default).
    ///
    /// At the timeout the connection ends with `TransportError.timedOut`. Any byte counts as an answer. Time in which
    /// this side reads nothing, because the program does not receive, does not count.
    public var heartbeat: HeartbeatPolicy?

    /// Makes limits with the defaults.
    public init() {}
}
