// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// Checks text that arrives in pieces, split anywhere, also inside characters (Unicode 16, table 3-7).
struct UTF8Progress: Sendable {
    private var state = UTF8Automaton.State.betweenCharacters

    /// Whether the text may end here.
    var isBetweenCharacters: Bool { state == .betweenCharacters }

    /// Takes the next bytes.
    ///
    /// - Returns: The number of bytes taken: all, or those before the first invalid byte.
    mutating func receive(_ bytes: RawSpan) -> Int {
        var offset = 0
        while !isBetweenCharacters, offset < bytes.byteCount {
            guard step(bytes, offset) else { return offset }
            offset += 1
        }
        offset += bytes.extracting(droppingFirst: offset).validUTF8ByteCount
        // The rest is an incomplete or invalid character.
        while offset < bytes.byteCount {
            guard step(bytes, offset) else { return offset }
            offset += 1
        }
        return offset
    }

    private mutating func step(_ bytes: RawSpan, _ offset: Int) -> Bool {
        // SAFETY: callers compare the offset with byteCount.
        let next = state.next(unsafe bytes.unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self))
        guard next != .invalid else { return false }
        state = next
        return true
    }
}
