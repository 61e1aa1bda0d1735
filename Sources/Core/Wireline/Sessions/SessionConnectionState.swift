// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// One connection of a session, or the attempt to make it.
///
/// Only the loop's thread uses it, so `@unchecked Sendable` needs no lock.
final class SessionConnectionState<Owner: SessionConnectionOwner>: @unchecked Sendable {
    let number: ConnectionNumber
    /// The task that connects, then logs in, then reads.
    var task: Task<Void, Never>?
    var owner: Owner?
    /// Whether the session reads the input: after the login.
    var isRead = false
    var waitsForInbox = false
    /// Whether a written answer may still wait to be sent.
    var hasAnswered = false
    /// The bytes that the session counts as waiting in the connection.
    var givenByteCount = 0
    /// Whether the connection will report when less output waits.
    var isWaitingForRoom = false

    /// The time of the last arrival at the last check.
    private var lastArrival = MonotonicTime(nanoseconds: 0)
    /// The progress of an unanswered heartbeat on its way.
    var heartbeatInTransit = HeartbeatInTransit()

    init(_ number: ConnectionNumber) {
        self.number = number
    }

    var connection: Owner.Connection? { owner?.connection }

    /// Returns the time of the last arrival, if bytes arrived since the last call.
    func takeArrival() -> MonotonicTime? {
        guard let connection, connection.lastArrival > lastArrival else { return nil }
        lastArrival = connection.lastArrival
        heartbeatInTransit.forget()
        return lastArrival
    }
}
