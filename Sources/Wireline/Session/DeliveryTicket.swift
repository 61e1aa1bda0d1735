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
    private var waiters: [(wait: WaitTicket, continuation: CheckedContinuation<MessageOutcome?, Never>)] = []

    init(wantsReply: Bool) {
        self.wantsReply = wantsReply
    }

    func complete(_ outcome: MessageOutcome, reply: ReceivedPacket? = nil) {
        self.outcome = outcome
        self.reply = reply
        for waiter in waiters { waiter.continuation.resume(returning: outcome) }
        waiters = []
    }

    /// Waits for the outcome; for nil, when the wait is given up.
    func wait(_ wait: WaitTicket, _ continuation: CheckedContinuation<MessageOutcome?, Never>) {
        if outcome != nil || wait.isCancelled { return continuation.resume(returning: outcome) }
        waiters.append((wait, continuation))
    }

    /// Ends a wait, whether it has begun or not.
    func stopWaiting(_ wait: WaitTicket) {
        wait.isCancelled = true
        guard let place = waiters.firstIndex(where: { $0.wait === wait }) else { return }
        waiters.remove(at: place).continuation.resume(returning: nil)
    }
}
