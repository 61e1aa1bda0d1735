// SPDX-License-Identifier: Apache-2.0

public import WirelineWebSocket

extension WebSocketSession {
    /// What a frame adds to a message at most (RFC 6455 §5.2).
    private static let frameByteCount = 14

    /// Hands the session a text, which leaves when its turn has come; it returns once the session has taken it.
    ///
    ///     try await session.send("listen to 7", delivery: .latest(of: "room"))
    ///     if case .given = try await session.send("hello").outcome() { … }
    ///
    /// - Parameters:
    ///   - text: What is sent.
    ///   - delivery: What is promised (default: it is given to one connection, now or later, and to no other).
    ///   - timeToLive: When it is of no use any more, counted from now; nil: never.
    /// - Returns: The message, whose ``SentMessage/outcome()`` is `given` once it stands in the output of a connection;
    ///   whether it has arrived nobody knows.
    /// - Throws: ``ConnectionError/session(_:)`` when too much waits already
    ///   (``WebSocketSessionConfiguration/outbound``), when there is no connection for a message that is only for one, and
    ///   when the session has ended.
    @discardableResult
    public func send(
        _ text: String, delivery: WebSocketDelivery = .atMostOnce, timeToLive: Duration? = nil
    ) async throws(ConnectionError) -> SentMessage {
        try await send(.text(text), delivery: delivery, timeToLive: timeToLive)
    }

    /// Hands the session a binary message; see ``send(_:delivery:timeToLive:)-(String,_,_)``.
    @discardableResult
    public func send(
        _ content: [UInt8], delivery: WebSocketDelivery = .atMostOnce, timeToLive: Duration? = nil
    ) async throws(ConnectionError) -> SentMessage {
        try await send(.binary(content), delivery: delivery, timeToLive: timeToLive)
    }

    /// Hands the session a message; see ``send(_:delivery:timeToLive:)-(String,_,_)``.
    @discardableResult
    public func send(
        _ message: WebSocketMessage, delivery: WebSocketDelivery = .atMostOnce, timeToLive: Duration? = nil
    ) async throws(ConnectionError) -> SentMessage {
        let ticket = DeliveryTicket(wantsReply: false)
        try await driver.take(
            WebSocketConnection.Outgoing(message), byteCount: message.byteCount + Self.frameByteCount, delivery.policy,
            confirmedBy: .none, timeToLive: timeToLive, ticket)
        return SentMessage(ticket, in: driver, of: self)
    }
}
