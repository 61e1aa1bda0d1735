// SPDX-License-Identifier: Apache-2.0

extension [UInt8] {
    /// Makes an array of exactly `byteCount` bytes, with one allocation.
    ///
    /// - Parameter write: Writes every byte; fewer is a mistake of the caller and stops the program.
    @inlinable
    public init(byteCount: Int, writing write: (inout ByteWriter) -> Void) {
        self.init(capacity: byteCount) { output in
            output.fill(byteCount: byteCount, writing: write)
        }
    }

    /// Appends exactly `byteCount` bytes; an array that has the capacity is not allocated again.
    @inlinable
    public mutating func append(byteCount: Int, writing write: (inout ByteWriter) -> Void) {
        append(addingCapacity: byteCount) { output in
            output.fill(byteCount: byteCount, writing: write)
        }
    }
}

extension OutputSpan<UInt8> {
    @inlinable @inline(__always)
    mutating func fill(byteCount: Int, writing write: (inout ByteWriter) -> Void) {
        unsafe withUnsafeMutableBufferPointer { buffer, initializedCount in
            unsafe ByteWriter.fill(
                UnsafeMutableRawBufferPointer(buffer), &initializedCount, byteCount: byteCount, writing: write)
        }
    }
}

extension OutputRawSpan {
    /// Appends exactly `byteCount` bytes.
    ///
    /// - Throws: ``CodecError/Reason/bufferTooSmall(needed:available:)``, and then nothing was written.
    @inlinable @inline(__always)
    public mutating func append(byteCount: Int, writing write: (inout ByteWriter) -> Void) throws(CodecError) {
        guard byteCount <= freeCapacity else { throw bufferTooSmall(byteCount) }
        unsafe withUnsafeMutableBytes { buffer, initializedCount in
            unsafe ByteWriter.fill(buffer, &initializedCount, byteCount: byteCount, writing: write)
        }
    }

    @usableFromInline @inline(never)
    func bufferTooSmall(_ needed: Int) -> CodecError {
        CodecError(.bufferTooSmall(needed: needed, available: freeCapacity))
    }
}

extension ByteWriter {
    /// Writes exactly `byteCount` bytes behind the initialised ones of a buffer that has the room.
    @inlinable @inline(__always)
    @unsafe
    static func fill(
        _ buffer: UnsafeMutableRawBufferPointer, _ initializedCount: inout Int, byteCount: Int,
        writing write: (inout ByteWriter) -> Void
    ) {
        guard var writer = unsafe ByteWriter(buffer, behind: initializedCount, byteCount: byteCount) else { return }
        write(&writer)
        writer.requireFull()
        initializedCount &+= byteCount
    }

    /// Makes a writer of the next `byteCount` bytes of a buffer, which must have the room and outlive it.
    ///
    /// Nil for a buffer without memory, which has room for nothing.
    @inlinable @inline(__always)
    @_lifetime(immortal)
    @unsafe
    init?(_ buffer: UnsafeMutableRawBufferPointer, behind initializedCount: Int, byteCount: Int) {
        precondition(byteCount >= 0 && byteCount <= buffer.count &- initializedCount, "no room")
        guard let base = buffer.baseAddress else { return nil }
        // SAFETY: the room lies inside the buffer, by the precondition.
        unsafe self.init(base: base + initializedCount, capacity: byteCount)
    }

    /// Stops the program when something measured was not written, which would be read as it lies in memory.
    @inlinable @inline(__always)
    func requireFull() {
        precondition(position == capacity, "less is written than was measured")
    }
}
