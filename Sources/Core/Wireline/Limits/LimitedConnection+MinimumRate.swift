// SPDX-License-Identifier: Apache-2.0

import WirelineSession
import WirelineTransport

/// The minimum rate of peers whose packets have begun.
///
/// One timer checks the arrived bytes. So a packet costs nothing, and a read almost nothing.
extension LimitedConnection {
    /// Call it when the connection waits for more: the rest of a packet, if one has begun.
    func watchRate() {
        guard let rate = sharedLimits?.minimumRate, hasBegun, stream.isOpen else { return }
        let pressure = makePressure()
        pressure.waitForRest(
            rate, packetCount: receivedPacketCount, receivedByteCount: stream.receivedByteCount, at: now)
        scheduleRestCheck(pressure)
    }

    /// Call it when the connection stops waiting for now.
    func pauseRate() {
        pressure?.pause(at: now)
    }

    private func scheduleRestCheck(_ pressure: PressureState) {
        pressure.scheduleCheck(on: loop) { self.checkRest(pressure) }
    }

    private func checkRest(_ pressure: PressureState) {
        guard let rate = sharedLimits?.minimumRate, wantsBytes, hasBegun, pressure.isWaiting(after: receivedPacketCount)
        else {
            pressure.endRest()
            return dropPressureIfIdle()
        }
        // Counts the socket's bytes, because a long TLS record yields no data before it is whole.
        guard pressure.judge(receivedByteCount: stream.receivedByteCount, at: now) else {
            return scheduleRestCheck(pressure)
        }
        end(.tooSlow(rate))
    }
}
