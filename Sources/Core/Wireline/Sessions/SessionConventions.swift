// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec

/// Which of a protocol's messages are about the connection itself.
///
///     var conventions = SessionConventions<GoimProtocol>()
///     conventions.heartbeat(answeredBy: HeartbeatReply.self) { Heartbeat() }
///     conventions.end(Kicked.self) { KickNotice(reason: UInt64($0.code), advice: .stop) }
///
/// They are handled on the connection's loop, also while the program is busy; the closures must not block. During a
/// login, the hook has the connection; messages that it does not take are handled after it returns. A message has one
/// meaning at most: the last one set. A message that cannot be decoded has none, and is delivered.
public struct SessionConventions<Definition: PacketProtocol>: Sendable {
    var rules = SessionRules()

    /// Makes conventions without any message.
    public init() {}

    /// The session sends heartbeats, with a message of the protocol.
    ///
    /// - Parameters:
    ///   - policy: When it sends one, and how long it then waits for any byte.
    ///   - reply: The server's answer; round-trip times are taken from it. In a protocol with a sequence field, a
    ///     heartbeat has a number of its own there, from 1 on, and the answer must repeat it.
    ///   - deliversAnswers: Whether answers are delivered, too (default: no).
    ///   - message: Makes the message, anew for each heartbeat. If it cannot be encoded, it is not sent
    ///     (``ConnectionCounters/unencodableMessageCount``).
    public mutating func heartbeat<Message: ClientMessage, Reply: ServerMessage>(
        _ policy: HeartbeatPolicy = HeartbeatPolicy(), answeredBy reply: Reply.Type, deliversAnswers: Bool = false,
        message: @escaping @Sendable () -> Message
    ) where Message.Definition == Definition, Reply.Definition == Definition {
        precondition(policy.interval > .zero && policy.timeout > .zero, "heartbeats need an interval and a timeout")
        rules.heartbeat = SessionRules.Heartbeat(policy: policy, encoder: .message({ message() }, [:]))
        rules.meanings[Reply.messageID] = { _ in .heartbeatAnswer(isDelivered: deliversAnswers) }
    }

    /// The server acknowledges the session's messages with a message.
    ///
    /// - Parameters:
    ///   - message: The message. It is not delivered.
    ///   - read: Returns what it acknowledges; nil: nothing, and then the message is delivered. Replies need no
    ///     acknowledgement.
    public mutating func acknowledgement<Message: ServerMessage>(
        _ message: Message.Type, read: @escaping @Sendable (Message) -> DeliveryAcknowledgement?
    ) where Message.Definition == Definition {
        rules.hasAcknowledgement = true
        rules.add(message) { message in
            // A reply belongs to its request, and says nothing about other messages.
            guard let acknowledgement = read(message), !acknowledgement.isReply else { return nil }
            return .acknowledgement(acknowledgement)
        }
    }

    /// The server announces with a message that it ends the connection, and why. The message is delivered, too.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - read: Returns the notice; nil: the connection continues.
    public mutating func end<Message: ServerMessage>(
        _ message: Message.Type, read: @escaping @Sendable (Message) -> KickNotice?
    ) where Message.Definition == Definition {
        rules.add(message) { read($0).map { .end($0) } }
    }

    /// The server asks with a message whether the session is alive, and gets an answer at once.
    ///
    /// The answer repeats the question's sequence number if the header has one. The message is not delivered.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - answer: Makes the answer. If it returns nil, nothing is sent and the message is delivered like any other.
    ///     The same happens if the answer cannot be encoded (``ConnectionCounters/unencodableMessageCount``).
    public mutating func answer<Message: ServerMessage, Answer: ClientMessage>(
        _ message: Message.Type, with answer: @escaping @Sendable (Message) -> Answer?
    ) where Message.Definition == Definition, Answer.Definition == Definition {
        rules.add(message) { answer($0).map { .answer(PacketEncoder($0)) } }
    }
}

/// The conventions without the protocol's types.
struct SessionRules: Sendable {
    struct Heartbeat {
        let policy: HeartbeatPolicy
        let encoder: PacketEncoder
    }

    enum Meaning {
        case heartbeatAnswer(isDelivered: Bool)
        case acknowledgement(DeliveryAcknowledgement)
        case end(KickNotice)
        case answer(PacketEncoder)
    }

    var heartbeat: Heartbeat?
    var hasAcknowledgement = false
    var meanings: [UInt64: @Sendable (ReceivedPacket) -> Meaning?] = [:]

    mutating func add<Message: PacketMessage>(
        _ message: Message.Type, read: @escaping @Sendable (Message) -> Meaning?
    ) {
        meanings[Message.messageID] = { packet in (try? packet.decode(Message.self)).flatMap(read) }
    }

    /// Refuses a heartbeat that a client could send in no state.
    func requireHeartbeat() throws(CodecError) { try heartbeat?.encoder.requireEncodable() }

    func meaning(of packet: ReceivedPacket) -> Meaning? {
        meanings.isEmpty || packet.lent.isOpaque ? nil : meanings[packet.id]?(packet)
    }
}

extension DeliveryAcknowledgement {
    var isReply: Bool {
        switch self {
        case .reply, .failedReply: true
        default: false
        }
    }
}
