// SPDX-License-Identifier: Apache-2.0

/// Compresses what this side of a connection sends (RFC 1951, without zlib's header).
@safe
final class Deflater {
    private let zlib: Zlib
    /// The stream must not move: zlib keeps its address.
    private let stream: UnsafeMutablePointer<ZlibStream>

    /// - Throws: ``WebSocketError/deflateUnavailable(reason:)`` if memory is exhausted.
    init(windowBits: Int, level: Int) throws(WebSocketError) {
        zlib = try Zlib.shared.get()
        // SAFETY: the memory is this object's own until `deinit`; zlib compares the size given with that of its own
        // `z_stream`.
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: ZlibStream())
        // zlib refuses 8 bits without its header (ChangeLog, 1.2.9). With 9 bits it refers back at most 512 - 262 bytes
        // (MAX_DIST in deflate.h). That is within the 256 bytes that a peer keeps for 8 bits.
        let bits = max(9, windowBits)
        let status = unsafe zlib.initializeDeflation(
            stream, CInt(level), ZlibConstant.deflated, CInt(-bits), ZlibConstant.defaultMemoryLevel,
            ZlibConstant.defaultStrategy, zlib.version(), CInt(MemoryLayout<ZlibStream>.size))
        // If this throws, `deinit` frees the memory.
        guard status == ZlibConstant.isFine else {
            throw .deflateUnavailable(reason: "zlib gives up with \(status)")
        }
    }

    deinit {
        // SAFETY: zlib frees only its own state, and refuses a stream that it has not initialised. The memory is not used
        // later.
        _ = unsafe zlib.endDeflation(stream)
        unsafe stream.deallocate()
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
        // SAFETY: zlib reads all of the lent bytes, and has none of them when the closure returns.
        let status = unsafe content.withUnsafeBytes { source in
            unsafe run(source, ZlibConstant.syncFlush, into: &compressed)
        }
        guard status == ZlibConstant.isFine, !isLast || compressed.suffix(4).elementsEqual([0, 0, 0xFF, 0xFF])
        else { throw .deflateUnavailable(reason: "zlib gives up with \(status)") }
        if isLast { compressed.removeLast(4) }
        return compressed
    }

    /// Compresses bytes that do not end a part; ``deflate(_:isLast:after:)`` must follow with at least one byte.
    func add(_ content: RawSpan, to compressed: inout [UInt8]) throws(WebSocketError) {
        // SAFETY: zlib reads all of the lent bytes, and has none of them when the closure returns.
        let status = unsafe content.withUnsafeBytes { source in
            unsafe run(source, ZlibConstant.noFlush, into: &compressed)
        }
        guard status == ZlibConstant.isFine else { throw .deflateUnavailable(reason: "zlib gives up with \(status)") }
    }

    private func run(_ source: UnsafeRawBufferPointer, _ flush: CInt, into compressed: inout [UInt8]) -> CInt {
        // zlib counts in 32 bits.
        // SAFETY: `source` is lent for the whole call, and each piece has the count that zlib gets with its address.
        var rest = unsafe source[...]
        repeat {
            let piece = unsafe UnsafeRawBufferPointer(rebasing: rest.prefix(1 << 30))
            unsafe rest = rest.dropFirst(piece.count)
            unsafe stream.pointee.nextInput = piece.baseAddress?.assumingMemoryBound(to: UInt8.self)
            unsafe stream.pointee.inputByteCount = UInt32(piece.count)
            repeat {
                let status = unsafe step(rest.isEmpty ? flush : ZlibConstant.noFlush, into: &compressed)
                // zlib reports a buffer error if the last buffer was exactly large enough.
                guard status == ZlibConstant.isFine || status == ZlibConstant.bufferError else { return status }
            } while unsafe stream.pointee.outputByteCount == 0
        } while unsafe !rest.isEmpty
        return ZlibConstant.isFine
    }

    private func step(_ flush: CInt, into compressed: inout [UInt8]) -> CInt {
        var status = ZlibConstant.isFine
        let roomByteCount = unsafe max(64, min(64 * 1024, Int(stream.pointee.inputByteCount)))
        compressed.append(addingCapacity: roomByteCount) { output in
            unsafe output.withUnsafeMutableBufferPointer { room, filledByteCount in
                // SAFETY: zlib writes at most this many bytes, and none after the call.
                unsafe stream.pointee.nextOutput = room.baseAddress
                unsafe stream.pointee.outputByteCount = UInt32(roomByteCount)
                status = unsafe zlib.deflate(stream, flush)
                filledByteCount = unsafe roomByteCount - Int(stream.pointee.outputByteCount)
            }
        }
        return status
    }
}
