// SPDX-License-Identifier: Apache-2.0

import WirelineSession
import WirelineTransport

/// By when the peer must have done its part; what follows from that, ``PeerDeadlines`` decides.
extension PacketConnection {
    /// Holds the peer to deadlines from now on: the connection ends with ``TransportError/timedOut`` when one has passed.
    func watchPeer(_ limits: PeerDeadlines.Limits) {
        guard stream.isOpen, !isFinishing else { return }
        let isShakingHands = transform.map { !$0.isReady } ?? false
        deadlines = PeerDeadlines(limits, isShakingHands: isShakingHands, at: now)
        if isShakingHands {
            transform?.onReady = {
                self.deadlines.handshakeCompleted(at: self.now)
                self.setTimer()
            }
        }
        setTimer()
    }

    /// Takes note of a packet that has come whole.
    func notePacket() {
        guard deadlines.isAwaitingFirstPacket else { return }
        deadlines.packetCame(at: now)
        setTimer()
    }

    private var now: Duration { .nanoseconds(loop.now.nanoseconds) }

    func setTimer() {
        loop.cancel(&timer)
        guard stream.isOpen, let deadline = deadlines.deadline else { return }
        timer = loop.schedule(at: MonotonicTime(nanoseconds: 0) + deadline) {
            self.timer = nil
            self.judgePeer()
        }
    }

    private func judgePeer() {
        // Where there is no room among all connections nothing is read, and so nothing is wanted.
        let isWanted = wantsBytes && stream.wantsToRead
        let signs = PeerDeadlines.Signs(
            lastArrival: .nanoseconds(lastArrival.nanoseconds),
            wantedSince: isWanted ? .nanoseconds(waitingSince.nanoseconds) : nil,
            hasOutput: stream.pendingByteCount > 0)
        switch deadlines.timerFired(at: .nanoseconds(loop.turnTime.nanoseconds), signs) {
        case .goOn: setTimer()
        case .tooLate: end(.transport(.timedOut))
        case .close: close()
        }
    }
}
