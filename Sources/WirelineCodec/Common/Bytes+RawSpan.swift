// SPDX-License-Identifier: Apache-2.0

extension [UInt8] {
    /// The array's bytes, borrowed.
    package var rawSpan: RawSpan {
        @_lifetime(borrow self)
        get {
            // SAFETY: an array of bytes has neither padding nor uninitialised bytes.
            unsafe span.bytes
        }
    }

    /// Appends borrowed bytes.
    package mutating func append(_ bytes: RawSpan) {
        // SAFETY: the buffer is copied before it ends.
        unsafe bytes.withUnsafeBytes { buffer in unsafe append(contentsOf: buffer) }
    }
}
