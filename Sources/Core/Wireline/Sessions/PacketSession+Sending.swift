// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec
import WirelineTransport

extension PacketSession {
    /// Gives the session a message to send; returns when the session has taken it.
    ///
    ///     _ = try await session.send(Position(x: 3, y: 4), delivery: .latest(of: Position.self))
    ///     let outcome = try await session.send(Purchase(item: 7), delivery: .exactlyOnce).outcome()
    ///
    /// A message that must arrive can still fail: the session may give it up, or end. Only the result says so, so the
    /// compiler warns if it is not used.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - delivery: The promise.
    ///   - receipt: The confirmation of delivery. nil: one that the promise needs and the conventions offer, preferably
    ///     an acknowledgement instead of a heartbeat's answer.
    ///   - header: Header fields to set; the session chooses the sequence.
    ///   - timeToLive: The time after which the message is useless; nil: no limit.
    /// - Returns: The message. Its ``SentMessage/outcome()`` is `failed(.unencodable)` if it does not fit its packet
    ///   with its sequence number, because a `varint` number can grow.
    /// - Throws: ``ConnectionError/codec(_:)`` if a value does not fit; ``ConnectionError/session(_:)`` if too much
    ///   waits already, if the promise cannot be kept, or if the session has ended.
    public func send<Message: ClientMessage>(
        _ message: Message, delivery: DeliveryPolicy, confirmedBy receipt: DeliveryReceipt? = nil,
        header: PacketHeader = [:], timeToLive: Duration? = nil
    ) async throws(ConnectionError) -> SentMessage where Message.Definition == Definition {
        let ticket = DeliveryTicket()
        let receipt = receipt ?? usualReceipt(of: delivery)
        try await take(message, header, delivery, receipt, timeToLive, ticket)
        return SentMessage(ticket, in: driver, of: self)
    }

    /// Gives the session a message that goes to one connection, now or later, and to no other; returns when the session
    /// has taken it.
    ///
    ///     try await session.send(Wave(to: 7))
    ///
    /// Everything else is as in ``send(_:delivery:confirmedBy:header:timeToLive:)``.
    @discardableResult
    public func send<Message: ClientMessage>(
        _ message: Message, confirmedBy receipt: DeliveryReceipt? = nil, header: PacketHeader = [:],
        timeToLive: Duration? = nil
    ) async throws(ConnectionError) -> SentMessage where Message.Definition == Definition {
        try await send(
            message, delivery: .atMostOnce, confirmedBy: receipt, header: header, timeToLive: timeToLive)
    }

    /// Gives the session messages to send in one packet, such as several that are compressed together; returns when the
    /// session has taken them.
    ///
    /// They have one delivery: all arrive, or none does.
    ///
    /// - Parameters:
    ///   - messages: The messages, each in a packet of its own inside. They cannot have sequence numbers of the
    ///     session.
    ///   - id: The ID of the packet around them.
    ///   - delivery: The promise, as for one message.
    ///   - receipt: The confirmation of delivery, as for one message.
    ///   - header: The header fields of the packet around them; with them, the condition of `packets` must hold.
    ///   - timeToLive: The time after which the messages are useless; nil: no limit.
    /// - Returns: The taken messages, as for one message.
    /// - Throws: As ``send(_:delivery:confirmedBy:header:timeToLive:)``; ``ConnectionError/codec(_:)`` with the path
    ///   `packets[2]` of a message that does not fit, or `packets` in a protocol without layers.
    public func send(
        packets messages: [any ClientMessage], id: UInt64, delivery: DeliveryPolicy,
        confirmedBy receipt: DeliveryReceipt? = nil, header: PacketHeader = [:], timeToLive: Duration? = nil
    ) async throws(ConnectionError) -> SentMessage {
        let byteCount: Int
        do throws(CodecError) {
            guard Definition.layout.hasContent else { throw CodecError(.wrongPresence(isSet: true), path: "packets") }
            let packet = try UnsealedPacket(packets: messages, id: id, header: header)
            try packet.requireSealable(
                from: .client, in: Definition.layout, limit: Definition.maximumPacketByteCount)
            byteCount = packet.payloadByteCount
        } catch {
            throw .codec(error)
        }
        let ticket = DeliveryTicket()
        try await driver.take(
            .packets(messages, id: id, header), byteCount: byteCount, delivery,
            confirmedBy: receipt ?? usualReceipt(of: delivery), timeToLive: timeToLive, ticket)
        return SentMessage(ticket, in: driver, of: self)
    }

    /// Gives the session messages to send in one packet, on one connection, now or later; returns when the session has
    /// taken them.
    ///
    ///     try await session.send(packets: [Chat(text: "one"), Chat(text: "two")], id: 5, header: ["Version": 2])
    ///
    /// Everything else is as in ``send(packets:id:delivery:confirmedBy:header:timeToLive:)``.
    @discardableResult
    public func send(
        packets messages: [any ClientMessage], id: UInt64, confirmedBy receipt: DeliveryReceipt? = nil,
        header: PacketHeader = [:], timeToLive: Duration? = nil
    ) async throws(ConnectionError) -> SentMessage {
        try await send(
            packets: messages, id: id, delivery: .atMostOnce, confirmedBy: receipt, header: header,
            timeToLive: timeToLive)
    }

    /// Sends a request and returns its reply, on whichever connection it arrives.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - delivery: The promise (default: it is given to one connection, now or later, and to no other). With
    ///     `DeliveryPolicy.exactlyOnce` or `DeliveryPolicy.atLeastOnce` it is sent again on the next connection, until
    ///     its reply arrives.
    ///   - header: Header fields to set; the session chooses the sequence.
    ///   - timeout: How long to wait; nil: ``ClientConfiguration/requestTimeout``.
    /// - Throws: As ``send(_:delivery:confirmedBy:header:timeToLive:)``, also for a value that does not fit once it has
    ///   its sequence number. ``ConnectionError/session(_:)`` with `expired` or `lost`, which say whether the request
    ///   may have arrived. ``ConnectionError/unanswered(unreadByteCount:)`` if the timeout passes while the session
    ///   reads nothing, because the program takes nothing. ``ConnectionError/unmatchedReply(_:expected:received:)`` if
    ///   only a message without the request's sequence number came. ``ConnectionError/cancelled``.
    public func request<Request: ClientMessage & RequestMessage>(
        _ request: Request, delivery: DeliveryPolicy = .atMostOnce, header: PacketHeader = [:],
        timeout: Duration? = nil
    ) async throws(ConnectionError) -> Request.Reply where Request.Definition == Definition {
        let replyIDs = Request.replyIDs
        let ticket = DeliveryTicket(replyIDs: replyIDs)
        let timeout = timeout ?? driver.adapter.settings.client.requestTimeout
        let driver = driver
        let sent: Result<SentMessage, ConnectionError> = await withTaskCancellationHandler {
            do throws(ConnectionError) {
                try await take(request, header, delivery, .reply(anyOf: replyIDs), timeout, ticket)
                let sent = SentMessage(ticket, in: driver, of: self)
                _ = try await sent.outcome()
                return .success(sent)
            } catch {
                return .failure(error)
            }
        } onCancel: {
            driver.loop.execute { driver.cancel(ticket) }
        }
        _ = try sent.get()
        let (outcome, reply, encodingError, unmatched, unreadByteCount) = await driver.loop.run {
            (
                ticket.outcome, ticket.reply, ticket.encodingError, ticket.unmatchedReply,
                driver.inbox.isSaturated ? driver.inbox.byteCount : 0
            )
        }
        if let encodingError { throw .codec(encodingError) }
        if case .failed(.expired) = outcome, let (expected, received) = unmatched {
            throw .unmatchedReply(
                Request.replyName(received.id), expected: expected, received: received.sequence)
        }
        switch outcome {
        case .failed(.cancelled) where Task.isCancelled: throw .cancelled
        case .failed(.expired) where unreadByteCount > 0: throw .unanswered(unreadByteCount: unreadByteCount)
        case .failed(let error): throw .session(error)
        case .replaced: throw .session(.cancelled(mayHaveArrived: true))
        case .given, .confirmed, nil: break
        }
        // A receipt other than a reply confirmed the request.
        guard let reply else { throw .unanswered(unreadByteCount: 0) }
        if reply.isFailure(in: Definition.layout) { throw .requestFailed(Request.replyName(reply.id)) }
        do throws(CodecError) {
            return try reply.reply(to: Request.self)
        } catch {
            throw .codec(error)
        }
    }

    private func take<Message: PacketMessage>(
        _ message: Message, _ header: PacketHeader, _ delivery: DeliveryPolicy, _ receipt: DeliveryReceipt,
        _ timeToLive: Duration?, _ ticket: DeliveryTicket
    ) async throws(ConnectionError) {
        let encoder: PacketEncoder
        let byteCount: Int
        do throws(CodecError) {
            // Encoded now, so that `send` throws for a message that does not fit.
            let bytes = try message.requireEncodable(header: header, from: .client)
            byteCount = if let bytes { bytes.count } else { try message.encodedPayload(header: header).count }
            if let bytes, Definition.layout.maximumSequence == nil, !Definition.layout.hasStates {
                encoder = .packet(bytes)
            } else {
                encoder = PacketEncoder(message, header: header)
            }
        } catch {
            throw .codec(error)
        }
        try await driver.take(
            encoder, byteCount: byteCount, delivery, confirmedBy: receipt, timeToLive: timeToLive, ticket)
    }

    private func usualReceipt(of delivery: DeliveryPolicy) -> DeliveryReceipt {
        switch delivery {
        case .latest, .whileConnected, .atMostOnce: return .none
        case .atLeastOnce, .exactlyOnce: break
        }
        let rules = driver.adapter.rules
        if rules.hasAcknowledgement, Definition.layout.maximumSequence != nil { return .acknowledgement }
        return rules.heartbeat == nil ? .none : .heartbeat
    }
}

extension DeliveryPolicy {
    /// Only the newest message of a type counts; `part` separates messages about different things.
    public static func latest(of type: (some PacketMessage).Type, part: UInt64 = 0) -> DeliveryPolicy {
        .latest(LatestKey(messageID: type.messageID, part: part))
    }
}
