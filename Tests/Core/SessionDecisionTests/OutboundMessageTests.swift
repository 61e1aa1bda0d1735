// SPDX-License-Identifier: Apache-2.0

import Testing
import Wireline

/// What happens to messages, for each delivery policy.
struct OutboundMessageTests {
    static let position = DeliveryPolicy.latest(LatestKey(messageID: 5))

    /// A session with sequence numbers and heartbeats.
    static func bench(
        maximumSequence: UInt64? = 255, limits: OutboundLimits = OutboundLimits(), pendingByteCount: Int = 1_000
    ) -> SessionBench {
        SessionBench(
            SessionConfiguration(
                maximumSequence: maximumSequence, heartbeat: HeartbeatPolicy(), limits: limits,
                pendingByteCount: pendingByteCount))
    }

    // MARK: Promises

    @Test func `waiting messages are sent in order after the login`() throws {
        var bench = Self.bench()
        try bench.send("a", .atMostOnce)
        try bench.send("b", .atLeastOnce, .reply(id: 1))
        try bench.send("c", Self.position)
        try bench.send("d", .exactlyOnce, .acknowledgement)
        #expect(bench.actions == [])
        let connection = try bench.start()
        #expect(bench.handle(.connected(connection)) == [.report(.loggingIn), .beginLogin(connection)])
        bench.handle(.loggedIn(connection))
        #expect(bench.given == ["a", "b", "c", "d"])
        #expect(bench.givenSequences == [nil, 1, nil, 2])
        #expect(bench.outcomes == [.given, .given])
        try bench.send("e", .whileConnected)
        #expect(bench.given == ["e"])
        #expect(bench.outcomes == [.given])
        #expect(bench.session.messageCount == 3)
    }

    @Test func `a message for the current connection is refused without one, and lost with it`() throws {
        var bench = Self.bench(pendingByteCount: 1)
        #expect(throws: SessionError.notConnected) { try bench.send("early", .whileConnected) }
        let connection = try bench.start()
        bench.handle(.connected(connection))
        #expect(throws: SessionError.notConnected) { try bench.send("early", .whileConnected) }
        bench.handle(.loggedIn(connection))
        try bench.send("given", .whileConnected, .reply(id: 1))
        try bench.send("waits", .whileConnected)
        bench.handle(.ended(connection, .reset))
        #expect(bench.outcomes == [.failed(.lost(mayHaveArrived: true)), .failed(.lost(mayHaveArrived: false))])
        #expect(bench.session.messageCount == 0)
    }

    @Test func `a message with at-most-once delivery is sent once`() throws {
        var bench = Self.bench(pendingByteCount: 1)
        let first = try bench.makeReady()
        try bench.send("given", .atMostOnce, .reply(id: 1))
        try bench.send("waits", .atMostOnce, .reply(id: 1))
        #expect(bench.given == [])
        bench.handle(.ended(first, .reset))
        #expect(bench.outcomes == [.failed(.lost(mayHaveArrived: true))])
        try bench.makeReady()
        #expect(bench.given == ["waits"])
    }

    @Test(arguments: [DeliveryPolicy.atLeastOnce, .exactlyOnce])
    func `a message that must arrive is sent on each connection until confirmed, in order, with its number`(
        delivery: DeliveryPolicy
    ) throws {
        var bench = Self.bench()
        let first = try bench.makeReady()
        try bench.send("a", delivery, .acknowledgement)
        try bench.send("b", delivery, .acknowledgement)
        try bench.send("c", delivery, .acknowledgement)
        bench.handle(.acknowledged(first, .sequence(2)))
        #expect(bench.outcomes == [.confirmed])
        bench.handle(.ended(first, .reset))
        #expect(bench.outcomes == [])
        try bench.send("d", delivery, .acknowledgement)
        let second = try bench.makeReady()
        #expect(bench.given == ["a", "c", "d"])
        #expect(bench.givenSequences == [1, 3, 4])
        let isRepeated = bench.actions.compactMap {
            if case .give(_, let message) = $0 { message.isRepeated } else { nil }
        }
        #expect(isRepeated == [true, true, false])
        bench.handle(.acknowledged(second, .cumulative(4)))
        #expect(bench.outcomes == [.confirmed, .confirmed, .confirmed])
        #expect(bench.session.messageCount == 0)
        #expect(bench.session.messageByteCount == 0)
    }

    @Test func `a newer value replaces one that waits`() throws {
        var bench = Self.bench()
        let old = try bench.send("old", Self.position, byteCount: 30)
        try bench.send("other", .atMostOnce)
        try bench.send("elsewhere", .latest(LatestKey(messageID: 5, part: 1)))
        try bench.send("new", Self.position, byteCount: 20)
        #expect(bench.actions == [.complete(old, .replaced)])
        #expect(bench.session.messageByteCount == 40)
        try bench.makeReady()
        #expect(bench.given == ["new", "other", "elsewhere"])
    }

    @Test func `the last value is sent again on the next connection, unless a heartbeat confirms that it arrived`()
        throws
    {
        var bench = Self.bench()
        let first = try bench.makeReady()
        try bench.send("known", .latest(LatestKey(messageID: 1)))
        #expect(try bench.reachDeadline() == [.heartbeat(first, sequence: 1)])
        try bench.send("old", Self.position)
        try bench.send("new", Self.position)
        #expect(bench.given == ["new"])
        #expect(bench.outcomes == [.given])
        bench.handle(.heartbeatAnswered(first, sequence: 1))
        #expect(bench.outcomes == [])
        #expect(bench.session.messageCount == 1)
        bench.handle(.ended(first, .reset))
        try bench.makeReady()
        #expect(bench.given == ["new"])
        #expect(bench.outcomes == [])
    }

    @Test func `without heartbeats a value is finished after it was sent`() throws {
        var bench = SessionBench(SessionConfiguration(limits: OutboundLimits(messageCount: 1_024)))
        let first = try bench.makeReady()
        for part in 0..<5_000 as Range<UInt64> {
            try bench.send("\(part)", .latest(LatestKey(messageID: 1, part: part)))
            #expect(bench.outcomes == [.given])
            bench.handle(.sent(first, byteCount: 10, pendingByteCount: 0))
        }
        #expect(bench.session.messageCount == 0)
        bench.handle(.ended(first, .reset))
        // No old message is sent on the next connection.
        try bench.makeReady()
        #expect(bench.given == [])
    }

    @Test func `values that are repeated on each connection have limits of their own`() throws {
        var bench = SessionBench(
            SessionConfiguration(limits: OutboundLimits(byteCount: 100, messageCount: 3), repeatsLatest: true))
        let first = try bench.makeReady()
        for part in 0..<3 as Range<UInt64> {
            try bench.send("value \(part)", .latest(LatestKey(messageID: 1, part: part)))
        }
        #expect(throws: SessionError.tooManyMessages(limit: 3)) {
            try bench.send("one more", .latest(LatestKey(messageID: 1, part: 3)))
        }
        #expect(throws: SessionError.tooManyBytes(limit: 100)) {
            try bench.send("too long", .latest(LatestKey(messageID: 1, part: 2)), byteCount: 81)
        }
        try bench.send("newer", .latest(LatestKey(messageID: 1, part: 2)), byteCount: 80)
        bench.handle(.ended(first, .reset))
        // Other messages can use their whole limit, with a connection and without.
        for number in 1...3 { try bench.send("\(number)", .atMostOnce, byteCount: 33) }
        #expect(throws: SessionError.tooManyMessages(limit: 3)) { try bench.send("4", .atMostOnce, byteCount: 1) }
        let second = try bench.makeReady()
        #expect(bench.given == ["value 0", "value 1", "newer", "1", "2", "3"])
        bench.handle(.ended(second, .reset))
        try bench.makeReady()
        #expect(bench.given == ["value 0", "value 1", "newer"])
    }

    @Test func `a value that waits to be sent again can be replaced, too`() throws {
        var bench = Self.bench()
        let first = try bench.makeReady()
        try bench.send("old", Self.position, .acknowledgement)
        try bench.send("must", .exactlyOnce, .acknowledgement)
        bench.handle(.ended(first, .reset))
        try bench.send("new", Self.position, .acknowledgement)
        #expect(bench.outcomes == [.replaced])
        try bench.makeReady()
        #expect(bench.given == ["must", "new"])
        #expect(bench.givenSequences == [2, 3])
    }

    // MARK: Receipts

    @Test func `a heartbeat's answer confirms the messages sent before the heartbeat`() throws {
        var bench = Self.bench(maximumSequence: nil)
        let connection = try bench.makeReady()
        try bench.send("before", .atLeastOnce, .heartbeat)
        try bench.reachDeadline()
        try bench.send("behind", .atLeastOnce, .heartbeat)
        bench.handle(.heartbeatAnswered(connection, sequence: nil))
        #expect(bench.outcomes == [.confirmed])
        #expect(bench.session.messageCount == 1)
        try bench.reachDeadline()
        bench.handle(.heartbeatAnswered(connection, sequence: nil))
        #expect(bench.outcomes == [.confirmed])
        bench.handle(.heartbeatAnswered(connection, sequence: nil))
        #expect(bench.outcomes == [])
    }

    @Test func `heartbeats are counted from 1 on each connection`() throws {
        var bench = Self.bench()
        let first = try bench.makeReady()
        for sequence: UInt64 in 1...3 {
            #expect(try bench.reachDeadline() == [.heartbeat(first, sequence: sequence)])
            bench.handle(.heartbeatAnswered(first, sequence: sequence))
        }
        try bench.send("value", Self.position)
        bench.handle(.ended(first, .reset))
        let second = try bench.makeReady()
        #expect(try bench.reachDeadline() == [.heartbeat(second, sequence: 1)])
        bench.handle(.heartbeatAnswered(second, sequence: 1))
        #expect(bench.session.messageCount == 0)
    }

    @Test func `with sequence numbers, a reply must match the number and the ID`() throws {
        var bench = Self.bench()
        let connection = try bench.makeReady()
        try bench.send("a", .atMostOnce, .reply(id: 1))
        try bench.send("b", .atMostOnce, .reply(id: 1))
        for (id, sequence) in [(2, 1), (1, nil), (1, 0), (1, 3), (1, 256)] as [(UInt64, UInt64?)] {
            #expect(bench.handle(.acknowledged(connection, .reply(id: id, sequence: sequence))) == [])
        }
        bench.handle(.acknowledged(connection, .reply(id: 1, sequence: 2)))
        #expect(bench.outcomes == [.confirmed])
        bench.handle(.acknowledged(connection, .reply(id: 1, sequence: 1)))
        #expect(bench.outcomes == [.confirmed])
        #expect(bench.session.messageCount == 0)
    }

    @Test func `a reply that names no message is that of the oldest one that was given and waits for its ID`() throws {
        var bench = Self.bench()
        let connection = try bench.makeReady()
        let other = try bench.send("a", .atMostOnce, .reply(id: 2))
        let first = try bench.send("b", .atMostOnce, .reply(id: 1))
        let second = try bench.send("c", .atMostOnce, .reply(id: 1))
        #expect(bench.handle(.acknowledged(connection, .failedReply(id: 1))) == [.complete(first, .confirmed)])
        #expect(
            bench.handle(.acknowledged(connection, .reply(id: 2, sequence: 1))) == [.complete(other, .confirmed)])
        #expect(bench.handle(.acknowledged(connection, .failedReply(id: 1))) == [.complete(second, .confirmed)])
        #expect(bench.handle(.acknowledged(connection, .failedReply(id: 1))) == [])
    }

    @Test func `without sequence numbers, replies are matched in the order of sending on this connection`() throws {
        var bench = Self.bench(maximumSequence: nil, pendingByteCount: 20)
        let connection = try bench.makeReady()
        let first = try bench.send("a", .atMostOnce, .reply(id: 1))
        let second = try bench.send("b", .atMostOnce, .reply(id: 2))
        let waiting = try bench.send("c", .atMostOnce, .reply(id: 1))
        #expect(bench.givenSequences == [])
        #expect(
            bench.handle(.acknowledged(connection, .reply(id: 2, sequence: nil))) == [.complete(second, .confirmed)])
        #expect(
            bench.handle(.acknowledged(connection, .reply(id: 1, sequence: nil))) == [.complete(first, .confirmed)])
        #expect(bench.handle(.acknowledged(connection, .reply(id: 1, sequence: nil))) == [])
        bench.handle(.sent(connection, byteCount: 20, pendingByteCount: 0))
        #expect(bench.given == ["c"])
        #expect(
            bench.handle(.acknowledged(connection, .reply(id: 1, sequence: nil))) == [.complete(waiting, .confirmed)])
    }

    @Test(arguments: [nil, 255] as [UInt64?])
    func `a reply to an abandoned message does not count for another message`(maximumSequence: UInt64?) throws {
        var bench = Self.bench(maximumSequence: maximumSequence)
        let connection = try bench.makeReady()
        let first = try bench.send("a", .atMostOnce, .reply(id: 1))
        try bench.send("b", .atMostOnce, .reply(id: 1))
        bench.handle(.cancel(first))
        #expect(bench.outcomes == [.failed(.cancelled(mayHaveArrived: true))])
        #expect(bench.session.messageCount == 1)
        #expect(bench.session.messageByteCount == 10)
        #expect(bench.handle(.cancel(first)) == [])
        let sequence: UInt64? = maximumSequence == nil ? nil : 1
        #expect(bench.handle(.acknowledged(connection, .reply(id: 1, sequence: sequence))) == [.ignoreReply])
        bench.handle(.acknowledged(connection, .reply(id: 1, sequence: sequence.map { $0 + 1 })))
        #expect(bench.outcomes == [.confirmed])
        #expect(bench.session.messageCount == 0)
        #expect(!bench.session.awaitsReplies)
    }

    @Test(arguments: [nil, 255] as [UInt64?])
    func `a reply to an abandoned message is expected only until the connection ends`(
        maximumSequence: UInt64?
    ) throws {
        var bench = Self.bench(maximumSequence: maximumSequence)
        let first = try bench.makeReady()
        bench.handle(.cancel(try bench.send("a", .atLeastOnce, .reply(id: 1))))
        #expect(bench.session.messageCount == 0)
        #expect(bench.session.awaitsReplies)
        #expect(bench.handle(.ended(first, .reset)).count == 2)
        #expect(!bench.session.awaitsReplies)
        let second = try bench.makeReady()
        let sequence: UInt64? = maximumSequence == nil ? nil : 1
        #expect(bench.handle(.acknowledged(second, .reply(id: 1, sequence: sequence))) == [])
    }

    @Test func `messages that the server confirms at login are not sent again`() throws {
        var bench = Self.bench()
        let first = try bench.makeReady()
        for text in ["a", "b", "c"] { try bench.send(text, .exactlyOnce, .acknowledgement) }
        bench.handle(.ended(first, .reset))
        try bench.reachDeadline()
        let second = try bench.connecting()
        bench.handle(.connected(second))
        bench.handle(.acknowledged(second, .cumulative(2)))
        #expect(bench.outcomes == [.confirmed, .confirmed])
        bench.handle(.loggedIn(second))
        #expect(bench.given == ["c"])
    }

    // MARK: Refusals

    @Test(
        arguments: [
            (.exactlyOnce, .reply(id: 1), nil, .needsSequence), (.exactlyOnce, .reply(id: 1), 1, .needsSequence),
            (.exactlyOnce, .none, 255, .needsReceipt), (.atLeastOnce, .none, 255, .needsReceipt),
            (.atLeastOnce, .none, nil, .needsReceipt), (.atMostOnce, .acknowledgement, nil, .needsSequence),
            (.atLeastOnce, .heartbeat, 255, .needsHeartbeat),
        ] as [(DeliveryPolicy, DeliveryReceipt, UInt64?, SessionError)])
    func `a promise that cannot be kept is refused`(
        delivery: DeliveryPolicy, receipt: DeliveryReceipt, maximumSequence: UInt64?, error: SessionError
    ) {
        var bench = SessionBench(SessionConfiguration(maximumSequence: maximumSequence))
        #expect(throws: error) { try bench.send("must", delivery, receipt) }
        #expect(bench.session.messageCount == 0)
    }

    @Test func `the limits hold, and the errors name them`() throws {
        var bench = Self.bench(limits: OutboundLimits(byteCount: 100, messageCount: 2))
        #expect(throws: SessionError.tooManyBytes(limit: 100)) { try bench.send("a", .atMostOnce, byteCount: 101) }
        #expect(throws: SessionError.tooManyBytes(limit: 100)) { try bench.send("a", .atMostOnce, byteCount: .max) }
        try bench.send("a", Self.position, byteCount: 60)
        #expect(throws: SessionError.tooManyBytes(limit: 100)) { try bench.send("b", .atMostOnce, byteCount: 41) }
        try bench.send("b", .atLeastOnce, .reply(id: 1), byteCount: 40)
        #expect(throws: SessionError.tooManyMessages(limit: 2)) { try bench.send("c", .atMostOnce, byteCount: 0) }
        #expect(throws: SessionError.tooManyBytes(limit: 100)) { try bench.send("c", Self.position, byteCount: 61) }
        #expect(bench.session.messageByteCount == 100)
        try bench.send("c", Self.position, byteCount: 59)
        #expect(bench.outcomes == [.replaced])
        try bench.makeReady()
        #expect(bench.given == ["c", "b"])
        // A kept message still counts.
        #expect(throws: SessionError.tooManyMessages(limit: 2)) { try bench.send("d", .atMostOnce, byteCount: 0) }
    }

    @Test func `the counters show all messages, and those that wait`() throws {
        func counters(_ messageCount: Int, _ byteCount: Int, waiting: (Int, Int)) -> OutboundCounters {
            var counters = OutboundCounters()
            (counters.messageCount, counters.byteCount) = (messageCount, byteCount)
            (counters.waitingMessageCount, counters.waitingByteCount) = waiting
            return counters
        }
        var bench = Self.bench(pendingByteCount: 25)
        #expect(bench.session.outboundCounters == OutboundCounters())
        try bench.send("once", .atMostOnce, byteCount: 5)
        try bench.send("must", .exactlyOnce, .acknowledgement, byteCount: 20)
        try bench.send("waits", .atLeastOnce, .acknowledgement, byteCount: 300)
        #expect(bench.session.outboundCounters == counters(3, 325, waiting: (3, 325)))
        let connection = try bench.makeReady()
        #expect(bench.given == ["once", "must"])
        #expect(bench.session.outboundCounters == counters(2, 320, waiting: (1, 300)))
        bench.handle(.sent(connection, byteCount: 0, pendingByteCount: 0))
        #expect(bench.session.outboundCounters == counters(2, 320, waiting: (0, 0)))
        bench.handle(.acknowledged(connection, .sequence(1)))
        #expect(bench.session.outboundCounters == counters(1, 300, waiting: (0, 0)))
        bench.handle(.ended(connection, .reset))
        #expect(bench.session.outboundCounters == counters(1, 300, waiting: (1, 300)))
        bench.handle(.end)
        #expect(bench.session.outboundCounters == OutboundCounters())
    }

    @Test func `messages are handed over only up to the connection's limit`() throws {
        var bench = Self.bench(pendingByteCount: 25)
        let connection = try bench.makeReady()
        var given: [String] = []
        for text in ["a", "b", "c", "d"] {
            try bench.send(text, .atMostOnce)
            given += bench.given
        }
        #expect(given == ["a", "b", "c"])
        bench.handle(.sent(connection, byteCount: 4, pendingByteCount: 26))
        #expect(bench.given == [])
        bench.handle(.sent(connection, byteCount: 2, pendingByteCount: 24))
        #expect(bench.given == ["d"])
    }

    // MARK: Time

    @Test func `expired messages are abandoned, whether they wait or were sent`() throws {
        var bench = Self.bench(pendingByteCount: 20)
        let connection = try bench.makeReady()
        try bench.send("given", .exactlyOnce, .acknowledgement, expiry: .seconds(3))
        try bench.send("replied", .atMostOnce, .reply(id: 1), expiry: .seconds(3))
        try bench.send("waits", .atMostOnce, expiry: .seconds(2))
        try bench.send("stays", .atMostOnce, expiry: .seconds(100))
        #expect(throws: SessionError.expired(mayHaveArrived: false)) {
            try bench.send("late", .atMostOnce, expiry: .zero)
        }
        try bench.reachDeadline()
        #expect(bench.now == .seconds(2))
        #expect(bench.outcomes == [.failed(.expired(mayHaveArrived: false))])
        try bench.reachDeadline()
        #expect(bench.now == .seconds(3))
        #expect(bench.outcomes == [.failed(.expired(mayHaveArrived: true)), .failed(.expired(mayHaveArrived: true))])
        #expect(bench.session.messageCount == 1)
        bench.handle(.sent(connection, byteCount: 20, pendingByteCount: 0))
        #expect(bench.given == ["stays"])
        #expect(bench.handle(.acknowledged(connection, .reply(id: 1, sequence: 2))) == [.ignoreReply])
        #expect(bench.session.messageCount == 0)
        #expect(bench.session.deadline == .seconds(30))
    }

    @Test func `a message that is abandoned while it waits is never sent`() throws {
        var bench = Self.bench()
        let number = try bench.send("a", .atLeastOnce, .reply(id: 1))
        try bench.send("b", .atMostOnce)
        bench.handle(.cancel(number))
        #expect(bench.outcomes == [.failed(.cancelled(mayHaveArrived: false))])
        try bench.makeReady()
        #expect(bench.given == ["b"])
        #expect(bench.handle(.cancel(number)) == [])
    }

    @Test(arguments: [nil, 255] as [UInt64?])
    func `after all waiting messages were abandoned, later ones are sent correctly`(maximumSequence: UInt64?) throws {
        var bench = Self.bench(maximumSequence: maximumSequence)
        for _ in 0..<3 { bench.handle(.cancel(try bench.send("no", .atMostOnce))) }
        let connection = try bench.start()
        bench.handle(.connected(connection))
        #expect(bench.handle(.acknowledged(connection, .reply(id: 1, sequence: maximumSequence))) == [])
        #expect(bench.handle(.acknowledged(connection, .cumulative(1))) == [])
        bench.handle(.loggedIn(connection))
        #expect(bench.given == [])
        try bench.send("a", .atMostOnce, .reply(id: 1))
        #expect(bench.given == ["a"])
        try bench.send("b", .atLeastOnce, .reply(id: 1))
        #expect(bench.given == ["b"])
        bench.handle(.ended(connection, .reset))
        #expect(bench.outcomes == [.failed(.lost(mayHaveArrived: true))])
        try bench.makeReady()
        #expect(bench.given == ["b"])
    }

    // MARK: Memory

    @Test func `space of finished messages is reused, and no messages are mixed up`() throws {
        var bench = Self.bench(limits: OutboundLimits(messageCount: 10), pendingByteCount: 1 << 20)
        let connection = try bench.makeReady()
        let kept = try bench.send("kept", .exactlyOnce, .acknowledgement)
        try bench.send("value", Self.position)
        let given = try bench.send("given up", .atMostOnce, .reply(id: 9))
        bench.handle(.cancel(given))
        for _ in 0..<200 {
            try bench.send("passes", .atMostOnce)
            #expect(bench.given == ["passes"])
        }
        #expect(bench.session.messageCount == 2)
        try bench.send("newer value", Self.position)
        #expect(bench.given == ["newer value"])
        #expect(bench.handle(.acknowledged(connection, .reply(id: 9, sequence: 2))) == [.ignoreReply])
        bench.handle(.ended(connection, .reset))
        for _ in 0..<8 { bench.handle(.cancel(try bench.send("no", .atMostOnce))) }
        try bench.makeReady()
        #expect(bench.given == ["kept", "newer value"])
        bench.handle(.cancel(kept))
        #expect(bench.outcomes == [.failed(.cancelled(mayHaveArrived: true))])
    }

    @Test func `space between sent and waiting messages is reused`() throws {
        var bench = Self.bench(pendingByteCount: 1)
        let connection = try bench.makeReady()
        try bench.send("given", .exactlyOnce, .acknowledgement)
        #expect(bench.given == ["given"])
        for _ in 0..<40 { bench.handle(.cancel(try bench.send("no", .atMostOnce))) }
        try bench.send("first", .exactlyOnce, .acknowledgement)
        for _ in 0..<40 { bench.handle(.cancel(try bench.send("no", .atMostOnce))) }
        try bench.send("second", .exactlyOnce, .acknowledgement)
        for text in ["first", "second"] {
            bench.handle(.sent(connection, byteCount: 10, pendingByteCount: 0))
            #expect(bench.given == [text])
        }
        bench.handle(.sent(connection, byteCount: 10, pendingByteCount: 0))
        #expect(bench.given == [])
        bench.handle(.acknowledged(connection, .cumulative(3)))
        #expect(bench.session.messageCount == 0)
    }
}
