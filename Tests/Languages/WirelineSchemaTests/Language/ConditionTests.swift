// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineCodec
import WirelineSchema

/// Conditions as they are written, and what they mean.
struct ConditionTests {
    /// The condition of the last field, in the schema's words.
    private func text(_ condition: String) throws -> String {
        let description = try describe(
            """
            enum Kind : uint8 { plain = 0; zlib = 2; and = 3; }
            flags Rights : uint16 { mute = 1; ban = 2; }
            message Cs_1 {
                Kind kind; Rights rights; int8 step; bool yes; bool not; bool or; varint v;
                @if(\(condition)) uint8 last;
            }
            """)
        let fields = description.messages[0].fields
        let found = try #require(fields.last?.presence.condition)
        return description.text(of: found, among: fields)
    }

    @Test(arguments: [
        ("kind", "kind"), ("kind == zlib", "kind == zlib"), ("kind==2", "kind == zlib"), ("kind != 7", "kind != 7"),
        ("rights & ban", "rights & ban"), ("rights & 0x3", "rights & 3"), ("step < -3", "step < -3"),
        ("v >= 'A'", "v >= 65"), ("yes", "yes"), ("yes == true", "yes"), ("yes != true", "not yes"),
        ("yes == false", "not yes"), ("yes != false", "yes"),
    ])
    func `a test has an operand, and a value of its type`(condition: String, expected: String) throws {
        #expect(try text(condition) == expected)
    }

    @Test(arguments: [
        ("yes or step > 1 and v", "yes or (step > 1 and v)"), ("(yes or step) and v", "(yes or step) and v"),
        ("not yes and v", "not yes and v"), ("not (yes and v)", "not (yes and v)"),
        ("not step == 1 or v", "not step == 1 or v"), ("not not yes", "not not yes"),
        ("((yes))", "yes"), ("yes and v and step", "yes and v and step"), ("yes or v or step", "yes or v or step"),
    ])
    func `comparisons bind tighter than not, that tighter than and, that tighter than or`(
        condition: String, expected: String
    ) throws {
        #expect(try text(condition) == expected)
    }

    @Test(arguments: [
        ("not", "not"), ("or", "or"), ("not not", "not not"), ("or or or", "or or or"), ("not or not", "not or not"),
        ("kind == and and or == true", "kind == and and or"), ("not == false or not (or)", "not not or not or"),
    ])
    func `the words of conditions are names where a field stands`(condition: String, expected: String) throws {
        #expect(try text(condition) == expected)
    }

    /// The condition of the only field of a message, and the message.
    private func header(_ condition: String) throws -> (text: String, message: MessageDescription) {
        let description = try describe(
            """
            enum QoS : uint2 { at_most_once = 0; at_least_once = 1; }
            flags Rights : uint5 { mute = 1; ban = 2; }
            packet {
                @id uint4 type; bit dup; QoS qos; bit retain; Rights rights; uint3 rest;
                bool last; zigzag step; @length(rest) varint length;
            }
            @id(1) @from(client) message M { uint8 header; @if(\(condition)) uint8 field; }
            """)
        let found = try #require(description.messages[0].fields.last?.presence.condition)
        return (description.text(of: found, among: description.messages[0].fields), description.messages[0])
    }

    @Test(arguments: [
        ("header.qos > 0", "header.qos > at_most_once"), ("header . qos == 3", "header.qos == 3"),
        ("header.dup", "header.dup"), ("header.last == false", "not header.last"),
        ("header.rights & ban and header", "header.rights & ban and header"),
        ("header.step < -1 or header == 1", "header.step < -1 or header == 1"),
    ])
    func `a message's condition can look at the header`(condition: String, expected: String) throws {
        let (text, message) = try header(condition)
        #expect(text == expected)
        #expect(message.looksAtHeader)
        #expect(message.fields.headerOperands.count == 1)
    }

    @Test func `a condition on the message's own field named header does not look at the header`() throws {
        #expect(try !header("header == 1").message.looksAtHeader)
    }

    @Test func `a field with a condition is there exactly when it holds`() throws {
        let description = try describe("message Cs_1 { uint8 a; @if(a > 1) uint8 b; uint8 c; }")
        let fields = description.messages[0].fields
        #expect(fields.map(\.presence) == [.required, .when(.compares(.field("a"), .greater, 1)), .required])
        #expect(fields.map(\.offset) == [0, 1, nil])
        #expect(WireSizes(description).size(of: .integer(.uint8, .bigEndian)) == WireSize(fixed: 1))
    }

    @Test(arguments: ["if", "not", "and", "or", "header"])
    func `the words are names everywhere else`(word: String) throws {
        let source = "struct \(word)_ { uint8 \(word); } enum E : uint8 { \(word) = 1; } message Cs_1 { E \(word); }"
        #expect(try describe(source).messages[0].fields[0].name == word)
    }

    @Test func `a struct of which every other field has a condition can be in a list`() throws {
        let description = try describe(
            "struct S { uint8 a; @if(a) uint64 b; @if(a) uint64 c; } message Cs_1 { S[] list; }")
        #expect(WireSizes(description).size(of: .structure(0)) == WireSize(atLeast: 1))
    }

    @Test(arguments: [
        (33, "this condition has 33 tests, and a condition has at most 32"), (32, ""),
    ])
    func `a condition has at most 32 tests`(count: Int, message: String) {
        let tests = (0..<count).map { "a == \($0)" }.joined(separator: " or ")
        let problems = check("message Cs_1 { uint8 a; @if(\(tests)) uint8 b; }").diagnostics.map(\.message)
        #expect(problems == [message].filter { !$0.isEmpty })
    }

    @Test(
        .amongAll,
        arguments: [
            String(repeating: "(", count: 100_000), String(repeating: "not ", count: 100_000),
            String(repeating: "a and ", count: 100_000), String(repeating: "(a) or ", count: 100_000) + "a",
        ])
    func `a condition of any length and depth gets an answer`(condition: String) {
        #expect(!check("message Cs_1 { uint8 a; @if(\(condition)) uint8 b; }").diagnostics.isEmpty)
    }
}
