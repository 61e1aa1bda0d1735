// SPDX-License-Identifier: Apache-2.0

import WirelineSession
import WirelineTransport

/// One connection of a session, or the attempt to make it.
///
/// Only the loop's thread uses it, so `@unchecked Sendable` needs no lock.
final class SessionConnectionState<Owner: SessionConnectionOwner>: @unchecked Sendable {
    let number: ConnectionNumber
    /// The task that connects, logs in and reads, one after another.
    var task: Task<Void, Never>?
    /// The connection's owner; nil until the connection is open.
    var owner: Owner?
    /// Whether the session reads the input, because the login is over.
    var isRead = false
    /// Whether the input must wait for the program.
    var isHeldUp = false
    /// Whether an answer was written that may still wait to be sent.
    var hasAnswered = false
    /// How many bytes the session counts as waiting in the connection.
    var givenByteCount = 0
    /// Whether the session will be told when less output waits.
    var isWaitingForRoom = false

    /// The time of the last arrival at the last check.
    private var lastArrival = MonotonicTime(nanoseconds: 0)
    /// How far the unanswered heartbeat has come.
    var heartbeatInTransit = HeartbeatInTransit()

    init(_ number: ConnectionNumber) {
        self.number = number
    }

    var connection: Owner.Connection? { owner?.connection }

    /// Returns when bytes last arrived, if any arrived since the last call.
    func takeArrival() -> MonotonicTime? {
        guard let connection, connection.lastArrival > lastArrival else { return nil }
        lastArrival = connection.lastArrival
        heartbeatInTransit.forget()
        return lastArrival
    }
}
