// SPDX-License-Identifier: Apache-2.0

package import WirelineTransport
import WirelineWebSocket

/// The way from the stream's bytes to messages.
extension WebSocketConnection {
    /// What each message counts for beside its bytes.
    private static let messageCost = 64
    /// After how much of a message it is asked again whether the server has room for more.
    private static let gatheringStep = 64 << 10

    /// How much has come that nobody has taken.
    var unreadCost: Int { inboxCost + collector.heldByteCount }

    /// How many bytes have come that nobody has taken.
    var unreadByteCount: Int {
        inboxCost - inbox.count * Self.messageCost + collector.heldByteCount + inputEnd - position
    }

    /// Whether this side has closed, or nobody will receive any more: then what comes is looked at in any case, for the peer's
    /// answer stands behind it, and dropped where there is too much of it.
    private var isLeaving: Bool { !engine.isOpen || dropsMessages }

    /// Whether more may come.
    var mayTakeMore: Bool {
        if isLeaving || unreadCost < limits.unreadByteCount { return true }
        return unsafe receiver != nil && !canTake
    }

    /// Whether bytes are wanted from the peer.
    var wantsBytes: Bool {
        switch phase {
        case .asking, .listening, .failed: true
        case .answering: false
        case .open: isFinishing || input == nil && mayTakeMore
        }
    }

    func readIfWanted() {
        guard stream.isOpen else { return }
        guard !isFinishing else { return stream.read() }
        let hasShare = hasShare(isWanted: wantsBytes)
        // What came of that may have ended the connection.
        guard hasShare, wantsBytes, stream.isOpen else {
            pauseRest()
            return stream.stopReading()
        }
        watchRest()
        if !stream.wantsToRead { readingSince = loop.now }
        stream.read()
    }

    /// Whoever asks for more may have computed for long: that was not the peer's time, where nothing was read.
    func forgetTimeOfProgram() {
        if !stream.wantsToRead { loop.forgetTime() }
    }

    func dropInput() {
        if let block = input.take() { stream.giveBack(block) }
        (position, inputEnd) = (0, 0)
    }

    // MARK: The stream's handler

    package func makeRoom(for stream: ByteStream) -> ReadRoom {
        ReadRoom(stream.takeBlock(), offset: 0, limit: readLimit)
    }

    package func received(_ block: inout Block?, byteCount: Int, from stream: ByteStream) {
        lastArrival = loop.now
        guard !isFinishing else { return stream.read() }
        burden?.rest?.moved(byteCount)
        input = block.take()
        (position, inputEnd) = (0, byteCount)
        heartbeat?.received(at: now)
        passage.forget()
        parse()
    }

    package func endOfStream(_ stream: ByteStream) {
        hasInputEnded = true
        switch phase {
        case .asking(var handshake):
            failHandshake { () throws(WebSocketError) in try handshake.endOfInput() }
        case .listening(var handshake):
            failHandshake { () throws(WebSocketError) in try handshake.endOfInput() }
        case .answering, .failed: break
        case .open:
            settle()
        }
        closeIfFinished()
    }

    private func failHandshake(_ body: () throws(WebSocketError) -> Void) {
        do throws(WebSocketError) {
            try body()
        } catch {
            fail(.webSocket(error))
        }
    }

    package func failed(_ stream: ByteStream, _ error: TransportError) {
        // Who has taken leave does not mind what happens behind it.
        if ownFailure == nil, engine.end == nil, peerClose == nil, !hasFault, !isFinishing {
            ownFailure = refusal ?? (stream.transform as? TLSTransform)?.connectionFailure ?? .transport(error)
        }
        streamEnded()
    }

    package func outputFailed(_ stream: ByteStream, _ error: TransportError) {
        // The stream fails behind what the peer has sent before, which may say why.
        outputFailure = .transport(error)
        if case .open = phase { settle() }
    }

    package func outputDrained(_ stream: ByteStream) {
        // There may be room again for what has been read.
        if case .open = phase, !isFinishing { input == nil ? settle() : parse() }
        closeIfFinished()
    }

    package func outputStalled(_ stream: ByteStream) {
        _ = hasShare()
    }

    // MARK: Bytes

    /// How much of a message is gathered before somebody must take it: all of it where somebody waits for it whole.
    private var gatheringLimit: Int {
        let isAwaited = unsafe receiver != nil && !wantsPieces && inbox.isEmpty
        let limit = isAwaited ? .max : max(1, limits.unreadByteCount - inboxCost)
        guard supervision?.heldBytes != nil else { return limit }
        // What is compressed may become many times as long before it is counted again.
        return min(limit, collector.heldByteCount + min(readLimit, Self.gatheringStep))
    }

    /// Looks at what has been read, as far as messages may come of it.
    func parse() {
        guard !isParsing else { return }
        isParsing = true
        switch phase {
        case .asking(let handshake): receiveAnswer(handshake)
        case .listening(let handshake): receiveRequest(handshake)
        case .answering, .open, .failed: break
        }
        if case .open = phase { readFrames() }
        isParsing = false
        guard case .open = phase else { return readIfWanted() }
        settle()
    }

    /// The bytes that have not been looked at; only while they are there.
    private func withInput<Value>(_ body: (RawSpan) throws(WebSocketError) -> Value) throws(WebSocketError) -> Value {
        guard let base = unsafe input?.base else { return try body(RawSpan()) }
        // SAFETY: the bytes from `position` to `inputEnd` lie inside the block, which is held here.
        let bytes = unsafe RawSpan(_unsafeStart: base + position, byteCount: inputEnd - position)
        return try body(bytes)
    }

    private func receiveAnswer(_ asking: WebSocketClientHandshake) {
        var handshake = asking
        phase = .failed
        do throws(WebSocketError) {
            position += try withInput { bytes throws(WebSocketError) in try handshake.receive(bytes) }
        } catch {
            return fail(.webSocket(error))
        }
        phase = .asking(handshake)
        dropInputIfDone()
        if let agreement = handshake.agreement { open(agreement) }
    }

    private func receiveRequest(_ listening: WebSocketServerHandshake) {
        var handshake = listening
        phase = .failed
        do throws(WebSocketError) {
            position += try withInput { bytes throws(WebSocketError) in try handshake.receive(bytes) }
        } catch {
            stream.write(handshake.takeOutput())
            return fail(.webSocket(error))
        }
        guard !handshake.hasAnsweredWithPage else {
            stream.write(handshake.takeOutput())
            return fail(nil)
        }
        let isWhole = handshake.request != nil
        phase = isWhole ? .answering(handshake) : .listening(handshake)
        dropInputIfDone()
        guard isWhole else { return }
        // The rest of the handshake is this side's.
        loop.cancel(&peerTimer)
        resumeReceiver()
    }

    private func dropInputIfDone() {
        if position == inputEnd { dropInput() }
    }

    private func readFrames() {
        if notesFirstByte, input != nil { noteFirstByte() }
        // One time for all messages of a read: asking the clock takes as long as much of a short one.
        let now = now
        while input != nil, mayTakeMore, hasShare() {
            do throws(WebSocketError) {
                let limit = gatheringLimit
                let reading = try withInput { bytes throws(WebSocketError) in
                    try collector.gather(bytes, from: &engine, limit: limit, at: now)
                }
                position += reading.byteCount
                take(reading.stop)
                if dropsMessages { _ = collector.takeContent() }
            } catch {
                // The engine keeps why.
                hasFault = true
                dropInput()
            }
        }
    }

    private func noteFirstByte() {
        notesFirstByte = false
        recorder?.note(.firstByte)
    }

    private func take(_ stop: WebSocketReading.Stop) {
        switch stop {
        case .event(.messageEnded(let kind)):
            let piece = WebSocketPiece(kind: kind, content: collector.takeContent(), isLast: true)
            if !isLeaving || unreadCost < limits.unreadByteCount, !dropsMessages {
                inbox.append(piece)
                inboxCost += piece.content.count + Self.messageCost
            }
        case .event(.pong(let payload)): answered(payload)
        case .event(.close(let close)):
            peerClose = close
            if inbox.isEmpty { logPeerClose() }
            return dropInput()
        case .event: break
        // There may be more, even when all bytes have been taken.
        case .needsRoom: return
        case .needsBytes, .ended: return dropInput()
        }
        dropInputIfDone()
    }

    /// Takes a whole message; what there is of one that somebody has taken the beginning of is dropped.
    func takeMessage() -> WebSocketMessage? {
        while isInsidePieces { guard takePiece() != nil else { return nil } }
        guard let piece = popInbox() else { return nil }
        // SAFETY: the engine has read it, and it is whole.
        return unsafe WebSocketMessage(piece.kind, piece.content)
    }

    /// Takes what there is of a message.
    func takePiece() -> WebSocketPiece? {
        if let piece = popInbox() {
            isInsidePieces = false
            return piece
        }
        guard let kind = collector.heldKind else { return nil }
        isInsidePieces = true
        hasTaken = true
        let piece = WebSocketPiece(kind: kind, content: collector.takeContent(), isLast: false)
        logReceived(piece)
        giveShareBack()
        goOn()
        return piece
    }

    private func popInbox() -> WebSocketPiece? {
        guard let piece = inbox.popFirst() else { return nil }
        inboxCost -= piece.content.count + Self.messageCost
        receivedMessageCount += 1
        hasTaken = true
        logReceived(piece)
        if inbox.isEmpty { logPeerClose() }
        giveShareBack()
        goOn()
        return piece
    }

    /// Goes on with what had to wait for room; not before there is much of it, so that not every message is read by itself.
    private func goOn() {
        guard unreadCost <= limits.unreadByteCount / 2 else { return }
        forgetTimeOfProgram()
        if input != nil {
            readingSince = loop.now
            parse()
        } else if !stream.wantsToRead, case .open = phase, !isFinishing {
            readIfWanted()
        }
    }
}
