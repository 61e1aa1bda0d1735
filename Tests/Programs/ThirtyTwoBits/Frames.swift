// SPDX-License-Identifier: Apache-2.0

// This file is compiled as a part of WirelineWebSocket, whose reader of headers it uses.

/// What announced lengths at and beyond the end of 32 bits do; empty if all is well.
package func frameFailures() -> [String] {
    let lengths: [(announced: UInt64, byteCount: Int)] = [
        (0x1_0000, 0x1_0000), (0x7FFF_FFFE, 0x7FFF_FFFE), (0x7FFF_FFFF, .max), (0x8000_0000, .max),
        (0xFFFF_FFFF, .max), (0x1_0000_0000, .max), (0x1_0000_0010, .max), (0x7FFF_FFFF_FFFF_FFFF, .max),
    ]
    var failures = lengths.compactMap { length in
        // A limit is an `Int`, so what is no `Int` must be as long as the longest.
        let read = byteCount(announced: length.announced)
        return read == .success(length.byteCount) ? nil : "a frame of \(length.announced) bytes"
    }
    if byteCount(announced: 1 << 63) != .failure(.lengthOverflow) { failures.append("a frame of 2^63 bytes") }
    return failures
}

/// The number of bytes that a reader takes from the header of a binary frame.
private func byteCount(announced: UInt64) -> Result<Int, WebSocketViolation> {
    var reader = FrameHeaderReader(expectsMask: false, allowsCompression: false)
    do throws(WebSocketViolation) {
        var header = try reader.take(0x82)
        header = try reader.take(0x7F)
        for index in 0..<8 { header = try reader.take(UInt8(truncatingIfNeeded: announced >> UInt64(56 - 8 * index))) }
        return .success(header?.payloadByteCount ?? 0)
    } catch {
        return .failure(error)
    }
}
