// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec
public import WirelineTLS
public import WirelineTransport
public import WirelineWebSocket

/// Why a connection ended without a clean end of stream, or why something could not be sent or answered.
///
/// It is one word wide in every case, so that waiting tasks stay small. Only throwing allocates.
@nonexhaustive
public indirect enum ConnectionError: Error, Equatable, Sendable {
    /// The bytes or the message break the protocol.
    ///
    /// The peer sent something that is not a packet, ended inside a packet, or sent a message that does not match the
    /// schema. Also: a value does not fit its packet.
    case codec(CodecError)
    /// A client's first bytes are an HTTP request, for example from a page in a browser.
    ///
    /// A server does not read them as packets, even if they could be packets.
    case httpRequest
    /// The network, the peer or the system ended the connection, or no connection could be made.
    case transport(TransportError)
    /// TLS is not available, its handshake failed, or it ended the connection.
    case tls(TLSError)
    /// A ``Proxy`` did not connect.
    case proxy(ProxyError)
    /// The waiting task was cancelled.
    case cancelled
    /// Another task already receives the packets or messages of this connection or session.
    ///
    /// Only one task at a time may receive. The first one continues.
    case alreadyReceiving
    /// A call that works only on the connection's ``PacketConnection/loop`` was made elsewhere.
    ///
    /// Such calls are ``PacketConnection/nextBatch()``, ``PacketBatch/next()`` and the `write` methods. Nothing was
    /// taken or sent.
    case notOnLoop
    /// No reply arrived before the timeout.
    ///
    /// `unreadByteCount` is the number of bytes of other messages that were not read. If there are many, the reply may
    /// come after them (``ConnectionLimits/unreadByteCount``).
    case unanswered(unreadByteCount: Int)
    /// No reply arrived before the timeout, but a message that can be one came without the request's sequence number.
    ///
    /// `expected` is the request's number in the `@sequence` field, `received` the number that came last. So the peer
    /// probably sends its replies without their requests' numbers; a server's `reply(to:)` sets them. The message was
    /// received like any other one.
    case unmatchedReply(_ messageName: String, expected: UInt64, received: UInt64)
    /// The peer answered that the request failed, with a message of this name (`@sequence(failure = -1)` in the
    /// schema).
    ///
    /// Such an answer does not name its request: it goes to the oldest one that waits for a message of its type.
    case requestFailed(_ messageName: String)
    /// The peer ended its stream before it answered a request.
    case endedBeforeReply
    /// More requests wait for replies than the connection, or the sequence field, can tell apart.
    case tooManyRequests(limit: Int)
    /// A ``PacketSession`` or a ``WebSocketSession`` did not take a message, or could not deliver it.
    case session(SessionError)
    /// A ``PacketSession`` or a ``WebSocketSession`` ended while a task waited for it.
    case sessionEnded(SessionEndCause)
    /// A ``PacketSession`` or a ``WebSocketSession`` ended this connection; the value is the reason.
    ///
    /// For example: the peer is silent (`silent`) or announced the end (`kicked`), a login timed out (`timedOut`) or
    /// was refused, a message cannot be encoded (`misconfigured`).
    ///
    /// ``ConnectionTimeline`` and ``TrafficLog`` show it, and a waiting login throws it. If this side ended the session
    /// itself, the error is ``transport(_:)`` with `closed`.
    case disconnected(DisconnectCause)
    /// The peer's address has as many connections as the server allows.
    ///
    /// See ``ListeningOptions/connectionLimitPerAddress``.
    case tooManyConnections(limit: Int)
    /// Connections came faster than the server allows: all together, or those of the peer's address.
    ///
    /// See ``ListeningOptions/connectionRate`` and ``ListeningOptions/connectionRatePerAddress``.
    case tooManyNewConnections(MaximumRate)
    /// A trusted proxy began its connection without a valid header.
    ///
    /// See ``ListeningOptions/proxyProtocol-swift.property``.
    case proxyHeader(ProxyHeaderError)
    /// A packet or a message that had begun arrived more slowly than the server allows.
    ///
    /// See ``ListeningOptions/minimumRate``.
    case tooSlow(MinimumRate)
    /// The peer took output that waited for it more slowly than the server allows.
    ///
    /// See ``ListeningOptions/minimumReadingRate``.
    case readTooSlowly(MinimumRate)
    /// A server's connections reached their byte budget, and none of them could continue.
    ///
    /// This connection held the most, or needed more than the whole budget (``ListeningOptions/heldByteLimit``).
    case noRoom(limit: Int)
    /// The program kept neither the client nor a copy, which ended its connection; keeping the connection is not
    /// enough.
    case clientReleased
    /// This side sent a last message and ended the connection (``ServerConnection/kick(with:header:within:)``).
    case kicked
    /// The connection was a member of a ``Room`` that closes slow readers, and its peer read too slowly.
    ///
    /// `pendingByteCount` bytes waited to be sent, or tasks waited to send (``ConnectionLimits/pendingByteCount``).
    case slowReader(pendingByteCount: Int)
    /// The WebSocket handshake failed, the peer's frames are wrong, or the value cannot be sent over a WebSocket.
    ///
    /// `WebSocketError.refused` has the server's answer.
    case webSocket(WebSocketError)
    /// A WebSocket ended without a close by both sides.
    ///
    /// The peer is gone, or did not answer in time. If the WebSocket carries packets: the peer closed with a code that
    /// reports a fault.
    case webSocketEnded(WebSocketEnd)
}

extension ConnectionError: CustomStringConvertible {
    /// The error in one line.
    public var description: String { text.escaped() }

    private var text: String {
        switch self {
        case .codec(let error): error.description
        case .httpRequest: "the first bytes are an HTTP request: is the client a browser?"
        case .transport(let error): error.description
        case .tls(let error): error.description
        case .proxy(let error): error.description
        case .cancelled: "the task was cancelled"
        case .alreadyReceiving: "another task is already receiving from this connection"
        case .notOnLoop: "this call is allowed only on the connection's event loop"
        case .unanswered(unreadByteCount: 0): "the request was not answered in time"
        case .unanswered(let byteCount):
            "the request was not answered in time; \(byteCount) bytes of other messages wait to be read"
        case .unmatchedReply(let name, let expected, let received):
            "the request was not answered in time: a message \(name) came without the request's sequence number "
                + "(\(received) instead of \(expected))"
        case .requestFailed(let name): "the peer answered with \(name) that the request failed"
        case .endedBeforeReply: "the peer has ended the connection before it answered the request"
        case .tooManyRequests(let limit): "no more than \(limit) requests can wait for their replies"
        case .session(let error): error.description
        case .sessionEnded(let cause): cause.description
        case .disconnected(let cause): cause.description
        case .tooManyConnections(1): "the peer's address already has a connection, and one is allowed"
        case .tooManyConnections(let limit): "the peer's address already has the \(limit) connections that are allowed"
        case .tooManyNewConnections(let rate):
            "more than \(rate.count) connections came in \(rate.time), which is the limit"
        case .proxyHeader(let error): error.description
        case .readTooSlowly(let rate): "the peer took fewer than \(rate.byteCount) bytes of output in \(rate.window)"
        case .tooSlow(let rate): "fewer than \(rate.byteCount) bytes of a packet arrived in \(rate.window)"
        case .noRoom(let limit): "no memory left: all connections together may hold \(limit) bytes"
        case .slowReader(let byteCount): "the peer reads too slowly for its room: \(byteCount) bytes wait to be sent"
        case .clientReleased:
            "the client was released, which ended its connection: keep the client as long as its connection is used"
        case .kicked: "this side has ended the connection with a last message"
        case .webSocket(let error): error.description
        case .webSocketEnded(let end): end.description
        }
    }
}
