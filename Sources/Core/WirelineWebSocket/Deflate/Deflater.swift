// SPDX-License-Identifier: Apache-2.0

import WirelineLibraries

/// Compresses this side's messages (RFC 1951, without zlib's header).
final class Deflater {
    private let stream: ZlibDeflation

    /// - Throws: ``WebSocketError/deflateUnavailable(reason:)`` if memory is exhausted.
    init(windowBits: Int, level: Int) throws(WebSocketError) {
        do {
            // zlib refuses 8 bits without its header (ChangeLog, 1.2.9). With 9 bits it refers back at most 512 - 262
            // bytes (MAX_DIST in deflate.h). That is within the 256 bytes that a peer keeps for 8 bits.
            stream = try ZlibDeflation(Zlib.shared.get(), .none, level: level, windowBits: max(9, windowBits))
        } catch {
            throw WebSocketError(error)
        }
    }

    /// Compresses part of a message, so that the peer can read it without the next part.
    ///
    /// - Parameters:
    ///   - isLast: Whether the message ends here. If so, the common end of all messages is left out (RFC 7692 §7.2.1).
    ///   - earlier: The result of ``add(_:to:)`` for the bytes before it.
    func deflate(
        _ content: RawSpan, isLast: Bool, after earlier: consuming [UInt8] = []
    ) throws(WebSocketError) -> [UInt8] {
        guard !content.isEmpty else {
            // The beginning of an empty block; the rest is left out (RFC 7692 §7.2.3.6).
            return isLast ? [0x00] : []
        }
        var compressed = earlier
        try add(content, then: .sync, to: &compressed)
        guard isLast else { return compressed }
        guard compressed.suffix(4).elementsEqual([0, 0, 0xFF, 0xFF]) else {
            throw .deflateUnavailable(reason: "zlib has not ended a message as it should")
        }
        compressed.removeLast(4)
        return compressed
    }

    /// Compresses bytes that do not end a part; ``deflate(_:isLast:after:)`` must follow with at least one byte.
    func add(_ content: RawSpan, to compressed: inout [UInt8]) throws(WebSocketError) {
        try add(content, then: .none, to: &compressed)
    }

    private func add(
        _ content: RawSpan, then flush: ZlibFlush, to compressed: inout [UInt8]
    ) throws(WebSocketError) {
        do {
            try stream.deflate(content, then: flush, into: &compressed)
        } catch {
            throw WebSocketError(error)
        }
    }
}
