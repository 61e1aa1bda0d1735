// SPDX-License-Identifier: Apache-2.0

import Testing
import Wireline

/// Messages that do not fit the schema, which is found only when they are written.
struct EncodingFailureTests {
    @Test(arguments: [.none, .acknowledgement, .heartbeat, .reply(id: 7)] as [DeliveryReceipt])
    func `a message that cannot be encoded fails, and no other message does`(receipt: DeliveryReceipt) throws {
        var bench = OutboundMessageTests.bench()
        let connection = try bench.makeReady()
        let number = try bench.send("bad", .atMostOnce, receipt)
        try bench.send("good", .exactlyOnce, .acknowledgement)
        bench.handle(.unencodable(connection, number))
        // Without a receipt, the session has already reported the message as given. The writer corrects that.
        #expect(bench.outcomes == (receipt == .none ? [] : [.failed(.unencodable)]))
        #expect(bench.session.state == .ready)
        #expect(bench.session.messageCount == 1)
        // It is not sent again.
        bench.handle(.ended(connection, .reset))
        try bench.makeReady()
        #expect(bench.given == ["good"])
    }

    @Test func `replies without numbers skip a message that could not be encoded`() throws {
        var bench = SessionBench()
        let connection = try bench.makeReady()
        var numbers: [MessageNumber] = []
        for text in ["a", "bad", "c", "d"] { numbers.append(try bench.send(text, .atMostOnce, .reply(id: 7))) }
        bench.handle(.unencodable(connection, numbers[1]))
        for number in [numbers[0], numbers[2], numbers[3]] {
            bench.handle(.acknowledged(connection, .reply(id: 7, sequence: nil)))
            #expect(bench.actions == [.complete(number, .confirmed)])
        }
        #expect(!bench.session.awaitsReplies)
    }

    @Test func `replies without numbers that messages share skip a message that could not be encoded`() throws {
        var bench = SessionBench()
        let connection = try bench.makeReady()
        let (entered, left) = (DeliveryReceipt.reply(anyOf: [1, 9]), DeliveryReceipt.reply(anyOf: [2, 9]))
        let numbers = try [entered, left, entered, left].map { try bench.send("a", .atMostOnce, $0) }
        bench.handle(.unencodable(connection, numbers[0]))
        for (number, id) in [(numbers[1], 9), (numbers[2], 9), (numbers[3], 2)] as [(MessageNumber, UInt64)] {
            bench.handle(.acknowledged(connection, .reply(id: id, sequence: nil)))
            #expect(bench.actions == [.complete(number, .confirmed)])
        }
        #expect(!bench.session.awaitsReplies)
    }
}
