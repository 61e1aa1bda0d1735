// SPDX-License-Identifier: Apache-2.0

extension WebSocketEngine {
    /// What compressed messages end with, and are sent without (RFC 7692 §7.2.1).
    private static var tail: [UInt8] { [0x00, 0x00, 0xFF, 0xFF] }

    /// How many bytes are freed of their mask at once on their way to zlib.
    private static var pieceByteCount: Int { 4096 }

    /// Whether there is memory of zlib's.
    package var holdsStreams: Bool { inflater != nil || deflater != nil }

    /// Compresses a message, or a part of one.
    mutating func deflated(_ content: RawSpan, isLast: Bool) throws(WebSocketError) -> [UInt8] {
        guard let deflate else { preconditionFailure("compression was not agreed on") }
        if self.deflater == nil {
            self.deflater = try Deflater(windowBits: deflate.windowBits, level: deflate.level)
        }
        guard let deflater else { return [] }
        // What cannot look back into this message needs nothing of it.
        self.deflater = isLast && !deflate.takesContextOver ? nil : deflater
        return try deflater.deflate(content, isLast: isLast)
    }

    /// Puts content into the room that was compressed.
    ///
    /// - Returns: Why it has stopped; nil when the frame is complete.
    mutating func inflateContent(
        _ bytes: UnsafeRawBufferPointer, _ room: UnsafeMutableRawBufferPointer, _ passage: inout Passage
    ) throws(WebSocketError) -> WebSocketReading.Stop? {
        while true {
            guard passage.filledByteCount < room.count else { return .needsRoom }
            let available = min(remainingByteCount, bytes.count - passage.byteCount)
            if available > 0 {
                let byteCount = min(available, Self.pieceByteCount)
                let source = unsafe UnsafeRawBufferPointer(
                    rebasing: bytes[passage.byteCount..<passage.byteCount + byteCount])
                passage.byteCount += try unsafe inflatePayload(source, room, &passage)
            } else if inflater?.mayHaveMore == true {
                _ = try unsafe inflate(UnsafeRawBufferPointer(start: nil, count: 0), room, &passage)
            } else if remainingByteCount > 0 {
                return .needsBytes
            } else if frame.isFinal, try unsafe inflateTail(room, &passage) {
                continue
            } else {
                return nil
            }
        }
    }

    /// Inflates a piece of the frame's payload.
    ///
    /// - Returns: How many bytes of it were taken.
    private mutating func inflatePayload(
        _ source: UnsafeRawBufferPointer, _ room: UnsafeMutableRawBufferPointer, _ passage: inout Passage
    ) throws(WebSocketError) -> Int {
        let result: Result<Int, WebSocketError> = unsafe withUnsafeTemporaryAllocation(
            byteCount: source.count, alignment: 1
        ) { piece in
            Result { () throws(WebSocketError) in
                guard let base = piece.baseAddress else { return 0 }
                // SAFETY: the piece has room for as many bytes as the source has. Without a mask the key is 0.
                unsafe Masking.copy(source, to: base, key: maskKey)
                return try unsafe inflate(UnsafeRawBufferPointer(piece), room, &passage)
            }
        }
        let byteCount = try result.get()
        remainingByteCount -= byteCount
        maskKey = Masking.rotated(maskKey, by: byteCount)
        return byteCount
    }

    /// Gives the inflater what the message was sent without.
    ///
    /// - Returns: Whether there was something left to give.
    private mutating func inflateTail(
        _ room: UnsafeMutableRawBufferPointer, _ passage: inout Passage
    ) throws(WebSocketError) -> Bool {
        // Asked twice to flush nothing, zlib makes nothing of it, and that is how some send an empty message.
        guard message?.announcedByteCount != 0 else { return false }
        let given = message?.tailByteCount ?? 0
        // A message may also end with a last block of its own (RFC 7692 §7.2.3.5), behind which nothing is missing.
        if given == 0, inflater?.hasJustEnded == true { return false }
        guard given < Self.tail.count else {
            guard inflater?.isBetweenBlocks == true else { throw .invalidCompression(offset: frameOffset) }
            return false
        }
        let tail = Self.tail
        let result: Result<Int, WebSocketError> = unsafe tail.withUnsafeBytes { tail in
            Result { () throws(WebSocketError) in
                try unsafe inflate(UnsafeRawBufferPointer(rebasing: tail[given...]), isTail: true, room, &passage)
            }
        }
        message?.tailByteCount += try result.get()
        return true
    }

    /// Inflates as much as there is room for, and no more than the message may have.
    ///
    /// - Returns: How many bytes of the source were taken.
    private mutating func inflate(
        _ source: UnsafeRawBufferPointer, isTail: Bool = false, _ room: UnsafeMutableRawBufferPointer,
        _ passage: inout Passage
    ) throws(WebSocketError) -> Int {
        let inflater = try madeInflater()
        // One byte more than there may be shows that there is more.
        let allowed = configuration.messageLimit - (message?.byteCount ?? 0)
        let free = room.count - passage.filledByteCount
        let byteCount = allowed < free ? allowed + 1 : free
        let destination = unsafe UnsafeMutableRawBufferPointer(
            rebasing: room[passage.filledByteCount..<passage.filledByteCount + byteCount])
        let step = unsafe inflater.inflate(source, into: destination)
        // Nothing comes of the tail, unless it has become part of a block that should have been longer.
        guard !isTail || step.filledByteCount == 0 else { throw .invalidCompression(offset: frameOffset) }
        // Faults in the order in which their bytes are, so that it is always the same one that is found.
        let content = unsafe UnsafeRawBufferPointer(rebasing: destination[..<min(step.filledByteCount, allowed)])
        guard unsafe note(content, &passage) else { throw .invalidUTF8(offset: message?.byteCount ?? 0) }
        guard step.filledByteCount <= allowed else { throw .messageTooLarge(limit: configuration.messageLimit) }
        guard !step.isDamaged else { throw .invalidCompression(offset: frameOffset) }
        return step.takenByteCount
    }

    private mutating func madeInflater() throws(WebSocketError) -> Inflater {
        if let inflater { return inflater }
        let inflater = try Inflater(windowBits: deflate?.peerWindowBits ?? 15)
        self.inflater = inflater
        return inflater
    }
}
