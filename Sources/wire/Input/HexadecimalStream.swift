// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// Turns hexadecimal text that arrives in pieces into bytes; only what a cut went through is kept.
struct HexadecimalStream {
    /// What has not been decoded: the last line of a piece, or, where lines are longer, a few digits or a comment's `#`.
    private var rest: [UInt8] = []
    /// How many bytes of text stand before ``rest``.
    private var offset = 0

    /// The bytes that the text has so far and that were not handed out.
    mutating func receive(_ text: [UInt8]) throws(CommandError) -> [UInt8] {
        rest += text
        let end = safeEnd()
        let bytes = try decode(rest[..<end])
        if end < rest.count, rest[end] == UInt8(ascii: "#") {
            // A comment may go on for ever; only that it is one must be known.
            offset += rest.count - 1
            rest = [UInt8(ascii: "#")]
        } else {
            offset += end
            rest.removeFirst(end)
        }
        return bytes
    }

    /// The last bytes, when the text has ended.
    mutating func finish() throws(CommandError) -> [UInt8] {
        defer { rest = [] }
        return try decode(rest[...])
    }

    /// How far the text can be decoded without what follows it.
    private func safeEnd() -> Int {
        if let newline = rest.lastIndex(of: UInt8(ascii: "\n")) { return newline + 1 }
        if let comment = rest.firstIndex(of: UInt8(ascii: "#")) { return comment }
        if let separator = rest.lastIndex(where: { " \t\r:-,".utf8.contains($0) }) { return separator + 1 }
        // Digits without separators stand in pairs, and so do `0x` and `\x`, which need the digit behind them.
        let end = max(0, rest.count - 4) / 2 * 2
        return end > 0 && rest[end - 1] | 0x20 == UInt8(ascii: "x") ? end - 2 : end
    }

    private func decode(_ text: ArraySlice<UInt8>) throws(CommandError) -> [UInt8] {
        do throws(CodecError) {
            return try Hexadecimal.bytes(of: Array(text))
        } catch {
            throw .failure(CodecError(error.reason, offset: error.offset.map { $0 + offset }).description)
        }
    }
}
