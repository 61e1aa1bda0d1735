// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// The minimum rate of peers that take output slowly.
///
/// Output that leaves at once costs nothing. A timer starts when output begins to wait, and then checks the bytes that
/// have left.
extension LimitedConnection {
    /// The bytes that the peer's system has acknowledged, if this system knows; otherwise the bytes that have left.
    private var deliveredByteCount: UInt64 { stream.acknowledgedByteCount ?? stream.sentByteCount }

    /// Call it when output begins to wait.
    func watchReading() {
        guard let rate = sharedLimits?.minimumReadingRate, stream.isOpen else { return }
        let slowPeer = makeSlowPeerState()
        slowPeer.beginReading(rate, deliveredByteCount: deliveredByteCount, at: now)
        scheduleReadingCheck(slowPeer)
    }

    /// Call it when no output waits.
    func endReadingWatch() {
        guard let slowPeer else { return }
        slowPeer.endReading(on: loop)
        dropSlowPeerStateIfIdle()
    }

    private func scheduleReadingCheck(_ slowPeer: SlowPeerState) {
        slowPeer.scheduleReadingCheck(on: loop) { self.checkReading(slowPeer) }
    }

    private func checkReading(_ slowPeer: SlowPeerState) {
        guard let rate = sharedLimits?.minimumReadingRate, stream.isOpen, stream.isOutputStalled else {
            return endReadingWatch()
        }
        // During a handshake, output waits for the peer's answer, which has a deadline of its own.
        guard stream.transform?.isReady != false else {
            slowPeer.beginReading(rate, deliveredByteCount: deliveredByteCount, at: now)
            return scheduleReadingCheck(slowPeer)
        }
        guard slowPeer.judgeReading(deliveredByteCount: deliveredByteCount, at: now) else {
            return scheduleReadingCheck(slowPeer)
        }
        // The peer would not read a message that is written now.
        abort(.readTooSlowly(rate))
    }
}
