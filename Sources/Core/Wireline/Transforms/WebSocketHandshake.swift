// SPDX-License-Identifier: Apache-2.0

import WirelineWebSocket

/// The state of a WebSocket's handshake on a connection, on the client's side or the server's.
///
/// The driver passes the peer's bytes and answers requests. After each of these it sends ``takeOutput()``, also after
/// an error. Only the connection's loop uses this.
struct WebSocketHandshake {
    enum Stage {
        /// This client waits for the server's answer.
        case asking
        /// This server waits for a request.
        case listening
        /// The client's request waits for ``WebSocketHandshake/answer(_:)`` or ``WebSocketHandshake/answer(with:)``.
        case answering
        case complete
        case failed
    }

    struct Reading {
        /// The number of bytes taken. The other bytes belong to the first frames.
        let byteCount: Int
        let event: Event
    }

    enum Event {
        case needsBytes
        case request(WebSocketUpgradeRequest)
        /// The server has accepted this client's request.
        case complete(WebSocketAgreement)
        /// The server has answered with a page, so there will be no WebSocket.
        case page
        /// The client waits for a page that the program must make (``wantedPage``).
        case pageRequest
    }

    /// Indirect, because a handshake has hundreds of bytes, which each access would copy.
    private indirect enum State {
        case asking(WebSocketClientHandshake)
        case listening(WebSocketServerHandshake)
        /// `isDraining`: the answer will be 503.
        case answering(WebSocketServerHandshake, isDraining: Bool)
        case complete
        case failed
    }

    private var state: State
    private var output: [UInt8] = []

    init(_ client: WebSocketClientHandshake) {
        state = .asking(client)
        output = client.request
    }

    init(_ server: WebSocketServerHandshake) {
        state = .listening(server)
    }

    var stage: Stage {
        switch state {
        case .asking: .asking
        case .listening: .listening
        case .answering: .answering
        case .complete: .complete
        case .failed: .failed
        }
    }

    var isComplete: Bool { if case .complete = state { true } else { false } }

    /// Whether part of a request has arrived, but not all of it.
    var hasBegun: Bool { if case .listening(let server) = state { server.hasBegun } else { false } }

    /// The client's request, while it waits for an answer.
    var request: WebSocketUpgradeRequest? { if case .answering(let server, _) = state { server.request } else { nil } }

    /// The page that the client waits for; nil if it waits for none.
    var wantedPage: WebSocketPage? {
        if case .answering(let server, _) = state { server.wantedPage } else { nil }
    }

    /// The server's refusal, if its whole head has arrived but not its whole body.
    var refusal: ConnectionError? {
        guard case .asking(let client) = state else { return nil }
        return client.refusal.map { .webSocket(.refused($0)) }
    }

    // MARK: Changes

    mutating func takeOutput() -> [UInt8] {
        defer { output = [] }
        return output
    }

    /// - Parameter bytes: The received bytes, split anywhere, without those taken before.
    /// - Throws: The error in the bytes; the handshake has failed then.
    mutating func receive(_ bytes: RawSpan) throws(WebSocketError) -> Reading {
        // Each case releases the state's reference before it reads; otherwise each call would copy the bytes.
        switch state {
        case .asking(var client):
            state = .failed
            let byteCount = try client.receive(bytes)
            guard let agreement = client.agreement else {
                state = .asking(client)
                return Reading(byteCount: byteCount, event: .needsBytes)
            }
            state = .complete
            return Reading(byteCount: byteCount, event: .complete(agreement))
        case .listening(var server):
            state = .failed
            defer { output += server.takeOutput() }
            let byteCount = try server.receive(bytes)
            if server.hasAnsweredWithPage { return Reading(byteCount: byteCount, event: .page) }
            if server.wantedPage != nil {
                state = .answering(server, isDraining: false)
                return Reading(byteCount: byteCount, event: .pageRequest)
            }
            guard let request = server.request else {
                state = .listening(server)
                return Reading(byteCount: byteCount, event: .needsBytes)
            }
            state = .answering(server, isDraining: false)
            return Reading(byteCount: byteCount, event: .request(request))
        case .answering, .complete, .failed: return Reading(byteCount: 0, event: .needsBytes)
        }
    }

    /// Answers the client's request. While the server drains, the answer is 503.
    ///
    /// - Returns: The agreement; nil if the request was refused.
    /// - Throws: The error of an invalid answer. The client gets 500.
    /// - Precondition: There is a ``request``.
    mutating func answer(_ answer: WebSocketAnswer) throws(WebSocketError) -> WebSocketAgreement? {
        guard case .answering(var server, let isDraining) = state
        else { preconditionFailure("there is no request to be answered") }
        state = .failed
        defer { output += server.takeOutput() }
        do throws(WebSocketError) {
            try server.answer(isDraining ? .refuse(status: 503) : answer)
        } catch {
            // This answer is valid.
            try? server.answer(.refuse(status: 500))
            throw error
        }
        if server.agreement != nil { state = .complete }
        return server.agreement
    }

    /// Answers the client with a page, after which there will be no WebSocket.
    ///
    /// - Precondition: There is a ``wantedPage``.
    mutating func answer(with page: WebSocketPage) {
        guard case .answering(var server, _) = state else { preconditionFailure("no client waits for a page") }
        state = .failed
        server.answer(with: page)
        output += server.takeOutput()
    }

    /// Drains the server: it will refuse a waiting request.
    mutating func drain() {
        if case .answering(let server, _) = state { state = .answering(server, isDraining: true) }
    }

    /// Reports the end of the peer's stream.
    ///
    /// - Throws: The error of an incomplete handshake.
    mutating func endOfInput() throws(WebSocketError) {
        switch state {
        case .asking(var client): try client.endOfInput()
        case .listening(var server): try server.endOfInput()
        case .answering, .complete, .failed: break
        }
    }

    mutating func fail() { state = .failed }
}
