// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineTransport
package import WirelineWebSocket

extension WebSocketConnection: SendingConnection {
    enum Outgoing: Sendable {
        case text(String)
        case content([UInt8], WebSocketMessageKind)
        /// The next part of a message whose turn has begun.
        case part([UInt8], WebSocketWriter, isLast: Bool)
        /// The start of a message in parts. It sends nothing.
        case beginning(WebSocketWriter)

        init(_ message: WebSocketMessage) {
            switch message {
            case .text(let text): self = .text(text)
            case .binary(let content): self = .content(content, .binary)
            }
        }

        /// The byte count of the content, without a frame.
        var byteCount: Int {
            switch self {
            case .text(let text): text.utf8.count
            case .content(let content, _), .part(let content, _, _): content.count
            case .beginning: 0
            }
        }

        var isPart: Bool { if case .part = self { true } else { false } }
    }

    // MARK: To the stream

    /// The most bytes that the connection passes to the stream at once, and that wait there.
    private static let streamStep = 128 << 10

    /// Passes the engine's output to the stream, as far as the peer takes it. The remaining output waits in the engine.
    ///
    /// - Parameter isForMore: Whether a sender has more, which may have to wait for the turns of other connections.
    func pump(isForMore: Bool = false) {
        guard output.beginPumping() else { return }
        defer { output.endPumping() }
        while engine.pendingByteCount > 0, stream.takesOutput, !stream.isOutputStalled {
            if stream.pendingByteCount >= Self.streamStep {
                if !isForMore { stream.flush() } else if !stream.flushForMore() { return }
                // The flush may have ended the connection.
                guard stream.takesOutput, stream.pendingByteCount < Self.streamStep else { return }
            }
            let stream = stream
            engine.takeOutput { waiting in
                let bytes = waiting.extracting(first: Self.streamStep)
                // SAFETY: the stream lends exactly as many bytes as the span has, and the closure writes all of them.
                unsafe stream.write(byteCount: bytes.byteCount) { room in
                    unsafe bytes.withUnsafeBytes { unsafe room.copyMemory(from: $0) }
                }
                return bytes.byteCount
            }
        }
    }

    // MARK: Sending

    /// Sends a message if that is possible without waiting, for the same reason as ``takeBufferedMessage()``.
    ///
    /// - Returns: False also if the caller is not on the loop.
    @usableFromInline
    func sendAtOnce(_ message: WebSocketMessage) throws(ConnectionError) -> Bool {
        guard stream.loop.isCurrent else { return false }
        // SAFETY: texts and arrays of bytes have neither padding nor uninitialised bytes.
        let isWritten =
            switch message {
            case .binary(let content): unsafe writeAtOnce(content.span.bytes, as: .binary)
            case .text(let text):
                unsafe text.utf8.withContiguousStorageIfAvailable {
                    unsafe writeAtOnce($0.span.bytes, as: .text)
                } ?? false
            }
        if isWritten { return true }
        return try sendAtOnce(Outgoing(message))
    }

    /// Writes a message to the stream, if it need not wait and may leave before anything else.
    ///
    /// This is the usual case. Otherwise the engine's queue takes the message.
    ///
    /// - Parameter content: The content of the message; text must be UTF-8.
    /// - Returns: False also if nothing can be sent.
    private func writeAtOnce(_ content: RawSpan, as kind: WebSocketMessageKind) -> Bool {
        let most = content.byteCount + FrameHeader.largestByteCount
        // While the output has free bytes, the stream is open and the peer reads.
        let isPrepared = most <= min(stream.freeByteCount, Self.streamStep - stream.pendingByteCount)
        guard isPrepared && handshake.isComplete || prepareToWrite(most), output.isFree,
            let byteCount = engine.byteCountAtOnce(ofMessageWith: content.byteCount)
        else { return false }
        // SAFETY: the stream lends exactly as many bytes as the engine has asked for.
        unsafe stream.write(byteCount: byteCount) { unsafe engine.writeAtOnce(content, as: kind, to: $0) }
        sentMessageCount += 1
        logSent(content, as: kind)
        return true
    }

    /// Whether the stream takes the first output of a turn, or more than its block has room for.
    @inline(never)
    private func prepareToWrite(_ byteCount: Int) -> Bool {
        guard output.isFree, handshake.isComplete, engine.isOpen, engine.pendingByteCount == 0, takesFrames,
            byteCount <= Self.streamStep
        else { return false }
        // If little memory is left, the output of a turn must stay short, because it is not counted.
        let isScarce = sharedLimits?.byteBudget?.isScarce(for: limits.frames.outputLimit) == true
        stream.writeInSteps(isScarce)
        let most = isScarce ? Self.uncountedByteCount : Self.streamStep - byteCount
        // The flush may end the connection.
        return stream.pendingByteCount <= most || stream.flushForMore() && takesFrames
    }

    /// Whether the peer takes output without delay.
    private var takesFrames: Bool { stream.takesOutput && !stream.isOutputStalled }

    @usableFromInline
    nonisolated(nonsending) func send(_ message: WebSocketMessage) async throws(ConnectionError) {
        try await send(Outgoing(message))
    }

    /// Waits for its turn and for room, and then sends together with everything else of the same turn of the loop.
    nonisolated(nonsending) func send(_ outgoing: Outgoing) async throws(ConnectionError) {
        try await sendInTurn(outgoing)
    }

    func sendQueue(
        for outgoing: Outgoing
    ) -> ReferenceWritableKeyPath<WebSocketConnection, SendQueue<Outgoing>> {
        outgoing.isPart ? \.output.parts : \.output.messages
    }

    func sendWasCancelled(_ ticket: WaitTicket) {
        if output.endCompression(for: ticket) { engine.dropAhead() }
    }

    /// Sends a message, or a part of one, if no sender waits and the output has room.
    ///
    /// - Returns: Whether it was sent; false: the sender must wait.
    func sendAtOnce(_ outgoing: Outgoing) throws(ConnectionError) -> Bool {
        guard output.isNext(outgoing), try write(outgoing) else { return false }
        // After the last part of a message the next senders continue.
        if !output.isInParts { resumeSenders() }
        return true
    }

    /// Sends a message, or a part of one, if there is room.
    ///
    /// - Parameter ticket: The ticket of the sender that waits, if one does: its long message may be compressed
    ///   meanwhile.
    /// - Returns: False if there is no room, or while another message is sent in parts.
    private func write(_ outgoing: Outgoing, of ticket: WaitTicket? = nil) throws(ConnectionError) -> Bool {
        guard try requestRoom() else { return false }
        do throws(WebSocketError) {
            if compresses { guard try compress(outgoing, of: ticket) else { return false } }
            let work = engine.compressionWork
            guard try pass(outgoing) else { return false }
            loop.spend(engine.compressionWork &- work)
        } catch {
            engine.dropAhead()
            throw .webSocket(error)
        }
        logSent(outgoing)
        pump(isForMore: true)
        return true
    }

    /// Requests memory for more output, from the budget of all connections of a server.
    ///
    /// - Returns: Whether there is enough.
    private func requestRoom() throws(ConnectionError) -> Bool {
        guard engine.isOpen else { throw sendError }
        let hasRoom = requestOutputMemory()
        // The request may have ended the connection.
        guard stream.takesOutput, handshake.isComplete, engine.isOpen else { throw sendError }
        return hasRoom
    }

    /// Compresses a long message, until the loop's budget for this turn is spent.
    ///
    /// - Returns: Whether the engine can take it; if false, the senders try again after other connections.
    private func compress(_ outgoing: Outgoing, of ticket: WaitTicket?) throws(WebSocketError) -> Bool {
        let (byteCount, isPart) = (outgoing.byteCount, outgoing.isPart)
        guard isPart || !output.isInParts else { return false }
        if output.compress(for: ticket) { engine.dropAhead() }
        while engine.isLongToCompress(byteCount, isFragment: isPart), ticket != nil, !loop.hasSpentShare {
            let work = engine.compressionWork
            // SAFETY: texts and arrays of bytes have neither padding nor uninitialised bytes.
            switch outgoing {
            case .text(var text):
                let result = text.withUTF8 { characters in
                    Result { () throws(WebSocketError) in
                        let bytes = unsafe characters.span.bytes
                        try engine.compressAhead(bytes)
                    }
                }
                try result.get()
            case .content(let content, _), .part(let content, _, _):
                let bytes = unsafe content.span.bytes
                try engine.compressAhead(bytes)
            case .beginning: break
            }
            loop.spend(engine.compressionWork &- work)
        }
        guard loop.hasSpentShare || engine.isLongToCompress(byteCount, isFragment: isPart) else { return true }
        sendLater()
        return false
    }

    /// Lets waiting senders continue after the turns of other connections.
    private func sendLater() {
        guard output.continueLater() else { return }
        loop.continueLater {
            self.output.turnCame()
            self.resumeSenders()
        }
    }

    /// - Returns: Whether the engine has taken it.
    private func pass(_ outgoing: Outgoing) throws(WebSocketError) -> Bool {
        // SAFETY: here and below, an array of bytes has neither padding nor uninitialised bytes.
        if case .part(let content, let writer, let isLast) = outgoing {
            // The message of this writer has ended.
            guard output.isTurn(of: writer) else { throw .closed }
            let bytes = unsafe content.span.bytes
            guard try engine.sendFragment(bytes, as: writer.kind, isLast: isLast) else { return false }
            guard isLast else { return true }
            output.endParts()
            sentMessageCount += 1
            return true
        }
        guard !output.isInParts else { return false }
        switch outgoing {
        case .beginning(let writer):
            output.beginParts(of: writer)
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

    /// Sends lent bytes, if the caller is on the loop and need not wait.
    func sendAtOnce(_ content: RawSpan, as kind: WebSocketMessageKind) throws(ConnectionError) -> Bool {
        guard stream.loop.isCurrent, output.isFree else { return false }
        // The engine says where a text is wrong.
        let isValid = kind == .binary || content.validUTF8ByteCount == content.byteCount
        if isValid, writeAtOnce(content, as: kind) { return true }
        if compresses, loop.hasSpentShare || engine.isLongToCompress(content.byteCount) { return false }
        guard try requestRoom() else { return false }
        do throws(WebSocketError) {
            let work = engine.compressionWork
            guard try engine.send(content, as: kind) else { return false }
            loop.spend(engine.compressionWork &- work)
        } catch {
            throw .webSocket(error)
        }
        sentMessageCount += 1
        logSent(content, as: kind)
        pump(isForMore: true)
        return true
    }

    /// Sends a message if it need not wait for the peer. Later turns of the loop may compress it.
    ///
    /// - Returns: Whether it was or will be sent; false if there is no room, or if others wait.
    func offer(_ outgoing: Outgoing) throws(ConnectionError) -> Bool {
        guard output.isFree else { return false }
        if try sendAtOnce(outgoing) { return true }
        guard output.continuesLater, output.messages.isEmpty else { return false }
        output.messages.append(outgoing, .nobody, WaitTicket())
        return true
    }

    /// Sends a message when it is its turn and there is room. The caller learns of no failure.
    ///
    /// The caller is on the loop, and limits how much waits.
    func post(_ outgoing: Outgoing) {
        guard (try? sendAtOnce(outgoing)) == false else { return }
        output.messages.append(outgoing, .nobody, WaitTicket())
    }

    // MARK: Waiting

    func resumeSenders() {
        resumePings()
        // After the last part of a message the next senders continue.
        if !output.parts.isEmpty { resume(\.output.parts) }
        if !output.messages.isEmpty { resume(\.output.messages) }
        reportRoom()
    }

    private func resume(_ queue: ReferenceWritableKeyPath<WebSocketConnection, SendQueue<Outgoing>>) {
        while let sender = self[keyPath: queue].first {
            let result: SendQueue<Outgoing>.Sent
            do throws(ConnectionError) {
                guard try write(sender.outgoing, of: sender.ticket) else { return }
                result = .success(())
            } catch {
                result = .failure(error)
            }
            // Sending may have ended the connection, and with it all waits.
            guard let first = self[keyPath: queue].first, first.ticket === sender.ticket else { return }
            _ = self[keyPath: queue].popFirst()
            sender.resume(result)
        }
    }

    // MARK: Messages in parts

    /// Closes the WebSocket, because a message stays incomplete: there is no other way to tell the peer.
    func abandon(_ writer: WebSocketWriter) {
        guard output.isTurn(of: writer) else { return }
        output.endParts()
        // This code may be sent.
        try? beginClose(code: .internalError)
        resumeSenders()
    }
}
