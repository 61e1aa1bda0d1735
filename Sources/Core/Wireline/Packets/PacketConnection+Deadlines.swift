// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

extension PacketConnection {
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

    /// Call it for each whole packet.
    func notePacket() {
        guard peerWatch.isAwaitingFirstPacket else { return }
        peerWatch.packetCame(at: loop.now)
        watchPeer()
    }

    var wantedSince: MonotonicTime? { isAwaitingPeer ? peerWatch.waitingSince : nil }

    /// Starts to count the peer's time, after a pause.
    func beginWaiting() {
        // The caller may have computed for long. That time does not count for the peer.
        loop.forgetTime()
        peerWatch.beginWaiting(at: loop.now)
    }

    func stopWaiting() { peerWatch.stopWaiting(at: loop.now, lastArrival: lastArrival) }
}
