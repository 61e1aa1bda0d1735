// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineTransport
import WirelineWebSocket

/// Carries a session's messages in WebSockets.
///
/// Only the session's loop uses its mutable state, so `@unchecked Sendable` needs no lock.
final class WebSocketSessionAdapter: SessionAdapter, @unchecked Sendable {
    typealias Owner = WebSocketOwner
    typealias Payload = WebSocketConnection.Outgoing
    typealias LoginHook = @Sendable (WebSocketSession.Login) async throws -> Void
    private typealias HeadersHook = @Sendable (WebSocketURL) async throws -> WebSocketHeaders

    private let urls: [WebSocketURL]
    private let settings: WebSocketSessionConfiguration
    /// The settings of each connection. ``unreadStep`` limits their unread bytes.
    private let client: WebSocketClientConfiguration
    private let loginHook: LoginHook?
    /// The round-trip times of the last connection that ended.
    private var latestRoundTrips = RoundTrips()
    private var endpoint = 0

    /// The most input that a connection holds. More input waits in the session, up to the session's limit.
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
            repeatsLatest: true, connectTimeout: Self.safeTimeout(over: client.dialing.connectTimeout),
            loginTimeout: settings.loginTimeout,
            pendingByteCount: client.limits.givenByteCount)
    }

    var unreadByteCount: Int { settings.client.limits.unreadByteCount }

    var dropsOldestUnread: Bool { settings.dropsOldestUnread }

    // MARK: Connections

    /// Checks that every request can be sent.
    func check() throws(ConnectionError) {
        for url in urls { _ = try WebSocketConnection.handshake(client.request(url)) }
    }

    func connect(to endpoint: Int, on loop: EventLoop) async throws -> WebSocketOwner {
        self.endpoint = endpoint
        var client = client
        var request = client.request(urls[endpoint])
        if let headers = settings.headers {
            let deadline = loop.clockTime + client.dialing.connectTimeout
            let answer = try await Self.answer(of: headers, for: request.url, on: loop, until: deadline)
            request.headers.replace(with: answer)
            client.dialing.connectTimeout = loop.timeLeft(until: deadline)
        }
        return WebSocketOwner(try await WebSocketConnection.connect(request, on: loop, client))
    }

    /// - Throws: The program's error; ``ConnectionError/transport(_:)`` with `timedOut`.
    private static func answer(
        of headers: @escaping HeadersHook, for url: WebSocketURL, on loop: EventLoop, until deadline: MonotonicTime
    ) async throws -> WebSocketHeaders {
        let answer = try await ConnectionError.wrapping { () throws(TransportError) in
            let timeout = loop.timeLeft(until: deadline)
            return try await Attempt<Result<WebSocketHeaders, any Error>>.run(on: loop, timeout: timeout) { attempt in
                // The attempt awaits it. If it ignores its cancellation, no task awaits it.
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
        for url in urls { client.dialing.expireAddresses(of: url.host) }
    }

    func login(on link: Link, of driver: Driver) -> Login? {
        guard let loginHook, let owner = link.owner else { return nil }
        let attempt = WebSocketSession.Login(
            client: WebSocketClient(owner: owner), number: Int(clamping: link.number.rawValue),
            sessionID: driver.sessionID)
        return { try await loginHook(attempt) }
    }

    func takeRestOfLogin(_ link: Link, for driver: Driver) -> KickNotice? {
        guard let connection = link.connection else { return nil }
        while !driver.inbox.isSaturated, let message = connection.takeMessage() {
            driver.inbox.add(message)
        }
        return notice(from: connection)
    }

    func cause(of error: ConnectionError?, on connection: WebSocketConnection?) -> DisconnectCause {
        if let connection, let notice = notice(from: connection) { return .kicked(notice) }
        // A close that had arrived is the cause, whatever happened to the connection after that.
        if connection?.ending.peerClose != nil { return .endedByPeer }
        if connection?.ending.isPeerSilent == true { return .silent }
        if case .webSocket(.refused(let response)) = error, let notice = notice(from: response) {
            return .kicked(notice)
        }
        return error.map { DisconnectCause($0, overTLS: urls[endpoint].isSecure) } ?? .endedByPeer
    }

    /// The notice for the peer's close, if the configuration's `advice` has one.
    private func notice(from connection: WebSocketConnection) -> KickNotice? {
        guard let close = connection.ending.peerClose, let advice = settings.advice(close) else { return nil }
        let code = close.code ?? .noStatus
        return KickNotice(reason: UInt64(code.rawValue), advice: advice)
    }

    /// The notice for a response that says when to try again.
    private func notice(from response: WebSocketResponse) -> KickNotice? {
        guard [429, 503].contains(response.status),
            let delay = response.retryDelay(at: WallClock.secondsSince1970)
        else { return nil }
        let advice = KickNotice.Advice.wait(atLeast: min(delay, settings.retryAfterLimit))
        return KickNotice(reason: UInt64(response.status), advice: advice)
    }

    func close(_ connection: WebSocketConnection, for cause: DisconnectCause) {
        let isOwnEnd = cause == .endedByUs
        // If the peer has ended, its own error is reported.
        let error = isOwnEnd || cause == .endedByPeer ? nil : ConnectionError.disconnected(cause)
        connection.leave(code: connection.ending.peerClose?.code ?? (isOwnEnd ? .normal : .goingAway), for: error)
        latestRoundTrips = roundTrips(of: connection)
    }

    // MARK: State

    /// The round-trip times of a connection, or of the last one.
    func roundTrips(of connection: WebSocketConnection?) -> RoundTrips {
        connection?.heartbeat.roundTrips ?? latestRoundTrips
    }

    // MARK: Sending and receiving

    func write(_ message: GivenMessage<Payload>, to connection: WebSocketConnection) throws(CodecError) {
        connection.post(message.payload)
    }

    func probe(_ connection: WebSocketConnection) { connection.probe() }

    func take(_ message: WebSocketMessage, from link: Link, for driver: Driver) {
        driver.inbox.add(message)
    }
}
