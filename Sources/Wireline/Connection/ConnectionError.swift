// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec
public import WirelineSession
public import WirelineTLS
public import WirelineTransport
public import WirelineWebSocket

/// Why a connection has ended other than by a clean end of stream, or why something could not be sent or answered.
///
/// It is one word wide, whatever it carries, so that what a waiting task keeps stays small; only throwing allocates.
@nonexhaustive
public indirect enum ConnectionError: Error, Equatable, Sendable {
    /// The peer has sent what is no packet, or has ended inside one, or a message is not what the schema says; or a
    /// value does not fit its packet.
    case codec(CodecError)
    /// The network, the peer or the system has ended the connection, or kept it from being made.
    case transport(TransportError)
    /// TLS could not be had or agreed on, or has ended the connection.
    case tls(TLSError)
    /// A ``Proxy`` has not connected.
    case proxy(ProxyError)
    /// The task that waited was cancelled.
    case cancelled
    /// A request was not answered in time.
    ///
    /// `unreadByteCount` is 0, or how many bytes of other messages nobody has read: with many of them, the reply may
    /// stand behind (``ConnectionLimits/unreadByteCount``).
    case unanswered(unreadByteCount: Int)
    /// The peer has ended its stream before it has answered a request.
    case endedBeforeReply
    /// More requests wait for their replies than the connection, or the sequence field, can tell apart.
    case tooManyRequests(limit: Int)
    /// A ``PacketSession`` or a ``WebSocketSession`` has not taken a message, or could not deliver it.
    case session(SessionError)
    /// A ``PacketSession`` or a ``WebSocketSession`` has ended while somebody waited for it.
    case sessionEnded(SessionEndCause)
    /// A ``PacketSession`` or a ``WebSocketSession`` has ended this connection of its, and why: the peer has fallen silent
    /// (`silent`) or has said that it ends the connection (`kicked`), a login took too long (`timedOut`) or was refused, a
    /// message is none (`misconfigured`), and so on.
    ///
    /// ``ConnectionTimeline`` and ``TrafficLog`` tell of it, and a login that waits is thrown it. Where the session itself
    /// was ended on this side it is ``transport(_:)`` with `closed`.
    case disconnected(DisconnectCause)
    /// A server has as many connections from the peer's address as it takes
    /// (``ServerConfiguration/connectionLimitPerAddress``).
    case tooManyConnections(limit: Int)
    /// The rest of a packet or of a message has come more slowly than a server lets it
    /// (``ServerConfiguration/minimumRate``, ``WebSocketServerConfiguration/minimumRate``).
    case tooSlow(MinimumRate)
    /// A server's connections hold as many bytes as they may (``ServerConfiguration/heldByteLimit``,
    /// ``WebSocketServerConfiguration/heldByteLimit``), and none of them could have gone on: this one held the most, or has
    /// asked for more than there is.
    case noRoom(limit: Int)
    /// This side has sent a last message and ended the connection (``ServerConnection/kick(with:header:within:)``).
    case kicked
    /// The WebSocket handshake has failed (`WebSocketError.refused` has the server's answer), the peer's frames are at
    /// fault, or what should be sent is none of a WebSocket's.
    case webSocket(WebSocketError)
    /// A WebSocket has ended, and not in the way of two that both have said that they are done: the peer is gone, has not
    /// answered in time, or, where it carries packets, has closed with a code that says what went wrong.
    case webSocketEnded(WebSocketEnd)
}

extension ConnectionError: CustomStringConvertible {
    /// One line for people.
    public var description: String {
        switch self {
        case .codec(let error): error.description
        case .transport(let error): error.description
        case .tls(let error): error.description
        case .proxy(let error): error.description
        case .cancelled: "the task was cancelled"
        case .unanswered(unreadByteCount: 0): "the request was not answered in time"
        case .unanswered(let byteCount):
            "the request was not answered in time; \(byteCount) bytes of other messages wait to be read"
        case .endedBeforeReply: "the peer has ended the connection before it answered the request"
        case .tooManyRequests(let limit): "no more than \(limit) requests can wait for their replies"
        case .session(let error): error.description
        case .sessionEnded(let cause): cause.description
        case .disconnected(let cause): cause.description
        case .tooManyConnections(1): "its address has a connection already, and may have no more"
        case .tooManyConnections(let limit): "its address has \(limit) connections already, and may have no more"
        case .tooSlow(let rate): "fewer than \(rate.byteCount) bytes of a packet have come in \(rate.window)"
        case .noRoom(let limit): "no room: the server's connections hold the \(limit) bytes that they may"
        case .kicked: "this side has ended the connection with a last message"
        case .webSocket(let error): error.description
        case .webSocketEnded(let end): end.description
        }
    }
}
