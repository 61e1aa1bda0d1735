// SPDX-License-Identifier: Apache-2.0

import Testing
import Wireline

/// The numbers of messages that must arrive.
struct SequenceNumberTests {
    @Test func `numbers restart after the largest, and none is close to a number that waits`() throws {
        var bench = OutboundMessageTests.bench(maximumSequence: 7)
        let connection = try bench.makeReady()
        var sequences: [UInt64?] = []
        for _ in 0..<5 {
            try bench.send("must", .exactlyOnce, .acknowledgement)
            sequences += bench.givenSequences
        }
        #expect(sequences == [1, 2, 3])
        for number: UInt64 in [1, 2, 3, 4, 5] {
            bench.handle(.acknowledged(connection, .sequence(number)))
            sequences += bench.givenSequences
        }
        #expect(sequences == [1, 2, 3, 4, 5])
        for _ in 0..<3 {
            try bench.send("must", .exactlyOnce, .acknowledgement)
            sequences += bench.givenSequences
        }
        #expect(sequences == [1, 2, 3, 4, 5, 6, 7, 1])
        bench.handle(.acknowledged(connection, .cumulative(1)))
        #expect(bench.outcomes == [.confirmed, .confirmed, .confirmed])
    }

    @Test func `a heartbeat's answer frees numbers, too`() throws {
        var bench = OutboundMessageTests.bench(maximumSequence: 7)
        let connection = try bench.makeReady()
        for number: UInt64 in 1...10 {
            try bench.send("must", .exactlyOnce, .heartbeat)
            #expect(bench.givenSequences == [1 + (number - 1) % 7])
            try bench.reachDeadline()
            bench.handle(.heartbeatAnswered(connection, sequence: 1 + (number - 1) % 7))
            #expect(bench.outcomes == [.confirmed])
        }
    }

    @Test func `an acknowledgement of a message that was never sent does nothing`() throws {
        var bench = OutboundMessageTests.bench(maximumSequence: .max)
        let connection = try bench.makeReady()
        #expect(bench.handle(.acknowledged(connection, .cumulative(1))) == [])
        try bench.send("must", .exactlyOnce, .acknowledgement)
        for sequence in [0, 2, .max] as [UInt64] {
            #expect(bench.handle(.acknowledged(connection, .sequence(sequence))) == [])
            #expect(bench.handle(.acknowledged(connection, .cumulative(sequence))) == [])
        }
    }

    @Test func `after too many numbers were lost, no message is sent that would look like an old one`() throws {
        var bench = OutboundMessageTests.bench(maximumSequence: 7)
        for _ in 0..<3 {
            let connection = try bench.makeReady()
            try bench.send("request", .atMostOnce, .reply(id: 1))
            bench.handle(.ended(connection, .reset))
        }
        try bench.makeReady()
        for delivery in [DeliveryPolicy.exactlyOnce, .atLeastOnce, .atMostOnce] {
            try bench.send("must", delivery, .acknowledgement)
            #expect(bench.outcomes == [.failed(.outOfSequenceNumbers)])
        }
        try bench.send("no number", .atMostOnce)
        #expect(bench.outcomes == [.given])
    }

    @Test func `a server that reports at login what it has seen frees lost numbers`() throws {
        var bench = OutboundMessageTests.bench(maximumSequence: 7)
        for _ in 0..<3 {
            let connection = try bench.makeReady()
            try bench.send("request", .atMostOnce, .reply(id: 1))
            bench.handle(.ended(connection, .reset))
        }
        try bench.reachDeadline()
        let connection = try bench.connecting()
        bench.handle(.connected(connection))
        bench.handle(.acknowledged(connection, .cumulative(2)))
        bench.handle(.loggedIn(connection))
        try bench.send("must", .exactlyOnce, .acknowledgement)
        #expect(bench.givenSequences == [4])
    }
}
