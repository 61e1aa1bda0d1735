// SPDX-License-Identifier: Apache-2.0

public import WirelineWebSocket

/// How a ``WebSocketSession`` connects and reconnects, and what may wait in it.
public struct WebSocketSessionConfiguration: Sendable {
    /// How each connection is made, its limits and its heartbeat (default ``WebSocketClientConfiguration/lasting``).
    ///
    /// ``WebSocketLimits/unreadByteCount`` applies to the session; each message counts 256 bytes more than it has. When
    /// so much waits to be read, the session reads only 64 KiB more, which the connection holds. If that connection
    /// then ends, its remaining input may exceed the limit. The remaining input of further connections is dropped until
    /// less waits. When half of `limits.frames.outputLimit` waits in a connection to be sent, the session keeps further
    /// messages.
    public var client: WebSocketClientConfiguration
    /// Returns the headers for each attempt to connect, such as a new token (default: nil, only those of ``client``).
    ///
    /// They replace headers of the same name in ``client``.
    ///
    ///     configuration.headers = { url in ["Authorization": "Bearer \(try await tokens.next(for: url))"] }
    ///
    /// It is called before each attempt, with the URL, on the session's loop, and must not block. Its time counts as
    /// the attempt's (`client.dialing.connectTimeout`). Its task is cancelled at the timeout, or when the session
    /// ends. If it throws, the attempt has failed and the session retries. ``SessionLoginRefused``, and a header that
    /// cannot be sent, end the session.
    public var headers: (@Sendable (WebSocketURL) async throws -> WebSocketHeaders)?
    /// When it reconnects.
    ///
    /// Some answers end the session: 401 and 403, and over TLS a permanent redirect (301, 308). After any other answer
    /// that is not a WebSocket it retries. `DisconnectCause` has the table of everything that ends a session.
    ///
    /// If 429 or 503 comes with `Retry-After`, in seconds or as a date, the session tries no URL before that time. Then
    /// the cause is `DisconnectCause.kicked(_:)`, and its `reason` is the status.
    public var reconnect: ReconnectPolicy
    /// The longest `Retry-After` that counts (default 5 min).
    ///
    /// No answer delays the session for longer than that and a delay of ``reconnect``.
    public var retryAfterLimit: Duration
    /// The timeout for a login (default 10 s).
    public var loginTimeout: Duration
    /// How much may wait to be sent. Each message counts 14 bytes more than it has: the most that a frame adds.
    public var outbound: OutboundLimits
    /// Whether the oldest unread messages are dropped for new ones (default: no, back-pressure slows the server down).
    public var dropsOldestUnread: Bool
    /// How the session reacts to the server's close (default ``usualAdvice(_:)``); nil: as ``reconnect`` says.
    ///
    ///     configuration.advice = { close in
    ///         // Logged in elsewhere.
    ///         close.code?.rawValue == 4_001 ? .stop : WebSocketSessionConfiguration.usualAdvice(close)
    ///     }
    ///
    /// If it returns advice, the cause is `DisconnectCause.kicked(_:)`, and its `reason` is the code (1005 if the
    /// server gave none). It is called on the session's loop, maybe more than once, and must not block.
    public var advice: @Sendable (WebSocketClose) -> KickNotice.Advice?

    /// Makes a configuration; parameters that you leave out have their defaults.
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

    /// The advice for the codes of RFC 6455 and IANA's registry.
    ///
    /// 1008, a policy violation, ends the session. After 1012, a restart, and 1013, try again later, the next attempt
    /// always comes after a delay. All other codes return nil, also 4000 to 4999, which the application defines.
    public static func usualAdvice(_ close: WebSocketClose) -> KickNotice.Advice? {
        switch close.code {
        case .policyViolation: .stop
        case .serviceRestart, .tryAgainLater: .wait(atLeast: .zero)
        default: nil
        }
    }
}

extension WebSocketClientConfiguration {
    /// The defaults, with a ping after 30 s of silence; a vanished peer is found 10 s later (`HeartbeatPolicy`).
    public static var lasting: WebSocketClientConfiguration {
        var configuration = WebSocketClientConfiguration()
        configuration.limits.heartbeat = HeartbeatPolicy(rhythm: .whenQuiet)
        return configuration
    }
}
