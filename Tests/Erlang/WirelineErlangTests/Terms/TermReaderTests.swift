// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineCodec
import WirelineErlang

/// Terms that are read without a value for each.
struct TermReaderTests {
    @Test(arguments: TermVectorTests.vectors.map(\.1) + TermVectorTests.otherForms.map(\.1))
    func `a term is skipped whole, and checked`(hex: String) throws {
        let bytes = bytes(hex)
        var reader = ErlangTermReader(bytes.span.bytes)
        #expect(throws: Never.self) { try ErlangTermReader(bytes.span.bytes).check() }
        let byteCount = reader.skip()?.byteCount
        let isAtEnd = reader.isAtEnd
        #expect(byteCount == bytes.count && isAtEnd)
        for count in bytes.indices {
            let cut = Array(bytes.prefix(count))
            #expect(throws: ErlangError.self) { try ErlangTermReader(cut.span.bytes).check() }
            var reader = ErlangTermReader(cut.span.bytes)
            let isTerm = reader.skip() != nil
            let offset = reader.offset
            #expect(!isTerm && offset == 0)
        }
    }

    @Test func `what the check accepts is a term, or has a fault that a skip cannot see`() throws {
        var terms = RandomTerms(.forThisRun())
        var random = terms.random
        let comment = random.seedComment
        for _ in 0..<3_000 {
            let whole = try terms.next().externalFormat()
            let input = Mutation.changed(whole, using: &random)
            let rest = Array(input.dropFirst())
            let isWhole = (try? ErlangTermReader(rest.span.bytes).check()) != nil
            let term = try? read([131] + rest)
            try #require(isWhole || term == nil, comment)
        }
    }

    @Test func `each read takes its kind of term, and leaves others`() throws {
        let term: ErlangTerm = .tuple("score", -7, .text("Ann"), 1.5, [1, 300], ["a": 1], .characters("ab"), [])
        let bytes = Array(try term.externalFormat().dropFirst())
        var reader = ErlangTermReader(bytes.span.bytes)
        let isAtom = reader.readAtom() != nil
        #expect(!isAtom)
        #expect(reader.readInteger() == nil)
        #expect(reader.readList() == nil)
        #expect(reader.readTuple() == 8)
        #expect(reader.readTuple() == nil)
        let isBinary = reader.readBinary() != nil
        #expect(!isBinary)
        let isNamed = reader.readAtom()?.matches("score")
        #expect(isNamed == true)
        #expect(reader.readFloat() == nil)
        #expect(reader.readInteger() == -7)
        #expect(reader.readMap() == nil)
        let byteCount = reader.readBinary()?.byteCount
        #expect(byteCount == 3)
        #expect(reader.readInteger() == nil)
        #expect(reader.readFloat() == 1.5)
        let isString = reader.readString() != nil
        #expect(!isString)
        #expect(reader.readList() == 2)
        #expect(reader.readInteger() == 1)
        #expect(reader.readInteger() == 300)
        #expect(reader.readList() == 0)
        #expect(reader.readMap() == 1)
        #expect(try reader.readTerm() == "a")
        #expect(try reader.readTerm() == 1)
        #expect(reader.readList() == nil)
        let characterCount = reader.readString()?.byteCount
        #expect(characterCount == 2)
        #expect(reader.readList() == 0)
        #expect(reader.readTuple() == nil)
        let isTerm = reader.skip() != nil
        #expect(!isTerm)
    }

    @Test func `atoms are compared by their characters, however they are written`() {
        let latin = bytes("7301e5")
        let utf8 = bytes("7702c3a5")
        var first = ErlangTermReader(latin.span.bytes)
        var second = ErlangTermReader(utf8.span.bytes)
        guard let old = first.readAtom(), let new = second.readAtom() else {
            Issue.record("no atoms")
            return
        }
        let matches = [old.matches("å"), new.matches("å"), !old.matches("a")]
        #expect(matches == [true, true, true])
        let names = [old.name, new.name]
        #expect(names == ["å", "å"])
        let hashes = [old.quickHash, new.quickHash]
        #expect(hashes == Array(repeating: ErlangAtomSpan.quickHash(Array("å".utf8)), count: 2))
    }

    @Test(
        arguments: [
            ("6e0800ffffffffffffffff", nil, Int128(UInt64.max)), ("61ff", 255, 255),
            ("6e080100000000000000" + "80", Int64.min, Int128(Int64.min)), ("6e020705" + "00", -5, -5),
        ] as [(String, Int64?, Int128)])
    func `integers of any size are read`(hex: String, small: Int64?, wide: Int128) {
        let bytes = bytes(hex)
        var reader = ErlangTermReader(bytes.span.bytes)
        #expect(reader.readInteger() == small)
        var other = ErlangTermReader(bytes.span.bytes)
        #expect(other.readWideInteger() == wide)
        let isAtEnd = other.isAtEnd
        #expect(isAtEnd)
    }

    @Test func `an integer of more than 128 bits is the nearest one`() throws {
        for isNegative in [false, true] {
            let term = ErlangTerm(isNegative: isNegative, magnitude: [UInt8](repeating: 1, count: 300))
            let bytes = Array(try term.externalFormat().dropFirst())
            var reader = ErlangTermReader(bytes.span.bytes)
            #expect(reader.readWideInteger() == (isNegative ? .min : .max))
            let isAtEnd = reader.isAtEnd
            #expect(isAtEnd)
        }
    }

    @Test func `the check has limits, and needs no deep stack`() {
        let deep = [UInt8](repeatElement([108, 0, 0, 0, 1], count: 1_000_000).joined())
        #expect(throws: ErlangError.self) { try ErlangTermReader(deep.span.bytes).check() }
        var limits = ErlangTermLimits()
        limits.byteCount = 4
        let long = bytes("6d00000000")
        #expect(throws: ErlangError.termTooLong(limit: 4)) {
            try ErlangTermReader(long.span.bytes).check(limits: limits)
        }
        limits = ErlangTermLimits()
        limits.termCount = 3
        let parts = bytes("6803610161026103")
        #expect(throws: ErlangError.self) { try ErlangTermReader(parts.span.bytes).check(limits: limits) }
        #expect(throws: ErlangError.invalidTerm(.trailingBytes(1), offset: 2)) {
            try ErlangTermReader(bytes("610100").span.bytes).check()
        }
    }

    @Test func `a writer makes the bytes of the term`() throws {
        var writer = ErlangTermWriter()
        writer.writeVersion()
        writer.writeTuple(count: 6)
        writer.writeAtom("a")
        writer.writeInteger(Int64(-300))
        let place = writer.beginList()
        writer.writeByte(7)
        writer.writeAtom("b")
        writer.endList(at: place, count: 2)
        let empty = writer.beginList()
        writer.endList(at: empty, count: 0)
        writer.writeFloat(1.5)
        try writer.write(["k": 1])
        #expect(try read(writer.bytes) == .tuple("a", -300, [7, "b"], [], 1.5, ["k": 1]))
        for value in [Int128(UInt64.max), Int128(Int64.min), 0, 255, 256, -1, 1 << 31] {
            var writer = ErlangTermWriter([131])
            writer.writeInteger(value)
            #expect(try writer.bytes == ErlangTerm(value).externalFormat())
        }
    }
}
