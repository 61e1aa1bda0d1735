// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// The reason code of a close (RFC 6455 §7.4).
public struct WebSocketCloseCode: RawRepresentable, Equatable, Hashable, Sendable {
    /// The number.
    public let rawValue: UInt16

    /// Makes a code of any number. Sending and receiving check whether the number is allowed in a frame.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The purpose of the connection is fulfilled.
    public static let normal = WebSocketCloseCode(rawValue: 1000)
    /// The server shuts down, or the user has left the page.
    public static let goingAway = WebSocketCloseCode(rawValue: 1001)
    /// The peer has broken the protocol.
    public static let protocolError = WebSocketCloseCode(rawValue: 1002)
    /// The endpoint does not accept this kind of message, such as text if only binary is allowed.
    public static let unsupportedData = WebSocketCloseCode(rawValue: 1003)
    /// The close frame had no code. This code is never sent.
    public static let noStatus = WebSocketCloseCode(rawValue: 1005)
    /// The connection ended without a close frame. This code is never sent.
    public static let abnormal = WebSocketCloseCode(rawValue: 1006)
    /// The content of a message is invalid: text that is not UTF-8.
    public static let invalidPayload = WebSocketCloseCode(rawValue: 1007)
    /// A message breaks a rule of the application.
    public static let policyViolation = WebSocketCloseCode(rawValue: 1008)
    /// A message exceeds a limit.
    public static let messageTooBig = WebSocketCloseCode(rawValue: 1009)
    /// The server did not accept an extension that the client needs.
    public static let extensionRequired = WebSocketCloseCode(rawValue: 1010)
    /// The server has failed.
    public static let internalError = WebSocketCloseCode(rawValue: 1011)
    /// The server restarts: reconnect after a while.
    public static let serviceRestart = WebSocketCloseCode(rawValue: 1012)
    /// The server is overloaded: reconnect later.
    public static let tryAgainLater = WebSocketCloseCode(rawValue: 1013)
    /// A gateway received an invalid response from the server it forwards to.
    public static let badGateway = WebSocketCloseCode(rawValue: 1014)

    /// Whether a close frame may carry the code: 1000 to 1003, 1007 to 1014 and 3000 to 4999.
    ///
    /// The ranges come from RFC 6455 §7.4.2 and the IANA registry. Codes from 4000 belong to the application.
    public var mayBeSent: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}

extension WebSocketCloseCode: CustomStringConvertible {
    /// The number.
    public var description: String { "\(rawValue)" }
}

/// The content of a close frame.
public struct WebSocketClose: Equatable, Sendable {
    /// The code; nil if the frame has none.
    public let code: WebSocketCloseCode?
    /// The reason for humans; at most 123 bytes of UTF-8.
    public let reason: String

    /// Makes the content of a close frame; without a code and a reason the frame is empty.
    public init(code: WebSocketCloseCode?, reason: String = "") {
        self.code = code
        self.reason = reason
    }
}

/// How a WebSocket ended.
public struct WebSocketEnd: Equatable, Sendable {
    /// What ended the WebSocket.
    @nonexhaustive
    public enum Cause: Equatable, Sendable {
        /// This side closed, and the peer answered.
        case closedHere
        /// The peer closed, and this side answered.
        case closedByPeer
        /// The peer's bytes were invalid. The close frame tells it so.
        case failed(WebSocketError)
        /// The connection ended before the peer closed the WebSocket.
        case cut
        /// This side closed, and the peer did not answer before the timeout.
        case timedOut
    }

    /// What ended the WebSocket.
    public let cause: Cause
    /// The close frame that this side sent; nil if it sent none.
    public let sent: WebSocketClose?
    /// The close frame that the peer sent; nil if it sent none.
    public let received: WebSocketClose?

    package init(cause: Cause, sent: WebSocketClose?, received: WebSocketClose?) {
        self.cause = cause
        self.sent = sent
        self.received = received
    }

    /// Whether both sides have sent a close frame.
    public var isClean: Bool { cause == .closedHere || cause == .closedByPeer }

    /// The code as RFC 6455 §7.1.5 defines it: the peer's, 1005 if its frame had none, 1006 without a frame.
    public var code: WebSocketCloseCode {
        guard let received else { return .abnormal }
        return received.code ?? .noStatus
    }
}

extension WebSocketEnd: CustomStringConvertible {
    /// One line for humans.
    public var description: String {
        switch cause {
        case .closedHere: "this side has closed the WebSocket" + Self.words(sent)
        case .closedByPeer: "the peer has closed the WebSocket" + Self.words(received)
        case .failed(let error): error.description
        case .cut: "the connection has ended, and the peer has not closed the WebSocket"
        case .timedOut: "the peer has not answered in time that this side closes the WebSocket"
        }
    }

    private static func words(_ close: WebSocketClose?) -> String {
        guard let close, let code = close.code else { return "" }
        return close.reason.isEmpty ? " with code \(code)" : " with code \(code): \(close.reason.escaped())"
    }
}
