// SPDX-License-Identifier: Apache-2.0

/// What turns the bytes of a stream into those on the wire and back, such as TLS; always called on the loop's thread.
///
/// It does no input or output of its own: the stream hands it what has arrived, and sends what it has to send.
package protocol StreamTransform: AnyObject {
    /// Whether the two sides have agreed on how to talk. Before that nothing is received or sent for the stream's user.
    var isReady: Bool { get }

    /// Whether there are bytes for the wire.
    var hasOutput: Bool { get }

    /// Whether the end of the output has still to be said.
    var owesEnd: Bool { get }

    /// Whether the end of the output is the socket's, too (TCP FIN). Otherwise the socket stays open for output that nobody
    /// makes, until the stream is closed.
    var endsSocketOutput: Bool { get }

    /// Begins to talk to the peer.
    func start() throws(TransformFailure)

    /// Takes bytes from the wire, and fills memory with what they say. There may be none, when earlier ones said more
    /// than there was room for.
    ///
    /// - Parameters:
    ///   - bytes: What has come, without what was taken before.
    ///   - room: Where to put what they say; before ``isReady`` it may be empty.
    func receive(_ bytes: RawSpan, into room: UnsafeMutableRawBufferPointer) -> TransformReading

    /// Takes note that no more bytes come from the wire.
    ///
    /// - Throws: When the peer has not said before that it would send no more.
    func endOfInput() throws(TransformFailure)

    /// Takes bytes for the wire.
    ///
    /// - Returns: How many; not all where too much waits to be sent already.
    func send(_ bytes: RawSpan) throws(TransformFailure) -> Int

    /// Tells the peer that nothing more will be sent.
    func endOutput() throws(TransformFailure)

    /// Says what is left to say, for the stream is closed next.
    func takeLeave()

    /// Lends what is for the wire, and forgets as much of it as `body` says has been sent.
    func withOutput(_ body: (RawSpan) -> Int)
}

extension StreamTransform {
    package var endsSocketOutput: Bool { true }

    package func takeLeave() {
        // Whatever goes wrong here, the socket is closed next.
        try? endOutput()
    }
}

/// The transform can go on no more; it knows why.
package struct TransformFailure: Error {
    package init() {}
}

/// How far a transform has come with bytes from the wire.
package struct TransformReading {
    package enum Stop {
        /// It needs more bytes.
        case needsBytes
        /// There may be more than there was room for.
        case needsRoom
        /// Something must be sent first.
        case needsSending
        /// The peer sends no more.
        case ended
        /// What was put into the room came before the fault.
        case failed
    }

    /// How many bytes from the wire were taken.
    package let takenByteCount: Int
    /// How many bytes were put into the room.
    package let filledByteCount: Int
    package let stop: Stop

    package init(takenByteCount: Int, filledByteCount: Int, stop: Stop) {
        self.takenByteCount = takenByteCount
        self.filledByteCount = filledByteCount
        self.stop = stop
    }
}

/// What a stream with a transform keeps beside what every stream does.
final class TransformState {
    let transform: any StreamTransform
    /// Bytes from the wire that the transform has not taken: those from `start` to `end` of a block.
    var block: Block?
    var start = 0
    var end = 0
    /// Whether the transform may have more to hand over without more bytes.
    var mayHaveMore = false
    /// What the transform has handed over before anybody has asked for it: the bytes from `heardStart` to `heardEnd`.
    private var heard: Block?
    private var heardStart = 0
    private var heardEnd = 0
    /// How many of the bytes that wait to be sent the transform has taken; they wait until what it made of them has left.
    var encodedByteCount = 0
    var wasReady = false
    /// Whether the peer is told when the stream is closed: not where it is to see an error.
    var mayTakeLeave = true

    init(_ transform: any StreamTransform) {
        self.transform = transform
    }

    var hasInput: Bool { start < end || mayHaveMore || hasHeard }

    /// Whether something has been handed over that nobody has asked for yet.
    var hasHeard: Bool { heardStart < heardEnd }

    /// Whether reading goes on although nobody has asked for bytes.
    var readsOnItsOwn: Bool { !transform.isReady }

    /// Keeps what the transform has put into a block, for the next who asks.
    func keepHeard(_ block: consuming Block, byteCount: Int) {
        heard = consume block
        (heardStart, heardEnd) = (0, byteCount)
    }

    /// Takes back the block with what has been kept, or what is left of it.
    func takeHeard() -> Block? {
        (heardStart, heardEnd) = (0, 0)
        return heard.take()
    }

    /// Lends the transform what has come, unless something has been kept: that comes first.
    func receive(into room: UnsafeMutableRawBufferPointer) -> TransformReading {
        if hasHeard, let base = unsafe heard?.base, let destination = room.baseAddress {
            let count = min(room.count, heardEnd - heardStart)
            // SAFETY: the bytes up to `heardEnd` lie inside the block, and there is room for as many as these.
            unsafe destination.copyMemory(from: base + heardStart, byteCount: count)
            heardStart += count
            if !hasHeard { heard = nil }
            return TransformReading(takenByteCount: 0, filledByteCount: count, stop: .needsRoom)
        }
        var bytes = RawSpan()
        // SAFETY: the bytes up to `end` lie inside the block, which is held here for as long as the call lasts.
        if let base = unsafe block?.base { bytes = unsafe RawSpan(_unsafeStart: base + start, byteCount: end - start) }
        let reading = unsafe transform.receive(bytes, into: room)
        start += reading.takenByteCount
        mayHaveMore = reading.stop == .needsRoom
        return reading
    }
}
