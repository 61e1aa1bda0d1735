// SPDX-License-Identifier: Apache-2.0

/// The deadline for a peer to read queued output.
///
/// The system may need minutes to send its buffer over a slow line, and it reports free space only when there is a lot
/// of it. So the stream also checks the acknowledged bytes, four times within the timeout. It does so too if nothing is
/// queued here but the system still sends.
struct WriteDeadline {
    /// How long the peer may read nothing; nil: no limit.
    var timeout: Duration?
    /// When bytes were last sent, or were last found to be acknowledged.
    private var lastProgress = MonotonicTime.distantFuture
    /// The bytes acknowledged at the last check; nil if all were, or if the system does not report it.
    private var acknowledged: UInt64?
    private var timer: EventLoop.Timer?

    var isWatched: Bool { timer != nil }

    /// Call it when output begins to queue, or when the system has taken some of it.
    mutating func progressed(at now: MonotonicTime) {
        lastProgress = now
    }

    /// The time for the next call of ``checkExpired(at:acknowledged:)``; nil: never.
    ///
    /// - Parameter acknowledged: The number of bytes that the peer has acknowledged since the connection began; nil if
    ///   it has acknowledged all, or if the system does not report it.
    mutating func nextCheck(from now: MonotonicTime, acknowledged: @autoclosure () -> UInt64?) -> MonotonicTime? {
        guard let timeout else { return nil }
        if self.acknowledged == nil { self.acknowledged = acknowledged() }
        return min(lastProgress + timeout, max(lastProgress, now) + timeout / 4)
    }

    mutating func watch(with timer: EventLoop.Timer) { self.timer = timer }

    mutating func timerFired() { timer = nil }

    mutating func cancelTimer(on loop: EventLoop) { loop.cancel(&timer) }

    /// Whether the peer has read nothing for too long.
    mutating func checkExpired(at now: MonotonicTime, acknowledged: UInt64?) -> Bool {
        // If all bytes were acknowledged at the last check, the unacknowledged ones were sent since.
        if let acknowledged, acknowledged > self.acknowledged ?? 0 { lastProgress = now }
        self.acknowledged = acknowledged
        return timeout.map { lastProgress + $0 <= now } ?? false
    }

    /// Nothing is queued or unacknowledged any more.
    mutating func rest() {
        acknowledged = nil
    }
}
