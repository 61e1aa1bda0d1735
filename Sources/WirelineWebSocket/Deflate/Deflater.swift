// SPDX-License-Identifier: Apache-2.0

/// Compresses what this side of a connection sends (RFC 1951, without zlib's own header).
@safe
final class Deflater {
    private let zlib: Zlib
    /// It must not move: zlib remembers where it is.
    private let stream: UnsafeMutablePointer<ZlibStream>

    /// - Throws: ``WebSocketError/deflateUnavailable(reason:)`` where there is no memory.
    init(windowBits: Int, level: Int) throws(WebSocketError) {
        zlib = try Zlib.shared.get()
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: ZlibStream())
        // zlib refuses 8 without its header (ChangeLog, 1.2.9). With 9 it looks back 512 - 262 bytes at most (MAX_DIST in
        // deflate.h), which is within the 256 that a peer keeps who wants 8.
        let bits = max(9, windowBits)
        let status = unsafe zlib.initializeDeflation(
            stream, CInt(level), ZlibConstant.deflated, CInt(-bits), ZlibConstant.defaultMemoryLevel,
            ZlibConstant.defaultStrategy, zlib.version(), CInt(MemoryLayout<ZlibStream>.size))
        guard status == ZlibConstant.isFine else {
            unsafe stream.deallocate()
            throw .deflateUnavailable(reason: "zlib gives up with \(status)")
        }
    }

    deinit {
        _ = unsafe zlib.endDeflation(stream)
        unsafe stream.deallocate()
    }

    /// Compresses a part of a message, so that the other side can read it without the next one.
    ///
    /// - Parameter isLast: Whether the message ends with it: what all messages end with is then left out (RFC 7692 §7.2.1).
    func deflate(_ content: RawSpan, isLast: Bool) throws(WebSocketError) -> [UInt8] {
        guard !content.isEmpty else {
            // The beginning of an empty block, whose rest is left out (RFC 7692 §7.2.3.6).
            return isLast ? [0x00] : []
        }
        var compressed: [UInt8] = []
        let status = unsafe content.withUnsafeBytes { source in
            unsafe run(source, into: &compressed)
        }
        guard status == ZlibConstant.isFine, !isLast || compressed.suffix(4).elementsEqual([0, 0, 0xFF, 0xFF])
        else { throw .deflateUnavailable(reason: "zlib gives up with \(status)") }
        if isLast { compressed.removeLast(4) }
        return compressed
    }

    private func run(_ source: UnsafeRawBufferPointer, into compressed: inout [UInt8]) -> CInt {
        // zlib counts with 32 bits.
        var rest = unsafe source[...]
        repeat {
            let piece = unsafe UnsafeRawBufferPointer(rebasing: rest.prefix(1 << 30))
            unsafe rest = rest.dropFirst(piece.count)
            unsafe stream.pointee.nextInput = piece.baseAddress?.assumingMemoryBound(to: UInt8.self)
            unsafe stream.pointee.inputByteCount = UInt32(piece.count)
            repeat {
                let status = unsafe step(rest.isEmpty ? ZlibConstant.syncFlush : 0, into: &compressed)
                // Nothing was left to be done when the room had just been enough.
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
                // SAFETY: zlib writes up to this count, and not after the call.
                unsafe stream.pointee.nextOutput = room.baseAddress
                unsafe stream.pointee.outputByteCount = UInt32(roomByteCount)
                status = unsafe zlib.deflate(stream, flush)
                filledByteCount = unsafe roomByteCount - Int(stream.pointee.outputByteCount)
            }
        }
        return status
    }
}
