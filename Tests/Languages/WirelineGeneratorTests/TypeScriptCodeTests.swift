// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec
import WirelineSchema

// The tree of code is no part of what programs use.
@testable import WirelineGenerator

/// What TypeScript prints of small trees, with types and without: numbers have no integers, and 64 bits are a `bigint`.
struct TypeScriptCodeTests {
    private func dialect(isForPages: Bool) throws -> TypeScriptDialect {
        let description = try ProtocolDescription.withAllParts()
        return TypeScriptDialect(GeneratorModel(description, .typeScript(description)), isForPages: isForPages)
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let expression: Expression
        let module: String
        let script: String
        var testDescription: String { module }

        init(_ expression: Expression, _ module: String, script: String? = nil) {
            self.expression = expression
            self.module = module
            self.script = script ?? module
        }
    }

    private static func unsigned(_ bitWidth: Int) -> IntegerFormat {
        IntegerFormat(bitWidth: bitWidth, isSigned: false)
    }

    private static func isNumber(_ number: Int128) -> Expression {
        Expression.name("a").compared(.equal, number, .uint8)
    }

    static let rows: [Row] = [
        Row(.packed([("a", 8), ("b", 0)], .uint16), "a * 256 + b"),
        Row(.packed([("a", 32), ("b", 0)], .uint64), "(a << BigInt(32)) + b"),
        Row(.bits("b", from: .uint32, shift: 4, width: 3, to: .uint8), "b >>> 4 & 7"),
        Row(.bits("b", from: .uint32, shift: 4, width: 3, to: .int8), "b << 25 >> 29"),
        Row(.bits("b", from: unsigned(48), shift: 4, width: 40, to: unsigned(40)), "bits(b, 4, 40)"),
        Row(.bits("b", from: .int8, shift: 0, width: 8, to: .uint8), "twos(b, 8)"),
        Row(
            .bits("b", from: .uint64, shift: 4, width: 3, to: .uint8), "Number(BigInt.asUintN(3, b >> BigInt(4)))"),
        Row(.convert("a", from: .number(.uint8), to: .number(.uint64)), "BigInt(a)"),
        Row(.convert("a", from: .number(.uint64), to: .number(.int64)), "BigInt.asIntN(64, a)"),
        Row(.number(5, .uint64), "BigInt(5)"),
        Row(.number(1 << 60, .uint64), #"BigInt("1152921504606846976")"#),
        Row(Expression.name("a").isSet, "a != null"),
        Row(.present(.member("h", "x"), .text), "h.x!", script: "h.x"),
        // A comparison would narrow the type of what it compares.
        Row(isNumber(1), "a === 1"),
        Row(
            isNumber(1).and(.not(isNumber(2))), "(a as number) === 1 && !((a as number) === 2)",
            script: "a === 1 && !(a === 2)"),
        Row(.call("r", "position", []), "r.p - r.start"),
        Row(.call("r", "count", [18, .place(-1), .text("a")]), #"readU16Little(r, "a")"#),
        Row(.call("r", "count", [2, 9, .text("a")]), #"atMost(r, readU16(r, "a"), 9, "a")"#),
        Row(.call("r", "count", [0, 9, .text("a")]), #"countVarint(r, 9, "a")"#),
        Row(.call("w", "putUint", ["v", 7, true]), "putWide(w, v, 7, true)"),
        Row(.text("<"), #""<""#, script: #""\u003c""#),
    ]

    @Test(arguments: rows)
    func `an expression has types in a module only`(row: Row) throws {
        #expect(try dialect(isForPages: false).text(row.expression) == row.module)
        #expect(try dialect(isForPages: true).text(row.expression) == row.script)
    }

    struct StatementRow: Sendable, CustomTestStringConvertible {
        let statement: Statement
        let module: [String]
        let script: [String]
        var testDescription: String { module[0] }

        init(_ statement: Statement, module: [String], script: [String]) {
            self.statement = statement
            self.module = module
            self.script = script
        }
    }

    static let statements: [StatementRow] = [
        StatementRow(.variable("n", .position, 0), module: ["let n: number = 0;"], script: ["let n = 0;"]),
        StatementRow(
            .variable("v", .value(.boolean), .nothing), module: ["let v: boolean | undefined;"], script: ["let v;"]),
        StatementRow(
            .makeArm("one", [(.value, "v")]), module: [#"m = { kind: "one", value: v };"#],
            script: [#"m = { kind: "one", value: v };"#]),
        StatementRow(
            .arms([("one", [.returns(.armMember(.value))])], otherwise: []),
            module: [
                "switch (m?.kind) {", #"  case "one": {"#, "    return m.value;", "    break;", "  }", "}",
            ], script: ["switch (m?.kind) {", #"case "one": {"#, "return m.value;", "break;", "}", "}"]),
        StatementRow(
            .returnBody(
                [
                    .init(name: "a", value: "v0", mayBeUnset: false), .init(name: "b", value: "v1", mayBeUnset: true),
                ], .value(.structure(0))),
            module: ["const m: S = { a: v0 };", "if (v1 !== undefined) m.b = v1;", "return m;"],
            script: ["const m = { a: v0 };", "if (v1 !== undefined) m.b = v1;", "return m;"]),
    ]

    @Test(arguments: statements)
    func `a statement has types in a module only`(row: StatementRow) throws {
        #expect(try dialect(isForPages: false).lines([row.statement]) == row.module)
        #expect(try dialect(isForPages: true).lines([row.statement]) == row.script)
    }
}
