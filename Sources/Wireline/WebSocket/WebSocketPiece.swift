// SPDX-License-Identifier: Apache-2.0

public import WirelineWebSocket

/// A piece of a message, as it has come.
public struct WebSocketPiece: Equatable, Sendable {
    /// What the message is.
    public let kind: WebSocketMessageKind
    /// What comes next of it; it may be empty. Text may be cut inside a character.
    public let content: [UInt8]
    /// Whether the message ends with it.
    public let isLast: Bool
}
