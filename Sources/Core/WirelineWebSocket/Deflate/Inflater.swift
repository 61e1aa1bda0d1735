// SPDX-License-Identifier: Apache-2.0

import WirelineLibraries

/// Decompresses the peer's messages (RFC 1951, without zlib's header).
final class Inflater {
    struct Step {
        /// The number of input bytes taken, and of output bytes written.
        let takenByteCount: Int
        let filledByteCount: Int
        /// Whether the following data is damaged; the output came before the damage.
        var isDamaged = false
    }

    private let stream: ZlibInflation

    /// Whether more output may come without more input.
    private(set) var mayHaveMore = false
    /// Whether the last input ended the stream; the next input begins another stream.
    private(set) var hasJustEnded = false

    /// - Throws: ``WebSocketError/deflateUnavailable(reason:)`` if memory is exhausted.
    init(windowBits: Int) throws(WebSocketError) {
        do {
            stream = try ZlibInflation(Zlib.shared.get(), .none, windowBits: windowBits)
        } catch {
            throw WebSocketError(error)
        }
    }

    /// Whether the input so far ends with a complete block.
    var isBetweenBlocks: Bool { stream.isBetweenBlocks }

    /// Decompresses until the input ends or the buffer is full.
    ///
    /// - Parameter destination: The buffer; it must not be empty.
    func inflate(_ source: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer) -> Step {
        // SAFETY: the caller lends both buffers for the whole call.
        let result = unsafe stream.inflate(source, into: destination)
        var step = Step(takenByteCount: result.takenByteCount, filledByteCount: result.filledByteCount)
        switch result.progress {
        case .isIncomplete:
            mayHaveMore = result.hasFilledRoom
            hasJustEnded = hasJustEnded && step.takenByteCount == 0
        case .hasEnded:
            // A final block may come anywhere (RFC 7692 §7.2.3.5), and later blocks may refer to data before it.
            step.isDamaged = !stream.restart()
            mayHaveMore = false
            hasJustEnded = true
        case .isDamaged: step.isDamaged = true
        }
        return step
    }
}
