// SPDX-License-Identifier: Apache-2.0

import WirelineSession
import WirelineTransport

/// The minimum rate of peers whose packets have begun.
///
/// The timer is set once and looks then at what has come: nothing is done for a packet, and next to nothing for a read.
extension SupervisedConnection {
    /// Takes note that more is waited for: the rest of a packet, if one has begun.
    func watchRest() {
        guard let rate = supervision?.minimumRate, hasBegun, stream.isOpen, let burden = burden() else { return }
        if burden.rest == nil {
            burden.rest = RateWatch(rate)
        } else if burden.packetCount != receivedPacketCount {
            burden.rest?.finished()
        }
        burden.packetCount = receivedPacketCount
        burden.rest?.waits(at: now)
        scheduleRestCheck(burden)
    }

    /// Takes note that nobody waits for a while.
    func pauseRest() {
        burden?.rest?.pauses(at: now)
    }

    private func scheduleRestCheck(_ burden: ConnectionBurden) {
        guard burden.timer == nil, let deadline = burden.rest?.deadline else { return }
        burden.timer = loop.schedule(at: MonotonicTime(sinceOrigin: deadline)) {
            burden.timer = nil
            self.checkRest(burden)
        }
    }

    private func checkRest(_ burden: ConnectionBurden) {
        guard let rate = supervision?.minimumRate, wantsBytes, hasBegun, burden.packetCount == receivedPacketCount
        else {
            burden.rest = nil
            return dropBurdenIfIdle()
        }
        guard burden.rest?.isTooSlow(at: now) == true else {
            return scheduleRestCheck(burden)
        }
        end(.tooSlow(rate))
    }
}
