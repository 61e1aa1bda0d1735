// SPDX-License-Identifier: Apache-2.0

extension WebSocketSession {
    /// The promise of a ``WebSocketSession`` about a message.
    ///
    /// | promise | without a connection | when the connection ends after it was given |
    /// |---|---|---|
    /// | ``latest(of:)`` | waits, until a newer one replaces it | is given again, unless a newer one has come |
    /// | ``whileConnected`` | is refused | is lost |
    /// | ``atMostOnce`` | waits | is lost |
    ///
    /// A message is *given* when it is in the connection's output, after the login and in the order of sending. A
    /// WebSocket does not confirm delivery: if a connection ends, messages that were given may be lost, and the sender
    /// is not told. If delivery must be confirmed, let the peer reply, and send again from the program.
    @nonexhaustive
    public enum Delivery: Equatable, Sendable {
        /// Sent only on the current connection.
        case whileConnected
        /// Given to one connection, now or later, and to no other.
        case atMostOnce
        /// Only the newest message with this key counts; it is given to each new connection.
        ///
        /// It replaces the one that still waits. Use it for state that a server forgets with the connection, such as a
        /// subscription.
        ///
        /// The session keeps it until a newer one comes, its time to live is over, or ``SentMessage/cancel()`` removes
        /// it. Messages of this kind are counted separately: `OutboundLimits` (default 1,024 messages, 1 MiB) limits
        /// their keys and bytes, and again the other messages.
        case latest(of: String)

        var policy: DeliveryPolicy {
            switch self {
            case .whileConnected: .whileConnected
            case .atMostOnce: .atMostOnce
            case .latest(let name): .latest(LatestKey(name: name))
            }
        }
    }
}
