// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

extension WebSocketEngine {
    // MARK: Messages

    /// Sends a whole message.
    ///
    /// - Parameters:
    ///   - content: What it says.
    ///   - kind: What it is.
    /// - Returns: Whether it was taken; false where ``WebSocketConfiguration/outputLimit`` is reached, and it is to be given
    ///   again after ``takeOutput(_:)``.
    /// - Throws: ``WebSocketError/invalidText(offset:)`` for text that is not UTF-8; ``WebSocketError/insideMessage`` where
    ///   ``sendFragment(_:as:isLast:)`` has begun another one; ``WebSocketError/closed``.
    public mutating func send(_ content: RawSpan, as kind: WebSocketMessageKind) throws(WebSocketError) -> Bool {
        guard try mayWrite() else { return false }
        if kind == .text {
            let validByteCount = content.validUTF8ByteCount
            guard validByteCount == content.byteCount else { throw .invalidText(offset: validByteCount) }
        }
        try writeMessage(content, kind)
        return true
    }

    /// Sends a whole text; see ``send(_:as:)``.
    public mutating func send(_ text: String) throws(WebSocketError) -> Bool {
        guard try mayWrite() else { return false }
        var text = text
        let result: Result<Void, WebSocketError> = text.withUTF8 { characters in
            Result { () throws(WebSocketError) in
                let bytes = unsafe characters.span.bytes
                try writeMessage(bytes, .text)
            }
        }
        try result.get()
        return true
    }

    /// Sends a whole message; see ``send(_:as:)``.
    public mutating func send(_ message: WebSocketMessage) throws(WebSocketError) -> Bool {
        switch message {
        case .text(let text): return try send(text)
        case .binary(let content):
            let bytes = unsafe content.span.bytes
            return try send(bytes, as: .binary)
        }
    }

    /// Whether there is room for more.
    private func mayWrite() throws(WebSocketError) -> Bool {
        guard isOpen else { throw .closed }
        guard fragments == nil else { throw .insideMessage }
        return pendingByteCount < configuration.outputLimit
    }

    private mutating func writeMessage(_ content: RawSpan, _ kind: WebSocketMessageKind) throws(WebSocketError) {
        let opcode: Opcode = kind == .text ? .text : .binary
        guard let deflate, content.byteCount >= deflate.minimumByteCount else {
            writeFrame(opcode, content)
            return
        }
        let compressed = try deflated(content, isLast: true)
        let bytes = unsafe compressed.span.bytes
        writeFrame(opcode, isCompressed: true, bytes)
    }

    /// Sends a part of a message, as a frame of its own: for messages that are not at hand whole.
    ///
    /// Pings and their answers may go between fragments, other messages may not.
    ///
    /// - Parameters:
    ///   - content: What comes next; it may be empty. Text may be cut inside a character.
    ///   - kind: What the message is; the same for all its fragments.
    ///   - isLast: Whether the message ends with it.
    /// - Returns: Whether it was taken, as with ``send(_:as:)``.
    /// - Throws: ``WebSocketError/invalidText(offset:)``, with the offset in the message; nothing of the fragment was sent
    ///   then. ``WebSocketError/insideMessage`` for another kind than the message's; ``WebSocketError/closed``.
    public mutating func sendFragment(
        _ content: RawSpan, as kind: WebSocketMessageKind, isLast: Bool
    ) throws(WebSocketError) -> Bool {
        guard isOpen else { throw .closed }
        guard pendingByteCount < configuration.outputLimit else { return false }
        var message = fragments ?? OutgoingFragments(kind: kind, isCompressed: deflate != nil)
        guard message.kind == kind else { throw .insideMessage }
        if kind == .text {
            let validByteCount = message.text.receive(content)
            guard validByteCount == content.byteCount, !isLast || message.text.isBetweenCharacters
            else { throw .invalidText(offset: message.byteCount + validByteCount) }
        }
        let opcode: Opcode = message.isFirst ? kind == .text ? .text : .binary : .continuation
        if message.isCompressed {
            let compressed = try deflated(content, isLast: isLast)
            let bytes = unsafe compressed.span.bytes
            writeFrame(opcode, isFinal: isLast, isCompressed: message.isFirst, bytes)
        } else {
            writeFrame(opcode, isFinal: isLast, content)
        }
        message.isFirst = false
        message.byteCount += content.byteCount
        fragments = isLast ? nil : message
        return true
    }

    // MARK: Control frames

    /// Asks the peer whether it is there; the answer comes as ``WebSocketEvent/pong(_:)`` with the same payload.
    ///
    /// - Parameter payload: At most 125 bytes, by which the answer is known.
    /// - Returns: Whether it was taken, as with ``send(_:as:)``.
    /// - Throws: ``WebSocketError/controlTooLong(byteCount:)``; ``WebSocketError/closed``.
    public mutating func ping(_ payload: RawSpan) throws(WebSocketError) -> Bool {
        guard try writeControl(.ping, payload) else { return false }
        if unansweredPings.count == Self.unansweredPingLimit { unansweredPings.removeFirst() }
        unansweredPings.append(unsafe payload.withUnsafeBytes { unsafe Array($0) })
        return true
    }

    /// Tells the peer that this side is there, although it has not asked (RFC 6455 §5.5.3).
    ///
    /// - Parameter payload: At most 125 bytes; the peer ignores them.
    /// - Returns: Whether it was taken, as with ``send(_:as:)``.
    /// - Throws: ``WebSocketError/controlTooLong(byteCount:)``; ``WebSocketError/closed``.
    public mutating func pong(_ payload: RawSpan) throws(WebSocketError) -> Bool {
        try writeControl(.pong, payload)
    }

    private mutating func writeControl(_ opcode: Opcode, _ payload: RawSpan) throws(WebSocketError) -> Bool {
        guard isOpen else { throw .closed }
        guard payload.byteCount <= 125 else { throw .controlTooLong(byteCount: payload.byteCount) }
        guard pendingByteCount < configuration.outputLimit else { return false }
        writeFrame(opcode, payload)
        return true
    }

    /// Answers a ping, at once unless too many answers wait already.
    mutating func answerPing(_ payload: [UInt8]) {
        guard isOpen else { return }
        guard pongByteCount < Self.pongLimit, owedPong == nil else {
            owedPong = payload
            return
        }
        let bytes = unsafe payload.span.bytes
        let byteCount = pendingByteCount
        writeFrame(.pong, bytes)
        pongByteCount += pendingByteCount - byteCount
        pongEnd = sentByteCount + pendingByteCount
    }

    // MARK: Closing

    /// Closes: tells the peer, behind what was given before, and waits for its answer until ``deadline``.
    ///
    /// What the peer sends in between still comes; a peer that has closed before is answered so
    /// (``WebSocketConfiguration/answersCloseLate``). A second call does nothing.
    ///
    /// - Parameters:
    ///   - code: Why; nil to say nothing.
    ///   - reason: Why, for people: at most 123 bytes of UTF-8, and none without a code.
    ///   - now: The time.
    /// - Throws: ``WebSocketError/invalidCloseCode(_:)``; ``WebSocketError/controlTooLong(byteCount:)``.
    public mutating func close(
        code: WebSocketCloseCode? = .normal, reason: String = "", at now: Duration
    ) throws(WebSocketError) {
        if let code, !code.mayBeSent { throw .invalidCloseCode(code.rawValue) }
        if code == nil, !reason.isEmpty { throw .invalidCloseCode(WebSocketCloseCode.noStatus.rawValue) }
        guard reason.utf8.count <= 123 else { throw .controlTooLong(byteCount: 2 + reason.utf8.count) }
        guard isOpen else { return }
        if case .failing(let error) = state { return endFailed(error, at: now) }
        let close = WebSocketClose(code: code, reason: reason)
        writeClose(close)
        guard case .answering(let received) = state else {
            state = .closing(sent: close, deadline: now + configuration.closeTimeout)
            return
        }
        endCleanly(WebSocketEnd(cause: .closedByPeer, sent: close, received: received), at: now)
    }

    private mutating func writeClose(_ close: WebSocketClose) {
        var payload: [UInt8] = []
        if let code = close.code?.rawValue {
            payload = [UInt8(code >> 8), UInt8(truncatingIfNeeded: code)] + Array(close.reason.utf8)
        }
        let bytes = unsafe payload.span.bytes
        writeFrame(.close, bytes)
        fragments = nil
        owedPong = nil
    }

    /// The peer has closed: answers if this side had not and answers at once (RFC 6455 §5.5.1).
    mutating func finishClose(_ received: WebSocketClose, at now: Duration) {
        switch state {
        case .open where configuration.answersCloseLate:
            state = .answering(received: received)
            (inflater, message) = (nil, nil)
        case .open:
            let answer = WebSocketClose(code: received.code)
            writeClose(answer)
            endCleanly(WebSocketEnd(cause: .closedByPeer, sent: answer, received: received), at: now)
        case .closing(let sent, _):
            endCleanly(WebSocketEnd(cause: .closedHere, sent: sent, received: received), at: now)
        case .answering, .failing, .ended: preconditionFailure("nothing is read behind the end")
        }
    }

    /// Both sides have closed.
    private mutating func endCleanly(_ end: WebSocketEnd, at now: Duration) {
        // The server ends the connection first, so that it is the one to remember it (RFC 6455 §7.1.1).
        state = .ended(end, deadline: now + configuration.closeTimeout, waitsForPeer: role == .client)
        forgetStreams()
    }

    /// Something is wrong with the peer's bytes: tells it, and reads no further (RFC 6455 §7.1.7).
    mutating func fail(_ error: WebSocketError, at now: Duration) {
        if case .failing = state { return }
        guard configuration.failsLate, case .open = state else { return endFailed(error, at: now) }
        state = .failing(error)
        (inflater, message) = (nil, nil)
    }

    private mutating func endFailed(_ error: WebSocketError, at now: Duration) {
        var sent: WebSocketClose?
        switch state {
        case .open, .failing:
            let close = WebSocketClose(code: error.closeCode)
            writeClose(close)
            sent = close
        case .closing(let earlier, _): sent = earlier
        case .answering, .ended: preconditionFailure("nothing is read behind the end")
        }
        state = .ended(
            WebSocketEnd(cause: .failed(error), sent: sent, received: nil),
            deadline: now + configuration.closeTimeout, waitsForPeer: false)
        forgetStreams()
    }

    // MARK: Output

    /// How many bytes wait to be sent.
    @inlinable public var pendingByteCount: Int { output.count - outputStart }

    /// Lends the bytes that wait to be sent, if there are any.
    ///
    /// - Parameter body: Sends of the bytes what it can, and returns how many these were; the others stay.
    /// - Throws: What the closure throws; nothing is taken then.
    public mutating func takeOutput<Failure: Error>(_ body: (RawSpan) throws(Failure) -> Int) throws(Failure) {
        guard pendingByteCount > 0 else { return }
        let byteCount = try lendOutput(body)
        precondition(byteCount >= 0 && byteCount <= pendingByteCount, "more was sent than there was")
        outputStart += byteCount
        sentByteCount += byteCount
        if pendingByteCount == 0 {
            outputStart = 0
            // A connection that is silent holds no memory for what it once had to say.
            if output.capacity > Self.keptOutputCapacity {
                output = []
            } else {
                output.removeAll(keepingCapacity: true)
            }
        }
        guard sentByteCount >= pongEnd else { return }
        pongByteCount = 0
        guard let payload = owedPong else { return }
        owedPong = nil
        answerPing(payload)
    }

    private func lendOutput<Failure: Error>(_ body: (RawSpan) throws(Failure) -> Int) throws(Failure) -> Int {
        let bytes = unsafe output.span.bytes
        return try body(bytes.extracting(droppingFirst: outputStart))
    }

    /// What is kept for the next output, in bytes: enough for the small messages of a connection that is busy.
    private static var keptOutputCapacity: Int { 1024 }

    /// Puts a frame into the output, masked where this is a client.
    private mutating func writeFrame(
        _ opcode: Opcode, isFinal: Bool = true, isCompressed: Bool = false, _ payload: RawSpan
    ) {
        let header = FrameHeader(
            isFinal: isFinal, isCompressed: isCompressed, opcode: opcode, payloadByteCount: payload.byteCount,
            maskKey: role == .client ? maskKeys.next() : nil)
        let byteCount = header.byteCount + payload.byteCount
        reserveOutput(byteCount)
        output.append(addingCapacity: byteCount) { output in
            unsafe output.withUnsafeMutableBufferPointer { room, filledByteCount in
                unsafe payload.withUnsafeBytes { payload in
                    guard let base = room.baseAddress else { return }
                    // SAFETY: there is room for header and payload, all of which is written.
                    let start = UnsafeMutableRawPointer(base)
                    let destination = unsafe start + header.write(to: start)
                    if let key = header.maskKey {
                        unsafe Masking.copy(payload, to: destination, key: key)
                    } else if let source = payload.baseAddress {
                        unsafe destination.copyMemory(from: source, byteCount: payload.count)
                    }
                    filledByteCount = byteCount
                }
            }
        }
    }

    /// Makes room at the end of the output.
    private mutating func reserveOutput(_ byteCount: Int) {
        // What has left goes once it is the larger part, so that no byte is moved more than once on average.
        if outputStart > pendingByteCount {
            output.removeFirst(outputStart)
            outputStart = 0
        }
        let needed = output.count + byteCount
        // At least twice what there was, for asking for a little more each time would move everything each time.
        if needed > output.capacity { output.reserveCapacity(max(needed, 2 * output.count)) }
    }
}
