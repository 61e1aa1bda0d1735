// SPDX-License-Identifier: Apache-2.0

public import WirelineWebSocket

extension WebSocketSession {
    /// The most bytes that a frame adds to a message (RFC 6455 §5.2).
    private static let frameByteCount = 14

    /// Gives the session a text to send; returns when the session has taken it.
    ///
    ///     try await session.send("listen to 7", delivery: .latest(of: "room"))
    ///     if case .given = try await session.send("hello").outcome() { … }
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - delivery: The promise (default: it is given to one connection, now or later, and to no other).
    ///   - timeToLive: The time after which the message is useless; nil: no limit.
    /// - Returns: The message. Its ``SentMessage/outcome()`` is `given` once it is in the output of a connection;
    ///   whether it has arrived is unknown.
    /// - Throws: ``ConnectionError/session(_:)`` if too much waits already
    ///   (``WebSocketSessionConfiguration/outbound``), if there is no connection for a message that needs the current
    ///   one, or if the session has ended.
    @discardableResult
    public func send(
        _ text: String, delivery: Delivery = .atMostOnce, timeToLive: Duration? = nil
    ) async throws(ConnectionError) -> SentMessage {
        try await send(.text(text), delivery: delivery, timeToLive: timeToLive)
    }

    /// Gives the session a binary message; see ``send(_:delivery:timeToLive:)-(String,_,_)``.
    @discardableResult
    public func send(
        _ content: [UInt8], delivery: Delivery = .atMostOnce, timeToLive: Duration? = nil
    ) async throws(ConnectionError) -> SentMessage {
        try await send(.binary(content), delivery: delivery, timeToLive: timeToLive)
    }

    /// Gives the session a message; see ``send(_:delivery:timeToLive:)-(String,_,_)``.
    @discardableResult
    public func send(
        _ message: WebSocketMessage, delivery: Delivery = .atMostOnce, timeToLive: Duration? = nil
    ) async throws(ConnectionError) -> SentMessage {
        let ticket = DeliveryTicket()
        try await driver.take(
            WebSocketConnection.Outgoing(message), byteCount: message.byteCount + Self.frameByteCount, delivery.policy,
            confirmedBy: .none, timeToLive: timeToLive, ticket)
        return SentMessage(ticket, in: driver, of: self)
    }
}
