// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec

/// Handlers of messages that have several replies (`@reply(Welcome | Failure)`).
extension MessageHandlers {
    /// Replies to a message with one of its replies, without `await`: the message that the handler chooses is sent.
    ///
    ///     handlers.reply(to: Enter.self) { enter, client in
    ///         guard let room = find(enter.room) else { return .failure(Failure(code: .noSuchRoom)) }
    ///         return .entered(Entered(room: room))
    ///     }
    ///
    /// The reply has the request's sequence number, if the header has one; its other header fields have their defaults.
    /// To set them, add the handler with `on`, and answer with `client.reply(with:header:)`.
    @inlinable
    public mutating func reply<Message: ClientMessage & RequestMessage>(
        to type: Message.Type, _ handler: @escaping @Sendable (Message, Context) throws -> Message.Reply
    ) where Message.Definition == Definition, Message.Reply: ReplyChoice, Message.Reply.Definition == Definition {
        add(
            type,
            .atOnce { packet, object in
                let client = Self.context(object)
                let reply = try handler(try client.decode(type, in: packet), client)
                try client.connection.writeReply(to: packet, with: reply)
            })
    }

    /// Replies to a message with one of its replies: the message that the handler chooses is sent.
    ///
    /// The reply has the request's sequence number, if the header has one; its other header fields have their defaults.
    /// To set them, add the handler with `on`, and answer with `client.reply(with:header:)`. While too much output
    /// waits (``ConnectionLimits/pendingByteCount``), the reply waits, too.
    @inlinable
    public mutating func reply<Message: ClientMessage & RequestMessage>(
        to type: Message.Type, _ handler: @escaping @Sendable (Message, Context) async throws -> Message.Reply
    ) where Message.Definition == Definition, Message.Reply: ReplyChoice, Message.Reply.Definition == Definition {
        add(
            type,
            .inTask { packet, object in
                let client = Self.context(object)
                let reply = try await handler(try client.decode(type, in: packet.lent), client)
                try await client.connection.reply(to: packet, with: reply)
            })
    }
}

extension ClientContext {
    /// Answers the message that is handled now with one of its replies, without waiting: with its sequence number, if
    /// the header has one.
    ///
    /// Between messages, it sends a message without a sequence number.
    ///
    /// - Throws: ``ConnectionError``, as ``ServerConnection/write(_:header:)``.
    public func reply<Choice: ReplyChoice>(
        with choice: Choice, header: PacketHeader? = nil
    ) throws(ConnectionError) where Choice.Definition == Definition {
        guard let packet else { return try connection.connection.write(choice.message, header: header) }
        try connection.writeReply(to: packet.lent, with: choice, header: header)
    }
}
