// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// A layer between a connection's packets and its socket, as the connection uses it. Only the loop's thread uses it.
protocol ConnectionTransform: StreamTransform {
    /// Called once, when the handshake is complete or has failed.
    var onReady: (() -> Void)? { get set }

    var connectionFailure: ConnectionError? { get }

    /// Whether the transform failed because the peer ended without a close.
    var isCut: Bool { get }

    /// Adds bytes that other connections send, too, to the output, in a form that was made once.
    ///
    /// - Returns: False if the transform has no such form; then it has added nothing.
    func sendShared(_ bytes: RawSpan, _ frames: SharedFrames) -> Bool
}

extension ConnectionTransform {
    func sendShared(_ bytes: RawSpan, _ frames: SharedFrames) -> Bool { false }
}
