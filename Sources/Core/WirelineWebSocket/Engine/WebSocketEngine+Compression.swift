// SPDX-License-Identifier: Apache-2.0

extension WebSocketEngine {
    /// The end of each compressed message, which is not sent (RFC 7692 §7.2.1).
    private static var tail: [UInt8] { [0x00, 0x00, 0xFF, 0xFF] }

    /// The number of bytes that are unmasked at once before zlib takes them.
    private static var pieceByteCount: Int { 4096 }

    package var holdsStreams: Bool { inflater != nil || deflater != nil }

    /// The number of bytes compressed in one step: less than a millisecond.
    package static var compressionStep: Int { 32 << 10 }

    /// The cost of making a zlib stream, and of compressing or decompressing a byte; see ``compressionWork``.
    private static var streamWork: Int { 10_000 }
    private static var deflateWork: Int { 16 }
    private static var inflateWork: Int { 3 }

    package var aheadByteCount: Int { ahead?.compressed.count ?? 0 }

    /// Whether content takes more than one step to compress; see ``compressAhead(_:)``.
    ///
    /// - Parameters:
    ///   - byteCount: The size of the content, in bytes.
    ///   - isFragment: Whether it is part of a message. Fragments are compressed at any size.
    package func isLongToCompress(_ byteCount: Int, isFragment: Bool = false) -> Bool {
        guard let deflate, isFragment || byteCount >= deflate.minimumByteCount else { return false }
        return byteCount - (ahead?.byteCount ?? 0) > Self.compressionStep
    }

    /// Compresses the next step of content, so that sending it takes less time.
    ///
    /// The next message or fragment sent must be this content, unless ``dropAhead()`` is called first.
    ///
    /// - Precondition: ``isLongToCompress(_:isFragment:)``.
    package mutating func compressAhead(_ content: RawSpan) throws(WebSocketError) {
        let deflater = try madeDeflater()
        var ahead = self.ahead.take() ?? CompressedAhead()
        let piece = content.extracting(droppingFirst: ahead.byteCount).extracting(first: Self.compressionStep)
        try deflater.add(piece, to: &ahead.compressed)
        ahead.byteCount += piece.byteCount
        compressionWork &+= piece.byteCount * Self.deflateWork
        self.ahead = ahead
    }

    package mutating func dropAhead() {
        // The peer will not receive what this stream refers back to. A new stream refers back to nothing.
        if ahead != nil { (ahead, deflater) = (nil, nil) }
    }

    mutating func deflated(_ content: RawSpan, isLast: Bool) throws(WebSocketError) -> [UInt8] {
        guard let deflate else { preconditionFailure("compression was not agreed on") }
        let deflater = try madeDeflater()
        // If later messages cannot refer to this one, its stream is not kept.
        self.deflater = isLast && !deflate.takesContextOver ? nil : deflater
        let ahead = self.ahead.take() ?? CompressedAhead()
        let rest = content.extracting(droppingFirst: ahead.byteCount)
        compressionWork &+= rest.byteCount * Self.deflateWork
        return try deflater.deflate(rest, isLast: isLast, after: ahead.compressed)
    }

    private mutating func madeDeflater() throws(WebSocketError) -> Deflater {
        if let deflater { return deflater }
        let deflater = try Deflater(windowBits: deflate?.windowBits ?? 15, level: deflate?.level ?? 6)
        self.deflater = deflater
        compressionWork &+= Self.streamWork
        return deflater
    }

    /// Inflates compressed content into the buffer.
    ///
    /// - Returns: Why it stopped; nil if the frame is complete.
    mutating func inflateContent(
        _ bytes: UnsafeRawBufferPointer, _ room: UnsafeMutableRawBufferPointer, _ passage: inout Passage
    ) throws(WebSocketError) -> WebSocketReading.Stop? {
        while true {
            guard passage.filledByteCount < room.count else { return .needsRoom }
            let available = min(remainingByteCount, bytes.count - passage.byteCount)
            if available > 0 {
                let byteCount = min(available, Self.pieceByteCount)
                // SAFETY: `byteCount` is at most what is left of `bytes`.
                let source = unsafe UnsafeRawBufferPointer(
                    rebasing: bytes[passage.byteCount..<passage.byteCount + byteCount])
                passage.byteCount += try unsafe inflatePayload(source, room, &passage)
            } else if inflater?.mayHaveMore == true {
                // SAFETY: an empty buffer needs no address, and `room` is the caller's.
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
    /// - Returns: The number of bytes taken.
    private mutating func inflatePayload(
        _ source: UnsafeRawBufferPointer, _ room: UnsafeMutableRawBufferPointer, _ passage: inout Passage
    ) throws(WebSocketError) -> Int {
        let result: Result<Int, WebSocketError> = unsafe withUnsafeTemporaryAllocation(
            byteCount: source.count, alignment: 1
        ) { piece in
            Result { () throws(WebSocketError) in
                guard let base = piece.baseAddress else { return 0 }
                // SAFETY: the piece has space for all bytes of the source. Without a mask the key is 0.
                unsafe Masking.copy(source, to: base, key: maskKey)
                return try unsafe inflate(UnsafeRawBufferPointer(piece), room, &passage)
            }
        }
        let byteCount = try result.get()
        remainingByteCount -= byteCount
        maskKey = Masking.rotated(maskKey, by: byteCount)
        return byteCount
    }

    /// Gives the inflater the tail that is not sent with the message.
    ///
    /// - Returns: Whether any of the tail was left to give.
    private mutating func inflateTail(
        _ room: UnsafeMutableRawBufferPointer, _ passage: inout Passage
    ) throws(WebSocketError) -> Bool {
        // Some peers send an empty message as no bytes: zlib makes nothing of a second flush without input.
        guard message?.announcedByteCount != 0 else { return false }
        let given = message?.tailByteCount ?? 0
        // A message may also end with a final block (RFC 7692 §7.2.3.5). Then no tail is missing.
        if given == 0, inflater?.hasJustEnded == true { return false }
        guard given < Self.tail.count else {
            guard inflater?.isBetweenBlocks == true else { throw .invalidCompression(offset: frameOffset) }
            return false
        }
        let tail = Self.tail
        // SAFETY: `given` is less than the tail's count, and the inflater keeps none of these bytes.
        let result: Result<Int, WebSocketError> = unsafe tail.withUnsafeBytes { tail in
            Result { () throws(WebSocketError) in
                try unsafe inflate(UnsafeRawBufferPointer(rebasing: tail[given...]), isTail: true, room, &passage)
            }
        }
        message?.tailByteCount += try result.get()
        return true
    }

    /// Inflates until the buffer is full or the message reaches its limit.
    ///
    /// - Returns: The number of source bytes taken.
    private mutating func inflate(
        _ source: UnsafeRawBufferPointer, isTail: Bool = false, _ room: UnsafeMutableRawBufferPointer,
        _ passage: inout Passage
    ) throws(WebSocketError) -> Int {
        let inflater = try madeInflater()
        // One byte more than allowed shows that the message is too large.
        let allowed = configuration.messageLimit - (message?.byteCount ?? 0)
        let free = room.count - passage.filledByteCount
        let byteCount = allowed < free ? allowed + 1 : free
        // SAFETY: `byteCount` is at most the free space of `room`, because `filledByteCount` is below its count.
        let destination = unsafe UnsafeMutableRawBufferPointer(
            rebasing: room[passage.filledByteCount..<passage.filledByteCount + byteCount])
        let step = unsafe inflater.inflate(source, into: destination)
        compressionWork &+= (step.takenByteCount + step.filledByteCount) * Self.inflateWork
        // The tail yields no content, unless an incomplete block has swallowed it.
        guard !isTail || step.filledByteCount == 0 else { throw .invalidCompression(offset: frameOffset) }
        // Faults are checked in the order of their bytes, so that the result does not depend on how the input was
        // split.
        // SAFETY: the inflater has written `filledByteCount` bytes, which is at most the destination's count.
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
        compressionWork &+= Self.streamWork
        return inflater
    }
}
