// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// The kind of a message.
public enum WebSocketMessageKind: Equatable, Sendable {
    /// UTF-8 text.
    case text
    /// Any bytes.
    case binary
}

/// A whole message.
public enum WebSocketMessage: Equatable, Sendable {
    /// Text.
    case text(String)
    /// Any bytes.
    case binary([UInt8])

    /// - Parameter content: Content that a ``WebSocketEngine`` has read; it has checked that text is UTF-8.
    @unsafe
    package init(_ kind: WebSocketMessageKind, _ content: [UInt8]) {
        switch kind {
        case .binary: self = .binary(content)
        // SAFETY: by this initializer's contract.
        case .text: self = .text(unsafe String(validated: content.span.bytes))
        }
    }
}

/// An event other than content.
@nonexhaustive
public enum WebSocketEvent: Equatable, Sendable {
    /// The message whose content came last is complete.
    case messageEnded(WebSocketMessageKind)
    /// The peer sent a ping; the pong is queued.
    case ping([UInt8])
    /// The peer answered a ping. It may answer only the newest of several.
    case pong([UInt8])
    /// The peer closed. Unless this side closed first, the answer is queued.
    case close(WebSocketClose)
}

/// The progress of ``WebSocketEngine/read(_:into:at:)``.
public struct WebSocketReading: Equatable, Sendable {
    /// Why reading stopped.
    public enum Stop: Equatable, Sendable {
        /// All bytes were taken; more are needed.
        case needsBytes
        /// The buffer is full. There may be more content, even if all bytes were taken.
        case needsRoom
        /// An event came after the content that was stored; the next call continues.
        case event(WebSocketEvent)
        /// The WebSocket has ended; later bytes are ignored.
        case ended
    }

    /// The number of bytes taken; pass the others again.
    public let byteCount: Int
    /// The kind of the content that was stored; nil if there is none.
    public let content: WebSocketMessageKind?
    /// Why reading stopped.
    public let stop: Stop

    package init(byteCount: Int, content: WebSocketMessageKind?, stop: Stop) {
        self.byteCount = byteCount
        self.content = content
        self.stop = stop
    }
}
