// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSchema
import WirelineTransport

/// The requests of both directions that wait for their replies.
///
/// The schema pairs requests and replies as for `wire call`: by message, and by sequence number if packets have one.
/// Without sequence numbers, a message answers the oldest request that waits for it.
struct ReplyTimes {
    private struct Reply: Hashable {
        let name: String
        let sender: Sender
        let sequence: UInt64?
    }

    private struct Request {
        let time: MonotonicTime
        /// The messages that answer the request. Any one of them does.
        let replies: [Reply]
    }

    /// The largest number of waiting requests. Further ones are not timed.
    private static let mostWaiting = 1_000

    private let description: ProtocolDescription
    private var requests: [UInt64: Request] = [:]
    /// For each message, the numbers of the requests that wait for it, oldest first.
    private var waiting: [Reply: [UInt64]] = [:]
    private var lastNumber: UInt64 = 0

    init(_ description: ProtocolDescription) { self.description = description }

    /// Returns the time since the request that this message answers; nil if it answers none.
    mutating func time(of message: TrafficNote.Message, from sender: Sender, at now: MonotonicTime) -> Duration? {
        let request = takeRequest(Reply(name: message.name, sender: sender, sequence: message.sequence))
        let replies = (description.message(named: message.name)?.replies ?? []).map { name in
            Reply(name: name, sender: sender.peer, sequence: message.sequence)
        }
        if !replies.isEmpty, requests.count < Self.mostWaiting {
            lastNumber += 1
            requests[lastNumber] = Request(time: now, replies: replies)
            for reply in replies { waiting[reply, default: []].append(lastNumber) }
        }
        return request.map { $0.time.duration(to: now) }
    }

    private mutating func takeRequest(_ reply: Reply) -> Request? {
        guard let number = waiting[reply]?.first, let request = requests.removeValue(forKey: number) else { return nil }
        for reply in request.replies {
            waiting[reply]?.removeAll { $0 == number }
            if waiting[reply]?.isEmpty == true { waiting[reply] = nil }
        }
        return request
    }
}
