// SPDX-License-Identifier: Apache-2.0

import WirelineSession
import WirelineTransport

/// One connection of a session's, or the attempt to make it; for the loop's own thread alone, which is also the lock behind
/// `@unchecked Sendable`.
final class SessionLink<Owner: SessionConnectionOwner>: @unchecked Sendable {
    let number: ConnectionNumber
    /// What connects, logs in, and reads, one after another.
    var task: Task<Void, Never>?
    /// Nil until the connection is there.
    var owner: Owner?
    /// Whether what arrives is the session's: the login is over.
    var isRead = false
    /// Whether what arrives has to wait for whoever iterates.
    var isHeldUp = false
    /// Whether something was answered that the peer has asked, and may not have left.
    var hasAnswered = false
    /// How many bytes the session counts as waiting in it.
    var givenByteCount = 0
    /// Whether the session is told when less waits to be sent.
    var isWaitingForRoom = false

    /// Up to when bytes had arrived when that was last looked at.
    private var lastArrival = MonotonicTime(nanoseconds: 0)
    /// How many bytes were written up to the first heartbeat behind which nothing has arrived; nil where there is none
    /// that is still on its way.
    private var heartbeatEnd: UInt64?
    private var acknowledgedByteCount: UInt64 = 0

    /// Whether a heartbeat is on its way, as far as is known.
    var hasHeartbeatUnderWay: Bool { heartbeatEnd.map { acknowledgedByteCount < $0 } ?? false }

    init(_ number: ConnectionNumber) {
        self.number = number
    }

    var connection: Owner.Connection? { owner?.connection }

    /// When bytes have arrived since this was last asked; nil where none have.
    func takeArrival() -> MonotonicTime? {
        guard let connection, connection.lastArrival > lastArrival else { return nil }
        lastArrival = connection.lastArrival
        heartbeatEnd = nil
        return lastArrival
    }

    /// Forgets that a heartbeat is on its way: nobody looks for its answer.
    func forgetHeartbeat() { heartbeatEnd = nil }

    /// Takes note of a heartbeat that has been written.
    func noteHeartbeat() {
        guard heartbeatEnd == nil, let stream = connection?.stream else { return }
        // With TLS a little more is sent than is written, which is as good as nothing here.
        heartbeatEnd = stream.sentByteCount + UInt64(stream.pendingByteCount)
        acknowledgedByteCount = stream.acknowledgedByteCount ?? .max
    }

    /// Whether the peer has acknowledged bytes since this was last asked, in front of a heartbeat or the heartbeat
    /// itself: until then, the line was too slow for it. What is acknowledged behind it proves nothing, for the peer's
    /// system does that alone.
    func takeProgress() -> Bool {
        guard let heartbeatEnd, acknowledgedByteCount < heartbeatEnd else { return false }
        guard let count = connection?.stream.acknowledgedByteCount, count > acknowledgedByteCount else { return false }
        acknowledgedByteCount = count
        return true
    }
}
