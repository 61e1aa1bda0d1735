// SPDX-License-Identifier: Apache-2.0

/// Decompresses what one side of a connection sends (RFC 1951, without zlib's own header).
@safe
final class Inflater {
    struct Step {
        /// How many bytes of the input were taken, and how many bytes came out.
        let takenByteCount: Int
        let filledByteCount: Int
        /// Whether what follows is damaged; what has come out came before that.
        var isDamaged = false
    }

    private let zlib: Zlib
    /// It must not move: zlib remembers where it is.
    private let stream: UnsafeMutablePointer<ZlibStream>

    /// Whether more may come out without more going in.
    private(set) var mayHaveMore = false
    /// Whether the last bytes that went in ended the stream; the next ones begin another one.
    private(set) var hasJustEnded = false

    /// - Throws: ``WebSocketError/deflateUnavailable(reason:)`` where there is no memory.
    init(windowBits: Int) throws(WebSocketError) {
        zlib = try Zlib.shared.get()
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: ZlibStream())
        // Negative numbers: there is no header.
        let status = unsafe zlib.initializeInflation(
            stream, CInt(-windowBits), zlib.version(), CInt(MemoryLayout<ZlibStream>.size))
        guard status == ZlibConstant.isFine else {
            unsafe stream.deallocate()
            throw .deflateUnavailable(reason: "zlib gives up with \(status)")
        }
    }

    deinit {
        _ = unsafe zlib.endInflation(stream)
        unsafe stream.deallocate()
    }

    /// Whether what went in ended with a block.
    var isBetweenBlocks: Bool {
        // zlib.h at `inflate`: 128 is added behind the end of a block.
        unsafe stream.pointee.dataType & 128 != 0
    }

    /// Decompresses as much as there is, and as there is room for.
    ///
    /// - Parameter destination: There must be some room.
    func inflate(_ source: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer) -> Step {
        let (sourceByteCount, roomByteCount) = (UInt32(clamping: source.count), UInt32(clamping: destination.count))
        // SAFETY: zlib reads and writes up to these counts, and not after the call.
        unsafe stream.pointee.nextInput = source.baseAddress?.assumingMemoryBound(to: UInt8.self)
        unsafe stream.pointee.inputByteCount = sourceByteCount
        unsafe stream.pointee.nextOutput = destination.baseAddress?.assumingMemoryBound(to: UInt8.self)
        unsafe stream.pointee.outputByteCount = roomByteCount
        let status = unsafe zlib.inflate(stream, ZlibConstant.syncFlush)
        var step = unsafe Step(
            takenByteCount: Int(sourceByteCount - stream.pointee.inputByteCount),
            filledByteCount: Int(roomByteCount - stream.pointee.outputByteCount))
        switch status {
        // Nothing could be done, for there was no input.
        case ZlibConstant.isFine, ZlibConstant.bufferError:
            mayHaveMore = step.filledByteCount == Int(roomByteCount)
            hasJustEnded = hasJustEnded && step.takenByteCount == 0
        case ZlibConstant.streamEnd:
            // A last block may stand anywhere (RFC 7692 §7.2.3.5), and what came before may be looked back to behind it.
            step.isDamaged = unsafe zlib.restartInflation(stream) != ZlibConstant.isFine
            mayHaveMore = false
            hasJustEnded = true
        default: step.isDamaged = true
        }
        return step
    }
}
