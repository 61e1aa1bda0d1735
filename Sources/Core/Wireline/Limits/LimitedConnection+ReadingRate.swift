// SPDX-License-Identifier: Apache-2.0

import WirelineSession
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
        let pressure = makePressure()
        pressure.beginReading(rate, deliveredByteCount: deliveredByteCount, at: now)
        scheduleReadingCheck(pressure)
    }

    /// Call it when no output waits.
    func endReadingWatch() {
        guard let pressure else { return }
        pressure.endReading(on: loop)
        dropPressureIfIdle()
    }

    private func scheduleReadingCheck(_ pressure: PressureState) {
        pressure.scheduleReadingCheck(on: loop) { self.checkReading(pressure) }
    }

    private func checkReading(_ pressure: PressureState) {
        guard let rate = sharedLimits?.minimumReadingRate, stream.isOpen, stream.isOutputStalled else {
            return endReadingWatch()
        }
        // During a handshake, output waits for the peer's answer, which has a deadline of its own.
        guard stream.transform?.isReady != false else {
            pressure.beginReading(rate, deliveredByteCount: deliveredByteCount, at: now)
            return scheduleReadingCheck(pressure)
        }
        guard pressure.judgeReading(deliveredByteCount: deliveredByteCount, at: now) else {
            return scheduleReadingCheck(pressure)
        }
        // The peer would not read a message that is written now.
        abort(.readTooSlowly(rate))
    }
}
