// SPDX-License-Identifier: Apache-2.0

import WirelineSession
import WirelineTransport

/// The minimum rate of peers whose packets have begun.
///
/// The timer is set once and then checks what has arrived. So a packet costs nothing, and a read almost nothing.
extension LimitedConnection {
    /// Records that the connection waits for more: the rest of a packet, if one has begun.
    func watchRate() {
        guard let rate = sharedLimits?.minimumRate, hasBegun, stream.isOpen, let pressure = pressure() else { return }
        if pressure.rest == nil {
            pressure.rest = RateWatch(rate)
            pressure.countedByteCount = stream.receivedByteCount
        } else if pressure.packetCount != receivedPacketCount {
            pressure.rest?.finished()
            pressure.countedByteCount = stream.receivedByteCount
        }
        pressure.packetCount = receivedPacketCount
        pressure.rest?.waits(at: now)
        scheduleRestCheck(pressure)
    }

    /// Records that the connection does not wait for now.
    func pauseRate() {
        pressure?.rest?.pauses(at: now)
    }

    private func scheduleRestCheck(_ pressure: PressureState) {
        guard pressure.timer == nil, let deadline = pressure.rest?.deadline else { return }
        pressure.timer = loop.schedule(at: MonotonicTime(sinceOrigin: deadline)) {
            pressure.timer = nil
            self.checkRest(pressure)
        }
    }

    private func checkRest(_ pressure: PressureState) {
        guard let rate = sharedLimits?.minimumRate, wantsBytes, hasBegun, pressure.packetCount == receivedPacketCount
        else {
            pressure.rest = nil
            return dropPressureIfIdle()
        }
        // Counts the socket's bytes, because a long TLS record yields no data before it is whole.
        pressure.rest?.moved(Int(clamping: stream.receivedByteCount &- pressure.countedByteCount))
        pressure.countedByteCount = stream.receivedByteCount
        guard pressure.rest?.isTooSlow(at: now) == true else {
            return scheduleRestCheck(pressure)
        }
        end(.tooSlow(rate))
    }
}
