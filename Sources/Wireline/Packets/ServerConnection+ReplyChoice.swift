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

    /// Answers a packet with one of the replies to its message, with the request's sequence number if the header has
    /// one.
    ///
    /// - Throws: As ``send(_:)``.
    public nonisolated(nonsending) func reply<Choice: ReplyChoice>(
        to request: ReceivedPacket, with choice: Choice
    ) async throws(ConnectionError) where Choice.Definition == Definition {
        try await answer(request, with: choice.message)
    }

    /// Answers a packet with one of the replies to its message, without waiting; for code on the connection's loop.
    ///
    /// - Throws: As ``write(_:)``.
    public func writeReply<Choice: ReplyChoice>(
        to request: Packet, with choice: Choice
    ) throws(ConnectionError) where Choice.Definition == Definition {
        try answer(request, with: choice.message)
    }

    private nonisolated(nonsending) func answer(
        _ request: ReceivedPacket, with message: some PacketMessage
    ) async throws(ConnectionError) {
        if try connection.replyAtOnce(to: request.bytes, with: message) { return }
        try await connection.send(message, header: Self.header(PacketHeader(), ofReplyTo: request.lent))
    }

    private func answer(_ request: Packet, with message: some PacketMessage) throws(ConnectionError) {
        if try connection.writeReplyAtOnce(to: request.bytes, with: message) { return }
        try connection.write(message, header: Self.header(PacketHeader(), ofReplyTo: request))
    }
}
