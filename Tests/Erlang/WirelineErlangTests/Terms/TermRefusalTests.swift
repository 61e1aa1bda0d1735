// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineCodec
import WirelineErlang

/// Bytes and terms that are refused, and what they may cost.
struct TermRefusalTests {
    static let refusals: [(String, ErlangError)] = [
        ("", .truncated(needed: 1, available: 0, offset: 0)),
        ("82", .invalidTerm(.version(0x82), offset: 0)),
        ("83", .truncated(needed: 1, available: 0, offset: 1)),
        ("8300", .invalidTerm(.unknownTag(0), offset: 1)),
        ("835200", .invalidTerm(.unknownTag(82), offset: 1)),
        ("8379", .invalidTerm(.unknownTag(121), offset: 1)),
        ("836101ff", .invalidTerm(.trailingBytes(1), offset: 3)),
        ("83467ff8000000000000", .invalidTerm(.notFinite, offset: 1)),
        ("8346fff0000000000000", .invalidTerm(.notFinite, offset: 1)),
        ("83" + "63" + "6e616e" + String(repeating: "00", count: 28), .invalidTerm(.floatText, offset: 1)),
        ("83" + "63" + "31653939" + "39" + String(repeating: "00", count: 26), .invalidTerm(.notFinite, offset: 1)),
        ("837702ffff", .invalidTerm(.invalidUTF8, offset: 3)),
        ("837703eda080", .invalidTerm(.invalidUTF8, offset: 3)),
        ("834d000000010007", .invalidTerm(.bitCount(0), offset: 1)),
        ("834d000000010907", .invalidTerm(.bitCount(9), offset: 1)),
        ("834d0000000003", .invalidTerm(.bitCount(3), offset: 1)),
        ("835a0000770161" + "00000001", .invalidTerm(.wordCount(0), offset: 1)),
        ("835a0006770161" + "00000001", .invalidTerm(.wordCount(6), offset: 1)),
        ("8358610100000001" + "0000000000000001", .invalidTerm(.notAnAtom(97), offset: 2)),
        ("8371" + "770161" + "770162" + "6200000100", .invalidTerm(.function, offset: 8)),
        ("8374000000026101610161016102", .invalidTerm(.duplicateKey, offset: 1)),
        ("836c7fffffff6101", .truncated(needed: 0x7FFF_FFFF, available: 2, offset: 6)),
        ("8369ffffffff", .truncated(needed: 0xFFFF_FFFF, available: 0, offset: 6)),
        ("8374ffffffff", .truncated(needed: 0xFFFF_FFFF, available: 0, offset: 6)),
        ("836dffffffff00", .truncated(needed: 0xFFFF_FFFF, available: 1, offset: 6)),
        ("836f0000000500", .truncated(needed: 5, available: 0, offset: 7)),
        ("835000000005aabb", .invalidTerm(.compressed, offset: 1)),
    ]

    @Test(arguments: refusals)
    func `what is no term is refused where it is wrong`(hex: String, error: ErlangError) {
        #expect(throws: error) { try read(bytes(hex)) }
        #expect(!error.description.isEmpty)
    }

    @Test(arguments: TermVectorTests.vectors.map(\.1) + TermVectorTests.otherForms.map(\.1))
    func `a term that is cut off is refused at each length`(hex: String) {
        let whole = [131] + bytes(hex)
        for count in whole.indices {
            let error = #expect(throws: ErlangError.self) {
                try read(Array(whole.prefix(count)))
            }
            guard case .truncated(let needed, let available, let offset)? = error else {
                Issue.record("\(count) bytes: \(String(describing: error))")
                continue
            }
            #expect(needed > available && available == count - offset)
        }
    }

    @Test func `changed bytes are refused, or read as a term that is written and read again`() throws {
        var terms = RandomTerms(.forThisRun())
        var random = terms.random
        let comment = random.seedComment
        for _ in 0..<5_000 {
            let input = Mutation.changed(try terms.next().externalFormat(), using: &random)
            guard let term = try? read(input) else { continue }
            let again = try read(term.externalFormat())
            try #require(again == term, comment)
        }
    }

    // MARK: Limits

    private static func nested(_ depth: Int) -> ErlangTerm {
        var term: ErlangTerm = "x"
        for _ in 0..<depth { term = .tuple([term]) }
        return term
    }

    @Test func `the limit of the depth is exact, for reading and for writing`() throws {
        var limits = ErlangTermLimits()
        let whole = try Self.nested(512).externalFormat()
        #expect(try read(whole) == Self.nested(512))
        #expect(throws: ErlangError.unwritableDepth(limit: 512)) { try Self.nested(513).externalFormat() }
        let deeper = [131] + repeated([104, 1], 513) + [106]
        #expect(throws: ErlangError.tooDeep(limit: 512, offset: 1 + 2 * 512)) {
            try read(deeper)
        }
        limits.depth = 513
        #expect(throws: Never.self) { try read(deeper, limits: limits) }
    }

    @Test func `a million lists in each other are refused without a deep stack`() {
        let bytes = [131] + repeated([108, 0, 0, 0, 1], 1_000_000)
        #expect(throws: ErlangError.tooDeep(limit: 512, offset: 1 + 5 * 512)) {
            try read(bytes)
        }
    }

    @Test func `lists that are each other's tails are one list`() throws {
        let count = 100_000
        let bytes = [131] + repeated([108, 0, 0, 0, 1, 97, 7], count) + [106]
        let term = try read(bytes)
        #expect(term == .list([ErlangTerm](repeating: 7, count: count)))
    }

    @Test func `the limit of the parts is exact`() throws {
        var limits = ErlangTermLimits()
        limits.termCount = 6
        // The list, its four elements and its end.
        let bytes = try ErlangTerm.list(["a", "b", "c", "d"]).externalFormat()
        #expect(throws: Never.self) { try read(bytes, limits: limits) }
        limits.termCount = 5
        #expect(throws: ErlangError.tooManyTerms(limit: 5, offset: 1)) {
            try read(bytes, limits: limits)
        }
        let string = try ErlangTerm.characters("abcdef").externalFormat()
        #expect(throws: ErlangError.tooManyTerms(limit: 5, offset: 1)) {
            try read(string, limits: limits)
        }
        #expect(throws: ErlangError.self) { try ErlangTerm.characters("abcdef").externalFormat(limits: limits) }
    }

    @Test func `a term above the limit of bytes is neither read nor written`() throws {
        var limits = ErlangTermLimits()
        limits.byteCount = 100
        let term = ErlangTerm.binary([UInt8](repeating: 0, count: 96))
        let bytes = try term.externalFormat()
        #expect(throws: ErlangError.termTooLong(limit: 100)) {
            try read(bytes, limits: limits)
        }
        #expect(throws: ErlangError.termTooLong(limit: 100)) { try term.externalFormat(limits: limits) }
    }

    @Test func `the limit of integers is exact, for reading and for writing`() throws {
        let limit = ErlangTermLimits().integerByteCount
        let longest = ErlangTerm(isNegative: true, magnitude: [UInt8](repeating: 1, count: limit))
        #expect(try read(longest.externalFormat()) == longest)
        let longer = ErlangTerm(isNegative: true, magnitude: [UInt8](repeating: 1, count: limit + 1))
        #expect(throws: ErlangError.integerTooLong(limit: limit, offset: 0)) { try longer.externalFormat() }
        var limits = ErlangTermLimits()
        limits.integerByteCount += 1
        let bytes = try longer.externalFormat(limits: limits)
        #expect(throws: ErlangError.integerTooLong(limit: limit, offset: 1)) {
            try read(bytes)
        }
    }

    // MARK: Writing

    static let unwritable: [(ErlangTerm, ErlangTermFault)] = [
        (.float(.nan), .notFinite), (.tuple("a", .float(.infinity)), .notFinite), ([.float(-.infinity): 1], .notFinite),
        (.atom(ErlangAtom(String(repeating: "å", count: 256))), .atomTooLong),
        (
            .pid(ErlangPID(node: ErlangAtom(String(repeating: "n", count: 256)), id: 1, serial: 0, creation: 1)),
            .atomTooLong
        ),
    ]

    @Test(arguments: unwritable)
    func `what Erlang would cut us off for is not written`(term: ErlangTerm, fault: ErlangTermFault) {
        #expect(throws: ErlangError.unwritableTerm(fault)) { try term.externalFormat() }
    }

    @Test func `an error is small`() {
        #expect(MemoryLayout<ErlangError>.size <= 32)
    }
}

private func repeated(_ bytes: [UInt8], _ count: Int) -> [UInt8] {
    Array(repeatElement(bytes, count: count).joined())
}
