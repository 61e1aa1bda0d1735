// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLibraries

extension StreamInflation where Self: ~Copyable {
    /// Inflates bytes that are one whole stream; see ``WholeInflation``.
    func inflateWhole(_ sealed: RawSpan, limit: Int) throws(CodecError) -> [UInt8] {
        var whole = WholeInflation(sealed.byteCount, limit: limit)
        while try !whole.step(sealed, with: self) {}
        return whole.content
    }
}

/// One whole stream that is inflated in steps.
///
/// Memory grows with the content: it is at most four times the input or twice the content so far, and never more than
/// the limit. The work is in proportion to the bytes of input and output. At worst, a stream of blocks that have tables
/// and no content takes nine times as long for a byte of input as a usual stream does (330 ns, zlib 1.2.13).
struct WholeInflation {
    /// The most bytes that a step takes and makes: at worst 3 ms of work.
    private static let mostTakenByteCount = 8 << 10
    private static let mostMadeByteCount = 256 << 10
    /// Enough for most small packets, so that they are inflated in one step.
    private static let smallestCapacity = 256

    private let limit: Int
    /// The output so far.
    private(set) var content: [UInt8] = []
    private var takenByteCount = 0

    /// - Parameters:
    ///   - byteCount: That of the stream.
    ///   - limit: The most bytes of content. A longer content is refused, and takes no memory beyond the limit.
    init(_ byteCount: Int, limit: Int) {
        self.limit = limit
        content.reserveCapacity(min(limit, max(Self.smallestCapacity, 4 * byteCount)))
    }

    /// - Parameter sealed: The whole stream; each step gets the same.
    /// - Returns: Whether ``content`` is whole.
    /// - Throws: ``CodecError/Reason/invalidLayer(_:)``, ``CodecError/Reason/trailingBytes(count:)`` or
    ///   ``CodecError/Reason/inflatedTooLong(limit:)``.
    mutating func step<Stream: StreamInflation & ~Copyable>(
        _ sealed: RawSpan, with stream: borrowing Stream
    ) throws(CodecError) -> Bool {
        let isFull = content.count == limit
        let source = sealed.extracting(droppingFirst: takenByteCount).extracting(first: Self.mostTakenByteCount)
        // SAFETY: the bytes are lent until the closure returns.
        let step = unsafe source.withUnsafeBytes { source in unsafe inflate(source, with: stream) }
        takenByteCount += step.takenByteCount
        if isFull, step.filledByteCount > 0 { throw CodecError(.inflatedTooLong(limit: limit)) }
        switch step.progress {
        case .hasEnded:
            let count = sealed.byteCount - takenByteCount
            guard count == 0 else { throw CodecError(.trailingBytes(count: count)) }
            return true
        case .isDamaged: throw CodecError(.invalidLayer(.damaged))
        case .isIncomplete:
            if step.takenByteCount == 0, step.filledByteCount == 0 { throw CodecError(.invalidLayer(.cut)) }
            return false
        }
    }

    private mutating func inflate<Stream: StreamInflation & ~Copyable>(
        _ source: UnsafeRawBufferPointer, with stream: borrowing Stream
    ) -> InflationStep {
        guard content.count < limit else {
            // A stream may end here. To find that out, it gets room for a byte that is dropped.
            var extra: UInt8 = 0
            // SAFETY: `source` is lent by the caller, and the byte until the closure returns.
            return unsafe withUnsafeMutableBytes(of: &extra) { room in unsafe stream.inflate(source, into: room) }
        }
        if content.count == content.capacity { content.reserveCapacity(min(limit, 2 * content.count)) }
        let roomByteCount = min(Self.mostMadeByteCount, min(limit, content.capacity) - content.count)
        var step = InflationStep(takenByteCount: 0, filledByteCount: 0, hasFilledRoom: false, progress: .isDamaged)
        content.append(addingCapacity: roomByteCount) { output in
            // SAFETY: the output has this capacity, and the stream writes no more. It returns how many it has written.
            unsafe output.withUnsafeMutableBufferPointer { room, filledByteCount in
                let room = unsafe UnsafeMutableRawBufferPointer(start: room.baseAddress, count: roomByteCount)
                unsafe step = stream.inflate(source, into: room)
                filledByteCount = step.filledByteCount
            }
        }
        return step
    }
}
