// SPDX-License-Identifier: Apache-2.0

import WirelineSession
import WirelineTransport

/// The peer's deadlines; ``PeerDeadlines`` decides what happens when one passes.
extension LimitedConnection {
    /// The time in the form that the state machines use.
    var now: Duration { loop.now.sinceOrigin }

    /// Whether the connection waits for input from the peer. If no memory is left for all connections together, it does
    /// not read, so it does not wait.
    var isAwaitingPeer: Bool { wantsBytes && stream.wantsToRead }

    /// Checks the peer when its next deadline comes. If it has missed the deadline, the connection ends with
    /// ``TransportError/timedOut``.
    func watchPeer() {
        guard stream.isOpen else { return peerWatch.stop(on: loop) }
        peerWatch.setTimer(on: loop) { self.judgePeer() }
    }

    private func judgePeer() {
        let signs = PeerDeadlines.PeerActivity(
            lastArrival: lastArrival.sinceOrigin, wantedSince: wantedSince?.sinceOrigin,
            undeliveredByteCount: stream.undeliveredByteCount + lateByteCount)
        switch peerWatch.timerFired(at: loop.turnTime, signs) {
        case .goOn: watchPeer()
        case .tooLate: abort(.transport(.timedOut))
        case .close: close()
        }
    }
}
