// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineErlang

struct TermScannerTests {
    @Test func `a scanner steps over any term as a reader does`() throws {
        var terms = RandomTerms(.forThisRun())
        let comment = terms.random.seedComment
        for _ in 0..<2_000 {
            let (first, second) = (terms.next(), terms.next())
            let bytes = try first.content() + second.content()
            var scanner = TermScanner(bytes.span.bytes)
            let range = try scanner.skip()
            try #require(range == 0..<(try first.content().count), comment)
            try #require(try scanner.skip() == range.upperBound..<bytes.count, comment)
        }
    }

    @Test(arguments: TermVectorTests.vectors.map(\.1) + TermVectorTests.otherForms.map(\.1))
    func `a term in any form is stepped over, and is refused when it is cut off`(hex: String) throws {
        let whole = bytes(hex)
        var scanner = TermScanner(whole.span.bytes)
        #expect(try scanner.skip() == 0..<whole.count)
        for count in whole.indices {
            let part = Array(whole.prefix(count))
            #expect(throws: ErlangError.self, "\(count) bytes") {
                var scanner = TermScanner(part.span.bytes)
                _ = try scanner.skip()
            }
        }
    }

    @Test func `any bytes are stepped over or refused`() {
        var random = SeededGenerator.forThisRun()
        for _ in 0..<5_000 {
            let bytes = random.bytes(Int.random(in: 0..<40, using: &random))
            var scanner = TermScanner(bytes.span.bytes)
            if let range = try? scanner.skip() { #expect(range.upperBound <= bytes.count, random.seedComment) }
        }
    }

    @Test func `parts are found without values`() throws {
        let term: ErlangTerm = .tuple("wireline", [.tuple("send", .text("hi")), .tuple("confirm", 300)])
        let bytes = try term.content()
        var scanner = TermScanner(bytes.span.bytes)
        #expect(scanner.enterTuple(of: 3) == false)
        #expect(scanner.enterTuple(of: 2) == true)
        #expect(scanner.takeAtom("wire") == false)
        #expect(scanner.takeAtom("wireline") == true)
        #expect(scanner.takeEmptyList() == false)
        #expect(scanner.enterList() == 2)
        #expect(scanner.enterTuple(of: 2) == true)
        #expect(scanner.takeAtom("send") == true)
        #expect(scanner.takeUnsigned() == nil)
        let range = try scanner.skip()
        #expect(try ErlangTerm(content: bytes.span.bytes.extracting(range)) == .text("hi"))
        #expect(scanner.enterTuple(of: 2) == true)
        #expect(scanner.takeAtom("confirm") == true)
        #expect(scanner.takeUnsigned() == 300)
        #expect(scanner.takeEmptyList() == true)
        #expect(scanner.offset == bytes.count)
    }

    @Test(arguments: [0, 255, 256, 1 << 31, UInt64.max] as [UInt64])
    func `numbers are taken in each form`(number: UInt64) throws {
        let bytes = try ErlangTerm(number).content()
        var scanner = TermScanner(bytes.span.bytes)
        #expect(scanner.takeUnsigned() == number)
        #expect(scanner.offset == bytes.count)
    }

    @Test(arguments: [-1, -5_000_000_000] as [Int64])
    func `negative numbers are not taken`(number: Int64) throws {
        let bytes = try ErlangTerm.integer(number).content()
        var scanner = TermScanner(bytes.span.bytes)
        #expect(scanner.takeUnsigned() == nil)
        #expect(scanner.offset == 0)
    }
}
