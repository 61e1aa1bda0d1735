// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// How far a text has come that arrives in pieces, cut anywhere, also inside characters (Unicode 16, table 3-7).
struct UTF8Progress: Sendable {
    /// How many bytes the character that has begun still needs.
    private var neededByteCount: UInt8 = 0
    /// Between which the next of them must be.
    private var lowest: UInt8 = 0x80
    private var highest: UInt8 = 0xBF

    /// Whether the text could end here.
    var isBetweenCharacters: Bool { neededByteCount == 0 }

    /// Takes the next bytes.
    ///
    /// - Returns: How many were taken: all, or those in front of the first that no text can have there.
    mutating func receive(_ bytes: RawSpan) -> Int {
        var offset = 0
        while neededByteCount > 0, offset < bytes.byteCount {
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
        let byte = unsafe bytes.unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self)
        if neededByteCount > 0 {
            guard lowest...highest ~= byte else { return false }
            neededByteCount -= 1
            (lowest, highest) = (0x80, 0xBF)
            return true
        }
        switch byte {
        case ..<0x80: break
        case 0xC2...0xDF: neededByteCount = 1
        case 0xE0...0xEF: neededByteCount = 2
        case 0xF0...0xF4: neededByteCount = 3
        default: return false
        }
        // The second byte alone rules out overlong forms, surrogates and numbers above U+10FFFF.
        lowest = byte == 0xE0 ? 0xA0 : byte == 0xF0 ? 0x90 : 0x80
        highest = byte == 0xED ? 0x9F : byte == 0xF4 ? 0x8F : 0xBF
        return true
    }
}
