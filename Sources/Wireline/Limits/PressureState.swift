// SPDX-License-Identifier: Apache-2.0

import WirelineSession
import WirelineTransport

/// The state of a connection that waits for the end of a packet, whose output waits, or that holds more than the uncounted
/// bytes. Only the connection's loop uses this.
///
/// Most connections have none.
final class PressureState {
    /// How many bytes the connection has been granted, and whether it waits for more.
    var share = SharedByteBudget.Share()
    /// The watch on the packet's speed; nil before a packet has begun.
    private var rest: RateWatch?
    /// How many packets had been taken when the packet began.
    private var packetCount = 0
    /// How many bytes had arrived at the socket at the last check.
    private var countedByteCount: UInt64 = 0
    /// The timer for the next check.
    private var timer: EventLoop.Timer?
    /// The watch on how fast the peer takes output; nil while none waits.
    private var reading: RateWatch?
    /// How many bytes the peer had taken at the last check.
    private var deliveredByteCount: UInt64 = 0
    /// The timer for the next check of that.
    private var readingTimer: EventLoop.Timer?

    /// Whether there is nothing to remember.
    var isIdle: Bool {
        timer == nil && rest == nil && reading == nil && share.byteCount == 0 && !share.isWaiting
    }

    // MARK: The rest of a packet

    /// Begins to wait for the rest of a packet, or continues.
    ///
    /// - Parameters:
    ///   - packetCount: How many packets were taken before it.
    ///   - byteCount: How many bytes have arrived at the socket.
    func waitForRest(_ rate: MinimumRate, packetCount: Int, receivedByteCount byteCount: UInt64, at now: Duration) {
        if rest == nil {
            rest = RateWatch(rate)
            countedByteCount = byteCount
        } else if self.packetCount != packetCount {
            rest?.finished()
            countedByteCount = byteCount
        }
        self.packetCount = packetCount
        rest?.waits(at: now)
    }

    /// Stops waiting for now.
    func pause(at now: Duration) { rest?.pauses(at: now) }

    /// Forgets the packet, which is whole.
    func endRest() { rest = nil }

    /// Whether the packet for whose rest it waits is the one after so many packets.
    func isWaiting(after packetCount: Int) -> Bool { self.packetCount == packetCount }

    /// Counts what has arrived, and judges the peer.
    ///
    /// - Returns: Whether the peer is too slow.
    func judge(receivedByteCount byteCount: UInt64, at now: Duration) -> Bool {
        rest?.moved(Int(clamping: byteCount &- countedByteCount))
        countedByteCount = byteCount
        return rest?.isTooSlow(at: now) == true
    }

    // MARK: Output that waits

    /// Begins to watch how fast the peer takes output.
    func beginReading(_ rate: MinimumRate, deliveredByteCount byteCount: UInt64, at now: Duration) {
        reading = RateWatch(rate)
        deliveredByteCount = byteCount
        reading?.waits(at: now)
    }

    /// Stops watching: no output waits.
    func endReading(on loop: EventLoop) {
        loop.cancel(&readingTimer)
        reading = nil
    }

    /// Counts what the peer has taken, and judges it.
    ///
    /// - Returns: Whether the peer is too slow.
    func judgeReading(deliveredByteCount byteCount: UInt64, at now: Duration) -> Bool {
        reading?.moved(Int(clamping: byteCount &- deliveredByteCount))
        deliveredByteCount = byteCount
        return reading?.isTooSlow(at: now) == true
    }

    /// Calls a closure at the next check of the output, unless one is scheduled already.
    func scheduleReadingCheck(on loop: EventLoop, _ check: @escaping () -> Void) {
        guard readingTimer == nil, let deadline = reading?.deadline else { return }
        readingTimer = loop.schedule(at: MonotonicTime(sinceOrigin: deadline)) {
            self.readingTimer = nil
            check()
        }
    }

    // MARK: The timer of a packet's rest

    /// Calls a closure at the next check, unless one is scheduled already.
    func scheduleCheck(on loop: EventLoop, _ check: @escaping () -> Void) {
        guard timer == nil, let deadline = rest?.deadline else { return }
        timer = loop.schedule(at: MonotonicTime(sinceOrigin: deadline)) {
            self.timer = nil
            check()
        }
    }

    /// Waits no more: neither for the rest of a packet nor for the peer to take output.
    func stop(on loop: EventLoop) {
        loop.cancel(&timer)
        rest = nil
        endReading(on: loop)
    }
}
