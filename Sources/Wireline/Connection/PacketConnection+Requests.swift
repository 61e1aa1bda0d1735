// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec
import WirelineTransport

extension PacketConnection {
    /// Sends a request, and waits for its reply.
    ///
    /// Replies are told from other messages by the `@sequence` field of the header, where the layout has one, and by
    /// their ID; without such a field, replies with one ID belong to requests in the order in which they were sent. A
    /// reply that comes after its request was given up answers nothing: it arrives like every other message. So, without
    /// a sequence field, a peer that leaves a request without a reply delays those of later ones: after
    /// ``ConnectionError/unanswered(unreadByteCount:)`` such a connection is best closed.
    ///
    /// A number of 8, 16 or 24 bits whose reply has not come is not used again on the same connection: behind 255 lost
    /// replies of a `uint8`, or 65,535 of the others, further requests are refused with
    /// ``ConnectionError/tooManyRequests(limit:)``.
    ///
    /// - Parameters:
    ///   - request: What is sent.
    ///   - header: Header fields to set; the sequence is the connection's to choose.
    ///   - timeout: How long sending it and waiting for the reply may take.
    /// - Throws: As ``send(_:)``; ``ConnectionError/unanswered(unreadByteCount:)``,
    ///   ``ConnectionError/endedBeforeReply``, ``ConnectionError/tooManyRequests(limit:)``.
    public nonisolated(nonsending) func request<Request: RequestMessage>(
        _ request: Request, header: PacketHeader = [:], timeout: Duration = .seconds(10)
    ) async throws(ConnectionError) -> Request.Reply {
        let pending = PendingRequest(replyID: Request.Reply.messageID)
        let layout = layout
        let encode: @Sendable (UInt64?) throws(CodecError) -> [UInt8] = { sequence throws(CodecError) in
            try request.encoded(header: header.with(sequence: sequence, in: layout))
        }
        let packet: ReceivedPacket
        if loop.isCurrent {
            packet = try await exchange(pending, timeout, encode).get()
        } else {
            packet = try await withTaskExecutorPreference(loop) {
                await self.exchangeOnLoop(pending, timeout, encode)
            }.get()
        }
        do throws(CodecError) {
            return try packet.decode(Request.Reply.self)
        } catch {
            noteRefusedMessage()
            throw .codec(error)
        }
    }

    /// How many bytes wait for somebody who iterates.
    package var unreadByteCount: Int { requests?.unreadByteCount ?? 0 }

    @concurrent
    private func exchangeOnLoop(
        _ request: PendingRequest, _ timeout: Duration, _ encode: @Sendable (UInt64?) throws(CodecError) -> [UInt8]
    ) async -> PendingRequest.Outcome {
        await exchange(request, timeout, encode)
    }

    private nonisolated(nonsending) func exchange(
        _ request: PendingRequest, _ timeout: Duration, _ encode: @Sendable (UInt64?) throws(CodecError) -> [UInt8]
    ) async -> PendingRequest.Outcome {
        await withTaskCancellationHandler {
            await unsafe withUnsafeContinuation { continuation in
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
        request.timer = loop.schedule(at: .now + timeout) {
            self.giveUp(request, .unanswered(unreadByteCount: requests.unreadByteCount))
        }
        enqueue(Sender(bytes: bytes, waiter: .request(request)))
        if batchHandler == nil { answerRequests() }
        if !wasWanted { beginWaiting() }
        readIfWanted()
    }

    func giveUp(_ request: PendingRequest, _ error: ConnectionError) {
        let wasWanted = wantsBytes
        loop.cancel(&request.timer)
        guard let requests else { return request.resume(.failure(error)) }
        if !request.wasSent { _ = takeSender { $0 === request } }
        requests.giveUp(request, error)
        isRouting = !requests.isIdle
        if wasWanted { stopUnlessWanted() }
    }

    /// Takes the first request that waits to be sent and fulfils a condition.
    private func takeSender(where condition: (PendingRequest) -> Bool) -> PendingRequest? {
        let sender = senders.removeFirst { sender in
            if case .request(let request) = sender.waiter { condition(request) } else { false }
        }
        guard case .request(let request)? = sender?.waiter else { return nil }
        return request
    }

    /// Looks for replies in what has arrived, as far as nobody else looks at it.
    func answerRequests() {
        guard let requests else { return }
        defer { isRouting = !requests.isIdle }
        do throws(ConnectionError) {
            while requests.waitingCount > 0, requests.unreadCost < unreadLimit {
                guard let packet = try takePacket() else {
                    if try hasEnded() { giveUpRequests(hasPeerEnded ? .endedBeforeReply : .transport(.closed)) }
                    return
                }
                notePacket()
                if !answer(with: packet) { requests.keepUnread(packet.copied(for: loop)) }
            }
        } catch {
            giveUpRequests(error)
        }
    }

    func giveUpRequests(_ error: ConnectionError) {
        while let request = takeSender(where: { _ in true }) { giveUp(request, error) }
        for request in requests?.takeAll() ?? [] {
            loop.cancel(&request.timer)
            request.resume(.failure(error))
        }
    }

    /// Hands a packet to the request that it answers.
    ///
    /// - Returns: Whether it is a reply that somebody waits for.
    func answer(with packet: ReceivedPacket) -> Bool {
        guard let requests else { return false }
        let request = requests.takeRequest(answeredBy: packet, layout: layout)
        isRouting = !requests.isIdle
        guard let request else { return false }
        loop.cancel(&request.timer)
        request.resume(.success(packet))
        return true
    }

    /// The next packet that is no reply.
    func takeUnclaimedPacket() throws(ConnectionError) -> ReceivedPacket? {
        guard let requests, isRouting else { return try takePacket() }
        defer { isRouting = !requests.isIdle }
        let wasWanted = wantsBytes
        if let packet = requests.takeUnread() {
            if !wasWanted, wantsBytes { beginWaiting() }
            // There is room again for what stands in front of a reply.
            answerRequests()
            readIfWanted()
            return packet
        }
        while let packet = try takePacket() {
            if !answer(with: packet) { return packet }
        }
        return nil
    }
}
