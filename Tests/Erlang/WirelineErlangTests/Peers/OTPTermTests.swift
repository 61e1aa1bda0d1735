// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineCodec
import WirelineErlang

/// Random terms that travel to a real Erlang and back, and from there and back.
@Suite(.enabled(if: ErlangInterpreter.isWanted, "\(ErlangInterpreter.absence)"), .aside)
struct OTPTermTests {
    @Test func `Swift reads what Erlang writes, and writes the same bytes`() throws {
        let random = SeededGenerator.forThisRun()
        let made = try OTP.terms.run(["make", "\(OTP.termCount)", "\(random.seed % 1_000_000_007)"])
        #expect(made.count == 2 * OTP.termCount, random.seedComment)
        var failures: [String] = []
        for index in stride(from: 0, to: made.count, by: 2) where failures.count < 3 {
            let bytes = made[index]
            let term = try read(bytes)
            if try term.externalFormat() != bytes { failures.append("\(Hexadecimal.text(of: bytes)) \(term)") }
        }
        #expect(failures == [], random.seedComment)
    }

    @Test func `Swift reads Erlang's text as the term that it means`() throws {
        let random = SeededGenerator.forThisRun()
        let made = try OTP.terms.run(["make", "\(OTP.termCount)", "\(random.seed % 1_000_000_007)"])
        var failures: [String] = []
        var count = 0
        for index in stride(from: 0, to: made.count, by: 2) where failures.count < 3 {
            let (bytes, text) = (made[index], String(decoding: made[index + 1], as: UTF8.self))
            // Erlang writes these with numbers that mean something only inside of it, and does not quote what follows
            // `fun` as its own reader wants it.
            guard !["#Fun<", "#Ref<", "#Port<", "fun "].contains(where: text.contains),
                !text.contains(#/<\d+\.\d+\.\d+>/#)
            else { continue }
            count += 1
            let term = try read(bytes)
            if (try? ErlangTerm(parsing: text)) != term { failures.append("\(text) means \(term)") }
        }
        #expect(failures == [], random.seedComment)
        #expect(count > OTP.termCount / 5, random.seedComment)
    }

    @Test func `Erlang reads what Swift writes as the same term`() throws {
        var terms = RandomTerms(.forThisRun())
        let comment = terms.random.seedComment
        let sent = (0..<OTP.termCount).map { _ in terms.next() }
        let answers = try OTP.terms.run(["echo"], input: sent.map { try $0.externalFormat() })
        #expect(answers.count == sent.count, comment)
        var failures: [String] = []
        for (term, answer) in zip(sent, answers) where failures.count < 3 {
            let bytes = Array(answer.dropFirst())
            let isSame = answer.first == 1 ? try read(bytes) == term : false
            if !isSame { failures.append("\(term) \(Hexadecimal.text(of: try term.externalFormat()))") }
        }
        #expect(failures == [], comment)
    }

    @Test func `Erlang reads Swift's text as the term that it means`() throws {
        var terms = RandomTerms(.forThisRun())
        let comment = terms.random.seedComment
        terms.hasClosures = false
        // Erlang cannot read the identifiers of processes, ports and references, nor U+FFFE in a name. A combining
        // character may follow, so the search is by scalars.
        let unreadable = #/#[PR]|\\x\{FFFE\}/#.matchingSemantics(.unicodeScalar)
        let sent = (0..<OTP.termCount).map { _ in terms.next() }.filter { !$0.description.contains(unreadable) }
        let answers = try OTP.terms.run(["parse"], input: sent.map { Array($0.description.utf8) })
        var failures: [String] = []
        for (term, answer) in zip(sent, answers) where failures.count < 3 {
            let isSame = try !answer.isEmpty && read(answer) == term
            if !isSame { failures.append(term.description) }
        }
        #expect(failures == [], comment)
        #expect(sent.count > OTP.termCount / 5, comment)
    }

    @Test func `terms have Erlang's order`() throws {
        var terms = RandomTerms(.forThisRun())
        let comment = terms.random.seedComment
        terms.hasClosures = false
        let pairs = (0..<OTP.termCount).map { index in
            index % 2 == 0 ? (terms.number(), terms.number()) : terms.similarTerms()
        }
        let input = try pairs.flatMap { try [$0.externalFormat(), $1.externalFormat()] }
        let answers = try OTP.terms.run(["compare"], input: input)
        var failures: [String] = []
        for ((left, right), answer) in zip(pairs, answers) where failures.count < 3 {
            let isBelow = left < right && !left.isNumericallyEqual(to: right)
            let ours: [UInt8] = [isBelow, left.isNumericallyEqual(to: right), left == right].map { $0 ? 1 : 0 }
            if ours != answer { failures.append("\(left) and \(right): Erlang \(answer), Swift \(ours)") }
        }
        #expect(failures == [], comment)
    }

    @Test func `Erlang takes and refuses the same bytes`() throws {
        var terms = RandomTerms(.forThisRun())
        var random = terms.random
        let comment = random.seedComment
        // A function with a mistake in it crashes OTP 25.
        terms.hasClosures = false
        let inputs = try (0..<OTP.termCount).map { _ in
            Mutation.changed(try terms.next(depth: 2).externalFormat(), using: &random)
        }
        let answers = try OTP.terms.run(["echo"], input: inputs)
        var failures: [String] = []
        for (input, answer) in zip(inputs, answers) where failures.count < 3 {
            let ours = Result { () throws(ErlangError) in try read(input) }
            let isSame =
                switch ours {
                case .success(let term):
                    answer.first == 1 && (try? read(Array(answer.dropFirst()))) == term
                case .failure(let error): answer.first == 0 || Self.isOurOwn(error)
                }
            if !isSame {
                failures.append("\(Hexadecimal.text(of: input)): \(ours), Erlang \(Hexadecimal.text(of: answer))")
            }
        }
        #expect(failures == [], comment)
    }

    /// Whether we refuse what Erlang takes: local and compressed terms, trailing bytes, and what is above our limits.
    private static func isOurOwn(_ error: ErlangError) -> Bool {
        switch error {
        // Atoms by their number in the node's own table.
        case .invalidTerm(.unknownTag(73...75), offset: _): true
        case .invalidTerm(.trailingBytes, offset: _), .invalidTerm(.compressed, offset: _), .tooDeep, .tooManyTerms,
            .integerTooLong, .termTooLong:
            true
        default: false
        }
    }
}
