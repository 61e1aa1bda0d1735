// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec
import WirelineTransport

extension PacketConnection {
    /// Sends a request and returns its reply.
    ///
    /// The connection recognizes a reply by the header's `@sequence` field, if the layout has one, and by its ID, which
    /// is that of one of the request's replies. Without such a field, a packet answers the oldest request that waits
    /// for its ID. So a peer must answer requests that share a reply, such as a common error, in the order of sending.
    /// A reply that arrives after its request was given up is delivered like any other message. So, without a sequence
    /// field, a peer that leaves a request unanswered delays the replies of later ones: close such a connection after
    /// ``ConnectionError/unanswered(unreadByteCount:)``.
    ///
    /// A failed reply (`@sequence(failure = -1)`) answers the oldest request that waits for its ID. It answers one that
    /// was given up if that is older, unless a younger request of the same type has had its reply since.
    ///
    /// A number of 8, 16 or 24 bits without a reply is not used again on the same connection. After 255 lost replies of
    /// a `uint8`, or 65,535 of the others, further requests throw ``ConnectionError/tooManyRequests(limit:)``.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - header: Header fields to set; the connection chooses the sequence.
    ///   - timeout: The time limit for sending it and waiting for the reply.
    /// - Throws: As ``send(_:header:)``; ``ConnectionError/unanswered(unreadByteCount:)``,
    ///   ``ConnectionError/unmatchedReply(_:expected:received:)``, ``ConnectionError/requestFailed(_:)``,
    ///   ``ConnectionError/endedBeforeReply``,
    ///   ``ConnectionError/tooManyRequests(limit:)``.
    public nonisolated(nonsending) func request<Request: RequestMessage>(
        _ request: Request, header: PacketHeader = [:], timeout: Duration = .seconds(10)
    ) async throws(ConnectionError) -> Request.Reply {
        let pending = PendingRequest(on: self, of: Request.self)
        // The closure runs on the loop, where the states are known.
        let encode: @Sendable (UInt64?) throws(CodecError) -> [UInt8] = { sequence throws(CodecError) in
            try self.packet(of: request, header, sequence: sequence)
        }
        let packet: ReceivedPacket
        if loop.isCurrent {
            packet = try await exchange(pending, timeout, encode).get()
        } else {
            packet = try await withTaskExecutorPreference(loop) {
                await self.exchangeOnLoop(pending, timeout, encode)
            }.get()
        }
        if packet.isFailure(in: layout) { throw .requestFailed(Request.replyName(packet.id)) }
        do throws(CodecError) {
            return try packet.reply(to: Request.self)
        } catch {
            throw refusedMessage(error)
        }
    }

    /// The bytes of the packets that wait for the program to take them.
    package var unreadByteCount: Int { requests?.unreadByteCount ?? 0 }

    @concurrent
    private func exchangeOnLoop(
        _ request: PendingRequest, _ timeout: Duration, _ encode: @Sendable (UInt64?) throws(CodecError) -> [UInt8]
    ) async -> PendingRequest.Outcome {
        // Without this, the optimizer may drop the change of executor; see `SendingConnection`.
        stream.loop.preconditionIsCurrent()
        return await exchange(request, timeout, encode)
    }

    private nonisolated(nonsending) func exchange(
        _ request: PendingRequest, _ timeout: Duration, _ encode: @Sendable (UInt64?) throws(CodecError) -> [UInt8]
    ) async -> PendingRequest.Outcome {
        await withTaskCancellationHandler {
            // SAFETY: the request resumes its continuation once, because every request ends: at the latest by its
            // timeout.
            await unsafe withUnsafeContinuation { continuation in
                // A handler that was cancelled because its connection is lost gets the reason.
                guard takesOutput else { return unsafe continuation.resume(returning: .failure(sendError)) }
                if unsafe request.begin(continuation) { begin(request, timeout, encode) }
            }
        } onCancel: {
            loop.execute { self.giveUp(request, .cancelled) }
        }
    }

    private func begin(
        _ request: PendingRequest, _ timeout: Duration, _ encode: (UInt64?) throws(CodecError) -> [UInt8]
    ) {
        let wasWanted = wantsBytes
        let requests = requests ?? RequestQueue(layout: layout)
        self.requests = requests
        let bytes: [UInt8]
        do throws(ConnectionError) {
            try requests.register(request)
            do throws(CodecError) {
                bytes = try encode(request.sequence)
            } catch {
                throw .codec(error)
            }
        } catch {
            return giveUp(request, error)
        }
        isRouting = true
        request.timer = loop.schedule(at: loop.now + timeout) {
            self.giveUp(request) { requests.timeOut(request) }
        }
        if layout.isEncodedOnLoop {
            requests.sent(request)
            writeInState(bytes)
        } else {
            enqueue(bytes, .observer(request), request.ticket)
        }
        if batchHandler == nil { answerRequests() }
        if !wasWanted { beginWaiting() }
        readIfWanted()
    }

    func giveUp(_ request: PendingRequest, _ error: ConnectionError) {
        guard let requests else { return request.resume(.failure(error)) }
        giveUp(request) { requests.giveUp(request, error) }
    }

    /// Gives a request up with the error that the queue chooses.
    private func giveUp(_ request: PendingRequest, _ end: () -> Void) {
        let wasWanted = wantsBytes
        loop.cancel(&request.timer)
        if !request.wasSent { _ = senders.remove(request.ticket) }
        end()
        isRouting = requests?.isIdle == false
        if wasWanted { stopUnlessWanted() }
    }

    /// Searches the arrived packets for replies, and for messages that readers of one type await. A receiving task does
    /// this itself.
    func answerRequests() {
        guard let requests else { return }
        defer { isRouting = !requests.isIdle }
        do throws(ConnectionError) {
            while requests.wantsInput, takesUnread(requests) {
                guard !mustOpenLater else { return openLater() }
                guard let packet = try takePacket() else {
                    guard !input.isUnfinished || awaitsContentMemory else { return openLater() }
                    guard try hasEnded() else { return }
                    giveUpRequests(ending.isPeerReadToEnd ? .endedBeforeReply : .transport(.closed))
                    return requests.readers.finish(.success(nil))
                }
                notePacket()
                if !answer(with: packet) { requests.keepUnread(packet.copied(for: loop), limit: unreadLimit) }
            }
        } catch {
            giveUpRequests(error)
            requests.readers.finish(.failure(error))
        }
    }

    /// Whether more packets may be kept for a task that takes them later.
    func takesUnread(_ requests: RequestQueue) -> Bool {
        if requests.unreadCost < unreadLimit || requests.dropsUnread { return true }
        // A closed connection has little input left, and readers wait for its end.
        return !stream.isOpen && !requests.readers.isEmpty
    }

    func giveUpRequests(_ error: ConnectionError) {
        for case let request as PendingRequest in senders.observers { giveUp(request, error) }
        for request in requests?.takeAll() ?? [] {
            loop.cancel(&request.timer)
            request.resume(.failure(error))
        }
    }

    /// Hands a packet to the request that it answers, or to the readers of its type.
    ///
    /// - Returns: Whether there are any.
    func answer(with packet: ReceivedPacket) -> Bool {
        guard let requests else { return false }
        let request = requests.takeRequest(answeredBy: packet, layout: layout)
        isRouting = !requests.isIdle
        guard let request else { return requests.readers.take(packet) }
        loop.cancel(&request.timer)
        request.resume(.success(packet))
        return true
    }

    /// Takes the next packet that neither a request nor a reader of its type awaits.
    ///
    /// It is not inlined: its variables would be a part of each handler's idle task.
    @inline(never)
    func takeUnclaimedPacket() throws(ConnectionError) -> ReceivedPacket? {
        guard let requests, isRouting else { return try takePacket() }
        defer { isRouting = !requests.isIdle }
        requests.wasRead = true
        let wasWanted = wantsBytes
        if let packet = requests.takeUnread() {
            if !wasWanted, wantsBytes { beginWaiting() }
            // There is space again for packets that arrive before a reply.
            answerRequests()
            readIfWanted()
            return packet
        }
        while !mustOpenLater, let packet = try takePacket() {
            if !answer(with: packet) { return packet }
        }
        return nil
    }
}

extension ReceivedPacket {
    func reply<Request: RequestMessage>(to type: Request.Type) throws(CodecError) -> Request.Reply {
        try type.reply(in: lent)
    }
}

extension RequestMessage {
    static func replyName(_ id: UInt64) -> String {
        let sender: Sender = Self.self is any ClientMessage.Type ? .server : .client
        let reply = Definition.messageTypes(from: sender).first { $0.messageID == id }
        return reply?.messageName ?? "\(id)"
    }
}
