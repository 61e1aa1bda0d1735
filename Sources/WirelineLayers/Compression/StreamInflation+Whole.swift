// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLibraries

extension StreamInflation where Self: ~Copyable {
    /// Inflates bytes that are one whole stream.
    ///
    /// Memory grows with the content: it is at most four times the input or twice what was made so far, and never more
    /// than the limit. The work is in proportion to the bytes of input and output. At worst, a stream of blocks that have
    /// tables and no content takes nine times as long for a byte of input as a usual stream does (330 ns, zlib 1.2.13).
    ///
    /// - Parameter limit: The most bytes that are made. One more is refused, and takes no memory.
    /// - Throws: ``CodecError/Reason/invalidLayer(_:)``, ``CodecError/Reason/trailingBytes(count:)`` or
    ///   ``CodecError/Reason/inflatedTooLong(limit:)``.
    func inflateWhole(_ sealed: RawSpan, limit: Int) throws(CodecError) -> [UInt8] {
        var content: [UInt8] = []
        content.reserveCapacity(min(limit, max(Self.smallestCapacity, 4 * sealed.byteCount)))
        // SAFETY: the bytes are lent until the closure returns.
        let reason = unsafe sealed.withUnsafeBytes { source in
            unsafe fault(in: source, &content, limit: limit)
        }
        if let reason { throw CodecError(reason) }
        return content
    }

    private func fault(
        in source: UnsafeRawBufferPointer, _ content: inout [UInt8], limit: Int
    ) -> CodecError.Reason? {
        // SAFETY: `source` is lent by the caller; each step gets what the steps before it have left.
        var rest = unsafe source[...]
        while true {
            let isFull = content.count == limit
            let step = unsafe self.step(UnsafeRawBufferPointer(rebasing: rest), &content, limit: limit)
            unsafe rest = rest.dropFirst(step.takenByteCount)
            if isFull, step.filledByteCount > 0 { return .inflatedTooLong(limit: limit) }
            switch step.progress {
            case .hasEnded: return unsafe rest.isEmpty ? nil : .trailingBytes(count: rest.count)
            case .isDamaged: return .invalidLayer(.damaged)
            case .isIncomplete:
                if step.takenByteCount == 0, step.filledByteCount == 0 { return .invalidLayer(.cut) }
            }
        }
    }

    private func step(
        _ rest: UnsafeRawBufferPointer, _ content: inout [UInt8], limit: Int
    ) -> InflationStep {
        guard content.count < limit else {
            // A stream may end here. To find that out, it gets a byte that is not kept.
            var extra: UInt8 = 0
            // SAFETY: `rest` is lent by the caller, and the byte until the closure returns.
            return unsafe withUnsafeMutableBytes(of: &extra) { room in unsafe inflate(rest, into: room) }
        }
        if content.count == content.capacity { content.reserveCapacity(min(limit, 2 * content.count)) }
        let roomByteCount = min(limit, content.capacity) - content.count
        var step = InflationStep(takenByteCount: 0, filledByteCount: 0, hasFilledRoom: false, progress: .isDamaged)
        content.append(addingCapacity: roomByteCount) { output in
            // SAFETY: the output has this capacity, and the stream writes no more. It says how many bytes it has written.
            unsafe output.withUnsafeMutableBufferPointer { room, filledByteCount in
                let room = unsafe UnsafeMutableRawBufferPointer(start: room.baseAddress, count: roomByteCount)
                unsafe step = inflate(rest, into: room)
                filledByteCount = step.filledByteCount
            }
        }
        return step
    }

    /// Enough for most small packets, so that they are inflated in one step.
    private static var smallestCapacity: Int { 256 }
}
