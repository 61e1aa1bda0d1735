// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// The deadlines of a server for peers that say nothing.
extension PacketConnection {
    /// Ends the connection with ``TransportError/timedOut`` when its peer is silent for too long while somebody waits for
    /// it; time in which nobody does is not the peer's.
    ///
    /// - Parameters:
    ///   - handshake: Within which time the handshakes of TLS and of a WebSocket must be complete, whether somebody waits
    ///     or not; nil: they have no deadline.
    ///   - firstPacket: Within which time the first whole packet must have come; nil: what holds later holds at once.
    ///   - later: For how long no byte may come.
    func closeWhenSilent(handshake: Duration?, firstPacket: Duration?, later: Duration?) {
        guard stream.isOpen else { return }
        if let transform, !transform.isReady {
            timer = handshake.map { loop.schedule(at: loop.now + $0) { self.timeOut() } }
            transform.onReady = {
                // The deadline of the end stands.
                guard !self.isFinishing else { return }
                self.loop.cancel(&self.timer)
                self.closeWhenSilent(handshake: nil, firstPacket: firstPacket, later: later)
            }
            return
        }
        guard let firstPacket else { return watchSilence(later, from: loop.now, everyByteCounts: true) }
        watchSilence(firstPacket, from: loop.now, everyByteCounts: false)
        onFirstPacket = {
            self.loop.cancel(&self.timer)
            self.watchSilence(later, from: self.loop.now, everyByteCounts: true)
        }
    }

    private func watchSilence(_ timeout: Duration?, from start: MonotonicTime, everyByteCounts: Bool) {
        guard let timeout else { return }
        timer = loop.schedule(at: start + timeout) {
            self.timer = nil
            let silentSince = everyByteCounts ? max(self.lastArrival, self.waitingSince) : self.waitingSince
            if !self.wantsBytes {
                self.watchSilence(timeout, from: self.loop.now, everyByteCounts: everyByteCounts)
            } else if silentSince > start {
                self.watchSilence(timeout, from: silentSince, everyByteCounts: everyByteCounts)
            } else {
                self.timeOut()
            }
        }
    }

    /// Takes note of a packet that has come whole.
    func notePacket() {
        guard let onFirstPacket = onFirstPacket.take() else { return }
        onFirstPacket()
    }

    private func timeOut() {
        timer = nil
        end(.transport(.timedOut))
    }
}
