// SPDX-License-Identifier: Apache-2.0

import WirelineTransport
package import WirelineWebSocket

extension WebSocketConnection {
    typealias Sent = Result<Void, ConnectionError>

    /// What is to be sent.
    enum Outgoing: Sendable {
        case text(String)
        case content([UInt8], WebSocketMessageKind)
        /// The next part of the message whose parts leave.
        case part([UInt8], WebSocketWriter, isLast: Bool)
        /// Nothing yet: a message is to follow in parts.
        case beginning(WebSocketWriter)

        init(_ message: WebSocketMessage) {
            switch message {
            case .text(let text): self = .text(text)
            case .binary(let content): self = .content(content, .binary)
            }
        }
    }

    /// Something that waits to be sent, and who waits with it.
    @safe
    struct Sender {
        let outgoing: Outgoing
        let ticket: WaitTicket
        /// Nil where nobody waits.
        let continuation: UnsafeContinuation<Sent, Never>?
    }

    // MARK: To the stream

    /// How much is handed to the stream at once, and how much may wait there to be sent.
    private static let streamStep = 128 << 10

    /// Hands the stream what the engine has to send, as far as the peer takes it; the rest waits here, where its limits are.
    ///
    /// - Parameter isForMore: Whether somebody has more to send, and may have to wait until the loop has seen to others.
    func pump(isForMore: Bool = false) {
        guard !isPumping else { return }
        isPumping = true
        defer { isPumping = false }
        while engine.pendingByteCount > 0, stream.takesOutput, !stream.isOutputStalled {
            if stream.pendingByteCount >= Self.streamStep {
                if !isForMore { stream.flush() } else if !stream.flushForMore() { return }
                // What that found out may have ended the connection.
                guard stream.takesOutput, stream.pendingByteCount < Self.streamStep else { return }
            }
            let stream = stream
            engine.takeOutput { waiting in
                let bytes = waiting.extracting(first: Self.streamStep)
                unsafe stream.write(byteCount: bytes.byteCount) { room in
                    unsafe bytes.withUnsafeBytes { unsafe room.copyMemory(from: $0) }
                }
                return bytes.byteCount
            }
        }
    }

    // MARK: Sending

    /// Sends a message where that can be done without waiting, apart from what may wait; see ``messageAtHand()``.
    ///
    /// - Returns: Whether it is sent; false off the loop, too.
    @usableFromInline
    func sendAtOnce(_ message: WebSocketMessage) throws(ConnectionError) -> Bool {
        guard stream.loop.isCurrent else { return false }
        return try sendAtOnce(Outgoing(message))
    }

    /// Sends a message as soon as it is its turn and there is room.
    @usableFromInline
    nonisolated(nonsending) func send(_ message: WebSocketMessage) async throws(ConnectionError) {
        try await send(Outgoing(message))
    }

    /// Sends something as soon as it is its turn and there is room; leaves with whatever else is sent in the same turn.
    nonisolated(nonsending) func send(_ outgoing: Outgoing) async throws(ConnectionError) {
        guard stream.loop.isCurrent else {
            return try await withTaskExecutorPreference(stream.loop) { await self.sendOnLoop(outgoing) }.get()
        }
        try await sendInTurn(outgoing).get()
    }

    @concurrent
    private func sendOnLoop(_ outgoing: Outgoing) async -> Sent {
        await sendInTurn(outgoing)
    }

    private nonisolated(nonsending) func sendInTurn(_ outgoing: Outgoing) async -> Sent {
        stream.loop.preconditionIsCurrent()
        do throws(ConnectionError) {
            // Who need not wait is not kept from sending by being cancelled.
            if try sendAtOnce(outgoing) { return .success(()) }
        } catch {
            return .failure(error)
        }
        let ticket = WaitTicket()
        return await withTaskCancellationHandler {
            await unsafe withUnsafeContinuation { continuation in
                guard !ticket.isCancelled else { return unsafe continuation.resume(returning: .failure(.cancelled)) }
                let sender = unsafe Sender(outgoing: outgoing, ticket: ticket, continuation: continuation)
                if case .part = outgoing { parts.append(sender) } else { senders.append(sender) }
                resumeSenders()
            }
        } onCancel: {
            stream.loop.execute { self.cancelSending(ticket) }
        }
    }

    /// Sends something where nobody is in front of it and there is room.
    ///
    /// - Returns: Whether it is sent; false where the sender has to wait.
    func sendAtOnce(_ outgoing: Outgoing) throws(ConnectionError) -> Bool {
        if case .part = outgoing {
            guard parts.isEmpty else { return false }
        } else {
            guard senders.isEmpty else { return false }
        }
        guard try write(outgoing) else { return false }
        // Behind the last part of a message others have their turn.
        if writer == nil { resumeSenders() }
        return true
    }

    /// - Returns: Whether it is sent; false where there is no room, or another message is being sent in parts.
    private func write(_ outgoing: Outgoing) throws(ConnectionError) -> Bool {
        guard try mayWrite() else { return false }
        do throws(WebSocketError) {
            guard try hand(outgoing) else { return false }
        } catch {
            throw .webSocket(error)
        }
        logSent(outgoing)
        pump(isForMore: true)
        return true
    }

    /// Whether more may wait to be sent, as far as all connections of a server together have room for it.
    private func mayWrite() throws(ConnectionError) -> Bool {
        guard engine.isOpen else { throw sendError }
        let hasRoom = hasRoomForOutput()
        // What that found out may have ended the connection.
        guard stream.takesOutput, case .open = phase, engine.isOpen else { throw sendError }
        return hasRoom
    }

    private func hand(_ outgoing: Outgoing) throws(WebSocketError) -> Bool {
        if case .part(let content, let writer, let isLast) = outgoing {
            // Whoever keeps on sending behind the end of the message has no place any more.
            guard self.writer === writer else { throw .closed }
            let bytes = unsafe content.span.bytes
            guard try engine.sendFragment(bytes, as: writer.kind, isLast: isLast) else { return false }
            guard isLast else { return true }
            self.writer = nil
            sentMessageCount += 1
            return true
        }
        guard writer == nil else { return false }
        switch outgoing {
        case .beginning(let writer):
            self.writer = writer
            return true
        case .text(let text): guard try engine.send(text) else { return false }
        case .content(let content, let kind):
            let bytes = unsafe content.span.bytes
            guard try engine.send(bytes, as: kind) else { return false }
        case .part: return false
        }
        sentMessageCount += 1
        return true
    }

    /// Sends bytes that are only lent, where the caller is on the loop and need not wait.
    func sendAtOnce(_ content: RawSpan, as kind: WebSocketMessageKind) throws(ConnectionError) -> Bool {
        guard stream.loop.isCurrent, senders.isEmpty, writer == nil else { return false }
        guard try mayWrite() else { return false }
        do throws(WebSocketError) {
            guard try engine.send(content, as: kind) else { return false }
        } catch {
            throw .webSocket(error)
        }
        sentMessageCount += 1
        logSent(content, as: kind)
        pump(isForMore: true)
        return true
    }

    /// Sends something as soon as it is its turn and there is room; nobody waits for that, nor hears that it does not come
    /// to it. For those on the loop who keep what waits in check themselves.
    func post(_ outgoing: Outgoing) {
        guard (try? sendAtOnce(outgoing)) == false else { return }
        senders.append(unsafe Sender(outgoing: outgoing, ticket: WaitTicket(), continuation: nil))
    }

    // MARK: Waiting

    private func cancelSending(_ ticket: WaitTicket) {
        ticket.isCancelled = true
        let sender =
            senders.removeFirst { ticket === $0.ticket } ?? parts.removeFirst { ticket === $0.ticket }
        if let sender { unsafe sender.continuation?.resume(returning: .failure(.cancelled)) }
    }

    /// Lets those send who wait, as far as there is room.
    func resumeSenders() {
        resumePings()
        // Behind the last part of a message others have their turn.
        if !parts.isEmpty { resume(\.parts) }
        if !senders.isEmpty { resume(\.senders) }
        tellOfRoom()
    }

    private func resume(_ queue: ReferenceWritableKeyPath<WebSocketConnection, Queue<Sender>>) {
        while let sender = self[keyPath: queue].first {
            let result: Sent
            do throws(ConnectionError) {
                guard try write(sender.outgoing) else { return }
                result = .success(())
            } catch {
                result = .failure(error)
            }
            // What was found out while it was sent may have ended the connection, and with it all waits.
            guard self[keyPath: queue].first?.ticket === sender.ticket else { return }
            _ = self[keyPath: queue].popFirst()
            unsafe sender.continuation?.resume(returning: result)
        }
    }

    // MARK: Messages in parts

    /// Nobody sends further parts of a message that has begun: the peer can be told of that by nothing but an end.
    func abandon(_ writer: WebSocketWriter) {
        guard self.writer === writer else { return }
        self.writer = nil
        // The code may be sent.
        try? beginClose(code: .internalError)
        resumeSenders()
    }
}

/// Names who sends a message in parts.
final class WebSocketWriter: Sendable {
    let kind: WebSocketMessageKind

    init(_ kind: WebSocketMessageKind) {
        self.kind = kind
    }
}
