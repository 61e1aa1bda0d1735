// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// What a message is.
public enum WebSocketMessageKind: Equatable, Sendable {
    /// UTF-8.
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

    /// - Parameter content: What a ``WebSocketEngine`` has read, which has made sure that text is UTF-8.
    @unsafe
    package init(_ kind: WebSocketMessageKind, _ content: [UInt8]) {
        switch kind {
        case .binary: self = .binary(content)
        // SAFETY: by this initializer's contract.
        case .text: self = .text(unsafe String(validated: content.span.bytes))
        }
    }
}

/// What has come besides content.
@nonexhaustive
public enum WebSocketEvent: Equatable, Sendable {
    /// The message whose content came last is whole.
    case messageEnded(WebSocketMessageKind)
    /// The peer has asked whether this side is there; the answer waits to be sent.
    case ping([UInt8])
    /// The peer has answered a ping; of several without an answer it may be the newest alone.
    case pong([UInt8])
    /// The peer closes; where this side had not, the answer waits to be sent.
    case close(WebSocketClose)
}

/// How far ``WebSocketEngine/read(_:into:at:)`` has come.
public struct WebSocketReading: Equatable, Sendable {
    /// Why it has stopped.
    public enum Stop: Equatable, Sendable {
        /// All bytes have been taken; more are needed.
        case needsBytes
        /// There is no room left for content. There may be more, even when all bytes have been taken.
        case needsRoom
        /// Something else has come, behind the content that was put into the room; reading goes on with the next call.
        case event(WebSocketEvent)
        /// The WebSocket has ended; what follows is not looked at.
        case ended
    }

    /// How many bytes have been taken; the others are to be given again.
    public let byteCount: Int
    /// Of what kind the content is that was put into the room; nil if there is none.
    public let content: WebSocketMessageKind?
    /// Why it has stopped.
    public let stop: Stop

    package init(byteCount: Int, content: WebSocketMessageKind?, stop: Stop) {
        self.byteCount = byteCount
        self.content = content
        self.stop = stop
    }
}
