// SPDX-License-Identifier: Apache-2.0

extension WebSocketEngine {
    /// Takes bytes from the peer, and appends their content to `room`.
    ///
    /// Content is delivered as it arrives: a message may come in many pieces. Each call delivers content of one message
    /// only.
    ///
    /// - Parameters:
    ///   - bytes: The peer's bytes, split anywhere, without those taken before. May be empty.
    ///   - room: The buffer for the content.
    ///   - now: The current time. ``WebSocketEngine/Configuration/closeTimeout`` starts here if the peer has to close.
    /// - Returns: How much was taken, and why it stopped.
    /// - Throws: A ``WebSocketError`` about the peer's bytes. The peer is told with its code,
    ///   ``WebSocketError/closeCode``. The content already appended came before the fault.
    public mutating func read(
        _ bytes: RawSpan, into room: inout OutputRawSpan, at now: Duration
    ) throws(WebSocketError) -> WebSocketReading {
        switch state {
        case .ended(let end, _, _):
            if case .failed(let error) = end.cause { throw error }
            return WebSocketReading(byteCount: 0, content: nil, stop: .ended)
        case .failing(let error): throw error
        case .answering: return WebSocketReading(byteCount: 0, content: nil, stop: .ended)
        case .open, .closing: break
        }
        var reading = Passage()
        // SAFETY: the closures keep neither buffer, and `filledByteCount` counts what was written from its start on.
        let result: Result<WebSocketReading.Stop, WebSocketError> = unsafe room.withUnsafeMutableBytes {
            room, filledByteCount in
            unsafe bytes.withUnsafeBytes { bytes in
                reading.filledByteCount = filledByteCount
                defer { filledByteCount = reading.filledByteCount }
                return Result { () throws(WebSocketError) in
                    try unsafe advance(bytes, room, &reading, at: now)
                }
            }
        }
        takenByteCount += reading.byteCount
        switch result {
        case .success(let stop):
            return WebSocketReading(byteCount: reading.byteCount, content: reading.content, stop: stop)
        case .failure(let error):
            fail(error, at: now)
            throw error
        }
    }

    /// The progress of one call of ``read(_:into:at:)``.
    struct Passage {
        /// The number of input bytes taken.
        var byteCount = 0
        /// The number of bytes in the buffer.
        var filledByteCount = 0
        /// The kind of the content that this call has appended; nil if there is none.
        var content: WebSocketMessageKind?
    }

    private mutating func advance(
        _ bytes: UnsafeRawBufferPointer, _ room: UnsafeMutableRawBufferPointer, _ passage: inout Passage,
        at now: Duration
    ) throws(WebSocketError) -> WebSocketReading.Stop {
        while true {
            switch framePart {
            case .header:
                // SAFETY: here and below, both buffers are lent by ``read(_:into:at:)``, and the passage stays within
                // their counts.
                guard try unsafe takeHeader(bytes, &passage) else { return .needsBytes }
            case .control:
                guard unsafe takeControl(bytes, &passage) else { return .needsBytes }
                framePart = .header
                if message == nil { wholeCount &+= 1 }
                if let event = try finishControl(at: now) { return .event(event) }
            case .content:
                let isCompressed = message?.isCompressed == true
                let stop =
                    try isCompressed
                    ? unsafe inflateContent(bytes, room, &passage) : unsafe takeContent(bytes, room, &passage)
                if let stop { return stop }
                framePart = .header
                if frame.isFinal { return .event(.messageEnded(try finishMessage())) }
            }
        }
    }

    /// Returns the buffer space that the content of the next `byteCount` bytes needs.
    ///
    /// Returns 0 before a frame has begun. Otherwise a short message would get the space that many later ones need.
    ///
    /// - Parameter heldByteCount: How many bytes of the message are already held.
    func contentByteCount(of byteCount: Int, behind heldByteCount: Int) -> Int {
        guard framePart == .content, let message else { return 0 }
        let announced = min(remainingByteCount, byteCount)
        // The size of compressed content is unknown; the buffer grows with what has arrived.
        return message.isCompressed ? min(64 * 1024, max(512, 4 * min(announced, 16 * 1024), heldByteCount)) : announced
    }

    /// Whether a message, or a control frame outside a message, has begun and not ended.
    package var hasBegun: Bool {
        guard case .open = state else { return false }
        return message != nil || headerReader.takenByteCount > 0 || framePart == .control
    }

    /// The number of payload bytes that the current frame lacks; 0 unless they are stored as they arrive.
    package var missingByteCount: Int {
        framePart == .content && message?.isCompressed == false ? remainingByteCount : 0
    }

    // MARK: Headers

    /// - Returns: Whether the header is complete.
    private mutating func takeHeader(
        _ bytes: UnsafeRawBufferPointer, _ passage: inout Passage
    ) throws(WebSocketError) -> Bool {
        while passage.byteCount < bytes.count {
            if headerReader.takenByteCount == 0 { frameOffset = takenByteCount + passage.byteCount }
            // SAFETY: the offset was compared with the count.
            let byte = unsafe bytes[passage.byteCount]
            passage.byteCount += 1
            let header: FrameHeader?
            do throws(WebSocketViolation) {
                header = try headerReader.take(byte)
            } catch {
                throw .violation(error, offset: frameOffset)
            }
            guard let header else { continue }
            try begin(header)
            return true
        }
        return false
    }

    private mutating func begin(_ header: FrameHeader) throws(WebSocketError) {
        frame = header
        remainingByteCount = header.payloadByteCount
        maskKey = header.maskKey ?? 0
        guard !header.opcode.isControl else {
            control.removeAll(keepingCapacity: true)
            framePart = .control
            return
        }
        framePart = .content
        switch (header.opcode, message) {
        case (.continuation, nil): throw .violation(.unexpectedContinuation, offset: frameOffset)
        case (.continuation, .some): break
        case (_, .some): throw .violation(.expectedContinuation, offset: frameOffset)
        case (.text, nil) where !configuration.takesText: throw .unexpectedText(offset: frameOffset)
        case (let opcode, nil):
            message = IncomingMessage(kind: opcode == .text ? .text : .binary, isCompressed: header.isCompressed)
        }
        guard header.payloadByteCount <= announcedLimit(configuration.frameLimit)
        else { throw .frameTooLarge(limit: configuration.frameLimit) }
        try count(header)
    }

    private func announcedLimit(_ limit: Int) -> Int {
        // Compressed content is rarely longer than this. A longer message that inflates to nothing must end somewhere.
        message?.isCompressed == true ? min(limit, Int.max / 4) * 2 + 1024 : limit
    }

    /// Call it before any of the frame's payload arrives.
    private mutating func count(_ header: FrameHeader) throws(WebSocketError) {
        guard var message else { return }
        message.fragmentCount += 1
        guard message.fragmentCount <= configuration.fragmentLimit
        else { throw .tooManyFragments(limit: configuration.fragmentLimit) }
        let limit = configuration.messageLimit
        guard header.payloadByteCount <= announcedLimit(limit) - message.announcedByteCount
        else { throw .messageTooLarge(limit: limit) }
        message.announcedByteCount += header.payloadByteCount
        self.message = message
    }

    // MARK: Content

    /// Copies uncompressed content into the buffer.
    ///
    /// - Returns: Why it stopped; nil if the frame is complete.
    private mutating func takeContent(
        _ bytes: UnsafeRawBufferPointer, _ room: UnsafeMutableRawBufferPointer, _ passage: inout Passage
    ) throws(WebSocketError) -> WebSocketReading.Stop? {
        guard remainingByteCount > 0 else { return nil }
        let available = min(remainingByteCount, bytes.count - passage.byteCount)
        guard available > 0 else { return .needsBytes }
        let byteCount = min(available, room.count - passage.filledByteCount)
        guard byteCount > 0, let base = room.baseAddress else { return .needsRoom }
        // SAFETY: the range ends at `passage.byteCount` plus at most what is left of `bytes`.
        let source = unsafe UnsafeRawBufferPointer(rebasing: bytes[passage.byteCount..<passage.byteCount + byteCount])
        // SAFETY: `byteCount` was compared with what is left of both.
        let destination = unsafe base + passage.filledByteCount
        unsafe takePayload(source, to: destination)
        passage.byteCount += byteCount
        // SAFETY: these bytes were written just now.
        let isValid = unsafe note(UnsafeRawBufferPointer(start: destination, count: byteCount), &passage)
        guard isValid else { throw .invalidUTF8(offset: message?.byteCount ?? 0) }
        if remainingByteCount == 0 { return nil }
        return passage.filledByteCount == room.count ? .needsRoom : .needsBytes
    }

    /// Copies bytes of the frame's payload and removes their mask.
    mutating func takePayload(_ source: UnsafeRawBufferPointer, to destination: UnsafeMutableRawPointer) {
        remainingByteCount -= source.count
        guard frame.maskKey != nil else {
            // SAFETY: the caller gives a destination with space for all of the source, which is another buffer.
            if let start = source.baseAddress { unsafe destination.copyMemory(from: start, byteCount: source.count) }
            return
        }
        unsafe Masking.copy(source, to: destination, key: maskKey)
        maskKey = Masking.rotated(maskKey, by: source.count)
    }

    /// Counts content that was put into the buffer.
    ///
    /// - Returns: Whether it is valid for its message; if not, only the bytes before the fault were counted.
    mutating func note(_ content: UnsafeRawBufferPointer, _ passage: inout Passage) -> Bool {
        var validByteCount = content.count
        if message?.kind == .text {
            // SAFETY: the span does not outlive the call.
            let span = unsafe RawSpan(_unsafeBytes: content)
            validByteCount = message?.text.receive(span) ?? 0
        }
        if validByteCount > 0 { passage.content = message?.kind }
        message?.byteCount += validByteCount
        passage.filledByteCount += validByteCount
        return validByteCount == content.count
    }

    private mutating func finishMessage() throws(WebSocketError) -> WebSocketMessageKind {
        guard let ended = message else { preconditionFailure("a message ends that has not begun") }
        guard ended.text.isBetweenCharacters else { throw .invalidUTF8(offset: ended.byteCount) }
        message = nil
        wholeCount &+= 1
        if deflate?.peerTakesContextOver == false { inflater = nil }
        return ended.kind
    }

    // MARK: Control frames

    /// - Returns: Whether the payload is complete.
    private mutating func takeControl(_ bytes: UnsafeRawBufferPointer, _ passage: inout Passage) -> Bool {
        let byteCount = min(remainingByteCount, bytes.count - passage.byteCount)
        if byteCount > 0 {
            // SAFETY: `byteCount` is at most what is left of `bytes`.
            let source = unsafe UnsafeRawBufferPointer(
                rebasing: bytes[passage.byteCount..<passage.byteCount + byteCount])
            var control = control
            self.control = []
            control.append(addingCapacity: byteCount) { output in
                unsafe output.withUnsafeMutableBufferPointer { room, filledByteCount in
                    guard let base = room.baseAddress else { return }
                    // SAFETY: there is space for `byteCount` bytes, and all of them are written.
                    unsafe takePayload(source, to: UnsafeMutableRawPointer(base))
                    filledByteCount = byteCount
                }
            }
            self.control = control
            passage.byteCount += byteCount
        }
        return remainingByteCount == 0
    }

    private mutating func finishControl(at now: Duration) throws(WebSocketError) -> WebSocketEvent? {
        switch frame.opcode {
        case .ping:
            answerPing(control)
            return .ping(control)
        case .pong:
            // A pong without a ping is allowed and has no meaning (RFC 6455 §5.5.3).
            guard let place = unansweredPings.lastIndex(of: control) else { return nil }
            unansweredPings.removeFirst(place + 1)
            return .pong(control)
        default:
            let close = try closePayload()
            finishClose(close, at: now)
            return .close(close)
        }
    }

    /// Returns the content of a close frame (RFC 6455 §5.5.1).
    private func closePayload() throws(WebSocketError) -> WebSocketClose {
        guard !control.isEmpty else { return WebSocketClose(code: nil) }
        guard control.count > 1 else { throw .violation(.closePayload, offset: frameOffset) }
        let code = WebSocketCloseCode(rawValue: UInt16(control[0]) << 8 | UInt16(control[1]))
        guard code.mayBeSent else { throw .violation(.closeCode(code.rawValue), offset: frameOffset) }
        var text = UTF8Progress()
        // SAFETY: an array of bytes has neither padding nor uninitialised bytes.
        let bytes = unsafe control.span.bytes
        let reason = bytes.extracting(droppingFirst: 2)
        let validByteCount = text.receive(reason)
        guard validByteCount == reason.byteCount, text.isBetweenCharacters
        else { throw .invalidUTF8(offset: validByteCount) }
        return WebSocketClose(code: code, reason: String(decoding: control[2...], as: UTF8.self))
    }
}
