// SPDX-License-Identifier: Apache-2.0

import WirelineSession
import WirelineTransport

/// The minimum rate of peers that take output slowly.
///
/// Output that is sent at once costs nothing. The timer is set when output begins to wait, and then checks what has left.
extension LimitedConnection {
    /// How many bytes have left. If this system knows, those that the peer's system has acknowledged.
    private var deliveredByteCount: UInt64 { stream.acknowledgedByteCount ?? stream.sentByteCount }

    /// Records that output begins to wait.
    func watchReading() {
        guard let rate = sharedLimits?.minimumReadingRate, stream.isOpen else { return }
        let pressure = makePressure()
        pressure.beginReading(rate, deliveredByteCount: deliveredByteCount, at: now)
        scheduleReadingCheck(pressure)
    }

    /// Records that no output waits.
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
        // What is written now would not be read.
        abort(.readTooSlowly(rate))
    }
}
