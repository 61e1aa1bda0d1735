// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

extension WebSocketEngine {
    // MARK: Messages

    /// Sends a whole message.
    ///
    /// - Parameters:
    ///   - content: The content of the message.
    ///   - kind: The kind of the message.
    /// - Returns: Whether it was queued. If false, ``WebSocketEngine/Configuration/outputLimit`` is reached: send it
    ///   again after ``takeOutput(_:)``.
    /// - Throws: ``WebSocketError/invalidText(offset:)`` for text that is not UTF-8; ``WebSocketError/insideMessage``
    ///   if ``sendFragment(_:as:isLast:)`` has begun another message; ``WebSocketError/closed``.
    public mutating func send(_ content: RawSpan, as kind: WebSocketMessageKind) throws(WebSocketError) -> Bool {
        guard try mayWrite() else { return false }
        if kind == .text {
            let validByteCount = content.validUTF8ByteCount
            guard validByteCount == content.byteCount else { throw .invalidText(offset: validByteCount) }
        }
        try writeMessage(content, kind)
        return true
    }

    /// Sends a whole text message; see ``send(_:as:)``.
    public mutating func send(_ text: String) throws(WebSocketError) -> Bool {
        guard try mayWrite() else { return false }
        var text = text
        let result: Result<Void, WebSocketError> = text.withUTF8 { characters in
            Result { () throws(WebSocketError) in
                // SAFETY: a string's UTF-8 has neither padding nor uninitialised bytes.
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
            // SAFETY: an array of bytes has neither padding nor uninitialised bytes.
            let bytes = unsafe content.span.bytes
            return try send(bytes, as: .binary)
        }
    }

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
        // SAFETY: an array of bytes has neither padding nor uninitialised bytes.
        let bytes = unsafe compressed.span.bytes
        writeFrame(opcode, isCompressed: true, bytes)
    }

    /// Sends part of a message as a frame of its own, for messages that are not in memory as a whole.
    ///
    /// Pings and pongs may be sent between fragments; other messages may not.
    ///
    /// - Parameters:
    ///   - content: The next part; it may be empty. Text may be split inside a character.
    ///   - kind: The kind of the message, the same for all its fragments.
    ///   - isLast: Whether this is the last fragment.
    /// - Returns: Whether it was queued, as with ``send(_:as:)``.
    /// - Throws: ``WebSocketError/invalidText(offset:)`` with the offset in the message; then nothing of the fragment
    ///   was sent. ``WebSocketError/insideMessage`` if the message has another kind; ``WebSocketError/closed``.
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
            // SAFETY: an array of bytes has neither padding nor uninitialised bytes.
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

    /// Sends a ping. The reply arrives as ``WebSocketEvent/pong(_:)`` with the same payload.
    ///
    /// - Parameter payload: At most 125 bytes that identify the reply.
    /// - Returns: Whether it was queued, as with ``send(_:as:)``.
    /// - Throws: ``WebSocketError/controlTooLong(byteCount:)``; ``WebSocketError/closed``.
    public mutating func ping(_ payload: RawSpan) throws(WebSocketError) -> Bool {
        guard try writeControl(.ping, payload) else { return false }
        if unansweredPings.count == Self.unansweredPingLimit { unansweredPings.removeFirst() }
        // SAFETY: the closure copies the bytes and keeps none of them.
        unansweredPings.append(unsafe payload.withUnsafeBytes { unsafe Array($0) })
        return true
    }

    /// Sends a pong that the peer has not asked for (RFC 6455 §5.5.3).
    ///
    /// - Parameter payload: At most 125 bytes; the peer ignores them.
    /// - Returns: Whether it was queued, as with ``send(_:as:)``.
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

    /// Answers a ping at once; if too many answers are queued, only the newest ping is answered, later.
    mutating func answerPing(_ payload: [UInt8]) {
        guard isOpen else { return }
        guard pongByteCount < Self.pongLimit, owedPong == nil else {
            owedPong = payload
            return
        }
        // SAFETY: an array of bytes has neither padding nor uninitialised bytes.
        let bytes = unsafe payload.span.bytes
        let byteCount = pendingByteCount
        writeFrame(.pong, bytes)
        pongByteCount += pendingByteCount - byteCount
        pongEnd = sentByteCount + pendingByteCount
    }

    // MARK: Closing

    /// Sends a close frame after all queued output, and waits for the peer's until ``deadline``.
    ///
    /// Until then, messages from the peer still arrive. If the peer has closed first, this answers it
    /// (``WebSocketEngine/Configuration/answersCloseLate``). A second call does nothing.
    ///
    /// - Parameters:
    ///   - code: The reason code; nil sends none.
    ///   - reason: The reason for humans: at most 123 bytes of UTF-8, empty without a code.
    ///   - now: The current time.
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
        // SAFETY: an array of bytes has neither padding nor uninitialised bytes.
        let bytes = unsafe payload.span.bytes
        writeFrame(.close, bytes)
        (fragments, owedPong, ahead) = (nil, nil, nil)
    }

    /// Handles the peer's close frame: answers it, unless this side closed first or answers late (RFC 6455 §5.5.1).
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
        case .answering, .failing, .ended: preconditionFailure("nothing is read after the end")
        }
    }

    private mutating func endCleanly(_ end: WebSocketEnd, at now: Duration) {
        // The server closes the connection first, so that it holds the TIME_WAIT state (RFC 6455 §7.1.1).
        state = .ended(end, deadline: now + configuration.closeTimeout, waitsForPeer: role == .client)
        forgetStreams()
    }

    /// Fails because of the peer's bytes: tells the peer, and reads no further (RFC 6455 §7.1.7).
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
        case .answering, .ended: preconditionFailure("nothing is read after the end")
        }
        state = .ended(
            WebSocketEnd(cause: .failed(error), sent: sent, received: nil),
            deadline: now + configuration.closeTimeout, waitsForPeer: false)
        forgetStreams()
    }

    // MARK: Output

    /// The number of bytes in the output queue.
    @inlinable public var pendingByteCount: Int { output.count - outputStart }

    /// Lends the queued output to a closure, if there is any.
    ///
    /// - Parameter body: Sends as many of the bytes as it can, and returns their number; the others stay queued.
    /// - Throws: The closure's error; then nothing is taken.
    public mutating func takeOutput<Failure: Error>(_ body: (RawSpan) throws(Failure) -> Int) throws(Failure) {
        guard pendingByteCount > 0 else { return }
        let byteCount = try lendOutput(body)
        precondition(byteCount >= 0 && byteCount <= pendingByteCount, "more was sent than there was")
        outputStart += byteCount
        sentByteCount += byteCount
        if pendingByteCount == 0 {
            outputStart = 0
            // An idle connection holds no memory for earlier output.
            if output.capacity > Self.keptOutputCapacity {
                output = []
            } else {
                output.removeAll(keepingCapacity: true)
            }
        } else if output.capacity > max(16 << 10, 4 * pendingByteCount) {
            // A slow reader must not keep the memory of all earlier output.
            output = Array(output[outputStart...])
            outputStart = 0
        }
        guard sentByteCount >= pongEnd else { return }
        pongByteCount = 0
        guard let payload = owedPong else { return }
        owedPong = nil
        answerPing(payload)
    }

    private func lendOutput<Failure: Error>(_ body: (RawSpan) throws(Failure) -> Int) throws(Failure) -> Int {
        // SAFETY: an array of bytes has neither padding nor uninitialised bytes.
        let bytes = unsafe output.span.bytes
        return try body(bytes.extracting(droppingFirst: outputStart))
    }

    package var outputCapacity: Int { output.capacity }

    /// In bytes; enough for the small messages of a busy connection.
    private static var keptOutputCapacity: Int { 1024 }

    /// Appends a frame to the output, masked if this is a client.
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
                guard let base = room.baseAddress else { return }
                // SAFETY: there is space for header and payload, and all of it is written.
                unsafe Self.write(header, payload, to: UnsafeMutableRawPointer(base))
                filledByteCount = byteCount
            }
        }
    }

    /// - Parameter start: It must have space for the whole frame.
    @inline(__always)
    private static func write(_ header: FrameHeader, _ payload: RawSpan, to start: UnsafeMutableRawPointer) {
        // SAFETY: the caller provides space for header and payload.
        let destination = unsafe start + header.write(to: start)
        unsafe payload.withUnsafeBytes { payload in
            if let key = header.maskKey {
                unsafe Masking.copy(payload, to: destination, key: key)
            } else if let source = payload.baseAddress {
                unsafe destination.copyMemory(from: source, byteCount: payload.count)
            }
        }
    }

    // MARK: Without the queue

    /// The number of bytes of a message's frame, if the frame may leave before anything else.
    ///
    /// - Returns: Nil if ``send(_:as:)`` must queue the message: output is queued already, the message must be
    ///   compressed, this side is sending another one in fragments, or nothing can be sent.
    ///
    /// It changes nothing. It is `mutating` because callers in other modules would otherwise copy the engine.
    package mutating func byteCountAtOnce(ofMessageWith contentByteCount: Int) -> Int? {
        guard isOpen, pendingByteCount == 0, fragments == nil, ahead == nil else { return nil }
        if let deflate, contentByteCount >= deflate.minimumByteCount { return nil }
        return contentByteCount + FrameHeader.byteCount(for: contentByteCount, isMasked: role == .client)
    }

    /// Writes the frame of a message to memory of the caller, which sends it before anything else.
    ///
    /// - Parameters:
    ///   - content: The content of the message; text must be UTF-8.
    ///   - room: The number of bytes that ``byteCountAtOnce(ofMessageWith:)`` has just returned for this content.
    package mutating func writeAtOnce(
        _ content: RawSpan, as kind: WebSocketMessageKind, to room: UnsafeMutableRawBufferPointer
    ) {
        let header = FrameHeader(
            isFinal: true, opcode: kind == .text ? .text : .binary, payloadByteCount: content.byteCount,
            maskKey: role == .client ? maskKeys.next() : nil)
        precondition(room.count == header.byteCount + content.byteCount, "room for another message")
        guard let base = room.baseAddress else { return }
        // SAFETY: the space was checked above.
        unsafe Self.write(header, content, to: base)
    }

    mutating func reserveOutput(_ byteCount: Int) {
        // Sent bytes are removed once they are more than half, so that each byte moves at most once on average.
        if outputStart > pendingByteCount {
            output.removeFirst(outputStart)
            outputStart = 0
        }
        let needed = output.count + byteCount
        // At least double the size: growing by a little each time would copy everything each time.
        if needed > output.capacity { output.reserveCapacity(max(needed, 2 * output.count)) }
    }
}
