// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSession
import WirelineTransport
import WirelineWebSocket

/// Carries a session's messages in WebSockets.
///
/// What changes is for the session's loop alone; that is also the lock behind `@unchecked Sendable`.
final class WebSocketCarrier: SessionCarrier, @unchecked Sendable {
    typealias Owner = WebSocketOwner
    typealias Payload = WebSocketConnection.Outgoing
    typealias LoginHook = @Sendable (WebSocketSessionLogin) async throws -> Void
    private typealias HeadersHook = @Sendable (WebSocketURL) async throws -> WebSocketHeaders

    private let urls: [WebSocketURL]
    private let settings: WebSocketSessionConfiguration
    /// How its connections are made.
    private let client: WebSocketClientConfiguration
    private let loginHook: LoginHook?
    /// Those of the last connection that has ended.
    private var latestRoundTrips = RoundTrips()

    /// The most that a connection holds of what has arrived: it goes on to where the session's limit is.
    private static let unreadStep = 64 << 10

    init(urls: [WebSocketURL], settings: WebSocketSessionConfiguration, login: LoginHook?) {
        self.urls = urls
        self.settings = settings
        loginHook = login
        var client = settings.client
        client.limits.unreadByteCount = min(client.limits.unreadByteCount, Self.unreadStep)
        self.client = client
    }

    var configuration: SessionConfiguration {
        SessionConfiguration(
            endpointCount: urls.count, reconnect: settings.reconnect, limits: settings.outbound,
            connectTimeout: Self.safeTimeout(over: client.connecting.connectTimeout),
            loginTimeout: settings.loginTimeout,
            pendingByteCount: client.limits.givenByteCount)
    }

    var unreadByteCount: Int { settings.client.limits.unreadByteCount }

    var dropsOldestUnread: Bool { settings.dropsOldestUnread }

    // MARK: Connections

    /// Whether all that is asked for can be.
    func check() throws(ConnectionError) {
        for url in urls { _ = try WebSocketConnection.handshake(client.request(url)) }
    }

    func connect(to endpoint: Int, on loop: EventLoop) async throws -> WebSocketOwner {
        var client = client
        var request = client.request(urls[endpoint])
        if let headers = settings.headers {
            let deadline = MonotonicTime.now + client.connecting.connectTimeout
            let answer = try await Self.answer(of: headers, for: request.url, on: loop, until: deadline)
            request.headers.replace(with: answer)
            client.connecting.connectTimeout = deadline.timeLeft
        }
        return WebSocketOwner(try await WebSocketConnection.connect(request, on: loop, client))
    }

    /// Asks the program for headers.
    ///
    /// - Throws: What the program throws; ``ConnectionError/transport(_:)`` with `timedOut`.
    private static func answer(
        of headers: @escaping HeadersHook, for url: WebSocketURL, on loop: EventLoop, until deadline: MonotonicTime
    ) async throws -> WebSocketHeaders {
        let answer = try await PacketConnection.transport { () throws(TransportError) in
            try await Attempt<Result<WebSocketHeaders, any Error>>.run(on: loop, timeout: deadline.timeLeft) {
                attempt in
                // The attempt awaits it; where it goes on although it is cancelled, nobody does.
                let asking = Task(executorPreference: loop) {
                    let answer: Result<WebSocketHeaders, any Error>
                    do { answer = .success(try await headers(url)) } catch { answer = .failure(error) }
                    loop.execute { attempt.finish(.success(answer)) }
                }
                attempt.cleanUp = { asking.cancel() }
            }
        }
        return try answer.get()
    }

    func expireAddresses() {
        for url in urls { client.connecting.expireAddresses(of: url.host) }
    }

    func login(on link: Link, of driver: Driver) -> Login? {
        guard let loginHook, let owner = link.owner else { return nil }
        let attempt = WebSocketSessionLogin(
            client: WebSocketClient(owner: owner), number: Int(clamping: link.number.rawValue),
            sessionID: driver.sessionID)
        return { try await loginHook(attempt) }
    }

    func takeRestOfLogin(_ link: Link, for driver: Driver) -> KickNotice? {
        guard let connection = link.connection else { return nil }
        while !driver.inbox.isHoldingUp, let message = connection.takeMessage() {
            driver.inbox.add(message)
        }
        return notice(from: connection)
    }

    func cause(of error: ConnectionError?, on connection: WebSocketConnection?) -> DisconnectCause {
        if let connection, let notice = notice(from: connection) { return .kicked(notice) }
        // Whatever has become of the connection behind it: the peer had closed.
        if connection?.peerClose != nil { return .endedByPeer }
        if connection?.isPeerSilent == true { return .silent }
        if case .webSocket(.refused(let response)) = error, let notice = notice(from: response) {
            return .kicked(notice)
        }
        return error.map { DisconnectCause($0) } ?? .endedByPeer
    }

    /// What follows from the peer's close, if it says so.
    private func notice(from connection: WebSocketConnection) -> KickNotice? {
        guard let close = connection.peerClose, let advice = settings.advice(close) else { return nil }
        let code = close.code ?? .noStatus
        return KickNotice(reason: UInt64(code.rawValue), advice: advice)
    }

    /// What follows from an answer that says when to ask again.
    private func notice(from response: WebSocketResponse) -> KickNotice? {
        guard [429, 503].contains(response.status),
            let delay = response.retryDelay(at: WallClock.secondsSince1970)
        else { return nil }
        let advice = KickNotice.Advice.wait(atLeast: min(delay, settings.retryAfterLimit))
        return KickNotice(reason: UInt64(response.status), advice: advice)
    }

    func letGo(_ connection: WebSocketConnection, for cause: DisconnectCause) {
        let isOwnEnd = cause == .endedByUs
        // A peer that has ended says so itself.
        let error = isOwnEnd || cause == .endedByPeer ? nil : ConnectionError.disconnected(cause)
        connection.leave(code: connection.peerClose?.code ?? (isOwnEnd ? .normal : .goingAway), for: error)
        latestRoundTrips = roundTrips(of: connection)
    }

    // MARK: What is to be seen

    /// How long a connection's pings took to be answered, or those of the last one.
    func roundTrips(of connection: WebSocketConnection?) -> RoundTrips {
        connection?.heartbeat?.roundTrips ?? latestRoundTrips
    }

    // MARK: What is sent and arrives

    func write(_ message: GivenMessage<Payload>, to connection: WebSocketConnection) throws(CodecError) {
        connection.post(message.payload)
    }

    func take(_ message: WebSocketMessage, from link: Link, for driver: Driver) {
        driver.inbox.add(message)
    }
}
