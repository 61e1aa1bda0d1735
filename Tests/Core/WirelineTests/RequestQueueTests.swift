// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec

// No test can wait for the millions of requests after which a number repeats.
@testable import Wireline

/// Which request numbers are not reused.
struct RequestQueueTests {
    private func queue(_ format: IntegerFormat) throws -> RequestQueue {
        RequestQueue(
            layout: try PacketLayout(header: [
                PacketField("length", .integer(.uint32, .bigEndian), .length(of: .packet, plus: 0)),
                PacketField("sequence", .integer(format, .bigEndian), .sequence),
            ]))
    }

    @Test(arguments: [(IntegerFormat.uint8, true), (.uint16, true), (.uint24, true), (.uint32, false)])
    func `the number of an abandoned request is kept for its reply if it would be reused soon`(
        format: IntegerFormat, isKept: Bool
    ) throws {
        let queue = try queue(format)
        let request = PendingRequest(replyIDs: [1])
        try queue.register(request)
        queue.sent(request)
        queue.giveUp(request, .cancelled)
        #expect(queue.isIdle == !isKept)
    }

    @Test(arguments: [(IntegerFormat.uint8, 255), (.uint16, 65_535), (.uint24, 65_535)])
    func `the number of requests without a reply is limited`(format: IntegerFormat, count: Int) throws {
        let queue = try queue(format)
        for _ in 0..<count {
            let request = PendingRequest(replyIDs: [1])
            try queue.register(request)
            queue.sent(request)
            queue.giveUp(request, .cancelled)
        }
        #expect(throws: ConnectionError.tooManyRequests(limit: count)) {
            try queue.register(PendingRequest(replyIDs: [1]))
        }
    }
}
