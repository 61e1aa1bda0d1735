// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec

/// Answers with one of several replies (`@reply(Welcome | Failure)`).
extension ServerConnection {
    /// Answers a message with one of its replies, with the request's sequence number if the header has one.
    ///
    ///     try await client.reply(to: received, with: Login.Reply.failure(Failure(code: 1)))
    ///
    /// - Throws: As ``send(_:header:)``.
    public nonisolated(nonsending) func reply<Choice: ReplyChoice>(
        to request: ReceivedMessage<Incoming>, with choice: Choice, header: PacketHeader? = nil
    ) async throws(ConnectionError) where Choice.Definition == Definition {
        try await answer(request.packet, with: choice.message, header)
    }

    /// Answers a packet with one of the replies to its message, with the request's sequence number if the header has
    /// one.
    ///
    /// - Throws: As ``send(_:header:)``.
    public nonisolated(nonsending) func reply<Choice: ReplyChoice>(
        to request: ReceivedPacket, with choice: Choice, header: PacketHeader? = nil
    ) async throws(ConnectionError) where Choice.Definition == Definition {
        try await answer(request, with: choice.message, header)
    }

    /// Answers a packet with one of the replies to its message, without waiting; for code on the connection's loop.
    ///
    /// - Throws: As ``write(_:header:)``.
    public func writeReply<Choice: ReplyChoice>(
        to request: Packet, with choice: Choice, header: PacketHeader? = nil
    ) throws(ConnectionError) where Choice.Definition == Definition {
        try answer(request, with: choice.message, header)
    }

    private nonisolated(nonsending) func answer(
        _ request: ReceivedPacket, with message: some PacketMessage, _ header: PacketHeader?
    ) async throws(ConnectionError) {
        if header == nil, try connection.replyAtOnce(to: request.bytes, with: message) { return }
        try await replyOnSlowPath(to: request, with: message, header)
    }

    private func answer(
        _ request: Packet, with message: some PacketMessage, _ header: PacketHeader?
    ) throws(ConnectionError) {
        if header == nil, try connection.writeReplyAtOnce(to: request.bytes, with: message) { return }
        try writeReplyOnSlowPath(to: request, with: message, header)
    }
}
