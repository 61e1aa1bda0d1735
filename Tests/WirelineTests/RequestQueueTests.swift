// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec

// Nobody waits for the millions of requests after which a number comes again.
@testable import Wireline

/// Which numbers of requests are not given to others.
struct RequestQueueTests {
    private func queue(_ format: IntegerFormat) throws -> RequestQueue {
        RequestQueue(
            layout: try PacketLayout(header: [
                PacketField("length", .integer(.uint32, .bigEndian), .length(of: .packet, plus: 0)),
                PacketField("sequence", .integer(format, .bigEndian), .sequence),
            ]))
    }

    @Test(arguments: [(IntegerFormat.uint8, true), (.uint16, true), (.uint24, true), (.uint32, false)])
    func `a number that is soon used again is kept for the reply of its request, which was given up`(
        format: IntegerFormat, isKept: Bool
    ) throws {
        let queue = try queue(format)
        let request = PendingRequest(replyID: 1)
        try queue.register(request)
        queue.sent(request)
        queue.giveUp(request, .cancelled)
        #expect(queue.isIdle == !isKept)
    }

    @Test(arguments: [(IntegerFormat.uint8, 255), (.uint16, 65_535), (.uint24, 65_535)])
    func `so many requests without a reply there may be`(format: IntegerFormat, count: Int) throws {
        let queue = try queue(format)
        for _ in 0..<count {
            let request = PendingRequest(replyID: 1)
            try queue.register(request)
            queue.sent(request)
            queue.giveUp(request, .cancelled)
        }
        #expect(throws: ConnectionError.tooManyRequests(limit: count)) {
            try queue.register(PendingRequest(replyID: 1))
        }
    }
}
