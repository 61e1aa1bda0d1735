// SPDX-License-Identifier: Apache-2.0

extension [UInt8] {
    /// Makes an array of exactly `byteCount` bytes, with one allocation.
    ///
    /// - Parameter write: Writes every byte; writing fewer is a mistake of the caller and stops the program.
    @inlinable
    public init(byteCount: Int, writing write: (inout ByteWriter) -> Void) {
        self.init(capacity: byteCount) { output in
            output.fill(byteCount: byteCount, writing: write)
        }
    }

    /// Appends exactly `byteCount` bytes; allocates only if the array lacks the capacity.
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
        // SAFETY: the closure keeps nothing of the buffer, and `fill` counts only bytes that it has written.
        unsafe withUnsafeMutableBufferPointer { buffer, initializedCount in
            unsafe ByteWriter.fill(
                UnsafeMutableRawBufferPointer(buffer), &initializedCount, byteCount: byteCount, writing: write)
        }
    }
}

extension OutputRawSpan {
    /// Appends exactly `byteCount` bytes.
    ///
    /// - Throws: ``CodecError/Reason/bufferTooSmall(needed:available:)``; nothing has been written then.
    @inlinable @inline(__always)
    public mutating func append(byteCount: Int, writing write: (inout ByteWriter) -> Void) throws(CodecError) {
        guard byteCount <= freeCapacity else { throw bufferTooSmall(byteCount) }
        // SAFETY: the closure keeps nothing of the buffer, and `fill` counts only bytes that it has written.
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
    /// The buffer must have the capacity.
    @inlinable @inline(__always)
    @unsafe
    static func fill(
        _ buffer: UnsafeMutableRawBufferPointer, _ initializedCount: inout Int, byteCount: Int,
        writing write: (inout ByteWriter) -> Void
    ) {
        // SAFETY: the buffer outlives the writer, which ends with this function.
        guard var writer = unsafe ByteWriter(buffer, behind: initializedCount, byteCount: byteCount) else { return }
        write(&writer)
        writer.requireFull()
        initializedCount &+= byteCount
    }

    /// Makes a writer for the next `byteCount` bytes of a buffer, which must have that capacity and outlive the writer.
    ///
    /// Nil for a buffer without memory, whose capacity is 0.
    @inlinable @inline(__always)
    @_lifetime(immortal)
    @unsafe
    init?(_ buffer: UnsafeMutableRawBufferPointer, behind initializedCount: Int, byteCount: Int) {
        precondition(byteCount >= 0 && byteCount <= buffer.count &- initializedCount, "no room")
        guard let base = buffer.baseAddress else { return nil }
        // SAFETY: the bytes lie inside the buffer, by the precondition.
        unsafe self.init(base: base + initializedCount, capacity: byteCount)
    }

    /// Stops the program if fewer bytes were written than measured: the caller would read uninitialised memory.
    @inlinable @inline(__always)
    func requireFull() {
        precondition(position == capacity, "less is written than was measured")
    }
}
