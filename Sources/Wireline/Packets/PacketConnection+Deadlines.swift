// SPDX-License-Identifier: Apache-2.0

import WirelineSession
import WirelineTransport

/// Reports the peer's progress to its deadlines.
extension PacketConnection {
    /// Sets the peer's deadlines from now on.
    func setDeadlines(_ limits: PeerDeadlines.Limits) {
        guard stream.isOpen, !ending.isLeaving else { return }
        let isShakingHands = transform.map { !$0.isReady } ?? false
        peerWatch.begin(limits, isShakingHands: isShakingHands, at: loop.now)
        if isShakingHands {
            transform?.onReady = {
                self.peerWatch.handshakeCompleted(at: self.loop.now)
                self.watchPeer()
            }
        }
        watchPeer()
    }

    /// Records that a whole packet has arrived.
    func notePacket() {
        guard peerWatch.isAwaitingFirstPacket else { return }
        peerWatch.packetCame(at: loop.now)
        watchPeer()
    }

    var wantedSince: MonotonicTime? { isAwaitingPeer ? peerWatch.waitingSince : nil }

    /// Begins to wait for the peer, after a time without waiting.
    func beginWaiting() {
        // The caller may have computed for long. That time does not count for the peer.
        loop.forgetTime()
        peerWatch.beginWaiting(at: loop.now)
    }

    /// Stops waiting for the peer.
    func stopWaiting() { peerWatch.stopWaiting(at: loop.now, lastArrival: lastArrival) }
}
