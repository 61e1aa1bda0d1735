// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineCodec
import WirelineErlang

/// Terms as text, in Erlang's own syntax.
struct TermTextTests {
    static let pid = TermVectorTests.pid

    static let texts: [(ErlangTerm, String)] = [
        ("ok", "ok"), ("a@b_C1", "a@b_C1"), ("Name", "'Name'"), ("", "''"), ("end", "'end'"), ("it's", #"'it\'s'"#),
        ("a\\b\n\u{1B}", #"'a\\b\n\e'"#), ("\u{0}\u{202E}", #"'\x{0}\x{202E}'"#), ("中", "'中'"), ("_", "'_'"),
        ("1", "'1'"),
        (7, "7"), (.integer(.min), "-9223372036854775808"), (ErlangTerm(UInt64.max), "18446744073709551615"),
        (ErlangTerm(-(Int128(1) << 100)), "-1267650600228229401496703205376"),
        (1.0, "1.0"), (-0.0, "-0.0"), (0.1, "0.1"), (1e22, "1.0e22"), (1.5e-7, "1.5e-7"),
        (.float(.leastNonzeroMagnitude), "5.0e-324"),
        ([], "[]"), (.characters("ab\"\n"), #""ab\"\n""#), ([7, 8], "[7,8]"), (.characters("中"), "\"中\""),
        ([0, 97], "[0,97]"), ([.list([1], tail: "b")], "[[1|b]]"), ([97, 256, "x"], "[97,256,x]"),
        (.binary([]), "<<>>"), (.text("hi"), #"<<"hi">>"#), (.text("å"), #"<<"å"/utf8>>"#),
        (.binary([0xE5]), "<<229>>"),
        (.binary([1, 255]), "<<1,255>>"), (.bits(bits([1, 0xA0], 3)), "<<1,5:3>>"), (.text("\u{9B}"), "<<194,155>>"),
        (.tuple([]), "{}"), (.tuple("a", [:], .tuple(1)), "{a,#{},{1}}"), (["a": 1, 2: "b"], "#{a => 1,2 => b}"),
        (.pid(pid), "#Pid<'a@127.0.0.1'.9.0.1795401368>"),
        (.port(ErlangPort(node: "a@b", id: 1 << 40, creation: 5)), "#Port<a@b.1099511627776.5>"),
        (reference(node: "a", 7, [1, 2]), "#Ref<a.7.1.2>"),
        (.function(.exported(module: "lists", name: "A", arity: 1)), "fun lists:'A'/1"),
    ]

    @Test(arguments: texts)
    func `a term is written as Erlang writes it, and read again`(term: ErlangTerm, text: String) throws {
        #expect(term.description == text)
        #expect(try ErlangTerm(parsing: text) == term)
    }

    static let otherTexts: [(String, ErlangTerm)] = [
        (" { a , 'b' } . % a comment", .tuple("a", "b")), ("% first\n7", 7), ("1_000", 1_000), ("16#fF", 255),
        ("36#z_z", 1_295), ("-2#101", -5), ("+7", 7), ("- 7", -7), ("1.5E+3", 1_500.0), ("0.5e-1", 0.05), ("007", 7),
        ("$a", 97), (#"$\n"#, 10), ("$ ", 32), ("$'", 39), ("$中", 0x4E2D), (#""a" "b""#, .characters("ab")),
        (#""\x41\x{4E2D}\101\^A\s\d\q""#, .list([0x41, 0x4E2D, 0x41, 1, 32, 127, 113])), ("\"\"", []),
        ("[1|[2,3]]", [1, 2, 3]), ("[a|[b|c]]", .list(["a", "b"], tail: "c")), ("maybe", "maybe"), ("år", "år"),
        ("#{ a=>1 , b => #{} }", ["a": 1, "b": [:]]), ("<<1:4, 2:4>>", .binary([0x12])),
        ("<< \"å\" >>", .binary([0xE5])),
        ("<<256:16,-1>>", .binary([1, 0, 255])), ("<<$a, [98]/utf8, 20013/utf8>>", .text("ab中")),
        ("<<0:0>>", .binary([])),
        ("fun erlang : '+' / 2", .function(.exported(module: "erlang", name: "+", arity: 2))), ("function", "function"),
    ]

    @Test(arguments: otherTexts)
    func `all of Erlang's syntax for terms is read`(text: String, term: ErlangTerm) throws {
        #expect(try ErlangTerm(parsing: text) == term)
    }

    static let faults: [(String, ErlangTextFault, Int)] = [
        ("", .incomplete, 0), ("  % only a comment", .incomplete, 18), ("{a", .incomplete, 2), ("{a,", .incomplete, 3),
        ("'a", .incomplete, 2), ("\"a", .incomplete, 2), ("[a|b", .incomplete, 4), ("<<1", .incomplete, 3),
        ("$", .incomplete, 1),
        ("-", .incomplete, 1), ("#{a=>", .incomplete, 5), ("fun a:b/", .number, 8), ("{a,}", .unexpectedCharacter, 3),
        ("[a|]", .unexpectedCharacter, 3), ("{a;b}", .unexpectedCharacter, 2), ("@a", .unexpectedCharacter, 0),
        (")", .unexpectedCharacter, 0), ("[|a]", .unexpectedCharacter, 1), ("#Pod<a.1>", .unexpectedCharacter, 1),
        ("{a, Name}", .variable, 4), ("_", .variable, 0), ("{end}", .reservedWord, 1), ("1 2", .trailingText, 2),
        ("ok.x", .trailingText, 3), ("-a", .number, 1), ("37#1", .number, 0), ("1#1", .number, 0), ("1.0e", .number, 0),
        ("1.0e999", .number, 0), ("16#g", .number, 3), ("2#2", .number, 2), (#""\x{110000}""#, .escape, 1),
        (#"'\xg'"#, .escape, 1), (#""\^ ""#, .escape, 1), ("<<256>>", .segment, 2), ("<<1.5>>", .segment, 2),
        ("<<a>>", .segment, 2),
        ("<<-129>>", .segment, 2), ("<<1:65>>", .segment, 4), ("<<1/little>>", .segment, 2),
        ("<<55296/utf8>>", .segment, 2),
        ("<<1:8/utf8>>", .segment, 2), ("#{a=>1,a=>2}", .duplicateKey, 0), ("fun(X) -> X end", .function, 3),
        ("#Fun<a.1.2>", .function, 1), ("#Pid<a.1.2>", .number, 0), ("#Pid<a.4294967296.2.1>", .number, 0),
        ("fun a:b/256", .number, 8),
        ("#Ref<a.1>", .number, 0), ("#Ref<a.1.2.3.4.5.6.7>", .number, 0),
        ("#Port<a.18446744073709551616.1>", .number, 8),
    ]

    @Test(arguments: faults)
    func `what is no term is refused where it is wrong`(text: String, fault: ErlangTextFault, offset: Int) {
        let error = ErlangError.invalidText(fault, offset: offset)
        #expect(throws: error) { try ErlangTerm(parsing: text) }
        #expect(!error.description.isEmpty)
    }

    @Test(arguments: ["[", "{", "#{a=>", "<<", "[a|"])
    func `terms that are nested too deeply are refused without a deep stack`(start: String) {
        let text = String(repeating: start, count: 100_000)
        let error = #expect(throws: ErlangError.self) { try ErlangTerm(parsing: text) }
        #expect(error == .invalidText(.tooDeep, offset: 512 * start.utf8.count))
    }

    @Test func `an atom has at most 255 characters`() throws {
        let longest = String(repeating: "é", count: 255)
        #expect(try ErlangTerm(parsing: "'\(longest)'") == .atom(ErlangAtom(longest)))
        #expect(throws: ErlangError.invalidText(.atomTooLong, offset: 1)) { try ErlangTerm(parsing: "['\(longest)x']") }
    }

    @Test func `an integer of any size is read as it is written, up to the limit`() throws {
        for count in [8, 9, 100, 512, 513, 3_000] {
            let term = ErlangTerm(isNegative: count % 2 == 0, magnitude: [UInt8](repeating: 0xA5, count: count))
            #expect(try ErlangTerm(parsing: term.description) == term)
        }
        var limits = ErlangTermLimits()
        limits.integerByteCount = 100
        #expect(throws: ErlangError.integerTooLong(limit: 100, offset: 1)) {
            try ErlangTerm(parsing: "-" + String(repeating: "9", count: 10_000), limits: limits)
        }
    }

    @Test func `atoms that only look the same are different`() {
        #expect(ErlangAtom("\u{E9}") != ErlangAtom("e\u{301}"))
        #expect(ErlangAtom("\u{E9}").hashValue != ErlangAtom("e\u{301}").hashValue)
    }

    @Test func `random terms are read as they were written`() throws {
        var terms = RandomTerms(.forThisRun())
        let comment = terms.random.seedComment
        terms.hasClosures = false
        for _ in 0..<3_000 {
            let term = terms.next()
            let text = term.description
            try #require(text.unicodeScalars.allSatisfy { !$0.isUnsafeToShow }, comment)
            try #require(try ErlangTerm(parsing: text) == term, comment)
        }
    }

    @Test func `changed text is refused, or read as a term that is written and read again`() throws {
        var terms = RandomTerms(.forThisRun())
        var random = terms.random
        let comment = random.seedComment
        terms.hasClosures = false
        for _ in 0..<3_000 {
            let text = String(
                decoding: Mutation.changed(Array(terms.next().description.utf8), using: &random), as: UTF8.self)
            guard let term = try? ErlangTerm(parsing: text) else { continue }
            try #require(try ErlangTerm(parsing: term.description) == term, comment)
        }
    }
}
