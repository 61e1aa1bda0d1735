// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineSchema

struct JSONParserTests {
    // MARK: Valid JSON

    @Test(
        arguments: [
            ("null", .null), (" true\n", true), ("\tfalse\r", false), ("0", 0), ("-1", -1), ("\"\"", ""),
            ("[]", []), ("{}", [:]), ("[ ]", []), ("{ }", [:]),
            ("[1,[2,[]],\"3\"]", [1, [2, []], "3"]),
            ("{\"b\":1,\"a\":{\"\":[null]}}", ["b": 1, "a": ["": [.null]]]),
            (" { \"a\" : [ 1 , 2 ] , \"b\" : true } ", ["a": [1, 2], "b": true]),
        ] as [(String, JSONValue)])
    func `each kind of value is read`(text: String, value: JSONValue) throws {
        #expect(try JSONValue(parsing: text) == value)
    }

    @Test(arguments: [
        (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
        (#""\u0041\u00e9\u4E2D""#, "Aé中"),
        (#""\u0000""#, "\u{0}"),
        (#""\ud83d\ude00 \uD800\uDC00 \uDBFF\uDFFF""#, "😀 \u{10000} \u{10FFFF}"),
        (#""\ufeff\ufffe""#, "\u{FEFF}\u{FFFE}"),
        ("\"\u{7F}\u{85}\u{2028}进入场景\"", "\u{7F}\u{85}\u{2028}进入场景"),
    ])
    func `strings are read with their escapes`(text: String, string: String) throws {
        #expect(try JSONValue(parsing: text) == .string(string))
    }

    @Test(arguments: ["0", "-0", "10", "-9", "0.5", "1.0", "1e3", "1E+3", "-0.0e-0", "9007199254740993", "1e400"])
    func `a number keeps its digits`(text: String) throws {
        guard case .number(let number) = try JSONValue(parsing: text) else {
            Issue.record("not a number")
            return
        }
        #expect(number.text == text)
    }

    @Test(
        arguments: [
            ("0", 0), ("-0", 0), ("18446744073709551615", 18_446_744_073_709_551_615),
            ("-170141183460469231731687303715884105728", Int128.min), ("170141183460469231731687303715884105728", nil),
            ("1.0", nil), ("1e3", nil), ("1E3", nil),
        ] as [(String, Int128?)])
    func `a number is converted to an integer exactly or not at all`(text: String, integer: Int128?) throws {
        guard case .number(let number) = try JSONValue(parsing: text) else {
            Issue.record("not a number")
            return
        }
        #expect(number.integer == integer)
    }

    @Test func `keys that Unicode calls equivalent are different keys`() throws {
        let value = try JSONValue(parsing: "{\"\u{E9}\":1,\"e\u{301}\":2}")
        #expect(value["\u{E9}"] == 1)
        #expect(value["e\u{301}"] == 2)
    }

    // MARK: Invalid JSON

    @Test(arguments: [
        ("", 0, "the text ends where a value was expected at byte 0 of the JSON"),
        ("  ", 2, "the text ends where a value was expected at byte 2 of the JSON"),
        ("[", 1, "[0]: the text ends where a value was expected at byte 1 of the JSON"),
        ("[1", 2, "the text ends where `,` or `]` was expected at byte 2 of the JSON"),
        ("[1,]", 3, "[1]: `]` where a value was expected at byte 3 of the JSON"),
        ("[1 2]", 3, "`2` where `,` or `]` was expected at byte 3 of the JSON"),
        ("{", 1, "the text ends where a key in quotes was expected at byte 1 of the JSON"),
        ("{a:1}", 1, "`a` where a key in quotes was expected at byte 1 of the JSON"),
        ("{\"a\" 1}", 5, "`1` where `:` was expected at byte 5 of the JSON"),
        ("{\"a\":}", 5, "a: `}` where a value was expected at byte 5 of the JSON"),
        ("{\"a\":1,}", 7, "`}` where a key in quotes was expected at byte 7 of the JSON"),
        ("{\"a\":1]", 6, "`]` where `,` or `}` was expected at byte 6 of the JSON"),
        ("1 1", 2, "`1` where the end of the text was expected at byte 2 of the JSON"),
        ("{}\u{0}", 2, "0x00 where the end of the text was expected at byte 2 of the JSON"),
        ("tru", 0, "`t` where a value was expected at byte 0 of the JSON"),
        ("True", 0, "`T` where a value was expected at byte 0 of the JSON"),
        ("NaN", 0, "`N` where a value was expected at byte 0 of the JSON"),
        ("'a'", 0, "`'` where a value was expected at byte 0 of the JSON"),
        ("// no", 0, "`/` where a value was expected at byte 0 of the JSON"),
        ("\u{FEFF}{}", 0, "a byte order mark at byte 0 of the JSON"),
        ("\u{A0}1", 0, "0xC2 where a value was expected at byte 0 of the JSON"),
    ])
    func `a text that is not JSON is refused`(text: String, offset: Int, message: String) throws {
        let error = try #require(throws: JSONError.self) { try JSONValue(parsing: text) }
        #expect(error.offset == offset)
        #expect(error.description == message)
    }

    @Test(arguments: [
        ("01", 0), ("-01", 1), ("00", 0), ("-", 1), ("+1", 0), (".5", 0), ("1.", 2), ("1.e1", 2), ("1e", 2), ("1e+", 3),
        ("0x10", 1), ("1_000", 1), ("-Infinity", 1), ("١", 0),
    ])
    func `a number in another notation is refused`(text: String, offset: Int) throws {
        let error = try #require(throws: JSONError.self) { try JSONValue(parsing: text) }
        #expect(error.offset == offset)
    }

    @Test(arguments: [
        (#"{"a":["x","\ud800"]}"#, 11, #"a[1]: \uD800 is half of a pair without the other at byte 11 of the JSON"#),
        (#""\udc00""#, 1, #"\uDC00 is half of a pair without the other at byte 1 of the JSON"#),
        (#""\ud800\ud800""#, 1, #"\uD800 is half of a pair without the other at byte 1 of the JSON"#),
        (#""\ud800\n""#, 1, #"\uD800 is half of a pair without the other at byte 1 of the JSON"#),
        (#""\ud800\u0041""#, 1, #"\uD800 is half of a pair without the other at byte 1 of the JSON"#),
        (#""\u12g4""#, 5, "`g` where a hexadecimal digit was expected at byte 5 of the JSON"),
        (#""\x41""#, 1, "a backslash before `x` at byte 1 of the JSON"),
        (#""\"#, 2, "the text ends where the rest of an escape was expected at byte 2 of the JSON"),
        (#""abc"#, 4, "the text ends where the quote that ends a string was expected at byte 4 of the JSON"),
        ("\"a\nb\"", 2, "the control character 0x0A, which is written as an escape, at byte 2 of the JSON"),
        ("\"\u{1B}[31m\"", 1, "the control character 0x1B, which is written as an escape, at byte 1 of the JSON"),
    ])
    func `an invalid string is refused`(text: String, offset: Int, message: String) throws {
        let error = try #require(throws: JSONError.self) { try JSONValue(parsing: text) }
        #expect(error.offset == offset)
        #expect(error.description == message)
    }

    @Test(
        arguments: [
            ([0x80], 0), ([0x61, 0xC0, 0x80], 1), ([0xE0, 0x80, 0xAF], 0), ([0x61, 0x62, 0xED, 0xA0, 0x80], 2),
            ([0xF4, 0x90, 0x80, 0x80], 0), ([0xF5], 0), ([0xFF], 0), ([0xC3, 0xA9, 0xE4, 0xBD], 2), ([0xC4, 0xE3], 0),
            (Array(#"\u00e9\n"#.utf8) + [0xFE], 8), ([0xE4, 0x5C, 0x6E, 0xBD], 0),
        ] as [([UInt8], Int)])
    func `a string that is not UTF-8 is refused`(bytes: [UInt8], offset: Int) throws {
        let error = try #require(throws: JSONError.self) {
            try JSONValue(parsing: Array("{\"k\":\"".utf8) + bytes + Array("\"}".utf8))
        }
        #expect(error.reason == .invalidUTF8)
        #expect(error.offset == 6 + offset)
        #expect(error.path == "k")
    }

    @Test func `the error names a duplicate key`() throws {
        let error = try #require(throws: JSONError.self) {
            try JSONValue(parsing: #"{"items":[{"id":1},{"id":1,"i\u0064":2}]}"#)
        }
        #expect(error.reason == .duplicateKey("id"))
        #expect(error.description == #"items[1].id: the key "id" stands twice, again at byte 27 of the JSON"#)
    }

    @Test func `a duplicate key is found among many keys`() throws {
        let keys = (0..<100).map { "\"k\($0)\":0" }
        #expect(throws: Never.self) { try JSONValue(parsing: "{\(keys.joined(separator: ","))}") }
        let error = try #require(throws: JSONError.self) {
            try JSONValue(parsing: "{\(keys.joined(separator: ",")),\"k3\":0}")
        }
        #expect(error.reason == .duplicateKey("k3"))
    }

    // MARK: Limits

    @Test(arguments: [("[", "]"), ("{\"a\":", "}")])
    func `nesting has a limit`(open: String, close: String) throws {
        func nested(_ depth: Int) -> String {
            String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
        }
        #expect(throws: Never.self) { try JSONValue(parsing: nested(128)) }
        let error = try #require(throws: JSONError.self) { try JSONValue(parsing: nested(129)) }
        #expect(error.reason == .tooDeep(limit: 128))
        #expect(throws: JSONError.self) { try JSONValue(parsing: nested(3), maximumDepth: 2) }
    }

    @Test func `ten thousand open brackets are an error`() throws {
        let error = try #require(throws: JSONError.self) {
            try JSONValue(parsing: String(repeating: "[", count: 10_000))
        }
        #expect(error.reason == .tooDeep(limit: 128))
        #expect(error.offset == 128)
        #expect(error.path.isEmpty)
    }

    /// If any part of the work were quadratic, one of these would take minutes.
    @Test(
        .amongAll,
        arguments: [
            "\"" + String(repeating: #"\u0041"#, count: 50_000) + "\"",
            "\"" + String(repeating: #"a\n"#, count: 200_000) + "\"",
            "[" + String(repeating: "0,", count: 50_000) + "0]",
            "{" + (0..<20_000).map { "\"\($0)\":0" }.joined(separator: ",") + "}",
            String(repeating: "9", count: 100_000),
            "\"" + String(repeating: "é", count: 50_000) + "\"",
        ])
    func `a large text takes linear time`(text: String) throws {
        let value = try JSONValue(parsing: text)
        #expect(try JSONValue(parsing: value.description) == value)
    }

    @Test func `a text that is truncated anywhere is refused`() throws {
        let bytes = Array(#"{"a":[1.5e3,"é\ud83d\ude00",{"b":null}],"c":-0}"#.utf8)
        #expect(throws: Never.self) { try JSONValue(parsing: bytes) }
        let accepted = bytes.indices.filter { (try? JSONValue(parsing: Array(bytes.prefix($0)))) != nil }
        #expect(accepted == [])
    }

    @Test func `an error is small`() {
        #expect(MemoryLayout<JSONError>.size <= 32)
    }
}
