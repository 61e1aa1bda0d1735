// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec
public import WirelineSession
import WirelineTransport

extension PacketSession {
    /// Hands the session a message, which leaves when its turn has come; it returns once the session has taken it.
    ///
    ///     try await session.send(Position(x: 3, y: 4), delivery: .latest(of: Position.self))
    ///     let outcome = try await session.send(Purchase(item: 7), delivery: .exactlyOnce).outcome()
    ///
    /// - Parameters:
    ///   - message: What is sent.
    ///   - delivery: What is promised (default: it is given to one connection, now or later, and to no other).
    ///   - receipt: What says that it has arrived; nil: what the promise needs and the conventions offer, an
    ///     acknowledgement before a heartbeat's answer.
    ///   - header: Header fields to set; the sequence is the session's to choose.
    ///   - timeToLive: When it is of no use any more, counted from now; nil: never.
    /// - Throws: ``ConnectionError/codec(_:)`` for a value that does not fit; ``ConnectionError/session(_:)`` when too
    ///   much waits already, when the promise cannot be kept, and when the session has ended.
    @discardableResult
    public func send<Message: ClientMessage>(
        _ message: Message, delivery: DeliveryPolicy = .atMostOnce, confirmedBy receipt: DeliveryReceipt? = nil,
        header: PacketHeader = [:], timeToLive: Duration? = nil
    ) async throws(ConnectionError) -> SentMessage where Message.Definition == Definition {
        let ticket = DeliveryTicket(wantsReply: false)
        let receipt = receipt ?? usualReceipt(of: delivery)
        try await take(message, header, delivery, receipt, timeToLive, ticket)
        return SentMessage(ticket, in: driver, of: self)
    }

    /// Sends a request, and waits for its reply, on whichever connection that comes.
    ///
    /// - Parameters:
    ///   - request: What is sent.
    ///   - delivery: What is promised (default: it is given to one connection, now or later, and to no other). With
    ///     `DeliveryPolicy.exactlyOnce` or `DeliveryPolicy.atLeastOnce` it is sent again on the next connection,
    ///     until its reply has come.
    ///   - header: Header fields to set; the sequence is the session's to choose.
    ///   - timeout: How long to wait; nil: ``ClientConfiguration/requestTimeout``.
    /// - Throws: As ``send(_:delivery:confirmedBy:header:timeToLive:)``; ``ConnectionError/session(_:)`` with `expired`
    ///   or `lost`, which say whether the request may have arrived; ``ConnectionError/unanswered(unreadByteCount:)`` when
    ///   its time is over while nothing is read, because nobody takes what has arrived; ``ConnectionError/cancelled``.
    public func request<Request: ClientMessage & RequestMessage>(
        _ request: Request, delivery: DeliveryPolicy = .atMostOnce, header: PacketHeader = [:],
        timeout: Duration? = nil
    ) async throws(ConnectionError) -> Request.Reply where Request.Definition == Definition {
        let ticket = DeliveryTicket(wantsReply: true)
        let timeout = timeout ?? driver.carrier.settings.client.requestTimeout
        let driver = driver
        let sent: Result<SentMessage, ConnectionError> = await withTaskCancellationHandler {
            do throws(ConnectionError) {
                try await take(request, header, delivery, .reply(id: Request.Reply.messageID), timeout, ticket)
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
        let (outcome, reply, unreadByteCount) = await driver.loop.run {
            (ticket.outcome, ticket.reply, driver.inbox.isHoldingUp ? driver.inbox.byteCount : 0)
        }
        switch outcome {
        case .failed(.cancelled) where Task.isCancelled: throw .cancelled
        case .failed(.expired) where unreadByteCount > 0: throw .unanswered(unreadByteCount: unreadByteCount)
        case .failed(let error): throw .session(error)
        case .replaced: throw .session(.cancelled(mayHaveArrived: true))
        case .given, .confirmed, nil: break
        }
        // Something else than a reply has confirmed it.
        guard let reply else { throw .unanswered(unreadByteCount: 0) }
        do throws(CodecError) {
            return try reply.decode(Request.Reply.self)
        } catch {
            throw .codec(error)
        }
    }

    private func take<Message: PacketMessage>(
        _ message: Message, _ header: PacketHeader, _ delivery: DeliveryPolicy, _ receipt: DeliveryReceipt,
        _ timeToLive: Duration?, _ ticket: DeliveryTicket
    ) async throws(ConnectionError) {
        let encode: PacketEncoder
        let byteCount: Int
        do throws(CodecError) {
            // Now, so that a message which does not fit is refused where it is sent.
            let bytes = try message.encoded(header: header)
            byteCount = bytes.count
            if Definition.layout.sequenceField == nil {
                encode = { _ in bytes }
            } else {
                encode = message.encoder(header: header)
            }
        } catch {
            throw .codec(error)
        }
        try await driver.take(
            encode, byteCount: byteCount, delivery, confirmedBy: receipt, timeToLive: timeToLive, ticket)
    }

    private func usualReceipt(of delivery: DeliveryPolicy) -> DeliveryReceipt {
        switch delivery {
        case .latest, .whileConnected, .atMostOnce: return .none
        case .atLeastOnce, .exactlyOnce: break
        }
        let rules = driver.carrier.rules
        if rules.hasAcknowledgement, Definition.layout.sequenceField != nil { return .acknowledgement }
        return rules.heartbeat == nil ? .none : .heartbeat
    }
}

extension DeliveryPolicy {
    /// Of the messages of a type only the newest counts; `part` tells those apart that are about different things.
    public static func latest(of type: (some PacketMessage).Type, part: UInt64 = 0) -> DeliveryPolicy {
        .latest(LatestKey(messageID: type.messageID, part: part))
    }
}
