// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// The state of a slow connection: it waits for the end of a packet, its output waits, or it holds more than the
/// uncounted bytes. Only the connection's loop uses this.
///
/// Most connections have none.
final class SlowPeerState {
    var share = SharedByteBudget.Share()
    /// The watch on the packet's speed; nil before a packet has begun.
    private var rest: RateWatch?
    /// The number of packets that were taken before this one.
    private var packetCount = 0
    /// The bytes that had arrived at the socket at the last check.
    private var countedByteCount: UInt64 = 0
    private var timer: EventLoop.Timer?
    /// The watch on the speed at which the peer takes output; nil while none waits.
    private var reading: RateWatch?
    /// The bytes that the peer had taken at the last check.
    private var deliveredByteCount: UInt64 = 0
    private var readingTimer: EventLoop.Timer?

    /// Whether this state can be dropped.
    var isIdle: Bool {
        timer == nil && rest == nil && reading == nil && share.byteCount == 0 && !share.isWaiting
    }

    // MARK: The rest of a packet

    /// Begins to wait for the rest of a packet, or continues.
    ///
    /// - Parameters:
    ///   - packetCount: The number of packets that were taken before it.
    ///   - byteCount: The bytes that have arrived at the socket.
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

    func pause(at now: Duration) { rest?.pauses(at: now) }

    /// Call it when the packet is whole.
    func endRest() { rest = nil }

    /// Whether the awaited packet is the one after `packetCount` packets.
    func isWaiting(after packetCount: Int) -> Bool { self.packetCount == packetCount }

    /// Counts the bytes that have arrived, and returns whether the peer is too slow.
    func judge(receivedByteCount byteCount: UInt64, at now: Duration) -> Bool {
        rest?.moved(Int(clamping: byteCount &- countedByteCount))
        countedByteCount = byteCount
        return rest?.isTooSlow(at: now) == true
    }

    // MARK: Output that waits

    func beginReading(_ rate: MinimumRate, deliveredByteCount byteCount: UInt64, at now: Duration) {
        reading = RateWatch(rate)
        deliveredByteCount = byteCount
        reading?.waits(at: now)
    }

    /// Call it when no output waits.
    func endReading(on loop: EventLoop) {
        loop.cancel(&readingTimer)
        reading = nil
    }

    /// Counts the bytes that the peer has taken, and returns whether it is too slow.
    func judgeReading(deliveredByteCount byteCount: UInt64, at now: Duration) -> Bool {
        reading?.moved(Int(clamping: byteCount &- deliveredByteCount))
        deliveredByteCount = byteCount
        return reading?.isTooSlow(at: now) == true
    }

    /// Calls a closure at the next check of the output, unless a check is already scheduled.
    func scheduleReadingCheck(on loop: EventLoop, _ check: @escaping () -> Void) {
        guard readingTimer == nil, let deadline = reading?.deadline else { return }
        readingTimer = loop.schedule(at: MonotonicTime(sinceOrigin: deadline)) {
            self.readingTimer = nil
            check()
        }
    }

    // MARK: The timer of a packet's rest

    /// Calls a closure at the next check, unless a check is already scheduled.
    func scheduleCheck(on loop: EventLoop, _ check: @escaping () -> Void) {
        guard timer == nil, let deadline = rest?.deadline else { return }
        timer = loop.schedule(at: MonotonicTime(sinceOrigin: deadline)) {
            self.timer = nil
            check()
        }
    }

    func stop(on loop: EventLoop) {
        loop.cancel(&timer)
        rest = nil
        endReading(on: loop)
    }
}
