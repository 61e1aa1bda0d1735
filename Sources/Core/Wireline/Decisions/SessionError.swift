// SPDX-License-Identifier: Apache-2.0

/// Why a session did not accept a message, or could not deliver it.
///
/// If `mayHaveArrived` is false, no connection was ever given the message.
@nonexhaustive
public enum SessionError: Error, Equatable, Sendable {
    /// The queue would hold more bytes than ``OutboundLimits/byteCount``.
    case tooManyBytes(limit: Int)
    /// The queue would hold more messages than ``OutboundLimits/messageCount``.
    case tooManyMessages(limit: Int)
    /// The message is valid only while connected, and there is no connection.
    case notConnected
    /// Exactly-once delivery needs a sequence field in the packet's header, with at least two numbers.
    case needsSequence
    /// At-least-once and exactly-once delivery need a receipt.
    case needsReceipt
    /// A message that a heartbeat's answer confirms needs a session with heartbeats.
    case needsHeartbeat
    /// Too many messages in a row were lost or cancelled without confirmation: half of the sequence field's range.
    /// The server could take the next number for an old one, so the message was not sent. Messages can be sent again
    /// after the server confirms one, at login or by a heartbeat's answer, or in a new session.
    case outOfSequenceNumbers
    /// The message and its sequence number do not fit the packet. The message was not sent.
    case unencodable
    /// The connection has ended, and the session does not send the message again.
    case lost(mayHaveArrived: Bool)
    /// The message's time to live has passed.
    case expired(mayHaveArrived: Bool)
    /// The sender has cancelled the message.
    case cancelled(mayHaveArrived: Bool)
    /// The session has ended or is ending.
    case ended(mayHaveArrived: Bool)
}

extension SessionError: CustomStringConvertible {
    /// A description in one line.
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
        case .unencodable: "the message does not fit its packet with its sequence number, and was not sent"
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
