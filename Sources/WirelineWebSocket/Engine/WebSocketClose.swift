// SPDX-License-Identifier: Apache-2.0

/// Why a side closes (RFC 6455 §7.4).
public struct WebSocketCloseCode: RawRepresentable, Equatable, Hashable, Sendable {
    /// The number.
    public let rawValue: UInt16

    /// Makes a code of any number; whether it may stand on the wire is checked when it is sent or received.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// What was to be done is done.
    public static let normal = WebSocketCloseCode(rawValue: 1000)
    /// The server goes down, or the user has left the page.
    public static let goingAway = WebSocketCloseCode(rawValue: 1001)
    /// The peer has broken the protocol.
    public static let protocolError = WebSocketCloseCode(rawValue: 1002)
    /// A kind of message that is not understood, such as text where only binary is.
    public static let unsupportedData = WebSocketCloseCode(rawValue: 1003)
    /// A close frame came without a code; never on the wire.
    public static let noStatus = WebSocketCloseCode(rawValue: 1005)
    /// No close frame came; never on the wire.
    public static let abnormal = WebSocketCloseCode(rawValue: 1006)
    /// A message's content is damaged: text that is not UTF-8.
    public static let invalidPayload = WebSocketCloseCode(rawValue: 1007)
    /// A message breaks a rule of the application's.
    public static let policyViolation = WebSocketCloseCode(rawValue: 1008)
    /// A message is over a limit.
    public static let messageTooBig = WebSocketCloseCode(rawValue: 1009)
    /// The server did not agree to an extension that the client needs.
    public static let extensionRequired = WebSocketCloseCode(rawValue: 1010)
    /// The server has failed.
    public static let internalError = WebSocketCloseCode(rawValue: 1011)
    /// The server starts again: come back after a while.
    public static let serviceRestart = WebSocketCloseCode(rawValue: 1012)
    /// The server has too much to do: come back later.
    public static let tryAgainLater = WebSocketCloseCode(rawValue: 1013)
    /// A gateway got a wrong answer from the server behind it.
    public static let badGateway = WebSocketCloseCode(rawValue: 1014)

    /// Whether it may stand in a close frame: 1000 to 1003, 1007 to 1014 and 3000 to 4999 (RFC 6455 §7.4.2 and IANA's
    /// registry; 4000 and above are the application's).
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

/// What a close frame says.
public struct WebSocketClose: Equatable, Sendable {
    /// The code; nil where the frame has none.
    public let code: WebSocketCloseCode?
    /// The reason for people; at most 123 bytes of UTF-8.
    public let reason: String

    /// Makes what a close frame says; nil and no reason for an empty one.
    public init(code: WebSocketCloseCode?, reason: String = "") {
        self.code = code
        self.reason = reason
    }
}

/// How a WebSocket has ended.
public struct WebSocketEnd: Equatable, Sendable {
    /// Who or what has ended it.
    @nonexhaustive
    public enum Cause: Equatable, Sendable {
        /// This side has asked, and the peer has answered.
        case closedHere
        /// The peer has asked, and this side has answered.
        case closedByPeer
        /// The peer's bytes are at fault; it is told so.
        case failed(WebSocketError)
        /// The connection has ended, and the peer has not closed the WebSocket.
        case cut
        /// This side has asked, and the peer has not answered in time.
        case timedOut
    }

    /// Who or what has ended it.
    public let cause: Cause
    /// What this side has said; nil if it has not.
    public let sent: WebSocketClose?
    /// What the peer has said; nil if it has not.
    public let received: WebSocketClose?

    package init(cause: Cause, sent: WebSocketClose?, received: WebSocketClose?) {
        self.cause = cause
        self.sent = sent
        self.received = received
    }

    /// Whether both sides have said that they close.
    public var isClean: Bool { cause == .closedHere || cause == .closedByPeer }

    /// The code as RFC 6455 §7.1.5 counts it: the peer's, 1005 where its frame had none, 1006 where no frame has come.
    public var code: WebSocketCloseCode {
        guard let received else { return .abnormal }
        return received.code ?? .noStatus
    }
}

extension WebSocketEnd: CustomStringConvertible {
    /// One line for people.
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
        return close.reason.isEmpty ? " with code \(code)" : " with code \(code): \(close.reason.printable)"
    }
}
