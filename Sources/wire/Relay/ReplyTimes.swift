// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSchema
import WirelineTransport

/// The requests of a connection that wait for their replies, in both directions.
///
/// The schema pairs them, as for `wire call`: by the reply's message, and by the sequence number if packets have one.
/// Without numbers, the first request gets the first reply.
struct ReplyTimes {
    private struct Reply: Hashable {
        let name: String
        let sender: Sender
        let sequence: UInt64?
    }

    /// The most requests that wait; later ones have no time.
    private static let mostWaiting = 1_000

    private let description: ProtocolDescription
    private var waiting: [Reply: [MonotonicTime]] = [:]
    private var waitingCount = 0

    init(_ description: ProtocolDescription) { self.description = description }

    /// Returns the time since the request that this message answers; nil if there is none.
    mutating func time(of message: Remark.Message, from sender: Sender, at now: MonotonicTime) -> Duration? {
        let time = takeRequest(Reply(name: message.name, sender: sender, sequence: message.sequence))
        if let reply = description.message(named: message.name)?.reply, waitingCount < Self.mostWaiting {
            let reply = Reply(name: reply, sender: sender.peer, sequence: message.sequence)
            waiting[reply, default: []].append(now)
            waitingCount += 1
        }
        return time.map { $0.duration(to: now) }
    }

    private mutating func takeRequest(_ reply: Reply) -> MonotonicTime? {
        guard var times = waiting[reply], !times.isEmpty else { return nil }
        waitingCount -= 1
        let first = times.removeFirst()
        waiting[reply] = times.isEmpty ? nil : times
        return first
    }
}
