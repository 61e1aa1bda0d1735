// SPDX-License-Identifier: Apache-2.0

/// By when a peer must have taken something of what waits for it.
///
/// What the system has taken may fill a slow line for minutes, and it says that there is room again only when there is a
/// lot of it. So what the peer has acknowledged is looked at, too, four times in the time that it has.
struct WriteDeadline {
    /// How long the peer may take nothing; nil: as long as it likes.
    var timeout: Duration?
    /// When something last left, or was found to have been acknowledged.
    private var lastProgress = MonotonicTime.distantFuture
    /// How much the peer had acknowledged at the last look; nil before the first one, or where the system does not say.
    private var acknowledged: UInt64?

    /// Something has begun to wait, or the system has taken some of it.
    mutating func progressed(at now: MonotonicTime) {
        lastProgress = now
    }

    /// When ``isOver(at:acknowledged:)`` is to be asked; nil: never.
    ///
    /// - Parameter acknowledged: How many bytes the peer has acknowledged, all in all; nil where the system does not say.
    mutating func nextLook(from now: MonotonicTime, acknowledged: @autoclosure () -> UInt64?) -> MonotonicTime? {
        guard let timeout else { return nil }
        if self.acknowledged == nil { self.acknowledged = acknowledged() }
        return min(lastProgress + timeout, max(lastProgress, now) + timeout / 4)
    }

    /// Whether the peer has taken nothing for too long.
    mutating func isOver(at now: MonotonicTime, acknowledged: UInt64?) -> Bool {
        if let acknowledged, let before = self.acknowledged, acknowledged > before { lastProgress = now }
        self.acknowledged = acknowledged
        return timeout.map { lastProgress + $0 <= now } ?? false
    }

    /// Nothing waits any more.
    mutating func rest() {
        acknowledged = nil
    }
}
