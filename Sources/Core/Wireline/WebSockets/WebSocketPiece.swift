// SPDX-License-Identifier: Apache-2.0

public import WirelineWebSocket

/// A piece of a message, as it arrived.
public struct WebSocketPiece: Equatable, Sendable {
    /// The kind of the message.
    public let kind: WebSocketMessageKind
    /// The next bytes of the message; may be empty. Text may be cut inside a character.
    public let content: [UInt8]
    /// Whether the message ends with this piece.
    public let isLast: Bool
}
