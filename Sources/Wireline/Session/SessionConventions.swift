// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec
public import WirelineSession

/// Which of a protocol's messages say something about the connection itself.
///
///     var conventions = SessionConventions<GoimProtocol>()
///     conventions.heartbeat(answeredBy: HeartbeatReply.self) { Heartbeat() }
///     conventions.end(Kicked.self) { KickNotice(reason: UInt64($0.code), advice: .stop) }
///
/// They are dealt with on the connection's loop, whatever the application does meanwhile; the closures must not block.
/// During a login its hook has the connection: what the hook leaves is dealt with when it returns. A message has one meaning at most: the one that was told last. A message that cannot be decoded has none, and reaches
/// whoever iterates.
public struct SessionConventions<Definition: PacketProtocol>: Sendable {
    var rules = SessionRules()

    /// Nothing but messages.
    public init() {}

    /// The session asks whether the server lives, with a message of the protocol's.
    ///
    /// - Parameters:
    ///   - policy: When it asks, and for how long it waits for any byte.
    ///   - reply: The server's answer, of which round-trip times are taken. In a protocol with a sequence field, a
    ///     heartbeat has a number of its own there, from 1 on, and the answer must repeat it.
    ///   - deliversAnswers: Whether answers reach whoever iterates, too (default: no).
    ///   - message: Makes the message, anew for each heartbeat.
    public mutating func heartbeat<Message: ClientMessage, Reply: ServerMessage>(
        _ policy: HeartbeatPolicy = HeartbeatPolicy(), answeredBy reply: Reply.Type, deliversAnswers: Bool = false,
        message: @escaping @Sendable () -> Message
    ) where Message.Definition == Definition, Reply.Definition == Definition {
        precondition(policy.interval > .zero && policy.timeout > .zero, "heartbeats need an interval and a timeout")
        rules.heartbeat = SessionRules.Heartbeat(policy: policy) { sequence throws(CodecError) in
            try message().encoder()(sequence)
        }
        rules.meanings[Reply.messageID] = { _ in .heartbeatAnswer(isDelivered: deliversAnswers) }
    }

    /// The server says with a message which of the session's it has received.
    ///
    /// - Parameters:
    ///   - message: The message. It does not reach whoever iterates.
    ///   - read: What it says; nil: nothing after all, and then it does. Replies are known without being told of.
    public mutating func acknowledgement<Message: ServerMessage>(
        _ message: Message.Type, read: @escaping @Sendable (Message) -> DeliveryAcknowledgement?
    ) where Message.Definition == Definition {
        rules.hasAcknowledgement = true
        rules.add(message) { message in
            // A reply belongs to whoever waits for it, and is no message about others.
            guard let acknowledgement = read(message), !acknowledgement.isReply else { return nil }
            return .acknowledgement(acknowledgement)
        }
    }

    /// The server says with a message that it ends the connection, and why. The message reaches whoever iterates, too.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - read: What it says; nil: that the connection goes on after all.
    public mutating func end<Message: ServerMessage>(
        _ message: Message.Type, read: @escaping @Sendable (Message) -> KickNotice?
    ) where Message.Definition == Definition {
        rules.add(message) { read($0).map { .end($0) } }
    }

    /// The server asks with a message whether the session lives, and gets an answer at once.
    ///
    /// The answer has the sequence number of the question where the header has one. The message does not reach whoever
    /// iterates.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - answer: Makes the answer; nil: there is none, and the message does reach whoever iterates.
    public mutating func answer<Message: ServerMessage, Answer: ClientMessage>(
        _ message: Message.Type, with answer: @escaping @Sendable (Message) -> Answer?
    ) where Message.Definition == Definition, Answer.Definition == Definition {
        rules.add(message) { answer($0).map { .answer($0.encoder()) } }
    }
}

/// The same without the protocol's types.
struct SessionRules: Sendable {
    struct Heartbeat {
        let policy: HeartbeatPolicy
        let encode: PacketEncoder
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

    /// What a packet says of the connection, if it does.
    func meaning(of packet: ReceivedPacket) -> Meaning? {
        meanings.isEmpty ? nil : meanings[packet.id]?(packet)
    }
}

extension DeliveryAcknowledgement {
    var isReply: Bool {
        if case .reply = self { true } else { false }
    }
}
