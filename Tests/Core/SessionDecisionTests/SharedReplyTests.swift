// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import Wireline

/// Which message a reply belongs to, if messages have several replies and share some of them.
struct SharedReplyTests {
    private static let entered = DeliveryReceipt.reply(anyOf: [1, 9])
    private static let left = DeliveryReceipt.reply(anyOf: [2, 9])
    private static let pong = DeliveryReceipt.reply(id: 3)

    @Test func `without numbers, a shared reply belongs to the oldest message that waits for it`() throws {
        var bench = SessionBench()
        let connection = try bench.makeReady()
        let numbers = try [Self.entered, Self.pong, Self.left, Self.entered].map {
            try bench.send("a", .atMostOnce, $0)
        }
        let replies: [(id: UInt64, number: MessageNumber)] = [
            (2, numbers[2]), (9, numbers[0]), (3, numbers[1]), (9, numbers[3]),
        ]
        for (id, number) in replies {
            #expect(
                bench.handle(.acknowledged(connection, .reply(id: id, sequence: nil)))
                    == [.complete(number, .confirmed)])
        }
        #expect(!bench.session.awaitsReplies)
        #expect(bench.handle(.acknowledged(connection, .reply(id: 9, sequence: nil))) == [])
    }

    @Test func `without numbers, a shared reply to an abandoned message does not count for another one`() throws {
        var bench = SessionBench()
        let connection = try bench.makeReady()
        bench.handle(.cancel(try bench.send("late", .atMostOnce, Self.entered)))
        let left = try bench.send("a", .atMostOnce, Self.left)
        let failure = SessionEvent.acknowledged(connection, .reply(id: 9, sequence: nil))
        #expect(bench.handle(failure) == [.ignoreReply])
        #expect(bench.handle(failure) == [.complete(left, .confirmed)])
    }

    @Test func `with numbers, any of a message's replies confirms it, and no other message`() throws {
        var bench = SessionBench(SessionConfiguration(maximumSequence: 255))
        let connection = try bench.makeReady()
        let entered = try bench.send("a", .atMostOnce, Self.entered)
        let left = try bench.send("b", .atMostOnce, Self.left)
        #expect(bench.handle(.acknowledged(connection, .reply(id: 2, sequence: 1))) == [])
        #expect(
            bench.handle(.acknowledged(connection, .reply(id: 9, sequence: 2))) == [.complete(left, .confirmed)])
        bench.handle(.cancel(entered))
        #expect(bench.handle(.acknowledged(connection, .reply(id: 2, sequence: 1))) == [])
        #expect(bench.handle(.acknowledged(connection, .reply(id: 9, sequence: 1))) == [.ignoreReply])
        #expect(!bench.session.awaitsReplies)
    }

    @Test func `a receipt without a reply is refused`() throws {
        var bench = SessionBench()
        try bench.makeReady()
        #expect(throws: SessionError.needsReceipt) { try bench.send("a", .atMostOnce, .reply(anyOf: [])) }
    }

    @Test func `unanswered messages that share replies are limited, and those that share none are not`() throws {
        var bench = SessionBench(SessionConfiguration(pendingByteCount: 1 << 30))
        let connection = try bench.makeReady()
        for _ in 0..<10_000 {
            for receipt in [Self.pong, .reply(id: 4)] {
                bench.handle(.cancel(try bench.send("a", .atMostOnce, receipt)))
            }
        }
        for _ in 0..<511 {
            for receipt in [Self.entered, Self.left] {
                bench.handle(.cancel(try bench.send("a", .atMostOnce, receipt)))
            }
        }
        let refused = try bench.send("a", .atMostOnce, Self.entered)
        #expect(bench.actions == [.complete(refused, .failed(.tooManyMessages(limit: 1_024)))])
        // It joins the last ones, so nothing more has to be remembered.
        let left = try bench.send("a", .atMostOnce, Self.left)
        #expect(bench.given == ["a"])
        for _ in 0..<511 { bench.handle(.acknowledged(connection, .reply(id: 2, sequence: nil))) }
        #expect(
            bench.handle(.acknowledged(connection, .reply(id: 2, sequence: nil))) == [.complete(left, .confirmed)])
    }

    /// Compares the session with a list of all messages in their order.
    @Test func `replies in any order find the messages that a list finds`() throws {
        let kinds: [[UInt64]] = [[1, 9], [2, 9], [3], [1, 2], [4, 8], [8]]
        var random = SeededGenerator.forThisRun()
        let comment = random.seedComment
        var bench = SessionBench(SessionConfiguration(pendingByteCount: 1 << 30))
        let connection = try bench.makeReady()
        var list: [(number: MessageNumber, replies: [UInt64], isAbandoned: Bool)] = []
        for _ in 0..<20_000 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4:
                guard list.count < 100, let kind = kinds.randomElement(using: &random) else { continue }
                list.append((try bench.send("a", .atMostOnce, .reply(anyOf: kind)), kind, false))
            case 4, 5:
                guard let place = list.indices.randomElement(using: &random) else { continue }
                bench.handle(.cancel(list[place].number))
                list[place].isAbandoned = true
            case 6:
                guard let place = list.indices.randomElement(using: &random), !list[place].isAbandoned else { continue }
                bench.handle(.unencodable(connection, list.remove(at: place).number))
            default:
                let id = UInt64.random(in: 1...9, using: &random)
                let actions = bench.handle(.acknowledged(connection, .reply(id: id, sequence: nil)))
                guard let place = list.firstIndex(where: { $0.replies.contains(id) }) else {
                    try #require(actions == [], comment)
                    continue
                }
                let message = list.remove(at: place)
                let expected: SessionBench.Action =
                    message.isAbandoned ? .ignoreReply : .complete(message.number, .confirmed)
                try #require(actions == [expected], comment)
            }
        }
    }
}
