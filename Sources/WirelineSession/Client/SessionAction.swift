// SPDX-License-Identifier: Apache-2.0

/// A connection of a session, or an attempt to make one: the first has number 1.
public struct ConnectionNumber: Hashable, Sendable {
    /// The number.
    public let rawValue: UInt64
}

/// Where a session stands.
@nonexhaustive
public enum SessionState: Equatable, Sendable {
    /// A connection is being made to the endpoint at a place in the list; `attempt` counts from 1 since the session
    /// began, or since the last stable connection.
    case connecting(endpoint: Int, attempt: Int)
    /// There is a connection, and the login is under way.
    case loggingIn
    /// Messages go out.
    case ready
    /// The next attempt comes at a time; `cause` is what ended the connection, or the last attempt.
    case waiting(until: Duration, cause: DisconnectCause)
    /// Nothing follows.
    case ended(SessionEndCause)
}

/// Why a session has ended.
@nonexhaustive
public enum SessionEndCause: Equatable, Sendable {
    /// The user has ended it.
    case byUs
    /// It was no use to try again.
    case stopped(DisconnectCause)
    /// It was tried as often as ``ReconnectPolicy/retryLimit`` says.
    case outOfRetries(last: DisconnectCause)
}

extension SessionEndCause: CustomStringConvertible {
    /// One line for people.
    public var description: String {
        switch self {
        case .byUs: "the session was ended on this side"
        case .stopped(let cause): "the session has ended: \(cause)"
        case .outOfRetries(let last): "the session has ended after too many attempts: \(last)"
        }
    }
}

/// What has happened, for a session to decide upon.
///
/// Events of a connection carry its number; those of an older one are passed over.
@nonexhaustive
public enum SessionEvent: Equatable, Sendable {
    /// The session begins.
    case start
    /// The connection is there; where there is TLS, the server has proved who it is.
    case connected(ConnectionNumber)
    /// The login is done.
    case loggedIn(ConnectionNumber)
    /// The connection could not be made, or has ended, or its login has failed.
    case ended(ConnectionNumber, DisconnectCause)
    /// Bytes have arrived.
    case received(ConnectionNumber)
    /// The system has taken bytes; `pendingByteCount` still wait for it. Also to be handed in when bytes were written
    /// that no ``SessionAction/give(_:_:)`` asked for, with a `byteCount` of 0.
    case sent(ConnectionNumber, byteCount: Int, pendingByteCount: Int)
    /// The peer's system has acknowledged bytes that were written in front of a heartbeat, or the heartbeat itself
    /// (`SIOCOUTQ` says fewer than before), for drivers that can tell: what the system has taken may fill a slow line for
    /// longer than a heartbeat's timeout. Before ``timerFired`` is soon enough.
    case progressed(ConnectionNumber)
    /// The answer to a heartbeat has arrived; `sequence` is its number, where packets have one.
    case heartbeatAnswered(ConnectionNumber, sequence: UInt64?)
    /// The peer has confirmed messages; also while the login is under way, where a server tells what it has.
    case acknowledged(ConnectionNumber, DeliveryAcknowledgement)
    /// Time has passed: the session's deadline.
    case timerFired
    /// The sender of a message gives it up.
    case cancel(MessageNumber)
    /// There may be a network again, or somebody looks: a delay that is only ours ends now.
    case hurry
    /// The session is to end when every message has had its outcome, at `deadline` at the latest. No new ones are taken.
    case drain(deadline: Duration)
    /// The session is to end.
    case end
}

/// What a session wants done. Actions are carried out in order; events that arise meanwhile are handed in afterwards.
@nonexhaustive
public enum SessionAction<Payload> {
    /// Make a connection to the endpoint at a place in the list.
    case connect(ConnectionNumber, endpoint: Int)
    /// Look the endpoints' hosts up anew when a connection is next made: nobody has answered at the addresses that are
    /// known, or there are none. Old ones may serve where no others can be had.
    case expireAddresses
    /// Log in; where there is no login, the connection is logged in at once.
    case beginLogin(ConnectionNumber)
    /// Write a message to a connection.
    case give(ConnectionNumber, GivenMessage<Payload>)
    /// Write a heartbeat to a connection, with its number where packets have one.
    case heartbeat(ConnectionNumber, sequence: UInt64?)
    /// Let a connection, or an attempt, go; with ``DisconnectCause/endedByUs`` what was written still leaves. It comes
    /// too where the connection has ended on its own.
    case close(ConnectionNumber, DisconnectCause)
    /// Tell the sender of a message how it has ended.
    case complete(MessageNumber, MessageOutcome)
    /// The reply that has been handed in belongs to a message that was given up: nobody wants it.
    case ignoreReply
    /// Tell the user where the session stands.
    case report(SessionState)
}

extension SessionAction: Sendable where Payload: Sendable {}
extension SessionAction: Equatable where Payload: Equatable {}

/// A message that goes out.
public struct GivenMessage<Payload> {
    /// Its number in the session.
    public let number: MessageNumber
    /// What is sent.
    public let payload: Payload
    /// How many bytes the sender has said it is.
    public let byteCount: Int
    /// Its sequence number; nil: 0, or none.
    public let sequence: UInt64?
    /// Whether an earlier connection was given it too.
    public let isRepeated: Bool
}

extension GivenMessage: Sendable where Payload: Sendable {}
extension GivenMessage: Equatable where Payload: Equatable {}
