// SPDX-License-Identifier: Apache-2.0

/// The type of a frame (RFC 6455 §5.2).
package enum Opcode: UInt8, Sendable {
    case continuation = 0
    case text = 1
    case binary = 2
    case close = 8
    case ping = 9
    case pong = 10

    package var isControl: Bool { rawValue >= 8 }
}

/// The header of a frame (RFC 6455 §5.2), big-endian.
///
///     byte 0             byte 1           2 or 8 bytes         4 bytes
///     +-+-+-+-+-------+  +-+----------+  +------------------+  +------------+
///     |F|1|2|3|opcode |  |M| length   |  | length           |  | key        |
///     +-+-+-+-+-------+  +-+----------+  +------------------+  +------------+
///                                         if it is 126 or 127   if M is set
package struct FrameHeader: Equatable, Sendable {
    @inlinable package static var largestByteCount: Int { 14 }

    package var isFinal: Bool
    /// The first reserved bit: the message is compressed (RFC 7692 §6).
    package var isCompressed: Bool
    package var opcode: Opcode
    package var payloadByteCount: Int
    /// The key in the form that ``Masking`` takes; nil if the payload is not masked.
    package var maskKey: UInt32?

    package init(
        isFinal: Bool, isCompressed: Bool = false, opcode: Opcode, payloadByteCount: Int, maskKey: UInt32? = nil
    ) {
        self.isFinal = isFinal
        self.isCompressed = isCompressed
        self.opcode = opcode
        self.payloadByteCount = payloadByteCount
        self.maskKey = maskKey
    }

    package var byteCount: Int { Self.byteCount(for: payloadByteCount, isMasked: maskKey != nil) }

    static func byteCount(for payloadByteCount: Int, isMasked: Bool) -> Int {
        2 + (payloadByteCount < 126 ? 0 : payloadByteCount <= 0xFFFF ? 2 : 8) + (isMasked ? 4 : 0)
    }

    /// Writes the header, with the length in the fewest bytes.
    ///
    /// - Parameter destination: It must have space for ``byteCount`` bytes.
    /// - Returns: ``byteCount``.
    package func write(to destination: UnsafeMutableRawPointer) -> Int {
        var offset = 0
        // SAFETY: the caller provides space for ``byteCount`` bytes, and no more are written.
        func put(_ byte: UInt8) {
            unsafe destination.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
            offset += 1
        }
        func put(_ length: Int, in byteCount: Int) {
            for index in (0..<byteCount).reversed() { put(UInt8(truncatingIfNeeded: length >> (8 * index))) }
        }
        put((isFinal ? 0x80 : 0) | (isCompressed ? 0x40 : 0) | opcode.rawValue)
        let mask: UInt8 = maskKey == nil ? 0 : 0x80
        switch payloadByteCount {
        case ..<126: put(mask | UInt8(payloadByteCount))
        case ...0xFFFF:
            put(mask | 126)
            put(payloadByteCount, in: 2)
        default:
            put(mask | 127)
            put(payloadByteCount, in: 8)
        }
        if let maskKey { for index in 0..<4 { put(UInt8(truncatingIfNeeded: maskKey >> (8 * UInt32(index)))) } }
        return offset
    }
}
