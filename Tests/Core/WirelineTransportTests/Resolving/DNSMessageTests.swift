// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineTransport

/// Queries to DNS servers and their answers, as bytes.
struct DNSMessageTests {
    static let number: UInt16 = 0x1234

    static func reply(
        to bytes: [UInt8], _ host: String = "game.example", _ family: AddressFamily = .ipv4
    ) throws
        -> DNSReply
    {
        try DNSQuestion(host, family).reply(in: bytes, number: number)
    }

    static func addresses(_ texts: String..., seconds: Int) throws -> DNSReply {
        .answer(try ResolvedAddresses(ipAddresses: texts, timeToLive: .seconds(seconds)))
    }

    // MARK: Questions

    @Test func `a query asks for one type of record, with recursion`() throws {
        let query = try DNSQuestion("Game.Example.", .ipv6).query(number: 0xABCD)
        #expect(
            query == [0xAB, 0xCD, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 4] + Array("game".utf8) + [7] + Array("example".utf8)
                + [0, 0, 28, 0, 1])
    }

    @Test(
        arguments: [
            "", ".", "..", "a..b", ".a", "a b", "a\u{0}b", "münchen.de", "a.\u{301}b", "中国",
            String(repeating: "a", count: 64),
            Array(repeating: String(repeating: "a", count: 49), count: 5)
                .joined(separator: ".") + ".aaaa",
        ])
    func `a host name that DNS cannot express is refused`(_ host: String) {
        #expect(DNSName(host) == nil)
    }

    @Test func `the longest label and the longest name are accepted`() {
        #expect(DNSName(String(repeating: "a", count: 63)) != nil)
        // 255 bytes with the end: 5 labels of 49 bytes and one of 3, with their lengths.
        #expect(
            DNSName(Array(repeating: String(repeating: "a", count: 49), count: 5).joined(separator: ".") + ".aaa.")
                != nil)
        #expect(DNSName("xn--fiqs8s.") == DNSName("XN--FIQS8S"))
    }

    // MARK: Answers

    /// A real answer with compressed names: `www.example.com` is an alias of `example.com`, which has two addresses.
    static let compressed: [UInt8] =
        [0x12, 0x34, 0x81, 0x80, 0, 1, 0, 3, 0, 0, 0, 0]
        + [3] + Array("www".utf8) + [7] + Array("example".utf8) + [3] + Array("com".utf8) + [0, 0, 1, 0, 1]
        + [0xC0, 12, 0, 5, 0, 1, 0, 0, 1, 0, 0, 2, 0xC0, 16]
        + [0xC0, 16, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 1]
        + [0xC0, 16, 0, 1, 0, 1, 0, 0, 0, 70, 0, 4, 192, 0, 2, 2]

    @Test func `an answer with aliases is valid for the shortest time in the chain`() throws {
        let reply = try Self.reply(to: Self.compressed, "WWW.example.com")
        #expect(try reply == Self.addresses("192.0.2.1", "192.0.2.2", seconds: 60))
    }

    @Test func `records may come in any order, mixed with others`() throws {
        let text = DNSAnswer.Record(owner: "game.example", type: 16, data: [1, 65])
        let chaos = DNSAnswer.Record(owner: "game.example", type: 1, recordClass: 3, data: [9])
        let answer = DNSAnswer(answers: [
            try .address("three.example", "192.0.2.3", seconds: 90), text, .alias("two.example", "THREE.example"),
            chaos,
            try .address("other.example", "192.0.2.9"), .alias("game.example", "two.example", seconds: 80),
            try .address("three.example", "2001:db8::1"),
        ])
        #expect(try Self.reply(to: answer.bytes) == Self.addresses("192.0.2.3", seconds: 80))
    }

    @Test func `IPv6 addresses are read in the same way`() throws {
        let answer = DNSAnswer(type: 28, answers: [try .address("game.example", "2001:db8::7", seconds: 5)])
        let reply = try Self.reply(to: answer.bytes, "game.example", .ipv6)
        #expect(try reply == Self.addresses("2001:db8::7", seconds: 5))
    }

    @Test func `an empty answer is valid for the time that its zone says`() throws {
        var answer = DNSAnswer()
        #expect(try Self.reply(to: answer.bytes) == .answer(ResolvedAddresses([])))
        answer.authorities = [.zone("example", seconds: 900, absence: 600)]
        #expect(try Self.reply(to: answer.bytes) == .answer(ResolvedAddresses([], timeToLive: .seconds(600))))
        answer.authorities = [.zone("example", seconds: 30, absence: 600)]
        answer.answers = [.alias("game.example", "empty.example")]
        #expect(try Self.reply(to: answer.bytes) == .answer(ResolvedAddresses([], timeToLive: .seconds(30))))
    }

    @Test func `an invalid time to live counts as zero`() throws {
        let answer = DNSAnswer(answers: [try .address("game.example", "192.0.2.1", seconds: 0x8000_0000)])
        #expect(try Self.reply(to: answer.bytes) == Self.addresses("192.0.2.1", seconds: 0))
    }

    @Test(
        arguments: [
            (0x8183, .noSuchName), (0x8182, .failed(code: 2)), (0x8185, .failed(code: 5)), (0x8181, .failed(code: 1)),
            (0x8380, .truncated), (0x8383, .truncated), (0x8100, .notLookedUp),
            (0x8500, .answer(ResolvedAddresses([]))),
        ] as [(UInt16, DNSReply)])
    func `an answer without an address gives the reason`(flags: UInt16, reply: DNSReply) throws {
        #expect(try Self.reply(to: DNSAnswer(flags: flags).bytes) == reply)
    }

    @Test(arguments: [1, 2, 4, 5] as [UInt8])
    func `a refusal does not need to repeat the question`(code: UInt8) throws {
        let header = DNSAnswer(flags: 0x8100 | UInt16(code), questionCount: 0).bytes.prefix(12)
        #expect(try Self.reply(to: Array(header)) == .failed(code: code))
    }

    @Test(arguments: [0x8180, 0x8183, 0x0105] as [UInt16])
    func `an answer that does not repeat the question is invalid`(flags: UInt16) throws {
        let header = DNSAnswer(flags: flags, questionCount: 0).bytes.prefix(12)
        #expect(throws: DNSError.mismatched) { try Self.reply(to: Array(header)) }
    }

    // MARK: Invalid answers

    @Test func `an answer to another question is invalid`() throws {
        let good = DNSAnswer(answers: [try .address("game.example", "192.0.2.1")])
        let changes: [(inout DNSAnswer) -> Void] = [
            { $0.number = 0x1235 }, { $0.flags = 0x0100 }, { $0.flags = 0x9180 }, { $0.name = "game.exampl" },
            { $0.name = "gama.example" }, { $0.type = 28 }, { $0.questionCount = 0 }, { $0.questionCount = 2 },
        ]
        #expect(try Self.reply(to: good.bytes) == Self.addresses("192.0.2.1", seconds: 300))
        for change in changes {
            var answer = good
            change(&answer)
            #expect(throws: DNSError.mismatched) { try Self.reply(to: answer.bytes) }
        }
    }

    @Test func `a truncated answer is invalid at every length`() throws {
        for count in 0..<Self.compressed.count {
            #expect(throws: DNSError.malformed(offset: count)) {
                try Self.reply(to: Array(Self.compressed.prefix(count)), "www.example.com")
            }
        }
    }

    @Test(
        arguments: [
            // To itself, forward, in a circle of two, past the end, and a length that is neither label nor pointer.
            [0xC0, 12], [0xC0, 14, 1, 97, 0], [1, 97, 0xC0, 12], [0xC0, 16, 0, 0, 0xC0, 12], [0xFF, 0xFF], [0x40, 0],
            [0x80, 0],
        ] as [[UInt8]])
    func `a pointer to nowhere or in a circle is refused`(name: [UInt8]) {
        let header: [UInt8] = [0x12, 0x34, 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0]
        let error = #expect(throws: DNSError.self) { try Self.reply(to: header + name + [0, 1, 0, 1]) }
        guard case .malformed = error else {
            _ = Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `a long chain of pointers is refused before it costs time`() throws {
        var answer = DNSAnswer(answers: [.alias("game.example", "a.example")])
        let start = answer.bytes.count
        // Each pointer leads to the previous one; records point to the last pointer.
        var chain: [UInt8] = [0]
        for index in 0..<6_000 {
            let target = start + (index == 0 ? 0 : 2 * index - 1)
            guard target < 0x4000 else { break }
            chain += [0xC0 | UInt8(target >> 8), UInt8(target & 0xFF)]
        }
        answer.answers.append(.init(owner: "x", type: 16, data: []))
        var bytes = answer.bytes
        bytes.replaceSubrange(start..., with: chain + [0, 16, 0, 1, 0, 0, 0, 0, 0, 0])
        #expect(throws: DNSError.self) { try Self.reply(to: bytes) }
    }

    @Test func `a circle of aliases, or too many aliases, is refused`() {
        let circle = DNSAnswer(answers: [.alias("game.example", "b.example"), .alias("b.example", "game.example")])
        #expect(throws: DNSError.tooManyAliases) { try Self.reply(to: circle.bytes) }
        let chain = (0..<17).map { DNSAnswer.Record.alias($0 == 0 ? "game.example" : "a\($0).b", "a\($0 + 1).b") }
        #expect(throws: DNSError.tooManyAliases) { try Self.reply(to: DNSAnswer(answers: chain).bytes) }
    }

    @Test func `sixteen aliases are followed`() throws {
        var records = (0..<16).map { DNSAnswer.Record.alias($0 == 0 ? "game.example" : "a\($0).b", "a\($0 + 1).b") }
        records.append(try .address("a16.b", "192.0.2.1"))
        #expect(try Self.reply(to: DNSAnswer(answers: records).bytes) == Self.addresses("192.0.2.1", seconds: 300))
    }

    @Test(arguments: [(1, 3), (1, 5), (1, 0), (28, 4), (28, 17), (5, 0), (6, 19)] as [(UInt16, Int)])
    func `data of a wrong length is refused`(type: UInt16, byteCount: Int) {
        let data = [UInt8](repeating: 0, count: byteCount)
        let answer = DNSAnswer(answers: [.init(owner: "game.example", type: type, data: data)])
        #expect(throws: DNSError.self) { try Self.reply(to: answer.bytes) }
    }

    @Test func `any bytes are an answer or an error`() throws {
        var random = SeededGenerator.forThisRun()
        let question = try DNSQuestion("www.example.com", .ipv4)
        var answerCount = 0
        for _ in 0..<20_000 {
            var bytes = Self.compressed
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: bytes.indices, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = .random(in: 0...255, using: &random)
                case 1: bytes.insert(.random(in: 0...255, using: &random), at: place)
                default: bytes.remove(at: place)
                }
            }
            do throws(DNSError) {
                if case .answer = try question.reply(in: bytes, number: Self.number) { answerCount += 1 }
            } catch {}
        }
        #expect(answerCount > 100, random.seedComment)
        let header: [UInt8] = Array(Self.compressed.prefix(33))
        for _ in 0..<20_000 {
            let rest = (0..<Int.random(in: 0...200, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            _ = try? question.reply(in: Bool.random(using: &random) ? header + rest : rest, number: Self.number)
        }
    }
}
