// SPDX-License-Identifier: Apache-2.0

import WirelineSession
import WirelineTransport

/// What tells a peer's deadlines how far it has come.
extension PacketConnection {
    /// Holds the peer to deadlines from now on.
    func setDeadlines(_ limits: PeerDeadlines.Limits) {
        guard stream.isOpen, !isFinishing else { return }
        let isShakingHands = transform.map { !$0.isReady } ?? false
        deadlines = PeerDeadlines(limits, isShakingHands: isShakingHands, at: now)
        if isShakingHands {
            transform?.onReady = {
                self.deadlines.handshakeCompleted(at: self.now)
                self.watchPeer()
            }
        }
        watchPeer()
    }

    /// Takes note of a packet that has come whole.
    func notePacket() {
        guard deadlines.isAwaitingFirstPacket else { return }
        deadlines.packetCame(at: now)
        watchPeer()
    }

    var wantedSince: MonotonicTime? { isAwaitingPeer ? waitingSince : nil }

    /// Takes note that somebody waits, after a time in which nobody did.
    func beginWaiting() {
        // Whoever asks for more may have computed for long: that was not the peer's time.
        loop.forgetTime()
        waitingSince = loop.now
        guard waited != .zero else { return }
        waitingSince = waitingSince - waited
        waited = .zero
    }

    /// Takes note that nobody waits any more. The peer's time stands still then: it does not begin anew with each of many
    /// short waits.
    func stopWaiting() {
        // Of a first packet bytes alone are no sign.
        let since = deadlines.isAwaitingFirstPacket ? waitingSince : max(waitingSince, lastArrival)
        waited = max(.zero, since.duration(to: loop.now))
    }
}
