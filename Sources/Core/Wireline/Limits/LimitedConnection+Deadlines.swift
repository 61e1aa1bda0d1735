// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// ``PeerDeadlines`` decides the action when a deadline passes.
extension LimitedConnection {
    /// The time in the form that the state machines use.
    var now: Duration { loop.now.sinceOrigin }

    /// Whether the connection waits for input from the peer. If no memory is left for all connections together, it does
    /// not read, so it does not wait.
    var isAwaitingPeer: Bool { wantsBytes && stream.wantsToRead }

    /// Checks the peer at its next deadline. A peer that has missed it ends the connection with
    /// ``TransportError/timedOut``.
    func watchPeer() {
        guard stream.isOpen else { return peerWatch.stop(on: loop) }
        peerWatch.setTimer(on: loop) { self.judgePeer() }
    }

    private func judgePeer() {
        let signs = PeerDeadlines.PeerActivity(
            lastArrival: lastArrival.sinceOrigin, wantedSince: wantedSince?.sinceOrigin,
            undeliveredByteCount: stream.undeliveredByteCount + deferredByteCount)
        switch peerWatch.timerFired(at: loop.turnTime, signs) {
        case .goOn: watchPeer()
        case .tooLate: abort(.transport(.timedOut))
        case .close: close()
        }
    }
}
