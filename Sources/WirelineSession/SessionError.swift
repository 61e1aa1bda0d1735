// SPDX-License-Identifier: Apache-2.0

/// Why a session did not take a message, or could not deliver it.
///
/// Where `mayHaveArrived` is false, the message was never given to a connection.
@nonexhaustive
public enum SessionError: Error, Equatable, Sendable {
    /// More bytes would wait than ``OutboundLimits/byteCount``.
    case tooManyBytes(limit: Int)
    /// More messages would wait than ``OutboundLimits/messageCount``.
    case tooManyMessages(limit: Int)
    /// The message is only for while there is a connection, and there is none.
    case notConnected
    /// A message that must arrive exactly once needs a sequence field in the packet's header, of at least two numbers.
    case needsSequence
    /// A message that must arrive needs something that says that it did.
    case needsReceipt
    /// A message that a heartbeat's answer confirms needs a session with heartbeats.
    case needsHeartbeat
    /// So many messages in a row have been lost, or given up, without a word that they have arrived, half of what the
    /// sequence field can tell apart, that the server could take the next number for an old one. The message was not
    /// sent. Only a word of the server's helps, at login or by a heartbeat's answer, or a new session.
    case outOfSequenceNumbers
    /// The connection has ended, and the message is not to be sent again.
    case lost(mayHaveArrived: Bool)
    /// The message's time to live is over.
    case expired(mayHaveArrived: Bool)
    /// The sender has given the message up.
    case cancelled(mayHaveArrived: Bool)
    /// The session has ended, or is about to.
    case ended(mayHaveArrived: Bool)
}

extension SessionError: CustomStringConvertible {
    /// One line for people.
    public var description: String {
        switch self {
        case .tooManyBytes(let limit): "no more than \(limit) bytes of messages can wait"
        case .tooManyMessages(let limit): "no more than \(limit) messages can wait"
        case .notConnected: "there is no connection, and the message is only for one"
        case .needsSequence:
            "without a sequence field in the packet's header a message can arrive at most once or at least once"
        case .needsReceipt: "a message that must arrive needs a reply or an acknowledgement"
        case .needsHeartbeat: "the session has no heartbeat whose answer could confirm the message"
        case .outOfSequenceNumbers:
            "too many messages were lost for the sequence field to tell a new number from an old one"
        case .lost(let mayHaveArrived): "the connection has ended" + Self.rest(mayHaveArrived)
        case .expired(let mayHaveArrived): "the message's time to live is over" + Self.rest(mayHaveArrived)
        case .cancelled(let mayHaveArrived): "the message was given up" + Self.rest(mayHaveArrived)
        case .ended(let mayHaveArrived): "the session has ended" + Self.rest(mayHaveArrived)
        }
    }

    private static func rest(_ mayHaveArrived: Bool) -> String {
        mayHaveArrived ? "; the message may have arrived" : "; the message was not sent"
    }
}
