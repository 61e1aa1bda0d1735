// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

extension PacketConnection {
    var tlsTransform: TLSTransform? { stream.transform as? TLSTransform }

    /// What both sides have agreed on, where the connection is one with TLS; nil before the handshake is complete.
    public func tlsDetails() async -> TLSDetails? {
        await loop.run { self.tlsTransform?.details }
    }

    /// Waits until TLS can be used.
    ///
    /// - Throws: What has kept it from that; the connection is closed then.
    func waitForHandshake(within timeout: Duration) async throws(ConnectionError) {
        do throws(TransportError) {
            try await Attempt<Void>.run(on: loop, timeout: timeout) { attempt in
                guard let transform = self.tlsTransform, self.stream.isOpen, !transform.isReady else {
                    return attempt.finish(.success(()))
                }
                transform.onReady = { attempt.finish(.success(())) }
            }
        } catch {
            let error = error == .cancelled ? ConnectionError.cancelled : .transport(error)
            recorder?.close(error)
            close()
            throw error
        }
        if let error = await loop.run({ self.handshakeError }) { throw error }
    }

    private var handshakeError: ConnectionError? { tlsTransform?.isReady == false ? sendError : nil }
}
