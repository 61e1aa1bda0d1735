// SPDX-License-Identifier: Apache-2.0

import WirelineTransport
public import WirelineWebSocket

extension PacketConnection {
    /// What stands between the packets and the socket, if anything does.
    var transform: (any ConnectionTransform)? { stream.transform as? any ConnectionTransform }

    var webSocketTransform: WebSocketTransform? {
        stream.transform as? WebSocketTransform
            ?? (stream.transform as? ChainedTransform)?.upper as? WebSocketTransform
    }

    /// Puts what there is between the packets and the socket, a WebSocket over TLS.
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

    /// What both sides have agreed on, where the connection is one with TLS; nil before the handshake is complete.
    public func tlsDetails() async -> TLSDetails? {
        await loop.run { self.stream.tlsTransform?.details }
    }

    /// What the handshake has settled, where a WebSocket carries the packets; nil before it is complete.
    public func webSocketAgreement() async -> WebSocketAgreement? {
        await loop.run { self.webSocketTransform?.agreement }
    }

    /// What a client has asked for, where a WebSocket carries the packets and this is the server's side; nil before the
    /// request has come, as where a handler begins: behind the first packet it is there.
    public func webSocketRequest() async -> WebSocketUpgradeRequest? {
        await loop.run { self.webSocketTransform?.request }
    }

    /// What a WebSocket's server has answered that refuses, where all of its head has come and not all of its body.
    var refusal: ConnectionError? { webSocketTransform?.refusal }

    /// Waits until packets can be sent.
    ///
    /// - Throws: What has kept it from that; the connection is closed then.
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

    /// Why packets cannot be sent, where nobody waits for that any more: a server that has refused has said so, although its
    /// body has not ended.
    private func handshakeError(_ error: TransportError) -> ConnectionError {
        if error == .cancelled { return .cancelled }
        return refusal ?? .transport(error)
    }

    /// What a WebSocket's peer is told when the connection is closed now.
    func setCloseCode() {
        guard let webSocketTransform else { return }
        switch ending {
        case .failed(.codec): webSocketTransform.closeCode = .invalidPayload
        case .failed(.tooSlow), .failed(.noRoom), .failed(.transport(.timedOut)):
            webSocketTransform.closeCode = .policyViolation
        default: if failure != nil { webSocketTransform.closeCode = .internalError }
        }
    }
}
