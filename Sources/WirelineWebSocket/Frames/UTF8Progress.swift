// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// How far a text has come that arrives in pieces, cut anywhere, also inside characters (Unicode 16, table 3-7).
struct UTF8Progress: Sendable {
    /// Where the text stands behind what was taken.
    private var state = UTF8Automaton.State.betweenCharacters

    /// Whether the text could end here.
    var isBetweenCharacters: Bool { state == .betweenCharacters }

    /// Takes the next bytes.
    ///
    /// - Returns: How many were taken: all, or those in front of the first that no text can have there.
    mutating func receive(_ bytes: RawSpan) -> Int {
        var offset = 0
        while !isBetweenCharacters, offset < bytes.byteCount {
            guard step(bytes, offset) else { return offset }
            offset += 1
        }
        offset += bytes.extracting(droppingFirst: offset).validUTF8ByteCount
        // What is left is a character that is not whole, or not valid.
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
