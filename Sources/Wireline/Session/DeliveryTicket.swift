// SPDX-License-Identifier: Apache-2.0

import WirelineSession
import WirelineTransport

/// A message in a session, until it has had its outcome. Everything is for the loop's own thread; that is also the lock
/// behind `@unchecked Sendable`.
final class DeliveryTicket: @unchecked Sendable {
    /// Nil until the session has taken it.
    var number: MessageNumber?
    /// Whether the reply is for who waits here, and not for whoever iterates.
    let wantsReply: Bool
    private(set) var reply: ReceivedPacket?
    private(set) var outcome: MessageOutcome?
    /// Whether its sender has given it up, perhaps before the session has heard of it.
    var isGivenUp = false
    private var waiters: [CheckedContinuation<MessageOutcome, Never>] = []

    init(wantsReply: Bool) {
        self.wantsReply = wantsReply
    }

    func complete(_ outcome: MessageOutcome, reply: ReceivedPacket? = nil) {
        self.outcome = outcome
        self.reply = reply
        for waiter in waiters { waiter.resume(returning: outcome) }
        waiters = []
    }

    func wait(_ continuation: CheckedContinuation<MessageOutcome, Never>) {
        if let outcome { continuation.resume(returning: outcome) } else { waiters.append(continuation) }
    }
}
