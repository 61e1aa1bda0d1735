// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// The pings that wait to be sent or answered. Only the connection's loop uses this.
struct OutstandingPings {
    struct Sent {
        fileprivate let number: UInt64
        let time: Duration
        let purpose: Purpose
    }

    enum Purpose {
        case caller(PendingPing)
        case heartbeat(UInt64)
    }

    /// The most unanswered heartbeats, because a peer does not answer each.
    private static let heartbeatLimit = 32

    private var lastNumber: UInt64 = 0
    private var sent = NumberedQueue<Sent>()
    /// The places of the heartbeats in ``sent``, at most ``heartbeatLimit``.
    private var sentHeartbeats: [UInt64] = []
    /// Pings that wait until less output is queued.
    private var unsent = NumberedQueue<PendingPing>()

    var firstUnsent: PendingPing? { unsent.first }

    /// The payload of the next ping: its number.
    var nextPayload: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: (lastNumber + 1) >> (56 - 8 * $0)) } }

    // MARK: Changes

    mutating func add(_ ping: PendingPing) { ping.unsentPlace = unsent.append(ping) }

    mutating func removeFirstUnsent() { _ = unsent.popFirst() }

    /// Stores that a ping with the ``nextPayload`` was sent.
    mutating func markSent(for purpose: Purpose, at time: Duration) {
        lastNumber += 1
        let place = sent.append(Sent(number: lastNumber, time: time, purpose: purpose))
        switch purpose {
        case .caller(let ping): ping.sentPlace = place
        case .heartbeat:
            sentHeartbeats.append(place)
            if sentHeartbeats.count > Self.heartbeatLimit { _ = sent.remove(sentHeartbeats.removeFirst()) }
        }
    }

    /// Takes the next ping that a pong answers; nil if there is none.
    ///
    /// A peer may answer only the newest of several pings, so a pong answers earlier ones, too.
    mutating func takeAnswered(by payload: [UInt8]) -> Sent? {
        guard payload.count == 8, let ping = sent.first else { return nil }
        guard ping.number <= payload.reduce(0, { $0 << 8 | UInt64($1) }) else { return nil }
        _ = sent.popFirst()
        if case .heartbeat = ping.purpose { sentHeartbeats.removeFirst() }
        return ping
    }

    mutating func remove(_ ping: PendingPing) {
        if let place = ping.unsentPlace { _ = unsent.remove(place) }
        if let place = ping.sentPlace { _ = sent.remove(place) }
    }

    mutating func takeSent() -> [Sent] {
        defer { (sent, sentHeartbeats) = (NumberedQueue(), []) }
        return sent.elements
    }
}

/// A task that waits for the answer to a ping.
///
/// Only the connection's loop uses it, so `@unchecked Sendable` needs no lock.
@safe
final class PendingPing: @unchecked Sendable {
    /// Nil before the task waits, and after it was resumed.
    var continuation: UnsafeContinuation<Result<Duration, ConnectionError>, Never>?
    var isCancelled = false
    /// The places among the unsent and the sent pings; nil if the ping was never there.
    fileprivate(set) var (unsentPlace, sentPlace): (UInt64?, UInt64?) = (nil, nil)
    var timer: EventLoop.Timer?
}
