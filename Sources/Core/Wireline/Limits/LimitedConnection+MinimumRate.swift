// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// The minimum rate of peers whose packets have begun.
///
/// One timer checks the arrived bytes. So a packet costs nothing, and a read almost nothing.
extension LimitedConnection {
    /// Call it when the connection waits for more: the rest of a packet, if one has begun.
    func watchRate() {
        guard let rate = sharedLimits?.minimumRate, hasBegun, stream.isOpen else { return }
        let slowPeer = makeSlowPeerState()
        slowPeer.waitForRest(
            rate, packetCount: receivedPacketCount, receivedByteCount: stream.receivedByteCount, at: now)
        scheduleRestCheck(slowPeer)
    }

    /// Call it when the connection stops waiting for now.
    func pauseRate() {
        slowPeer?.pause(at: now)
    }

    private func scheduleRestCheck(_ slowPeer: SlowPeerState) {
        slowPeer.scheduleCheck(on: loop) { self.checkRest(slowPeer) }
    }

    private func checkRest(_ slowPeer: SlowPeerState) {
        guard let rate = sharedLimits?.minimumRate, wantsBytes, hasBegun, slowPeer.isWaiting(after: receivedPacketCount)
        else {
            slowPeer.endRest()
            return dropSlowPeerStateIfIdle()
        }
        // Counts the socket's bytes, because a long TLS record yields no data before it is whole.
        guard slowPeer.judge(receivedByteCount: stream.receivedByteCount, at: now) else {
            return scheduleRestCheck(slowPeer)
        }
        end(.tooSlow(rate))
    }
}
