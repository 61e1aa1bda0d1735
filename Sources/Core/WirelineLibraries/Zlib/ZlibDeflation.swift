// SPDX-License-Identifier: Apache-2.0

/// The state of a stream that zlib compresses. It takes up to 256 KB, and is kept for later streams.
@safe
package struct ZlibDeflation: ~Copyable {
    private let zlib: Zlib
    /// The stream must not move, because zlib keeps its address.
    private let stream: UnsafeMutablePointer<ZlibStream>

    /// - Parameters:
    ///   - level: From 0 (no compression) to 9; nil for zlib's default, which is 6.
    ///   - windowBits: The size of the window in bytes, as a power of two from 9 to 15.
    /// - Throws: A failure with ``LibraryFailure/Cause/gaveUp(status:)`` if memory is exhausted.
    package init(
        _ zlib: Zlib, _ wrapper: ZlibWrapper, level: Int?, windowBits: Int = 15
    ) throws(LibraryFailure) {
        // SAFETY: the memory is this value's own until `deinit`, or until zlib refuses it; zlib compares the size given
        // with that of its own `z_stream`.
        let stream = UnsafeMutablePointer<ZlibStream>.allocate(capacity: 1)
        unsafe stream.initialize(to: ZlibStream())
        let status = unsafe zlib.initializeDeflation(
            stream, level.map { CInt($0) } ?? ZlibConstant.defaultLevel, ZlibConstant.deflated,
            wrapper.code(windowBits: windowBits), ZlibConstant.defaultMemoryLevel, ZlibConstant.defaultStrategy,
            zlib.version(), CInt(MemoryLayout<ZlibStream>.size))
        if status != ZlibConstant.isFine { unsafe stream.deallocate() }
        try zlib.require(status)
        self.zlib = zlib
        unsafe self.stream = stream
    }

    deinit {
        // SAFETY: `init` has initialised the stream. The memory is not used later.
        _ = unsafe zlib.endDeflation(stream)
        unsafe stream.deallocate()
    }

    /// Compresses bytes, and appends zlib's output to an array.
    ///
    /// - Throws: A failure with ``LibraryFailure/Cause/gaveUp(status:)``.
    package func deflate(
        _ content: RawSpan, then flush: ZlibFlush, into compressed: inout [UInt8]
    ) throws(LibraryFailure) {
        // SAFETY: zlib reads all of the lent bytes, and has none of them when the closure returns.
        let status = unsafe content.withUnsafeBytes { source in
            unsafe run(source, flush, into: &compressed)
        }
        try zlib.require(status)
    }

    /// Resets the stream for another one. The memory is kept.
    package func reset() {
        // SAFETY: `init` has initialised the stream. zlib refuses only one that was not.
        _ = unsafe zlib.resetDeflation(stream)
    }

    private func run(_ source: UnsafeRawBufferPointer, _ flush: ZlibFlush, into compressed: inout [UInt8]) -> CInt {
        // zlib counts in 32 bits, so long input is passed in pieces.
        // SAFETY: `source` is lent for the whole call, and each piece has the count that zlib gets with its address.
        var rest = unsafe source[...]
        repeat {
            let piece = unsafe UnsafeRawBufferPointer(rebasing: rest.prefix(1 << 30))
            unsafe rest = rest.dropFirst(piece.count)
            unsafe stream.pointee.nextInput = piece.baseAddress?.assumingMemoryBound(to: UInt8.self)
            unsafe stream.pointee.inputByteCount = UInt32(piece.count)
            repeat {
                let status = unsafe step(rest.isEmpty ? flush : .none, into: &compressed)
                if status == ZlibConstant.streamEnd { return ZlibConstant.isFine }
                // zlib returns a buffer error if the last buffer was exactly large enough.
                guard status == ZlibConstant.isFine || status == ZlibConstant.bufferError else { return status }
            } while unsafe stream.pointee.outputByteCount == 0
        } while unsafe !rest.isEmpty
        return ZlibConstant.isFine
    }

    private func step(_ flush: ZlibFlush, into compressed: inout [UInt8]) -> CInt {
        var status = ZlibConstant.isFine
        let spareByteCount = compressed.capacity - compressed.count
        let roomByteCount =
            unsafe spareByteCount >= 64
            ? min(spareByteCount, 1 << 30) : max(64, min(64 * 1024, Int(stream.pointee.inputByteCount)))
        compressed.append(addingCapacity: roomByteCount) { output in
            unsafe output.withUnsafeMutableBufferPointer { room, filledByteCount in
                // SAFETY: zlib writes at most this many bytes, and none after the call.
                unsafe stream.pointee.nextOutput = room.baseAddress
                unsafe stream.pointee.outputByteCount = UInt32(roomByteCount)
                status = unsafe zlib.deflate(stream, flush.rawValue)
                filledByteCount = unsafe roomByteCount - Int(stream.pointee.outputByteCount)
            }
        }
        return status
    }
}
