// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec
import WirelineSchema

// The tree of code is no part of what programs use.
@testable import WirelineGenerator

/// What languages print of small trees: parentheses, spaces, conversions and blocks.
struct CodeTests {
    private static let java = 0
    private static let cSharp = 1
    private static let go = 2

    /// A dialect of each language, for a protocol with an enum, a structure and a union.
    private func dialects() throws -> [any Dialect] {
        let description = try ProtocolDescription.withAllParts()
        return [
            JavaDialect(GeneratorModel(description, .java(description))),
            CSharpDialect(GeneratorModel(description, .cSharp(description)), namespace: "Golden"),
            GoDialect(types: GoTypes(GeneratorModel(description, .go(description)))),
        ]
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let expression: Expression
        let java: String
        let cSharp: String
        let go: String
        var testDescription: String { java }

        init(_ expression: Expression, _ java: String, _ cSharp: String? = nil, _ go: String? = nil) {
            self.expression = expression
            self.java = java
            self.cSharp = cSharp ?? java
            self.go = go ?? java
        }
    }

    private static let sum: Expression = .chain(.plus, ["a", "b"])
    private static let difference: Expression = .binary(.minus, "a", "b")

    static let operators: [Row] = [
        Row(.binary(.minus, "c", sum), "c - (a + b)"),
        Row(.binary(.minus, difference, "c"), "a - b - c"),
        Row(.chain(.plus, ["c", difference]), "c + a - b"),
        Row(.binary(.times, 2, sum), "2 * (a + b)"),
        Row(.chain(.or, [.chain(.and, ["a", "b"]), "c"]), "a && b || c"),
        Row(.chain(.and, ["c", .chain(.or, ["a", "b"])]), "c && (a || b)"),
        Row(.not(.chain(.and, ["a", "b"])), "!(a && b)"),
        Row(.not("a"), "!a"),
        Row(.binary(.shiftRight, "id", sum), "id >>> a + b", "id >> a + b", "id >> (a + b)"),
        Row(.binary(.equal, .binary(.bitAnd, "a", "b"), 0), "(a & b) == 0"),
        Row(.packed([("a", 8), (.binary(.bitAnd, "b", "c"), 0)], .uint64), "a << 8 | (b & c)", nil, "a<<8 | (b & c)"),
    ]

    static let spaces: [Row] = [
        Row(.call("w", "seek", [difference]), "w.seek(a - b)", "w.Seek(a - b)", "w.seek(a - b)"),
        Row(.call("w", "put", [difference, 1]), "w.put(a - b, 1)", "w.Put(a - b, 1)", "w.put(a-b, 1)"),
        Row(.item("list", at: sum), "list[a + b]", nil, "list[a+b]"),
        Row(.binary(.less, sum, .binary(.times, 2, "c")), "a + b < 2 * c", nil, "a+b < 2*c"),
    ]

    static let numbers: [Row] = [
        Row(.number(5, .uint8), "5"),
        Row(.number(5, .uint64), "5L", "5UL", "5"),
        Row(.number(5, .int64), "5L", "5L", "5"),
        Row(.convert("a", from: .number(.uint8), to: .number(.uint64)), "a", "(ulong)a", "uint64(a)"),
        Row(.convert("a", from: .number(.uint64), to: .number(.uint16)), "(int) a", "(ushort)a", "uint16(a)"),
        Row(.convert(sum, from: .number(.uint64), to: .position), "(int) (a + b)", "(int)(a + b)", "int(a + b)"),
        Row(
            .convert(.number(-1, .int64), from: .number(.int64), to: .number(.uint64)), "-1L",
            "unchecked((ulong)(-1L))",
            "uint64(18446744073709551615)"),
        Row(
            .binary(.less, "a", .number(9, .uint64)), "Long.compareUnsigned(a, 9L) < 0", "a < 9UL", "a < 9"),
        Row(
            .bits("b", from: .uint64, shift: 4, width: 3, to: .uint8), "(int) (b >>> 4 & 7L)", "(byte)(b >> 4 & 7UL)",
            "uint8(b >> 4 & 7)"),
        Row(
            .bits("b", from: .uint64, shift: 4, width: 3, to: .int8), "(int) (b << 57 >> 61)",
            "(sbyte)((long)b << 57 >> 61)", "int8(int64(b) << 57 >> 61)"),
    ]

    static let values: [Row] = [
        Row(.own("Name").isSet, "Name != null", nil, "m.Name != nil"),
        Row(.own("q1"), "this.q1", "q1", "m.q1"),
        Row(.present(.own("Age"), .number(.uint8)), "Age", "Age.Value", "*m.Age"),
        Row(.optional("v", .number(.uint8)), "v", "v", "&v"),
        Row(.count("list"), "list.length", "list.Length", "len(list)"),
        Row(.same("a", "b", .text), "a.equals(b)", "a == b", "a == b"),
        Row(.same("a", "b", .bytes), "java.util.Arrays.equals(a, b)", "Packets.SameBytes(a, b)", "bytes.Equal(a, b)"),
        Row(.bytes([1, 255]), "new byte[] {1, -1}", "new byte[] {1, 255}", #"[]byte("\x01\xff")"#),
        Row(.structure(0), "new S()", nil, "S{}"),
        Row(.call(nil, "readU", ["r"]), "readU(r)", "Packets.ReadU(r)", "readU(r)"),
        Row(
            .checksum(.crc32, .read(from: 2, to: "end")), "Checksum.crc32(r.b, r.start + 2, r.start + end)",
            "Checksum.Crc32(r.b, r.start + 2, r.start + end)", "uint64(crc32IEEE(r.part(2, end)))"),
    ]

    @Test(arguments: operators + spaces + numbers + values)
    func `each language writes an expression in its own way`(row: Row) throws {
        let dialects = try dialects()
        #expect(dialects[Self.java].text(row.expression) == row.java)
        #expect(dialects[Self.cSharp].text(row.expression) == row.cSharp)
        #expect(dialects[Self.go].text(row.expression) == row.go)
    }

    struct StatementRow: Sendable, CustomTestStringConvertible {
        let statement: Statement
        let java: [String]
        let cSharp: [String]
        let go: [String]
        var testDescription: String { java[0] }

        init(_ statement: Statement, java: [String], cSharp: [String]? = nil, go: [String]) {
            self.statement = statement
            self.java = java
            self.cSharp = cSharp ?? java
            self.go = go
        }
    }

    static let statements: [StatementRow] = [
        StatementRow(
            .constant("n", .number(.uint16), .number(5, .uint16)), java: ["int n = 5;"], cSharp: ["ushort n = 5;"],
            go: ["n := uint16(5)"]),
        StatementRow(.variable("n", .position, 0), java: ["int n = 0;"], go: ["var n int"]),
        StatementRow(.assign("n", Expression.name("n").plus(1)), java: ["n = n + 1;"], go: ["n++"]),
        StatementRow(
            .count("i", below: .count("list"), [.breakLoop]),
            java: ["for (int i = 0; i < list.length; i++) {", "    break;", "}"],
            cSharp: ["for (int i = 0; i < list.Length; i++) {", "    break;", "}"],
            go: ["for i := 0; i < len(list); i++ {", "\tbreak", "}"]),
        StatementRow(
            .select("n", [[.returns(1)], [.returns(2)]]),
            java: [
                "switch (n) {", "    case 0:", "        return 1;", "    default:", "        return 2;", "}",
            ], go: ["switch n {", "case 0:", "\treturn 1", "}", "return 2"]),
        StatementRow(
            .select(
                "n", [[.constant("a", .position, 1), .returns("a")], [.constant("a", .position, 2), .returns("a")]]),
            java: [
                "switch (n) {", "    case 0: {", "        int a = 1;", "        return a;", "    }", "    default: {",
                "        int a = 2;", "        return a;", "    }", "}",
            ], go: ["switch n {", "case 0:", "\ta := 1", "\treturn a", "}", "a := 2", "return a"]),
        StatementRow(
            .newList("a", .plain(.uint16, .bigEndian), capacity: "n", fixedCount: nil), java: ["int[] a = new int[n];"],
            cSharp: ["ushort[] a = new ushort[n];"], go: ["a := make([]uint16, 0, n)"]),
        StatementRow(
            .append("o", list: "a", index: "i", fixedCount: nil),
            java: ["if (i == a.length) a = java.util.Arrays.copyOf(a, 2 * i + 4);", "a[i] = o;"],
            cSharp: ["if (i == a.Length) System.Array.Resize(ref a, 2 * i + 4);", "a[i] = o;"],
            go: ["a = append(a, o)"]),
        StatementRow(
            .makeArm("UOne", [(.value, "v")]), java: ["UOne a = new UOne();", "a.value = v;", "m = a;"],
            cSharp: ["UOne a = new UOne();", "a.Value = v;", "m = a;"], go: ["m = UOne{Value: v}"]),
        StatementRow(
            .arms([("UOne", [.returns(.armMember(.value))])], otherwise: []),
            java: ["if (m instanceof UOne) {", "    UOne a = (UOne) m;", "    return a.value;", "}"],
            cSharp: ["if (m is UOne) {", "    UOne a = (UOne) m;", "    return a.Value;", "}"],
            go: ["switch a := m.(type) {", "case UOne:", "\treturn a.Value", "}"]),
        StatementRow(
            .fail("out_of_range", path: "state.a"),
            java: [#"throw new WireException("out_of_range", "state.a", -1);"#],
            go: [#"return 0, &Error{"out_of_range", "state.a", -1}"#]),
        StatementRow(.returnMore, java: ["return null;"], go: ["return false"]),
        StatementRow(.succeed("n"), java: ["return n;"], go: ["return n, nil"]),
    ]

    @Test(arguments: statements)
    func `each language writes a statement in its own way`(row: StatementRow) throws {
        let dialects = try dialects()
        #expect(dialects[Self.java].lines([row.statement]) == row.java)
        #expect(dialects[Self.cSharp].lines([row.statement]) == row.cSharp)
        #expect(dialects[Self.go].lines([row.statement]) == row.go)
    }

    @Test func `thousands of operands do not stand inside each other`() throws {
        let names = (0..<10_000).map { "x\($0)" }
        let all = Expression.joined(names.map { .name($0) }, .or)
        let expression = try #require(all)
        for dialect in try dialects() { #expect(dialect.text(expression) == names.joined(separator: " || ")) }
    }

    @Test func `blocks have the words of the language`() throws {
        let statements: [Statement] = [
            .choose(
                [
                    .init(condition: "a", statements: [.assign("b", 1)]),
                    .init(condition: "c", statements: [.breakLoop]),
                ],
                otherwise: [.returns(nil)]),
            .loop(while: nil, [.evaluate(.call("r", "more", []))]),
        ]
        let dialects = try dialects()
        #expect(
            dialects[Self.java].function(statements) == [
                "if (a) {", "    b = 1;", "} else if (c) {", "    break;", "} else {", "    return;", "}",
                "while (true) {", "    r.more();", "}",
            ])
        #expect(
            dialects[Self.go].function(statements) == [
                "if a {", "\tb = 1", "} else if c {", "\tbreak", "} else {", "\treturn", "}", "for {", "\tr.more()",
                "}",
            ])
    }

    @Test func `a variable that nothing uses is left out, and then those that only it used`() throws {
        let read = Expression.call("r", "u8", [.text("a")])
        let statements: [Statement] = [
            .constant("x1", .number(.uint8), read, hasEffect: true),
            .constant("p", .position, .call("r", "position", [])),
            .choose(if: true, [.constant("y", .position, Expression.name("p").plus(1))]),
            .constant("x2", .number(.uint8), read, hasEffect: true),
            .returns("x2"),
        ]
        #expect(
            try dialects()[Self.cSharp].function(statements) == [
                #"r.U8("a");"#, "if (true) {", "}", #"byte x2 = r.U8("a");"#, "return x2;",
            ])
    }

    @Test func `what is only set is used once more in Go, and a level too deep ends a function`() throws {
        let statements: [Statement] = [
            .variable("n", .position, 0), .assign("n", 1), .evaluate(.call("r", "deeper", ["f"])),
        ]
        #expect(
            try dialects()[Self.go].function(statements) == [
                "var n int", "_ = n", "n = 1", "if !r.deeper(f) {", "\treturn", "}",
            ])
        #expect(try dialects()[Self.java].function(statements) == ["int n = 0;", "n = 1;", "r.deeper(f);"])
    }
}
