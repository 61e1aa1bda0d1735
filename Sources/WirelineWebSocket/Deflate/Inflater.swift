// SPDX-License-Identifier: Apache-2.0

/// Decompresses what the peer sends (RFC 1951, without zlib's header).
@safe
final class Inflater {
    struct Step {
        /// The number of input bytes taken, and of output bytes written.
        let takenByteCount: Int
        let filledByteCount: Int
        /// Whether the following data is damaged; the output came before the damage.
        var isDamaged = false
    }

    private let zlib: Zlib
    /// The stream must not move: zlib keeps its address.
    private let stream: UnsafeMutablePointer<ZlibStream>

    /// Whether more output may come without more input.
    private(set) var mayHaveMore = false
    /// Whether the last input ended the stream; the next input begins another stream.
    private(set) var hasJustEnded = false

    /// - Throws: ``WebSocketError/deflateUnavailable(reason:)`` if memory is exhausted.
    init(windowBits: Int) throws(WebSocketError) {
        zlib = try Zlib.shared.get()
        // SAFETY: the memory is this object's own until `deinit`; zlib compares the size given with that of its own
        // `z_stream`.
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: ZlibStream())
        // A negative number means: no header.
        let status = unsafe zlib.initializeInflation(
            stream, CInt(-windowBits), zlib.version(), CInt(MemoryLayout<ZlibStream>.size))
        // If this throws, `deinit` frees the memory.
        guard status == ZlibConstant.isFine else {
            throw .deflateUnavailable(reason: "zlib gives up with \(status)")
        }
    }

    deinit {
        // SAFETY: zlib frees only its own state, and refuses a stream that it has not initialised. The memory is not used
        // later.
        _ = unsafe zlib.endInflation(stream)
        unsafe stream.deallocate()
    }

    /// Whether the input so far ends with a complete block.
    var isBetweenBlocks: Bool {
        // zlib.h at `inflate`: 128 is added after the end of a block.
        // SAFETY: `init` has initialised the stream, which lives as long as this object.
        unsafe stream.pointee.dataType & 128 != 0
    }

    /// Decompresses until the input ends or the buffer is full.
    ///
    /// - Parameter destination: The buffer; it must not be empty.
    func inflate(_ source: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer) -> Step {
        let (sourceByteCount, roomByteCount) = (UInt32(clamping: source.count), UInt32(clamping: destination.count))
        // SAFETY: zlib reads and writes at most this many bytes, and none after the call.
        unsafe stream.pointee.nextInput = source.baseAddress?.assumingMemoryBound(to: UInt8.self)
        unsafe stream.pointee.inputByteCount = sourceByteCount
        unsafe stream.pointee.nextOutput = destination.baseAddress?.assumingMemoryBound(to: UInt8.self)
        unsafe stream.pointee.outputByteCount = roomByteCount
        let status = unsafe zlib.inflate(stream, ZlibConstant.syncFlush)
        var step = unsafe Step(
            takenByteCount: Int(sourceByteCount - stream.pointee.inputByteCount),
            filledByteCount: Int(roomByteCount - stream.pointee.outputByteCount))
        switch status {
        // A buffer error means that there was no input.
        case ZlibConstant.isFine, ZlibConstant.bufferError:
            mayHaveMore = step.filledByteCount == Int(roomByteCount)
            hasJustEnded = hasJustEnded && step.takenByteCount == 0
        case ZlibConstant.streamEnd:
            // A final block may come anywhere (RFC 7692 §7.2.3.5), and later blocks may refer to data before it.
            step.isDamaged = unsafe zlib.restartInflation(stream) != ZlibConstant.isFine
            mayHaveMore = false
            hasJustEnded = true
        default: step.isDamaged = true
        }
        return step
    }
}
