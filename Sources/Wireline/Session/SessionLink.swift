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
    /// How far a heartbeat has come that nobody has answered.
    var passage = HeartbeatPassage()

    init(_ number: ConnectionNumber) {
        self.number = number
    }

    var connection: Owner.Connection? { owner?.connection }

    /// When bytes have arrived since this was last asked; nil where none have.
    func takeArrival() -> MonotonicTime? {
        guard let connection, connection.lastArrival > lastArrival else { return nil }
        lastArrival = connection.lastArrival
        passage.forget()
        return lastArrival
    }
}
