// SPDX-License-Identifier: Apache-2.0

import WirelineSession
import WirelineTransport

/// By when the peer must have done its part; what follows from that, ``PeerDeadlines`` decides.
extension SupervisedConnection {
    /// The time, as the machines that decide count it.
    var now: Duration { loop.now.sinceOrigin }

    /// Whether it is the peer's turn to bring something. Where there is no room among all connections nothing is read, and so
    /// nothing is wanted.
    var isAwaitingPeer: Bool { wantsBytes && stream.wantsToRead }

    /// Looks at the peer when its next deadline comes: the connection ends with ``TransportError/timedOut`` when it has passed.
    func watchPeer() {
        loop.cancel(&peerTimer)
        guard stream.isOpen, let deadline = deadlines.deadline else { return }
        peerTimer = loop.schedule(at: MonotonicTime(sinceOrigin: deadline)) {
            self.peerTimer = nil
            self.judgePeer()
        }
    }

    private func judgePeer() {
        let signs = PeerDeadlines.Signs(
            lastArrival: lastArrival.sinceOrigin, wantedSince: wantedSince?.sinceOrigin,
            hasOutput: stream.pendingByteCount > 0)
        switch deadlines.timerFired(at: loop.turnTime.sinceOrigin, signs) {
        case .goOn: watchPeer()
        case .tooLate: abort(.transport(.timedOut))
        case .close: close()
        }
    }
}
