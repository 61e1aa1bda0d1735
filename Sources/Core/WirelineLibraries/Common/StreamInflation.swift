// SPDX-License-Identifier: Apache-2.0

/// A compressed stream that is read piece by piece.
package protocol StreamInflation: ~Copyable {
    /// Inflates until the input ends or the buffer is full.
    ///
    /// - Parameter destination: The buffer; it must not be empty.
    func inflate(_ source: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer) -> InflationStep
}

/// What one call has done with a compressed stream.
package struct InflationStep {
    /// How far a stream has come.
    package enum Progress {
        /// It needs more input or more room.
        case isIncomplete
        case hasEnded
        /// The following data is damaged, or needs a dictionary; the output came before the damage.
        case isDamaged
    }

    /// The number of input bytes taken, and of output bytes written.
    package let takenByteCount: Int
    package let filledByteCount: Int
    /// Whether the buffer is full, so that more output may come without more input.
    package let hasFilledRoom: Bool
    package let progress: Progress

    package init(takenByteCount: Int, filledByteCount: Int, hasFilledRoom: Bool, progress: Progress) {
        self.takenByteCount = takenByteCount
        self.filledByteCount = filledByteCount
        self.hasFilledRoom = hasFilledRoom
        self.progress = progress
    }
}
