// SPDX-License-Identifier: Apache-2.0

/// Reads frame headers byte by byte, and refuses each one as soon as it breaks a rule.
struct FrameHeaderReader: Sendable {
    /// Whether frames must be masked; if false, they must not be.
    let expectsMask: Bool
    let allowsCompression: Bool

    private(set) var takenByteCount = 0
    private var first: UInt8 = 0
    private var second: UInt8 = 0
    private var length: UInt64 = 0
    private var key: UInt32 = 0
    private var opcode = Opcode.continuation

    init(expectsMask: Bool, allowsCompression: Bool) {
        self.expectsMask = expectsMask
        self.allowsCompression = allowsCompression
    }

    /// - Returns: The header after its last byte, otherwise nil. The next byte then begins a new header.
    @inline(__always)
    mutating func take(_ byte: UInt8) throws(WebSocketViolation) -> FrameHeader? {
        let index = takenByteCount
        takenByteCount += 1
        switch index {
        case 0: try takeFirst(byte)
        case 1: try takeSecond(byte)
        case 2..<2 + lengthByteCount: try takeLength(byte)
        default: key = key >> 8 | UInt32(byte) << 24
        }
        guard takenByteCount >= 2, takenByteCount == 2 + lengthByteCount + (expectsMask ? 4 : 0) else { return nil }
        takenByteCount = 0
        return FrameHeader(
            isFinal: first & 0x80 != 0, isCompressed: first & 0x40 != 0, opcode: opcode,
            // Where `Int` has 32 bits, a longer one is over every limit, too.
            payloadByteCount: Int(clamping: length), maskKey: expectsMask ? key : nil)
    }

    private var lengthByteCount: Int {
        switch second & 0x7F {
        case 126: 2
        case 127: 8
        default: 0
        }
    }

    private mutating func takeFirst(_ byte: UInt8) throws(WebSocketViolation) {
        first = byte
        guard let opcode = Opcode(rawValue: byte & 0x0F) else {
            throw byte & 0x70 == 0 ? .opcode(byte & 0x0F) : .reservedBits
        }
        self.opcode = opcode
        // Only the first frame of a message carries the compression flag (RFC 7692 §6.1).
        let mayBeCompressed = allowsCompression && (opcode == .text || opcode == .binary)
        guard byte & (mayBeCompressed ? 0x30 : 0x70) == 0 else { throw .reservedBits }
        guard byte & 0x80 != 0 || !opcode.isControl else { throw .fragmentedControl }
    }

    private mutating func takeSecond(_ byte: UInt8) throws(WebSocketViolation) {
        second = byte
        let isMasked = byte & 0x80 != 0
        guard isMasked == expectsMask else { throw isMasked ? .masked : .unmasked }
        guard byte & 0x7F < 126 || !opcode.isControl else { throw .longControl }
        length = lengthByteCount == 0 ? UInt64(byte & 0x7F) : 0
    }

    private mutating func takeLength(_ byte: UInt8) throws(WebSocketViolation) {
        if takenByteCount == 3, lengthByteCount == 8, byte & 0x80 != 0 { throw .lengthOverflow }
        length = length << 8 | UInt64(byte)
        guard takenByteCount == 2 + lengthByteCount else { return }
        guard length > (lengthByteCount == 2 ? 125 : 0xFFFF) else { throw .lengthEncoding }
    }
}
