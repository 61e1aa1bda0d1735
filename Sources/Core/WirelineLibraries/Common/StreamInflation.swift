// SPDX-License-Identifier: Apache-2.0

/// A compressed stream that is decompressed piece by piece.
package protocol StreamInflation: ~Copyable {
    /// Decompresses until the input ends or the buffer is full.
    ///
    /// - Parameter destination: The buffer. It must not be empty.
    func inflate(_ source: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer) -> InflationStep
}

/// The result of one call of ``StreamInflation/inflate(_:into:)``.
package struct InflationStep {
    package enum Progress {
        /// The stream needs more input or more space for output.
        case isIncomplete
        case hasEnded
        /// The rest of the stream is damaged or needs a dictionary. The output before the damage is valid.
        case isDamaged
    }

    /// The number of input bytes that were read, and of output bytes that were written.
    package let takenByteCount: Int
    package let filledByteCount: Int
    /// Whether the buffer is full. Then there may be more output without more input.
    package let hasFilledRoom: Bool
    package let progress: Progress

    package init(takenByteCount: Int, filledByteCount: Int, hasFilledRoom: Bool, progress: Progress) {
        self.takenByteCount = takenByteCount
        self.filledByteCount = filledByteCount
        self.hasFilledRoom = hasFilledRoom
        self.progress = progress
    }
}
