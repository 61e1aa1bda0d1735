// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineSchema

struct JSONPrinterTests {
    @Test(
        arguments: [
            (.null, "null"), (true, "true"), (-12, "-12"), ([], "[]"), ([:], "{}"),
            (["b": [1, "x", false], "a": ["": .null]], #"{"b":[1,"x",false],"a":{"":null}}"#),
        ] as [(JSONValue, String)])
    func `a value is printed on one line`(value: JSONValue, text: String) {
        #expect(value.description == text)
    }

    @Test(arguments: [
        ("\"\\/", #""\"\\/""#),
        ("\n\r\t\u{8}\u{C}", #""\n\r\t\b\f""#),
        ("\u{0}\u{1B}[31m\u{1F}", #""\u0000\u001b[31m\u001f""#),
        ("\u{7F}\u{80}\u{9B}\u{9F}\u{A0}", "\"\\u007f\\u0080\\u009b\\u009f\u{A0}\""),
        ("a\u{202E}b\u{202A}\u{2066}\u{2069}\u{200F}\u{61C}", #""a\u202eb\u202a\u2066\u2069\u200f\u061c""#),
        ("\u{2028}\u{2029}\u{FEFF}", #""\u2028\u2029\ufeff""#),
        ("进入场景 é 😀", "\"进入场景 é 😀\""),
        ("e\u{301}", "\"e\u{301}\""),
    ])
    func `characters that could harm a terminal are escaped`(string: String, text: String) throws {
        #expect(JSONValue.string(string).description == text)
        #expect(JSONValue.object([JSONValue.Member(string, 1)]).description == "{\(text):1}")
        #expect(try JSONValue(parsing: text) == .string(string))
    }

    @Test(
        arguments: [
            (0.1, "0.1"), (-0.0, "-0.0"), (1, "1.0"), (.leastNonzeroMagnitude, "5e-324"), (1e300, "1e+300"),
            (0.000_01, "1e-05"),
        ] as [(Double, String)])
    func `a double is printed with its shortest digits`(value: Double, text: String) throws {
        let number = try #require(JSONNumber(value))
        #expect(number.text == text)
        #expect(try JSONValue(parsing: text) == .number(number))
        #expect(number.double.bitPattern == value.bitPattern)
    }

    @Test func `a float is printed with a float's shortest digits`() throws {
        #expect(JSONNumber(Float(0.1))?.text == "0.1")
        #expect(JSONNumber(Float.greatestFiniteMagnitude)?.text == "3.4028235e+38")
        #expect(JSONNumber(Float.infinity) == nil)
        #expect(JSONNumber(Double.nan) == nil)
    }

    @Test func `random values are read back`() throws {
        var random = SeededGenerator.forThisRun()
        let values = (0..<Depth.rounds(25)).map { _ in JSONValue.random(using: &random, depth: 4) }
        let texts = values.map(\.description)
        let seed = random.seedComment
        #expect(texts.map { try? JSONValue(parsing: $0) } == values, seed)
        #expect(texts.allSatisfy { $0.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }, seed)
    }
}

extension JSONValue {
    fileprivate static func random(using random: inout SeededGenerator, depth: Int) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 7 : 5), using: &random) {
        case 0: return .null
        case 1: return .boolean(.random(using: &random))
        case 2: return .integer(Int128(Int64.random(in: .min ... .max, using: &random)))
        case 3: return JSONNumber(Double(bitPattern: random.next())).map(JSONValue.number) ?? "NaN"
        case 4: return .string(.random(using: &random))
        case 5:
            let count = Int.random(in: 0..<5, using: &random)
            return .array((0..<count).map { _ in .random(using: &random, depth: depth - 1) })
        default:
            let count = Int.random(in: 0..<20, using: &random)
            return .object(
                (0..<count).map { index in
                    Member("\(index):" + .random(using: &random), .random(using: &random, depth: depth - 1))
                })
        }
    }
}
