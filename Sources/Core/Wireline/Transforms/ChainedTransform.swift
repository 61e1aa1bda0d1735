// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// One transform on top of another, such as a WebSocket over TLS. Only the loop's thread uses it.
///
///     packets <-> upper <-> lower <-> wire
///
/// The bytes between the two are the output of one call of the lower transform, until the upper one takes them. They
/// are 16 KiB at most, and none while the connection is idle.
final class ChainedTransform: ConnectionTransform {
    let lower: any ConnectionTransform
    let upper: any ConnectionTransform
    var onReady: (() -> Void)?
    /// Called once, when the lower transform is ready and the upper one begins.
    var onLowerReady: (() -> Void)?

    /// The lower transform's output, from `middleStart` on.
    private var middle: [UInt8] = []
    private var middleStart = 0
    private var hasUpperBegun = false
    /// Whether the upper transform may return more without new bytes.
    private var mayUpperHaveMore = false
    private var hasLowerEnded = false

    /// The most bytes that the lower transform returns at once: one TLS record (RFC 8446 §5.1).
    private static let middleByteCount = 16 * 1024

    init(_ upper: any ConnectionTransform, over lower: any ConnectionTransform) {
        self.lower = lower
        self.upper = upper
    }

    var isReady: Bool { lower.isReady && upper.isReady }

    /// The upper transform's output moves to the lower one at once, as far as it fits.
    var hasOutput: Bool { lower.hasOutput }

    var heldOutputByteCount: Int { lower.heldOutputByteCount + upper.heldOutputByteCount }

    var owesEnd: Bool { lower.owesEnd || upper.owesEnd }

    var endsSocketOutput: Bool { upper.endsSocketOutput }

    var connectionFailure: ConnectionError? { lower.connectionFailure ?? upper.connectionFailure }

    var isCut: Bool { lower.isCut || upper.isCut }

    func start() throws(TransformFailure) {
        try lower.start()
        try beginUpper()
    }

    private func beginUpper() throws(TransformFailure) {
        guard lower.isReady, !hasUpperBegun else { return }
        hasUpperBegun = true
        onLowerReady.take()?()
        try upper.start()
        try passDown()
    }

    // MARK: Reading

    func receive(_ bytes: RawSpan, into room: UnsafeMutableRawBufferPointer) -> TransformReading {
        var (takenByteCount, filledByteCount) = (0, 0)
        while true {
            // SAFETY: `readUpper` writes only to the room after `filledByteCount`.
            if let stop = unsafe readUpper(room, &filledByteCount) {
                return TransformReading(
                    takenByteCount: takenByteCount, filledByteCount: filledByteCount, stop: stop)
            }
            let rest = bytes.extracting(droppingFirst: takenByteCount)
            let reading = readLower(rest)
            takenByteCount += reading.takenByteCount
            let stop: TransformReading.Stop?
            do throws(TransformFailure) {
                try beginUpper()
                stop = reading.filledByteCount > 0 ? nil : try step(reading.stop)
            } catch {
                stop = .failed
            }
            if let stop {
                return TransformReading(
                    takenByteCount: takenByteCount, filledByteCount: filledByteCount, stop: stop)
            }
        }
    }

    /// The stop of this transform after the lower one stopped without output; nil: continue.
    private func step(_ stop: TransformReading.Stop) throws(TransformFailure) -> TransformReading.Stop? {
        guard stop == .ended, !hasLowerEnded else { return stop == .needsRoom ? nil : stop }
        hasLowerEnded = true
        try upper.endOfInput()
        return .ended
    }

    /// Passes the bytes in the middle to the upper transform.
    ///
    /// - Returns: The reason why it stopped; nil if it needs more bytes.
    private func readUpper(
        _ room: UnsafeMutableRawBufferPointer, _ filledByteCount: inout Int
    ) -> TransformReading.Stop? {
        guard middleStart < middle.count || mayUpperHaveMore else { return nil }
        // SAFETY: `filledByteCount` is at most the room's count, and `lent` keeps its bytes, which have no padding.
        let free = unsafe UnsafeMutableRawBufferPointer(rebasing: room[filledByteCount...])
        let lent = middle
        let bytes = unsafe lent.span.bytes
        let reading = unsafe upper.receive(bytes.extracting(droppingFirst: middleStart), into: free)
        middleStart += reading.takenByteCount
        filledByteCount += reading.filledByteCount
        mayUpperHaveMore = reading.stop == .needsRoom
        if middleStart == middle.count { (middle, middleStart) = ([], 0) }
        // Answers to pings must leave even if the stream has nothing to send, and the peer must learn why nothing
        // follows.
        let hasPassedDown = (try? passDown()) != nil
        guard hasPassedDown else { return .failed }
        return reading.stop == .needsBytes ? nil : reading.stop
    }

    private func readLower(_ bytes: RawSpan) -> TransformReading {
        guard lower.isReady else {
            return unsafe lower.receive(bytes, into: UnsafeMutableRawBufferPointer(start: nil, count: 0))
        }
        var reading: TransformReading?
        middle = unsafe [UInt8](unsafeUninitializedCapacity: Self.middleByteCount) { buffer, filledByteCount in
            // SAFETY: the lower transform reports how much of the buffer it has filled.
            let result = unsafe lower.receive(bytes, into: UnsafeMutableRawBufferPointer(buffer))
            filledByteCount = result.filledByteCount
            reading = result
        }
        middleStart = 0
        if middle.isEmpty { middle = [] }
        guard let reading else { preconditionFailure("the buffer was never lent") }
        return reading
    }

    func endOfInput() throws(TransformFailure) {
        try lower.endOfInput()
        try upper.endOfInput()
    }

    // MARK: Writing

    func send(_ bytes: RawSpan) throws(TransformFailure) -> Int {
        let count = try upper.send(bytes)
        try passDown()
        return count
    }

    func sendShared(_ bytes: RawSpan, _ frames: SharedFrames) -> Bool {
        guard upper.sendShared(bytes, frames) else { return false }
        // The lower transform keeps an error of this call, and throws it in the next one.
        try? passDown()
        return true
    }

    /// Ends the upper transform's output. The lower one continues until ``queueClosingMessage()``, for the peer's
    /// answer.
    func endOutput() throws(TransformFailure) {
        try upper.endOutput()
        try passDown()
    }

    func queueClosingMessage() {
        upper.queueClosingMessage()
        // An error does not matter here: the socket is closed next.
        try? passDown()
        lower.queueClosingMessage()
    }

    func withOutput(_ body: (RawSpan) -> Int) {
        lower.withOutput(body)
        // The lower transform keeps an error of this call, and throws it in the next one.
        try? passDown()
    }

    /// Passes the upper transform's output to the lower one, as far as it fits.
    private func passDown() throws(TransformFailure) {
        var failure: TransformFailure?
        var isTaken = true
        while lower.isReady, isTaken, failure == nil, upper.hasOutput {
            upper.withOutput { bytes in
                do throws(TransformFailure) {
                    let count = try lower.send(bytes)
                    isTaken = count > 0
                    return count
                } catch {
                    failure = error
                    return 0
                }
            }
        }
        if let failure { throw failure }
    }
}
