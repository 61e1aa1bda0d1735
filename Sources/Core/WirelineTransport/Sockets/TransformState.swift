// SPDX-License-Identifier: Apache-2.0

final class TransformState {
    let transform: any StreamTransform
    /// Bytes from the wire that the transform has not taken: those from `start` to `end` of a block.
    private var block: Block?
    private var start = 0
    private var end = 0
    /// Whether the transform may have more data without more bytes.
    private(set) var mayHaveMore = false
    /// Data that the transform handed over before it was asked for: the bytes from `unclaimedStart` to `unclaimedEnd`.
    private var unclaimed: Block?
    private var unclaimedStart = 0
    private var unclaimedEnd = 0
    /// How many queued bytes the transform has taken; they stay queued until its output for them is sent.
    private var encodedByteCount = 0
    /// Whether the stream has handled the end of the handshake.
    private(set) var wasReady = false
    /// Whether closing the stream sends the transform's closing message; false if the peer must see an error.
    private(set) var sendsClosingMessage = true

    init(_ transform: any StreamTransform) {
        self.transform = transform
    }

    func becomeReady() { wasReady = true }

    /// Closing the stream will send no closing message.
    func suppressClosingMessage() { sendsClosingMessage = false }

    // MARK: Input

    /// Before or after the transform.
    var heldInputByteCount: Int { end - start + unclaimedEnd - unclaimedStart }

    var hasBlock: Bool { block != nil }

    var hasInput: Bool { start < end || mayHaveMore || hasUnclaimedData }

    /// Whether there is data that the handler has not asked for.
    var hasUnclaimedData: Bool { unclaimedStart < unclaimedEnd }

    /// Whether the stream reads even if the handler asks for no data.
    var readsOnItsOwn: Bool { !transform.isReady }

    /// Takes a block with bytes from the wire, which start at its first byte.
    ///
    /// - Returns: The block before it.
    func replaceInput(_ block: consuming Block, byteCount: Int) -> Block? {
        let last = self.block.take()
        self.block = consume block
        (start, end) = (0, byteCount)
        return last
    }

    /// Returns the block of bytes from the wire, and keeps a copy of those that the transform has not taken.
    func takeInputBlock(keepsRest: Bool) -> Block? {
        guard let block = block.take() else { return nil }
        let count = keepsRest ? end - start : 0
        if count > 0 {
            let rest = Block(capacity: count)
            // SAFETY: the bytes from `start` to `end` lie inside the block, and the new one has `count` bytes.
            unsafe rest.base.copyMemory(from: block.base + start, byteCount: count)
            self.block = consume rest
        }
        (start, end) = (0, count)
        return block
    }

    /// Keeps data that the transform has put into a block, for the next reader.
    func keepUnclaimedData(_ block: consuming Block, byteCount: Int) {
        unclaimed = consume block
        (unclaimedStart, unclaimedEnd) = (0, byteCount)
    }

    /// Returns the block with the kept data, or with the remaining part of it.
    func takeUnclaimedData() -> Block? {
        (unclaimedStart, unclaimedEnd) = (0, 0)
        return unclaimed.take()
    }

    /// Lends the transform the arrived bytes; kept data comes first.
    func receive(into room: UnsafeMutableRawBufferPointer) -> TransformReading {
        // SAFETY: the bytes up to `unclaimedEnd` lie inside the block, and the room holds at least `count` bytes.
        if hasUnclaimedData, let base = unsafe unclaimed?.base, let destination = room.baseAddress {
            let count = min(room.count, unclaimedEnd - unclaimedStart)
            unsafe destination.copyMemory(from: base + unclaimedStart, byteCount: count)
            unclaimedStart += count
            if !hasUnclaimedData { unclaimed = nil }
            return TransformReading(takenByteCount: 0, filledByteCount: count, stop: .needsRoom)
        }
        var bytes = RawSpan()
        // SAFETY: the bytes up to `end` lie inside the block, which is held here for as long as the call lasts.
        if let base = unsafe block?.base { bytes = unsafe RawSpan(_unsafeStart: base + start, byteCount: end - start) }
        // SAFETY: the caller guarantees that `room` is memory of its size.
        let reading = unsafe transform.receive(bytes, into: room)
        start += reading.takenByteCount
        mayHaveMore = reading.stop == .needsRoom
        return reading
    }

    // MARK: Output

    /// Gives the transform queued bytes, which must stay queued until ``takeEncodedByteCount()``.
    ///
    /// - Returns: Whether it has taken any.
    func encode(_ bytes: RawSpan) throws(TransformFailure) -> Bool {
        encodedByteCount = try transform.send(bytes)
        return encodedByteCount > 0
    }

    /// Returns how many queued bytes the transform has taken; they can leave the queue now.
    func takeEncodedByteCount() -> Int {
        defer { encodedByteCount = 0 }
        return encodedByteCount
    }
}
