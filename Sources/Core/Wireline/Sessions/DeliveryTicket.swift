// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineTransport

/// A message in a session, until it has an outcome.
///
/// Only the loop's thread uses it, so `@unchecked Sendable` needs no lock.
final class DeliveryTicket: @unchecked Sendable {
    /// The message's number; nil until the session has taken it.
    var number: MessageNumber?
    /// The IDs of the replies. One reply goes to the task that waits here, and not to the session's messages.
    let replyIDs: [UInt64]
    /// The message's last sequence number, and the state of ``UnmatchedReplies`` before its first; nil if nobody
    /// searches for its replies.
    var search: (expected: UInt64, mark: Int)?
    /// A reply that came without the message's number.
    var unmatchedReply: (expected: UInt64, received: UnmatchedReplies.Reply)?
    private(set) var reply: ReceivedPacket?
    private(set) var outcome: MessageOutcome?
    var encodingError: CodecError?
    /// Whether the sender has cancelled the message, perhaps before the session took it.
    var isGivenUp = false
    private var waiters: [(wait: WaitTicket, continuation: CheckedContinuation<MessageOutcome?, Never>)] = []

    init(replyIDs: [UInt64] = []) {
        self.replyIDs = replyIDs
    }

    var awaitsReply: Bool { !replyIDs.isEmpty }

    func complete(_ outcome: MessageOutcome, reply: ReceivedPacket? = nil) {
        self.outcome = outcome
        self.reply = reply
        for waiter in waiters { waiter.continuation.resume(returning: outcome) }
        waiters = []
    }

    /// Waits for the outcome; nil if the wait is cancelled.
    func wait(_ wait: WaitTicket, _ continuation: CheckedContinuation<MessageOutcome?, Never>) {
        if outcome != nil || wait.isCancelled { return continuation.resume(returning: outcome) }
        waiters.append((wait, continuation))
    }

    /// Ends a wait, even before it has begun.
    func stopWaiting(_ wait: WaitTicket) {
        wait.isCancelled = true
        guard let place = waiters.firstIndex(where: { $0.wait === wait }) else { return }
        waiters.remove(at: place).continuation.resume(returning: nil)
    }
}
