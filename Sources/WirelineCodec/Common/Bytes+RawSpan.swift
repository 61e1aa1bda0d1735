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
}
