// SPDX-License-Identifier: Apache-2.0

import Testing
import Wireline

/// A session whose server leaves requests unanswered, or answers them after the session has abandoned them.
struct UnansweredMessageTests {
    /// A session that is ready.
    static func ready(
        maximumSequence: UInt64?, limits: OutboundLimits = OutboundLimits(), heartbeat: HeartbeatPolicy? = nil
    ) throws -> (SessionBench, ConnectionNumber) {
        var bench = SessionBench(
            SessionConfiguration(
                maximumSequence: maximumSequence, heartbeat: heartbeat, limits: limits, pendingByteCount: .max))
        let connection = try bench.makeReady()
        return (bench, connection)
    }

    @Test(arguments: [7, 255, 65_535] as [UInt64])
    func `one request that is never answered blocks no later messages`(maximumSequence: UInt64) throws {
        var (bench, connection) = try Self.ready(maximumSequence: maximumSequence)
        bench.handle(.cancel(try bench.send("unanswered", .atMostOnce, .reply(id: 1))))
        var unconfirmedCount = 0
        for _ in 0..<2 * maximumSequence {
            try bench.send("must", .exactlyOnce, .acknowledgement)
            let sequence = try #require(bench.givenSequences.first as? UInt64)
            bench.handle(.acknowledged(connection, .sequence(sequence)))
            if bench.outcomes != [.confirmed] { unconfirmedCount += 1 }
        }
        #expect(unconfirmedCount == 0)
        #expect(bench.session.messageCount == 0)
    }

    @Test func `a failure that names no message is that of an older one that was abandoned, until a reply in between`()
        throws
    {
        var (bench, connection) = try Self.ready(maximumSequence: 255)
        let late = try bench.send("late", .atMostOnce, .reply(id: 1))
        let second = try bench.send("second", .atMostOnce, .reply(id: 1))
        bench.handle(.cancel(late))
        #expect(bench.handle(.acknowledged(connection, .failedReply(id: 2))) == [])
        #expect(bench.handle(.acknowledged(connection, .failedReply(id: 1))) == [.ignoreReply])
        #expect(bench.handle(.acknowledged(connection, .failedReply(id: 1))) == [.complete(second, .confirmed)])
        bench.handle(.cancel(try bench.send("never answered", .atMostOnce, .reply(id: 1))))
        let other = try bench.send("other", .atMostOnce, .reply(id: 1))
        #expect(
            bench.handle(.acknowledged(connection, .reply(id: 1, sequence: 4))) == [.complete(other, .confirmed)])
        let failed = try bench.send("failed", .atMostOnce, .reply(id: 1))
        #expect(bench.handle(.acknowledged(connection, .failedReply(id: 1))) == [.complete(failed, .confirmed)])
    }

    @Test(arguments: [nil, 255, 65_535, .max] as [UInt64?])
    func `requests that are never answered use none of the limits of other messages`(maximumSequence: UInt64?) throws {
        var (bench, connection) = try Self.ready(
            maximumSequence: maximumSequence, limits: OutboundLimits(messageCount: 2))
        let count = 3_000
        for _ in 0..<count {
            let unanswered = try bench.send("unanswered", .atMostOnce, .reply(id: 1))
            #expect(bench.given == ["unanswered"])
            try bench.send("answered", .atLeastOnce, .reply(id: 2))
            let sequence = try #require(bench.givenSequences.first)
            bench.handle(.cancel(unanswered))
            bench.handle(.acknowledged(connection, .reply(id: 2, sequence: sequence)))
            #expect(bench.outcomes == [.confirmed])
        }
        #expect(bench.session.outboundCounters == OutboundCounters())
    }

    @Test func `without numbers, late replies are not taken for the one that is expected`() throws {
        var (bench, connection) = try Self.ready(maximumSequence: nil)
        let reply = SessionEvent.acknowledged(connection, .reply(id: 1, sequence: nil))
        for _ in 0..<2_000 { bench.handle(.cancel(try bench.send("late", .atMostOnce, .reply(id: 1)))) }
        try bench.send("waits", .atMostOnce, .reply(id: 1))
        for _ in 0..<2_000 { bench.handle(.cancel(try bench.send("late", .atMostOnce, .reply(id: 1)))) }
        for _ in 0..<2_000 { #expect(bench.handle(reply) == [.ignoreReply]) }
        bench.handle(reply)
        #expect(bench.outcomes == [.confirmed])
        for _ in 0..<2_000 { #expect(bench.handle(reply) == [.ignoreReply]) }
        #expect(!bench.session.awaitsReplies)
        #expect(bench.handle(reply) == [])
    }

    @Test func `a number that may still get a late reply is not used for another message`() throws {
        var (bench, connection) = try Self.ready(maximumSequence: 255)
        /// Sends messages, each of which is answered, and returns their numbers.
        func numbers(_ count: Int) throws -> [UInt64] {
            try (0..<count).map { _ in
                try bench.send("answered", .atMostOnce, .reply(id: 1))
                let sequence = try #require(bench.givenSequences.first as? UInt64)
                bench.handle(.acknowledged(connection, .reply(id: 1, sequence: sequence)))
                return sequence
            }
        }
        #expect(try numbers(4) == [1, 2, 3, 4])
        for _ in 5...6 { bench.handle(.cancel(try bench.send("late", .atMostOnce, .reply(id: 1)))) }
        #expect(try numbers(255) == Array(7...255) + [1, 2, 3, 4, 7, 8])
        #expect(try numbers(251) == Array(9...255) + [1, 2, 3, 4])
        #expect(bench.handle(.acknowledged(connection, .reply(id: 2, sequence: 5))) == [])
        #expect(bench.handle(.acknowledged(connection, .reply(id: 1, sequence: 5))) == [.ignoreReply])
        #expect(bench.handle(.acknowledged(connection, .reply(id: 1, sequence: 5))) == [])
        #expect(try numbers(2) == [5, 7])
        #expect(bench.handle(.acknowledged(connection, .reply(id: 1, sequence: 6))) == [.ignoreReply])
    }

    @Test func `if very many messages were abandoned, the oldest one is forgotten`() throws {
        var (bench, connection) = try Self.ready(
            maximumSequence: 65_535, limits: OutboundLimits(messageCount: 1_025))
        let numbers = try (0..<1_025).map { _ in try bench.send("late", .atMostOnce, .reply(id: 1)) }
        for number in numbers.reversed() { bench.handle(.cancel(number)) }
        #expect(bench.handle(.acknowledged(connection, .reply(id: 1, sequence: 1))) == [])
        #expect(bench.handle(.acknowledged(connection, .reply(id: 1, sequence: 2))) == [.ignoreReply])
        #expect(bench.handle(.acknowledged(connection, .reply(id: 1, sequence: 1_025))) == [.ignoreReply])
    }

    @Test func `if no message is answered, a heartbeat's answer shows what has arrived`() throws {
        var (bench, connection) = try Self.ready(maximumSequence: 7, heartbeat: HeartbeatPolicy())
        for receipt in [DeliveryReceipt.reply(id: 1), .acknowledgement, .reply(id: 1)] {
            bench.handle(.cancel(try bench.send("unanswered", .atMostOnce, receipt)))
        }
        try bench.send("must", .exactlyOnce, .acknowledgement)
        try bench.send("behind", .atMostOnce)
        #expect(bench.given == [])
        try bench.reachDeadline()
        #expect(bench.given == [])
        bench.handle(.heartbeatAnswered(connection, sequence: 1))
        #expect(bench.given == ["must", "behind"])
        #expect(bench.givenSequences == [4, nil])
    }

    @Test func `a server that does not answer heartbeats either blocks messages only for a while`() throws {
        var (bench, connection) = try Self.ready(maximumSequence: 7, heartbeat: HeartbeatPolicy())
        for _ in 0..<3 { bench.handle(.cancel(try bench.send("unanswered", .atMostOnce, .reply(id: 1)))) }
        try bench.send("request", .atMostOnce, .reply(id: 1))
        try bench.send("behind", .atMostOnce)
        for beat: UInt64 in 1...3 {
            #expect(bench.given == [])
            #expect(try bench.reachDeadline().first == .heartbeat(connection, sequence: beat))
            // Something else arrives, so the peer is alive.
            if beat < 3 { bench.handle(.received(connection)) }
        }
        #expect(bench.outcomes == [.failed(.outOfSequenceNumbers), .given])
        #expect(bench.given == ["behind"])
        // A late reply shows that its message has arrived.
        #expect(bench.handle(.acknowledged(connection, .reply(id: 1, sequence: 3))) == [.ignoreReply])
        try bench.send("request", .atMostOnce, .reply(id: 1))
        #expect(bench.givenSequences == [4])
    }

    @Test func `if waiting would not help, a number is used although a late reply may have it`() throws {
        var (bench, connection) = try Self.ready(maximumSequence: 255)
        for _ in 1...63 { bench.handle(.cancel(try bench.send("late", .atMostOnce, .reply(id: 1)))) }
        for sequence: UInt64 in 64...150 {
            try bench.send("must", .exactlyOnce, .acknowledgement)
            bench.handle(.acknowledged(connection, .sequence(sequence)))
        }
        for _ in 151...255 { bench.handle(.cancel(try bench.send("unanswered", .atMostOnce, .acknowledgement))) }
        try bench.send("request", .atMostOnce, .reply(id: 1))
        #expect(bench.givenSequences == [1])
        bench.handle(.acknowledged(connection, .reply(id: 1, sequence: 1)))
        #expect(bench.outcomes == [.confirmed])
        try bench.send("request", .atMostOnce, .reply(id: 1))
        // The last one is known to have arrived, so the numbers of the others are skipped.
        #expect(bench.givenSequences == [64])
    }
}
