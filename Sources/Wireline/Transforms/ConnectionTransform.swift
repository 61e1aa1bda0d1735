// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// What lies between a connection's packets and its socket, as the connection uses it; for the loop's own thread.
protocol ConnectionTransform: StreamTransform {
    /// Called once, when the handshake is complete or has failed.
    var onReady: (() -> Void)? { get set }

    /// The error that made it fail, for the program.
    var connectionFailure: ConnectionError? { get }

    /// Whether it failed because the peer ended without a close.
    var isCut: Bool { get }

    /// Adds bytes that other connections send, too, to its output, in a form that was made once.
    ///
    /// - Returns: False if it has no such form; nothing was added.
    func sendShared(_ bytes: RawSpan, _ frames: SharedFrames) -> Bool
}

extension ConnectionTransform {
    func sendShared(_ bytes: RawSpan, _ frames: SharedFrames) -> Bool { false }
}
