// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// The deadlines of a server for peers that say nothing.
extension PacketConnection {
    /// Ends the connection with ``TransportError/timedOut`` when its peer is silent for too long while somebody waits for
    /// it; time in which nobody does is not the peer's.
    ///
    /// - Parameters:
    ///   - firstPacket: Within which time the first whole packet must have come.
    ///   - later: For how long no byte may come.
    func closeWhenSilent(firstPacket: Duration?, later: Duration?) {
        let firstDeadline = firstPacket.map { loop.now + $0 } ?? .distantFuture
        watchSilence(firstPacket: firstPacket, firstDeadline, later: later)
    }

    private func watchSilence(firstPacket: Duration?, _ firstDeadline: MonotonicTime, later: Duration?) {
        let deadline = silenceDeadline(firstDeadline, later)
        guard deadline < .distantFuture else { return }
        timer = loop.schedule(at: deadline) {
            self.timer = nil
            if !self.wantsBytes {
                self.lastArrival = self.loop.now
                self.closeWhenSilent(firstPacket: firstPacket, later: later)
            } else if self.silenceDeadline(firstDeadline, later) <= self.loop.now {
                self.timeOut()
            } else {
                self.watchSilence(firstPacket: firstPacket, firstDeadline, later: later)
            }
        }
    }

    private func silenceDeadline(_ firstDeadline: MonotonicTime, _ later: Duration?) -> MonotonicTime {
        min(hasHadPacket ? .distantFuture : firstDeadline, later.map { lastArrival + $0 } ?? .distantFuture)
    }

    private func timeOut() {
        if ending == nil { ending = .failed(.transport(.timedOut)) }
        close()
    }
}
