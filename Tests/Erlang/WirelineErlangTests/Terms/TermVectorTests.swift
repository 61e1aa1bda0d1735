// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineCodec
import WirelineErlang

/// Known bytes, most of them from OTP 25.
struct TermVectorTests {
    static let pid = ErlangPID(node: "a@127.0.0.1", id: 9, serial: 0, creation: 0x6b03_a698)

    /// Terms with the bytes that OTP writes.
    static let vectors: [(ErlangTerm, String)] = [
        ("ok", "77026f6b"), ("", "7700"), ("å", "7702c3a5"), (true, "770474727565"),
        (0, "6100"), (255, "61ff"), (256, "6200000100"), (-1, "62ffffffff"), (.integer(Int64(Int32.min)), "6280000000"),
        (2_147_483_648, "6e040000000080"), (-2_147_483_649, "6e040101000080"),
        (.integer(.max), "6e0800ffffffffffffff7f"), (.integer(.min), "6e08010000000000000080"),
        (ErlangTerm(UInt64.max), "6e0800ffffffffffffffff"),
        (ErlangTerm(-(Int128(1) << 64)), "6e0901000000000000000001"),
        (1.5, "463ff8000000000000"), (-0.0, "468000000000000000"),
        (.text("hi"), "6d000000026869"), (.binary([]), "6d00000000"), (.bits(bits([1, 0xA0], 3)), "4d000000020301a0"),
        ([], "6a"), (.characters("abc"), "6b0003616263"), ([1, 256], "6c0000000261016200000100" + "6a"),
        (.list(["alias"], tail: "x"), "6c000000017705616c696173770178"),
        (.tuple([]), "6800"), (.tuple("a", 1), "6802770161" + "6101"), ([:], "7400000000"),
        (["a": 1], "74000000017701616101"),
        (.pid(pid), "58770b61403132372e302e302e3100000009000000006b03a698"),
        (.port(ErlangPort(node: "a", id: 1 << 40, creation: 5)), "7877016100000100000000" + "0000000005"),
        (reference(node: "a", 7, [1, 2, 3]), "5a000377016100000007000000010000000200000003"),
        (.function(.exported(module: "lists", name: "sum", arity: 1)), "7177056c6973747377037375" + "6d6101"),
    ]

    @Test(arguments: vectors)
    func `a term has the bytes that Erlang gives it`(term: ErlangTerm, hex: String) throws {
        let bytes = [131] + bytes(hex)
        #expect(try term.externalFormat() == bytes)
        #expect(try read(bytes) == term)
    }

    /// Forms that only older nodes write, or that are longer than they need be.
    static let otherForms: [(ErlangTerm, String)] = [
        ("å", "6400" + "01e5"), ("å", "7301e5"), ("ok", "7600026f6b"),
        (1.5, "63312e3530303030303030303030303030303030303030652b30300000000000"),
        (7, "6e010007"), (0, "6e0000"), (7, "6f0000000400" + "07000000"), (-5, "6e020705" + "00"),
        (.integer(.min), "6e0901000000000000008000"), (.binary([7]), "4d000000010807"), (.binary([]), "4d0000000000"),
        (.bits(bits([0xA0], 3)), "4d0000000103bf"), ([1, 2], "6c0000000161016c0000000161026a"),
        (.characters("ab"), "6c0000000161616b000162"), ("t", "6c00000000770174"), ([], "6c000000006a"),
        (.list([1, 2], tail: 3), "6c0000000161016c0000000161026103"),
        (.tuple("a"), "6900000001770161"),
        (.pid(ErlangPID(node: "a", id: 1, serial: 2, creation: 3)), "67770161000000010000000203"),
        (.port(ErlangPort(node: "a", id: 9, creation: 3)), "667701610000000903"),
        (.port(ErlangPort(node: "a", id: 9, creation: 3)), "597701610000000900000003"),
        (reference(node: "a", 3, [9]), "657701610000000903"),
        (reference(node: "a", 3, [9, 8]), "7200027701" + "61030000000900000008"),
    ]

    @Test(arguments: otherForms)
    func `other forms mean the same term`(term: ErlangTerm, hex: String) throws {
        #expect(try read(([131] + bytes(hex))) == term)
    }

    @Test func `a long atom has a count of two bytes`() throws {
        let term = ErlangTerm.atom(ErlangAtom(String(repeating: "中", count: 255)))
        let bytes = try term.externalFormat()
        #expect(bytes.prefix(4) == [131, 118, 2, 253])
        #expect(try read(bytes) == term)
    }

    @Test(arguments: [0, 1, 255, 256, 1_000])
    func `tuples and lists of any length are read again`(count: Int) throws {
        let elements = (0..<count).map { ErlangTerm.integer(Int64($0 * 7)) }
        for term in [ErlangTerm.tuple(elements), .list(elements), .list([.list(elements)], tail: .tuple(elements))] {
            #expect(try read(try term.externalFormat()) == term)
        }
    }

    @Test(arguments: [65_535, 65_536])
    func `a list of bytes is a string as far as its count has room`(count: Int) throws {
        let term = ErlangTerm.list([ErlangTerm](repeating: 7, count: count))
        let bytes = try term.externalFormat()
        #expect(bytes.count == (count == 65_535 ? 4 + count : 7 + 2 * count))
        #expect(try read(bytes) == term)
    }

    @Test func `a closure is sent back as it came`() throws {
        let closure = ErlangClosure(
            module: "m", arity: 1, index: 2, uniqueness: Array(0..<16), oldIndex: 3, oldUniqueness: 4,
            creator: Self.pid,
            values: ["x", [1, "y"]])
        let term = ErlangTerm.tuple([.function(.closure(closure)), "after"])
        let bytes = try term.externalFormat()
        // The first number of a function is how many bytes there are from there on.
        let count = bytes[4..<8].reduce(0) { $0 << 8 | Int($1) }
        #expect(count == bytes.count - 4 - "after".utf8.count - 2)
        #expect(try read(bytes) == term)
    }

    @Test func `random terms are read as they were written`() throws {
        var terms = RandomTerms(.forThisRun())
        let comment = terms.random.seedComment
        for _ in 0..<3_000 {
            let term = terms.next()
            let bytes = try term.externalFormat()
            let again = try read(bytes)
            try #require(again == term, comment)
            try #require(again.hashValue == term.hashValue, comment)
            try #require(try again.externalFormat() == bytes, comment)
        }
    }
}

/// The term that bytes are.
func read(_ bytes: [UInt8], limits: ErlangTermLimits = ErlangTermLimits()) throws(ErlangError) -> ErlangTerm {
    try ErlangTerm(externalFormat: bytes.span.bytes, limits: limits)
}

/// Bytes of hexadecimal digits.
func bytes(_ hex: String) -> [UInt8] {
    var digits = hex.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }[...]
    var bytes: [UInt8] = []
    while digits.count >= 2 { bytes.append(UInt8(digits.removeFirst() << 4 | digits.removeFirst())) }
    return bytes
}

func bits(_ bytes: [UInt8], _ lastBitCount: Int) -> ErlangBits {
    guard let bits = ErlangBits(bytes, lastBitCount: lastBitCount) else { preconditionFailure("whole bytes") }
    return bits
}

func reference(node: ErlangAtom, _ creation: UInt32, _ words: [UInt32]) -> ErlangTerm {
    guard let reference = ErlangReference(node: node, creation: creation, words: words)
    else { preconditionFailure("\(words.count) words") }
    return .reference(reference)
}
