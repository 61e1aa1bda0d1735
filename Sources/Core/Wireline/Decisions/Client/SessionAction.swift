// SPDX-License-Identifier: Apache-2.0

/// The number of a connection or connection attempt in its session; the first is 1.
package struct ConnectionNumber: Hashable, Sendable {
    /// The number.
    public let rawValue: UInt64
}

/// The state of a session.
@nonexhaustive
public enum SessionState: Equatable, Sendable {
    /// A connection is being made to the endpoint at this index.
    /// `attempt` counts from 1 since the session began, or since the last stable connection.
    case connecting(endpoint: Int, attempt: Int)
    /// The connection is made, and the login is under way.
    case loggingIn
    /// Messages are sent.
    case ready
    /// The session waits to reconnect; `cause` ended the connection or the last attempt. The next attempt begins at
    /// `until`, a time since the session's beginning.
    case waiting(until: Duration, cause: DisconnectCause)
    /// The session has ended for good.
    case ended(SessionEndCause)
}

extension SessionState: CustomStringConvertible {
    /// A description in one line.
    public var description: String {
        switch self {
        case .connecting(let endpoint, let attempt): "connecting to endpoint \(endpoint), attempt \(attempt)"
        case .loggingIn: "logging in"
        case .ready: "ready"
        case .waiting(let until, let cause): "waiting until \(until) to reconnect: \(cause)"
        case .ended(let cause): cause.description
        }
    }
}

/// Why a session has ended.
@nonexhaustive
public enum SessionEndCause: Equatable, Sendable {
    /// The program ended it.
    case byUs
    /// A final cause: retrying would not help.
    case stopped(DisconnectCause)
    /// The retries of ``ReconnectPolicy/retryLimit`` are used up.
    case outOfRetries(last: DisconnectCause)
}

extension SessionEndCause: CustomStringConvertible {
    /// A description in one line.
    public var description: String {
        switch self {
        case .byUs: "the session was ended on this side"
        case .stopped(let cause): "the session has ended: \(cause)"
        case .outOfRetries(let last): "the session has ended after too many attempts: \(last)"
        }
    }
}

/// An event for a session.
///
/// Events of a connection carry its number; those of an older connection are ignored.
@nonexhaustive
package enum SessionEvent: Equatable, Sendable {
    /// The session starts.
    case start
    /// The connection is made; with TLS, the server is verified.
    case connected(ConnectionNumber)
    /// The login is done.
    case loggedIn(ConnectionNumber)
    /// The connection could not be made, has ended, or its login failed.
    case ended(ConnectionNumber, DisconnectCause)
    /// Bytes have arrived.
    case received(ConnectionNumber)
    /// The system has taken `byteCount` bytes; `pendingByteCount` still wait.
    /// Also hand it in, with a `byteCount` of 0, after writing bytes that no ``SessionAction/give(_:_:)`` asked for.
    case sent(ConnectionNumber, byteCount: Int, pendingByteCount: Int)
    /// The peer's system has acknowledged bytes up to and including a heartbeat (`SIOCOUTQ` fell).
    /// Only drivers that can tell hand it in, before ``timerFired`` at the latest. It matters on a slow line, which
    /// bytes that the system has taken can fill for longer than a heartbeat's timeout.
    case progressed(ConnectionNumber)
    /// The answer to a heartbeat has arrived; `sequence` is its number, if packets have one.
    case heartbeatAnswered(ConnectionNumber, sequence: UInt64?)
    /// The peer has confirmed messages. Allowed during login, if the server then says what it has received.
    case acknowledged(ConnectionNumber, DeliveryAcknowledgement)
    /// A message of ``SessionAction/give(_:_:)`` could not be encoded; no byte of it was written.
    case unencodable(ConnectionNumber, MessageNumber)
    /// The session's deadline has come.
    case timerFired
    /// The sender cancels a message.
    case cancel(MessageNumber)
    /// There may be another network, or a user waits. It ends a delay now, except for what the server asked for. On a
    /// connection it sends a heartbeat, which ``HeartbeatPolicy/probeTimeout`` follows.
    case hurry
    /// End the session when every message has its outcome, at `deadline` at the latest. Accept no new messages.
    case drain(deadline: Duration)
    /// End the session.
    case end
}

/// An action for the driver. The driver performs actions in order, and hands in new events afterwards.
@nonexhaustive
package enum SessionAction<Payload> {
    /// Make a connection to the endpoint at this index.
    case connect(ConnectionNumber, endpoint: Int)
    /// Look up the endpoints' hosts again for the next connection: the known addresses do not answer, or none exist.
    /// Old addresses may be used if no others can be found.
    case expireAddresses
    /// Log in. If there is no login, hand in ``SessionEvent/loggedIn(_:)`` at once.
    case beginLogin(ConnectionNumber)
    /// Write a message to a connection.
    case give(ConnectionNumber, GivenMessage<Payload>)
    /// Write a heartbeat to a connection, with its number if packets have one.
    case heartbeat(ConnectionNumber, sequence: UInt64?)
    /// Close a connection, or abandon an attempt; also issued if the connection ended on its own.
    /// With ``DisconnectCause/endedByUs``, queued output is still sent.
    case close(ConnectionNumber, DisconnectCause)
    /// Tell the sender of a message its outcome.
    case complete(MessageNumber, MessageOutcome)
    /// Drop the reply just handed in: its message was cancelled, replaced or expired.
    case ignoreReply
    /// Report the session's state to the program.
    case report(SessionState)
}

extension SessionAction: Sendable where Payload: Sendable {}
extension SessionAction: Equatable where Payload: Equatable {}

/// A message given to a connection.
package struct GivenMessage<Payload> {
    /// Its number in the session.
    public let number: MessageNumber
    /// The content.
    public let payload: Payload
    /// Its length in bytes, as the sender stated it.
    public let byteCount: Int
    /// Its sequence number; nil: 0, or none.
    public let sequence: UInt64?
    /// Whether an earlier connection was given it too.
    public let isRepeated: Bool
}

extension GivenMessage: Sendable where Payload: Sendable {}
extension GivenMessage: Equatable where Payload: Equatable {}
