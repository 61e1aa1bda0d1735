// SPDX-License-Identifier: Apache-2.0

import Wireline

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
