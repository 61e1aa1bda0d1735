// SPDX-License-Identifier: Apache-2.0

public import WirelineSession
public import WirelineWebSocket

/// How a ``WebSocketSession`` connects, comes back, and what may wait in it.
public struct WebSocketSessionConfiguration: Sendable {
    /// How each of its connections is made, what it may cost, and how it is kept alive (default
    /// ``WebSocketClientConfiguration/lasting``).
    ///
    /// ``WebSocketLimits/unreadByteCount`` holds for the session, where each message counts for 256 bytes more than it has:
    /// when so much waits to be read, nothing more is read but 64 KiB that the connection holds. What is left of a connection
    /// that has ended meanwhile is kept beyond it, that of further ones is dropped until there is room again. When half of
    /// `limits.frames.outputLimit` waits in a connection to be sent, the session keeps what follows.
    public var client: WebSocketClientConfiguration
    /// Headers that each attempt to connect is made with, such as a token that has to be new; they replace those of the same
    /// name in ``client`` (default: nil, it is made with those alone).
    ///
    ///     configuration.headers = { url in ["Authorization": "Bearer \(try await tokens.next(for: url))"] }
    ///
    /// It is asked before each attempt, with the address, on the session's loop, and must not block. Its time is the
    /// attempt's (`client.connecting.connectTimeout`); its task is cancelled when that is over, or the session ends. What it
    /// throws is a failure as others are, but for ``SessionLoginRefused``, which ends the session, as a header does that no
    /// server can be asked with.
    public var headers: (@Sendable (WebSocketURL) async throws -> WebSocketHeaders)?
    /// When it connects again. An address answers for itself: what is refused with 401 or 403, or leads elsewhere for good
    /// (301, 308), ends the session; any other answer that is no WebSocket is a failure as others are.
    ///
    /// Where 429 or 503 comes with `Retry-After`, a number of seconds or a date, no attempt is made before that, at no address:
    /// the cause is `DisconnectCause.kicked(_:)` then, whose `reason` is the status.
    public var reconnect: ReconnectPolicy
    /// What counts of a longer `Retry-After` (default 5 min): no answer keeps the session away for longer than that and a delay
    /// of ``reconnect``.
    public var retryAfterLimit: Duration
    /// How long the login may take (default 10 s).
    public var loginTimeout: Duration
    /// How much may wait to be sent. Each message counts for 14 bytes more than it has: as many as a frame adds at most.
    public var outbound: OutboundLimits
    /// Whether the oldest messages that nobody has read make room for new ones (default: no, the server has to wait).
    public var dropsOldestUnread: Bool
    /// What follows for the session when the server closes (default ``usualAdvice(_:)``); nil for what ``reconnect`` says.
    ///
    ///     configuration.advice = { close in
    ///         // Logged in elsewhere.
    ///         close.code?.rawValue == 4_001 ? .stop : WebSocketSessionConfiguration.usualAdvice(close)
    ///     }
    ///
    /// The cause is `DisconnectCause.kicked(_:)` then, whose `reason` is the code (1005 where the server has given none). It
    /// is called on the session's loop, more than once perhaps, and must not block.
    public var advice: @Sendable (WebSocketClose) -> KickNotice.Advice?

    /// Makes a configuration; what is left out has its default.
    public init(
        client: WebSocketClientConfiguration = .lasting, reconnect: ReconnectPolicy = ReconnectPolicy(),
        loginTimeout: Duration = .seconds(10), outbound: OutboundLimits = OutboundLimits(),
        dropsOldestUnread: Bool = false, retryAfterLimit: Duration = .seconds(300),
        headers: (@Sendable (WebSocketURL) async throws -> WebSocketHeaders)? = nil,
        advice: @escaping @Sendable (WebSocketClose) -> KickNotice.Advice? =
            WebSocketSessionConfiguration.usualAdvice
    ) {
        self.client = client
        self.reconnect = reconnect
        self.loginTimeout = loginTimeout
        self.outbound = outbound
        self.dropsOldestUnread = dropsOldestUnread
        self.retryAfterLimit = retryAfterLimit
        self.headers = headers
        self.advice = advice
    }

    /// What the codes of RFC 6455 and of IANA's registry say: 1008, a rule was broken, is for good; with 1012, the server
    /// starts again, and 1013, it has too much to do, a delay stands before the next attempt in any case. Nil for all others,
    /// 4000 to 4999 among them: what those mean is the application's to say.
    public static func usualAdvice(_ close: WebSocketClose) -> KickNotice.Advice? {
        switch close.code {
        case .policyViolation: .stop
        case .serviceRestart, .tryAgainLater: .wait(atLeast: .zero)
        default: nil
        }
    }
}

extension WebSocketClientConfiguration {
    /// The defaults, and pings where nothing has come for 30 s: a peer that vanishes is missed 10 s later
    /// (`HeartbeatPolicy`).
    public static var lasting: WebSocketClientConfiguration {
        var configuration = WebSocketClientConfiguration()
        configuration.limits.heartbeat = HeartbeatPolicy(rhythm: .whenQuiet)
        return configuration
    }
}
