// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineWebSocket

extension CommandError {
    /// A connection has not come about. Where there was one of TCP, and no TLS on it, a hint asks whether there can be.
    static func cannotConnect(
        to endpoint: Endpoint, _ error: ConnectionError, within timeout: TimeSpan, _ timeline: ConnectionTimeline
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

    /// A WebSocket has not come about. Where one side speaks TLS, and the other does not, a hint names the other scheme.
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
        // An alert of TLS, or something of its handshake.
        let isTLS = bytes.first == 0x15 || bytes.first == 0x16
        return isTLS ? "an address that begins with wss:// is asked with TLS" : nil
    }
}

extension ConnectionTimeline {
    /// Whether a TLS handshake has begun and failed as it does with a server that does not know what it is: that waits for
    /// the rest of a message, ends the connection, or answers with something else.
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
