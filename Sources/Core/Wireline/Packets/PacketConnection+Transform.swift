// SPDX-License-Identifier: Apache-2.0

import WirelineTransport
public import WirelineWebSocket

extension PacketConnection {
    /// The layers between packets and socket (TLS, a WebSocket or both); nil if there are none.
    var transform: (any ConnectionTransform)? { stream.transform as? any ConnectionTransform }

    var webSocketTransform: WebSocketTransform? {
        stream.transform as? WebSocketTransform
            ?? (stream.transform as? ChainedTransform)?.upper as? WebSocketTransform
    }

    func insert(_ tls: TLSTransform?, _ webSocket: WebSocketTransform?) {
        switch (tls, webSocket) {
        case (nil, nil): break
        case (let tls?, nil): stream.insert(tls)
        case (nil, let webSocket?): stream.insert(webSocket)
        case (let tls?, let webSocket?):
            let chain = ChainedTransform(webSocket, over: tls)
            chain.onLowerReady = { [recorder] in
                recorder?.noteHandshakeEnd(of: tls)
                recorder?.note(.webSocketBegan)
            }
            stream.insert(chain)
        }
    }

    /// What TLS negotiated; nil without TLS, or before the handshake is complete.
    public func tlsDetails() async -> TLSDetails? {
        await loop.run { self.stream.tlsTransform?.details }
    }

    /// What the WebSocket handshake negotiated; nil without a WebSocket, or before the handshake is complete.
    public func webSocketAgreement() async -> WebSocketAgreement? {
        await loop.run { self.webSocketTransform?.agreement }
    }

    /// The client's request for the WebSocket, on the server's side; nil until it has arrived.
    ///
    /// It may be nil when a handler begins; after the first packet it is there. Without a WebSocket it is nil.
    public func webSocketRequest() async -> WebSocketUpgradeRequest? {
        await loop.run { self.webSocketTransform?.request }
    }

    /// The server's refusal, if its whole head has arrived but not its whole body.
    var refusal: ConnectionError? { webSocketTransform?.refusal }

    /// - Throws: The error that made the handshake fail; the connection is then closed.
    func waitForHandshake(within timeout: Duration) async throws(ConnectionError) {
        do throws(TransportError) {
            try await Attempt<Void>.run(on: loop, timeout: timeout) { attempt in
                guard let transform = self.transform, self.stream.isOpen, !transform.isReady else {
                    return attempt.finish(.success(()))
                }
                transform.onReady = { attempt.finish(.success(())) }
            }
        } catch {
            let error = await loop.run {
                let error = self.handshakeError(error)
                self.end(error)
                return error
            }
            throw error
        }
        if let error = await loop.run({ self.handshakeError }) { throw error }
    }

    private var handshakeError: ConnectionError? { transform?.isReady == false ? sendError : nil }

    /// Returns the error of a failed wait for the handshake. A refusal of the server comes first, even if the body of
    /// the answer is incomplete. But a cancelled task gets `cancelled`.
    private func handshakeError(_ error: TransportError) -> ConnectionError {
        if error == .cancelled { return .cancelled }
        return refusal ?? .transport(error)
    }

    /// Sets the close code that a WebSocket's peer gets when this side closes the connection. Call it on the loop.
    package func closeCode(_ code: WebSocketCloseCode) { webSocketTransform?.closeCode = code }

    /// Calls a closure once, when the handshakes of TLS and of the WebSocket are complete, or at once if there are
    /// none. Failed handshakes never call it. Call this on the loop.
    package func whenReady(_ action: @escaping () -> Void) {
        guard let transform else { return action() }
        if transform.isReady { return action() }
        let others = transform.onReady
        transform.onReady = {
            others?()
            if self.stream.isOpen, transform.isReady { action() }
        }
    }

    /// The results of the connection's handshakes; all nil without them. Only the loop uses it.
    package var handshakes: (tls: TLSDetails?, certificate: [UInt8]?, request: WebSocketUpgradeRequest?) {
        let tls = stream.tlsTransform
        return (tls?.details, tls?.engine.peerCertificateBytes, webSocketTransform?.request)
    }

    /// Sets the close code for the case that the connection closes now.
    func setCloseCode() {
        guard let webSocketTransform else { return }
        switch ending.inputError {
        case .codec: webSocketTransform.closeCode = .invalidPayload
        case .tooSlow, .noRoom, .transport(.timedOut): webSocketTransform.closeCode = .policyViolation
        default: if let failure = ending.failure { webSocketTransform.closeCode = Self.closeCode(of: failure) }
        }
    }

    /// The close code for a peer whose handler has thrown.
    ///
    /// A wrong message has the code of a broken packet. So an attacker who changes packets of a cipher does not learn
    /// which change was wrong.
    static func closeCode(of failure: any Error) -> WebSocketCloseCode {
        let error = if case .codec(let error)? = failure as? ConnectionError { error } else { failure as? CodecError }
        // The error of a packet that could not be sent has no offset.
        return error?.offset == nil ? .internalError : .invalidPayload
    }
}
