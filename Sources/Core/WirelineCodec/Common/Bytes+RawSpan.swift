// SPDX-License-Identifier: Apache-2.0

extension UnsafeRawBufferPointer {
    /// The standard library compares byte by byte; this compares eight at a time.
    @unsafe
    package func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        var offset = 0
        // SAFETY: both have `count` bytes, and no byte at or after that is read.
        while offset + 8 <= count {
            let left = unsafe loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            guard unsafe left == other.loadUnaligned(fromByteOffset: offset, as: UInt64.self) else { return false }
            offset += 8
        }
        while offset < count {
            guard unsafe self[offset] == other[offset] else { return false }
            offset += 1
        }
        return true
    }
}

extension [UInt8] {
    package var rawSpan: RawSpan {
        @_lifetime(borrow self)
        get {
            // SAFETY: an array of bytes has neither padding nor uninitialised bytes.
            unsafe span.bytes
        }
    }

    package mutating func append(_ bytes: RawSpan) {
        // SAFETY: the buffer is copied before it ends.
        unsafe bytes.withUnsafeBytes { buffer in unsafe append(contentsOf: buffer) }
    }
}
