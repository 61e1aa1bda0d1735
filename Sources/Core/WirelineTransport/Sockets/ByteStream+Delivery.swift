// SPDX-License-Identifier: Apache-2.0

/// The acknowledged part of the output, and the deadline for it.
extension ByteStream {
    /// The total number of bytes that the peer's system has acknowledged; nil if this system does not report it.
    package var acknowledgedByteCount: UInt64? {
        guard isOpen, let count = socket.unacknowledgedByteCount else { return nil }
        return sentByteCount - min(UInt64(count), sentByteCount)
    }

    /// The number of written bytes that the peer's system has not acknowledged.
    ///
    /// They are queued here or in this machine's system. Bytes that a transform adds count once the system has taken
    /// them. If the system does not report a number, only the bytes queued here count.
    package var undeliveredByteCount: Int {
        guard isOpen else { return 0 }
        return pendingByteCount + (socket.unacknowledgedByteCount ?? 0)
    }

    /// How long the peer may read nothing of the queued output (default: no limit).
    /// After that the stream fails with ``TransportError/timedOut``.
    package var writeTimeout: Duration? {
        get { writeDeadline.timeout }
        set { writeDeadline.timeout = newValue }
    }

    /// Watches sent bytes until the peer has acknowledged them: a vanished peer acknowledges nothing.
    ///
    /// This costs nothing while the timer is set; otherwise one timer for each quarter of the timeout in which bytes
    /// are sent.
    func watchDelivery() {
        guard !writeDeadline.isWatched, writeDeadline.timeout != nil, isOpen else { return }
        writeDeadline.progressed(at: loop.now)
        watchWriting()
    }

    /// Fails the connection if the peer reads nothing for too long.
    /// The timer is not reset with every byte that is sent.
    func watchWriting() {
        guard !writeDeadline.isWatched,
            let look = writeDeadline.nextCheck(from: loop.now, acknowledged: partlyAcknowledged)
        else { return }
        let timer = loop.schedule(at: look) {
            self.writeDeadline.timerFired()
            self.checkWriting()
        }
        writeDeadline.watch(with: timer)
    }

    /// Nil if all bytes are acknowledged.
    private var partlyAcknowledged: UInt64? {
        guard let count = acknowledgedByteCount, count < sentByteCount else { return nil }
        return count
    }

    private func checkWriting() {
        let acknowledged = partlyAcknowledged
        guard isOpen, isOutputStalled || acknowledged != nil else { return writeDeadline.rest() }
        if writeDeadline.checkExpired(at: loop.turnTime, acknowledged: acknowledged) {
            fail(.timedOut)
        } else {
            watchWriting()
        }
    }
}
