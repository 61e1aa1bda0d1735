// SPDX-License-Identifier: Apache-2.0

/// The state of a stream that zlib decompresses. It takes about 40 KB, and is kept for later streams.
@safe
package struct ZlibInflation: StreamInflation, ~Copyable {
    private let zlib: Zlib
    /// The stream must not move, because zlib keeps its address.
    private let stream: UnsafeMutablePointer<ZlibStream>

    /// - Parameter windowBits: The size of the window in bytes, as a power of two from 8 to 15.
    /// - Throws: A failure with ``LibraryFailure/Cause/gaveUp(status:)`` if memory is exhausted.
    package init(_ zlib: Zlib, _ wrapper: ZlibWrapper, windowBits: Int = 15) throws(LibraryFailure) {
        // SAFETY: the memory is this value's own until `deinit`, or until zlib refuses it; zlib compares the size given
        // with that of its own `z_stream`.
        let stream = UnsafeMutablePointer<ZlibStream>.allocate(capacity: 1)
        unsafe stream.initialize(to: ZlibStream())
        let status = unsafe zlib.initializeInflation(
            stream, wrapper.code(windowBits: windowBits), zlib.version(), CInt(MemoryLayout<ZlibStream>.size))
        if status != ZlibConstant.isFine { unsafe stream.deallocate() }
        try zlib.require(status)
        self.zlib = zlib
        unsafe self.stream = stream
    }

    deinit {
        // SAFETY: `init` has initialised the stream. The memory is not used later.
        _ = unsafe zlib.endInflation(stream)
        unsafe stream.deallocate()
    }

    /// Whether the input so far ends at the end of a block.
    package var isBetweenBlocks: Bool {
        // zlib adds 128 after the end of a block (zlib.h at `inflate`).
        // SAFETY: `init` has initialised the stream, which lives as long as this value.
        unsafe stream.pointee.dataType & 128 != 0
    }

    /// Decompresses until the input ends or the buffer is full.
    ///
    /// - Parameter destination: The buffer. It must not be empty.
    package func inflate(
        _ source: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer
    ) -> InflationStep {
        let (sourceByteCount, roomByteCount) = (UInt32(clamping: source.count), UInt32(clamping: destination.count))
        // SAFETY: zlib reads and writes at most this many bytes, and none after the call.
        unsafe stream.pointee.nextInput = source.baseAddress?.assumingMemoryBound(to: UInt8.self)
        unsafe stream.pointee.inputByteCount = sourceByteCount
        unsafe stream.pointee.nextOutput = destination.baseAddress?.assumingMemoryBound(to: UInt8.self)
        unsafe stream.pointee.outputByteCount = roomByteCount
        let status = unsafe zlib.inflate(stream, ZlibFlush.sync.rawValue)
        let progress: InflationStep.Progress =
            switch status {
            // A buffer error means that there was no input or no space for output.
            case ZlibConstant.isFine, ZlibConstant.bufferError: .isIncomplete
            case ZlibConstant.streamEnd: .hasEnded
            default: .isDamaged
            }
        return unsafe InflationStep(
            takenByteCount: Int(sourceByteCount - stream.pointee.inputByteCount),
            filledByteCount: Int(roomByteCount - stream.pointee.outputByteCount),
            hasFilledRoom: stream.pointee.outputByteCount == 0, progress: progress)
    }

    /// Resets the stream for another one. The memory is kept.
    package func reset() {
        // SAFETY: `init` has initialised the stream. zlib refuses only one that was not.
        _ = unsafe zlib.resetInflation(stream)
    }

    /// Prepares for another stream that may refer to the content of this one.
    ///
    /// - Returns: Whether zlib has accepted this.
    package func restart() -> Bool {
        // SAFETY: as above.
        unsafe zlib.restartInflation(stream) == ZlibConstant.isFine
    }
}
