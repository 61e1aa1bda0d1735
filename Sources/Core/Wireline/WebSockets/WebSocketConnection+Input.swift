// SPDX-License-Identifier: Apache-2.0

package import WirelineTransport
import WirelineWebSocket

extension WebSocketConnection {
    /// The time to read or to take a short message, without compression, in nanoseconds.
    private static let messageWork = 100

    /// Whether this side has closed, or there is no reader any more.
    ///
    /// Then the connection reads all input, because the peer's answer comes after it, and drops messages beyond the
    /// limit.
    private var isLeaving: Bool { !engine.isOpen || input.dropsMessages }

    private var mayTakeMore: Bool {
        if isLeaving || input.unreadCost < limits.unreadByteCount { return true }
        return inputWait.isWaiting && !input.hasInputForReader
    }

    var wantsBytes: Bool {
        switch handshake.stage {
        case .asking, .listening, .failed: true
        case .answering: false
        case .complete: ending.isFinishing || !input.hasBlock && mayTakeMore
        }
    }

    func readIfWanted() {
        guard stream.isOpen else { return }
        guard !ending.isFinishing else { return stream.read() }
        // The rest of an offered block is counted when it is parsed.
        let isGranted = !input.isOffered && requestMemory(isWanted: wantsBytes)
        // The request may have ended the connection.
        guard isGranted, wantsBytes, stream.isOpen else {
            pauseRate()
            return stream.stopReading()
        }
        watchRate()
        if !stream.wantsToRead { peerWatch.restartWaiting(at: loop.now) }
        stream.read()
    }

    /// Forgets the time since the loop's turn began, if the connection was not reading: the program may have computed
    /// for long.
    func forgetTimeOfProgram() {
        if !stream.wantsToRead { loop.forgetTime() }
    }

    // MARK: The stream's handler

    package func lendReadBuffer(for stream: ByteStream) -> ReadBuffer {
        ReadBuffer(stream.takeBlock(), offset: 0, limit: readLimit)
    }

    package func received(_ block: inout Block?, byteCount: Int, from stream: ByteStream) {
        guard !ending.isFinishing else { return stream.read() }
        guard let block = block.take() else { return }
        input.fill(block, byteCount: byteCount)
        heartbeat.received(on: loop)
        parse()
    }

    package func endOfStream(_ stream: ByteStream) {
        ending.endInput()
        do throws(WebSocketError) {
            try handshake.endOfInput()
            if handshake.isComplete { settle() }
        } catch {
            fail(.webSocket(error))
        }
        closeIfFinished()
    }

    package func failed(_ stream: ByteStream, _ error: TransportError) {
        // After the end of the WebSocket, a failure of the stream does not matter.
        if engine.end == nil, ending.isPeerOpen, !ending.isFinishing {
            ending.fail(refusal ?? (stream.transform as? TLSTransform)?.connectionFailure ?? .transport(error))
        }
        cancelUnawareHandler()
        streamEnded()
    }

    package func outputFailed(_ stream: ByteStream, _ error: TransportError) {
        // The stream fails after the peer's last bytes, which may contain the reason.
        ending.failOutput(.transport(error))
        cancelUnawareHandler()
        // The peer takes no more output, so it is dropped.
        while engine.pendingByteCount > 0 { engine.takeOutput { $0.byteCount } }
        outputDrained(stream)
        tellLossUnread()
    }

    package func outputDrained(_ stream: ByteStream) {
        endReadingWatch()
        // Input that waits for memory may get it now.
        if handshake.isComplete, !ending.isFinishing { input.hasBlock ? parse() : settle() }
        closeIfFinished()
    }

    package func outputStalled(_ stream: ByteStream) {
        _ = requestMemory()
        watchReading()
    }

    package func outputShrank(_ stream: ByteStream) {
        _ = requestMemory()
    }

    // MARK: Bytes

    /// Passes the bytes to the handshake and the engine, as far as there is room for messages.
    func parse() {
        guard input.beginParsing() else { return }
        switch handshake.stage {
        case .asking, .listening: readHandshake()
        case .answering, .complete, .failed: break
        }
        if handshake.isComplete { readFrames() }
        input.shrinkBlock(of: stream)
        input.endParsing()
        guard handshake.isComplete else { return readIfWanted() }
        settle()
    }

    private func readHandshake() {
        let event: WebSocketHandshake.Event
        do throws(WebSocketError) {
            event = try input.pass(to: &handshake)
        } catch {
            stream.write(handshake.takeOutput())
            return fail(.webSocket(error))
        }
        switch event {
        case .needsBytes: input.dropEmptyBlock(of: stream)
        case .complete(let agreement):
            input.dropEmptyBlock(of: stream)
            open(agreement)
        case .request, .pageRequest:
            input.dropEmptyBlock(of: stream)
            // Now this side must answer, not the peer.
            peerWatch.stop(on: loop)
            inputWait.resume()
        case .page:
            stream.write(handshake.takeOutput())
            fail(nil)
        }
    }

    private func readFrames() {
        if notesFirstByte, input.hasBlock { noteFirstByte() }
        if offerBlock() { return input.hasBlock ? parseLater() : () }
        // One time for all messages of a read: reading the clock takes nearly as long as reading a short message.
        let now = now
        while input.hasBlock, mayTakeMore, requestMemory() {
            guard !loop.hasSpentShare else { return parseLater() }
            if input.gatherWholeMessage(from: &engine, costLimit: isLeaving ? limits.unreadByteCount : .max) {
                loop.spend(Self.messageWork)
                input.dropEmptyBlock(of: stream)
                continue
            }
            let work = engine.compressionWork
            defer { loop.spend(engine.compressionWork &- work + Self.messageWork) }
            do throws(WebSocketError) {
                let limit = input.gatheringLimit(
                    isReaderWaiting: inputWait.isWaiting, unreadLimit: limits.unreadByteCount, readLimit: readLimit)
                handle(try input.gather(from: &engine, limit: limit, at: now))
                if input.dropsMessages { input.dropPart() }
            } catch {
                // The engine has the error.
                ending.peerFailed()
                input.dropBlock(of: stream)
            }
        }
    }

    /// Continues with the input after the turns of other connections.
    private func parseLater() {
        guard input.awaitTurn() else { return }
        loop.continueLater {
            self.input.turnCame()
            if self.input.hasBlock {
                self.parse()
            } else if !self.stream.isOpen || !self.stream.wantsToRead {
                // The reader has taken all of the input.
                self.settle()
            }
        }
    }

    /// Reads one message, and lets a waiting reader take the next ones from the block directly.
    private func offerBlock() -> Bool {
        // A log would not see the messages that the reader takes.
        guard inputWait.isWaiting, !isLeaving, sharedLimits?.log == nil, !loop.hasSpentShare,
            input.offerBlock(of: &engine)
        else { return false }
        loop.spend(Self.messageWork)
        input.dropEmptyBlock(of: stream)
        return true
    }

    private func noteFirstByte() {
        notesFirstByte = false
        recorder?.note(.firstByte)
    }

    private func handle(_ stop: WebSocketReading.Stop) {
        switch stop {
        case .event(.messageEnded(let kind)):
            input.endMessage(kind, costLimit: isLeaving ? limits.unreadByteCount : .max)
        case .event(.pong(let payload)): handlePong(payload)
        case .event(.close(let close)):
            ending.peerClosed(close)
            if input.hasNoMessage { logPeerClose() }
            return input.dropBlock(of: stream)
        case .event: break
        // The engine may have more events, even if it has taken all bytes.
        case .needsRoom: return
        case .needsBytes, .ended: return input.dropBlock(of: stream)
        }
        input.dropEmptyBlock(of: stream)
    }

    // MARK: Messages

    func takeOfferedMessage() -> WebSocketMessage? {
        guard let message = input.takeOfferedMessage(from: &engine) else { return nil }
        loop.spend(Self.messageWork)
        receivedMessageCount += 1
        input.dropEmptyBlock(of: stream)
        return message
    }

    /// Takes a whole message. Drops the remaining pieces of a message that the reader has begun.
    func takeMessage() -> WebSocketMessage? {
        while input.isInsideMessage { guard takePiece() != nil else { return nil } }
        parseOffered()
        guard let piece = popMessage() else { return nil }
        // SAFETY: the engine has read it, and it is whole.
        return unsafe WebSocketMessage(piece.kind, piece.content)
    }

    /// Takes a whole message, or the part that has arrived.
    func takePiece() -> WebSocketPiece? {
        parseOffered()
        if let piece = popMessage() {
            input.leaveMessage()
            return piece
        }
        guard let piece = input.takePart() else { return nil }
        logReceived(piece)
        releaseMemory()
        continueInput()
        return piece
    }

    /// Parses the offered block, because the reader cannot take its next message directly.
    private func parseOffered() {
        if input.isOffered, input.hasNoMessage { parse() }
    }

    private func popMessage() -> WebSocketPiece? {
        guard let piece = input.popMessage() else { return nil }
        loop.spend(Self.messageWork)
        receivedMessageCount += 1
        logReceived(piece)
        if input.hasNoMessage { logPeerClose() }
        releaseMemory()
        continueInput()
        return piece
    }

    /// Continues with input that had to wait, when half of the limit is free, so that not every message is read alone.
    private func continueInput() {
        guard input.unreadCost <= limits.unreadByteCount / 2, !input.awaitsTurn else { return }
        forgetTimeOfProgram()
        if input.hasBlock {
            peerWatch.restartWaiting(at: loop.now)
            parse()
        } else if !stream.wantsToRead, handshake.isComplete, !ending.isFinishing {
            readIfWanted()
        }
    }
}
