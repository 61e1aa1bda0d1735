// SPDX-License-Identifier: Apache-2.0

import WirelineSession

/// What a sender is promised of a message in a ``WebSocketSession``.
///
/// | promise | without a connection | when the connection ends behind it |
/// |---|---|---|
/// | ``latest(of:)`` | waits, until a newer one takes its place | is given again, unless a newer one has come |
/// | ``whileConnected`` | is refused | is lost |
/// | ``atMostOnce`` | waits | is lost |
///
/// A message is *given* when it stands in the connection's output, in the order of sending, behind the login. Nothing in a
/// WebSocket says that it has arrived: a connection may end with what it was given still on its way, and the sender is not
/// told. What must arrive has to be answered by the program at the other end, and sent again by this one.
@nonexhaustive
public enum WebSocketDelivery: Equatable, Sendable {
    /// Only for the connection that there is.
    case whileConnected
    /// Given to one connection, now or later, and to no other.
    case atMostOnce
    /// Of the messages with one key only the newest counts. It takes the place of the one that still waits, and it is given
    /// to each new connection, too: for what a server forgets with the connection, such as what this side listens to. It
    /// counts as waiting (`OutboundLimits`) for as long as that may be: until a newer one comes, its time to live is over, or
    /// ``SentMessage/cancel()`` takes it back.
    case latest(of: String)

    /// The same for the session.
    var policy: DeliveryPolicy {
        switch self {
        case .whileConnected: .whileConnected
        case .atMostOnce: .atMostOnce
        case .latest(let name): .latest(LatestKey(name: name))
        }
    }
}
