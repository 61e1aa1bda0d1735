// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineWebSocket

extension CommandError {
    /// Returns the error for a failed connection. If the server seems to have no TLS, a hint asks about it.
    static func cannotConnect(
        to endpoint: HostAndPort, _ error: ConnectionError, within timeout: TimeSpan, _ timeline: ConnectionTimeline
    ) -> CommandError {
        let hint =
            timeline.isWithoutTLS(error)
            ? "does it speak TLS at this port? without the --tls options plain TCP is spoken" : nil
        guard error == .transport(.timedOut) else {
            return .failure("cannot connect to \(endpoint): \(error)", hint: hint)
        }
        let place = hint == nil ? "" : ": it does not answer with TLS"
        return .failure("no connection to \(endpoint) within \(timeout)\(place)", hint: hint)
    }

    /// Returns the error for a failed WebSocket handshake. If only one side uses TLS, a hint names the other URL
    /// scheme.
    static func noWebSocket(
        at url: WebSocketURL, _ error: ConnectionError, _ timeline: ConnectionTimeline?
    ) -> CommandError {
        .failure("no WebSocket at \(url): \(error)", hint: schemeHint(error, timeline))
    }

    private static func schemeHint(_ error: ConnectionError, _ timeline: ConnectionTimeline?) -> String? {
        if let timeline, timeline.isWithoutTLS(error) {
            return "does it speak TLS at this port? an address that begins with ws:// is asked without"
        }
        guard case .webSocket(.notHTTP(let bytes)) = error else { return nil }
        // These are the first bytes of a TLS alert and of a TLS handshake record.
        let isTLS = bytes.first == 0x15 || bytes.first == 0x16
        return isTLS ? "an address that begins with wss:// is asked with TLS" : nil
    }
}

extension ConnectionTimeline {
    /// Whether a TLS handshake has failed as it does with a server that has no TLS.
    ///
    /// Such a server waits for the rest of a message, closes the connection, or sends bytes that are not TLS.
    fileprivate func isWithoutTLS(_ error: ConnectionError) -> Bool {
        guard time(of: { $0 == .handshakeBegan }) != nil, time(of: { $0 == .handshakeEnded }) == nil else {
            return false
        }
        return switch error {
        case .transport(.timedOut), .transport(.reset), .tls(.notTLS), .tls(.truncated(duringHandshake: true)): true
        default: false
        }
    }
}
