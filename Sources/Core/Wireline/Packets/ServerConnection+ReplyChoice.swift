// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec

/// Answers with one of several replies (`@reply(Welcome | Failure)`).
extension ServerConnection {
    /// Answers a message with one of its replies, with the request's sequence number if the header has one.
    ///
    ///     try await client.reply(to: received, with: Login.Reply.failure(Failure(code: 1)))
    ///
    /// - Throws: As ``send(_:)``.
    public nonisolated(nonsending) func reply<Choice: ReplyChoice>(
        to request: ReceivedMessage<Incoming>, with choice: Choice
    ) async throws(ConnectionError) where Choice.Definition == Definition {
        try await answer(request.packet, with: choice.message)
    }

    /// Answers a message with one of its replies as `reply(to:with:)` does, with header fields set.
    ///
    /// - Throws: As ``send(_:header:)``.
    public nonisolated(nonsending) func reply<Choice: ReplyChoice>(
        to request: ReceivedMessage<Incoming>, with choice: Choice, header: PacketHeader
    ) async throws(ConnectionError) where Choice.Definition == Definition {
        try await send(choice.message, inReplyTo: request.packet, header)
    }

    /// Answers a packet with one of the replies to its message, with the request's sequence number if the header has
    /// one.
    ///
    /// - Throws: As ``send(_:)``.
    public nonisolated(nonsending) func reply<Choice: ReplyChoice>(
        to request: ReceivedPacket, with choice: Choice
    ) async throws(ConnectionError) where Choice.Definition == Definition {
        try await answer(request, with: choice.message)
    }

    /// Answers a packet with one of the replies to its message as `reply(to:with:)` does, with header fields set.
    ///
    /// - Throws: As ``send(_:header:)``.
    public nonisolated(nonsending) func reply<Choice: ReplyChoice>(
        to request: ReceivedPacket, with choice: Choice, header: PacketHeader
    ) async throws(ConnectionError) where Choice.Definition == Definition {
        try await send(choice.message, inReplyTo: request, header)
    }

    /// Answers a packet with one of the replies to its message, without waiting; for code on the connection's loop.
    ///
    /// - Throws: As ``write(_:)``.
    public func writeReply<Choice: ReplyChoice>(
        to request: Packet, with choice: Choice
    ) throws(ConnectionError) where Choice.Definition == Definition {
        try answer(request, with: choice.message)
    }

    /// Answers a packet with one of the replies to its message as `writeReply(to:with:)` does, with header fields set.
    ///
    /// - Throws: As ``write(_:header:)``.
    public func writeReply<Choice: ReplyChoice>(
        to request: Packet, with choice: Choice, header: PacketHeader
    ) throws(ConnectionError) where Choice.Definition == Definition {
        try write(choice.message, inReplyTo: request, header)
    }

    private nonisolated(nonsending) func answer(
        _ request: ReceivedPacket, with message: some PacketMessage
    ) async throws(ConnectionError) {
        if try connection.replyAtOnce(to: request.bytes, with: message) { return }
        try await send(message, inReplyTo: request, PacketHeader())
    }

    private nonisolated(nonsending) func send(
        _ message: some PacketMessage, inReplyTo request: ReceivedPacket, _ header: PacketHeader
    ) async throws(ConnectionError) {
        try await connection.send(message, header: Self.header(header, ofReplyTo: request.lent))
    }

    private func answer(_ request: Packet, with message: some PacketMessage) throws(ConnectionError) {
        if try connection.writeReplyAtOnce(to: request.bytes, with: message) { return }
        try write(message, inReplyTo: request, PacketHeader())
    }

    private func write(
        _ message: some PacketMessage, inReplyTo request: Packet, _ header: PacketHeader
    ) throws(ConnectionError) {
        try connection.write(message, header: Self.header(header, ofReplyTo: request))
    }
}
