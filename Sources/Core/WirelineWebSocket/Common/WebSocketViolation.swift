// SPDX-License-Identifier: Apache-2.0

/// The way in which a frame breaks the protocol (RFC 6455 §5).
public enum WebSocketViolation: Error, Equatable, Sendable {
    /// A reserved bit is set that no extension defines.
    case reservedBits
    /// The opcode is not defined.
    case opcode(UInt8)
    /// A client's frame is not masked.
    case unmasked
    /// A server's frame is masked.
    case masked
    /// The length is not written in the fewest bytes.
    case lengthEncoding
    /// The length is 2^63 or more.
    case lengthOverflow
    /// A control frame is fragmented.
    case fragmentedControl
    /// A control frame has more than 125 bytes.
    case longControl
    /// A continuation frame came outside a message.
    case unexpectedContinuation
    /// A new message began before the last one ended.
    case expectedContinuation
    /// A close frame has a payload of one byte.
    case closePayload
    /// The close code must not be sent.
    case closeCode(UInt16)
}
