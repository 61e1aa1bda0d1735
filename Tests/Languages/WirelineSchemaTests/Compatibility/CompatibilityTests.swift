// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineCodec
import WirelineSchema

/// Pairs of schemas with known consequences.
struct CompatibilityTests {
    /// If memory or time grew with the square of the number of fields, this test would take minutes.
    @Test(.amongAll) func `lists of three thousand fields are compared in time`() throws {
        let names = (0..<3_000).map { "uint8 field\($0);\n" }
        var newer = names
        newer[1_500] = "uint8 renamed;\n"
        newer.append("optional uint8 more;\n")
        #expect(
            try verdicts("message Cs_1 {\(names.joined())}", "message Cs_1 {\(newer.joined())}") == [
                "ADDITION Cs_1.more: old reads, new reads", "FIELD_SAME_NAME Cs_1.renamed: old reads, new reads",
            ])
    }

    @Test(.amongAll, arguments: ["uint16", "int8"])
    func `lists in which every field has changed are compared`(type: String) throws {
        func source(_ type: String) -> String {
            "message Cs_1 {" + (0..<100).map { "\(type) field\($0);\n" }.joined() + "}"
        }
        let changes = try describe(source(type)).changes(since: describe(source("uint8")))
        #expect(changes.map(\.effect) == (0..<100).map { _ in .wire })
    }

    @Test(arguments: [
        ("abcd", "abcd", ""), ("abcd", "bacd", "a"), ("abcd", "dabc", "d"), ("abcd", "bcda", "a"),
        ("abcd", "dcba", "cba"), ("abcdef", "badcfe", "ace"), ("abcde", "cabed", "cd"),
    ])
    func `in a new field order, the fewest fields count as moved`(old: String, new: String, moved: String) throws {
        func source(_ names: String) -> String { "message Cs_1 {" + names.map { "uint8 \($0);" }.joined() + "}" }
        let changes = try describe(source(new)).changes(since: describe(source(old)))
        #expect(changes.map(\.rule) == moved.map { _ in .fieldOrder })
        #expect(changes.map { String($0.subject.suffix(1)) }.joined() == moved)
    }

    @Test(arguments: [
        (
            "S", "S", "uint8 a;", "uint8 a; uint8 b;",
            ["FIELD_NO_APPEND_TO_FROZEN struct S.b: old misreads, new refuses"]
        ),
        (
            "S sized(uint8)", "S sized(uint8)", "uint8 a;", "uint8 a; optional uint8 b;",
            ["ADDITION struct S.b: old reads, new reads"]
        ),
        (
            "S sized(uint8)", "S sized(uint8)", "uint8 a;", "uint8 a; uint8 b;",
            ["FIELD_NO_APPEND_REQUIRED struct S.b: old reads, new refuses"]
        ),
        ("S", "S sized(uint8)", "uint8 a;", "uint8 a;", ["STRUCT_SAME_SIZED struct S: old misreads, new refuses"]),
        ("S", "T", "uint8 a;", "uint8 a;", ["TYPE_SAME_NAME struct T: old reads, new reads"]),
    ])
    func `changes of structs have the expected effects`(
        oldName: String, newName: String, old: String, new: String, expected: [String]
    ) throws {
        func schema(_ name: String, _ fields: String) -> String {
            "struct \(name) { \(fields) } message Cs_1 { \(name.prefix(1))[] items; uint8 last; }"
        }
        let found = try verdicts(schema(oldName, old), schema(newName, new))
        #expect(found == expected)
    }

    @Test(arguments: [
        ("enum E : uint8 { a = 1; }", "enum E : uint8 { a = 1; b = 2; }", ["ADDITION enum E.b: old reads, new reads"]),
        (
            "@closed enum E : uint8 { a = 1; }", "@closed enum E : uint8 { a = 1; b = 2; }",
            ["ENUM_CLOSED_NO_ADD enum E.b: old refuses, new reads"]
        ),
        (
            "enum E : uint8 { a = 1; }", "@closed enum E : uint8 { a = 1; }",
            ["ENUM_CLOSED_NO_ADD enum E: old reads, new refuses"]
        ),
        (
            "enum E : uint8 { a = 1; b = 2; }", "enum E : uint8 { a = 1; }",
            ["ENUM_VALUE_NO_DELETE enum E.b: old reads, new reads"]
        ),
        (
            "@closed enum E : uint8 { a = 1; b = 2; }", "@closed enum E : uint8 { a = 1; }",
            ["ENUM_VALUE_NO_DELETE enum E.b: old reads, new refuses"]
        ),
        (
            "enum E : uint8 { a = 1; }", "enum E : uint8 { a = 2; }",
            ["ENUM_VALUE_SAME_NUMBER enum E.a: old misreads, new misreads"]
        ),
        (
            "enum E : uint8 { a = 1; }", "enum E : uint8 { c = 1; }",
            ["ENUM_VALUE_SAME_NAME enum E.c: old reads, new reads"]
        ),
        (
            "enum E : uint8 { a = 1; }", "enum E : uint16 { a = 1; }",
            ["ENUM_SAME_RAW_TYPE enum E: old misreads, new refuses"]
        ),
        (
            "flags E : uint8 { a = 1; b = 2; }", "flags E : uint8 { a = 1; b = 4; }",
            ["FLAGS_SAME_BITS flags E.b: old misreads, new misreads"]
        ),
        (
            "flags E : uint8 { a = 1; }", "flags E : uint8 { a = 1; b = 4; }",
            ["ADDITION flags E.b: old reads, new reads"]
        ),
    ])
    func `changes of enums and flags have the expected effects`(old: String, new: String, expected: [String]) throws {
        let found = try verdicts(old + " message Cs_1 { E e; }", new + " message Cs_1 { E e; }")
        #expect(found == expected)
    }

    @Test func `an enum and its integer are the same on the wire`() throws {
        let named = "enum E : uint8 { a = 1; } message Cs_1 { E e; }"
        #expect(
            try verdicts("message Cs_1 { uint8 e; }", named) == ["FIELD_SAME_TYPE Cs_1.e: old reads, new reads"])
        #expect(
            try verdicts("message Cs_1 { uint8 e; }", "@closed " + named)
                == ["FIELD_SAME_TYPE Cs_1.e: old reads, new refuses"])
    }

    @Test(arguments: [
        (
            "message Cs_1 {} message Cs_2 {}", "message Cs_1 {}",
            ["MESSAGE_NO_DELETE Cs_2: old reads, new does not know"]
        ),
        (
            "message Cs_1 {} message Cs_2 {}", "message Cs_1 {} reserved 2;",
            ["MESSAGE_NO_DELETE Cs_2: old reads, new reads"]
        ),
        ("message Cs_1 {}", "message Cs_1 {} message Cs_2 {}", ["ADDITION Cs_2: old reads, new reads"]),
        (
            "@id(1) @from(client) message M {}", "@id(2) @from(client) message M {}",
            ["MESSAGE_SAME_ID M: old does not know, new does not know"]
        ),
        (
            "@id(1) @from(both) message M {}", "@id(1) @from(client) message M {}",
            ["MESSAGE_SAME_DIRECTION M: old reads, new does not know"]
        ),
        (
            "@id(1) @from(client) message M {}", "@id(1) @from(both) message M {}",
            ["ADDITION M: old reads, new reads"]
        ),
        (
            "@id(1) @from(client) message M {}", "@id(1) @from(client) message N {}",
            ["MESSAGE_SAME_NAME N: old reads, new reads"]
        ),
        (
            "reserved 2; message Cs_1 {}", "message Cs_1 {} message Cs_2 {}",
            ["RESERVED_NO_DELETE Cs_2: old reads, new reads", "RESERVED_NO_DELETE reserved: old reads, new reads"]
        ),
        (
            "message Cs_1 {} message Sc_1 {} message Sc_2 {}",
            "@reply(Sc_2) message Cs_1 {} message Sc_1 {} message Sc_2 {}",
            ["REPLY_PAIR_SAME Cs_1: old reads, new reads"]
        ),
        (
            "@reply(Sc_1 | Sc_2) message Cs_1 {} message Sc_1 {} message Sc_2 {}",
            "@reply(Sc_2 | Sc_1) message Cs_1 {} message Sc_1 {} message Sc_2 {}", []
        ),
        (
            "@reply(Sc_1 | Sc_2) message Cs_1 {} message Sc_1 {} message Sc_2 {}",
            "@reply(Sc_1) message Cs_1 {} message Sc_1 {} reserved 2;",
            ["MESSAGE_NO_DELETE Sc_2: old reads, new reads"]
        ),
    ])
    func `changes of messages have the expected effects`(old: String, new: String, expected: [String]) throws {
        let found = try verdicts(old, new)
        #expect(found == expected)
    }

    @Test(arguments: [
        ("Sc_1", "Sc_1 | Sc_2", "may also be answered by `Sc_2`"),
        ("Sc_1 | Sc_2", "Sc_2", "is no longer answered by `Sc_1`"),
        ("Sc_1 | Sc_2", "Sc_2 | Sc_3", "was answered by `Sc_1`, is by `Sc_3`"),
        ("Sc_1", "Sc_2 | Sc_3", "was answered by `Sc_1`, is by `Sc_2` or `Sc_3`"),
    ])
    func `a change says which replies came and went`(old: String, new: String, summary: String) throws {
        func schema(_ replies: String) throws -> ProtocolDescription {
            let messages = "message Cs_1 {} message Sc_1 {} message Sc_2 {} message Sc_3 {}"
            return try describe("@reply(\(replies)) " + messages)
        }
        let changes = try schema(new).changes(since: schema(old))
        #expect(changes.map(\.summary) == [summary])
        #expect(changes.map(\.effect) == [.code])
    }

    @Test(arguments: [
        ("", "option trailing = reject;", "TRAILING_NO_TIGHTEN option trailing: old reads, new reads"),
        ("", "option properties = lenient;", "PROPERTIES_NO_TIGHTEN option properties: old reads, new reads"),
        ("option varints = any;", "", "VARINTS_NO_TIGHTEN option varints: old reads, new reads"),
        ("", "option max_packet = 100;", "MAX_PACKET_NO_SHRINK option max_packet: old reads, new refuses"),
        ("option max_packet = 100;", "", "MAX_PACKET_NO_SHRINK option max_packet: old refuses, new reads"),
        (
            "option max_packet = 200000;", "option max_packet = 100000;",
            "MAX_PACKET_NO_SHRINK option max_packet: old reads, new reads"
        ),
        ("", "option max_depth = 9;", "MAX_DEPTH_NO_SHRINK option max_depth: old reads, new refuses"),
        (
            "packet { @length(packet) uint32 length; @id uint16 id; }", "",
            nil
        ),
        (
            "", "packet { @length(packet) uint32 length; @id uint16 number; }",
            "HEADER_SAME_NAME packet.number: old reads, new reads"
        ),
        (
            "option max_packet = 65535;",
            "option max_packet = 65535; packet { @length(packet) uint16 length; @id uint16 id; }",
            "PACKET_SAME_LAYOUT packet: old refuses, new refuses"
        ),
        (
            "packet { @id uint16 id; @length(rest) uint16 length; }",
            "packet { @id uint16 id; @length(packet - 4) uint16 length; }",
            "PACKET_SAME_LAYOUT packet: old reads, new reads"
        ),
        (
            "packet { @length(packet) uint16 length; @id uint8 id; @default(1) uint8 version; }",
            "packet { @length(packet) uint16 length; @id uint8 id; @constant(1) uint8 version; }",
            "PACKET_SAME_LAYOUT packet: old reads, new refuses"
        ),
        (
            "packet { @length(packet) uint16 length; @id uint8 id; @checksum(crc16_arc) uint16 sum; }",
            "packet { @length(packet) uint16 length; @id uint8 id; @checksum(crc16_modbus) uint16 sum; }",
            "PACKET_SAME_LAYOUT packet: old refuses, new refuses"
        ),
        (
            "packet { @length(packet) uint16 length; @id uint8 id; @checksum(xor8) uint8 sum; }",
            "packet { @length(packet) uint16 length; @id uint8 id; @checksum(xor8, id..payload) uint8 sum; }",
            "PACKET_SAME_LAYOUT packet: old refuses, new refuses"
        ),
        (
            "packet { @length(packet) uint16 length; bool form; @if(form) uint8 more; @id uint8 id; }",
            "packet { @length(packet) uint16 length; bool form; @if(not form) uint8 more; @id uint8 id; }",
            "PACKET_SAME_LAYOUT packet: old does not know, new does not know"
        ),
        (
            "packet { @length(packet) uint16 length; uint8 form; @if(form) uint8 more; @id uint8 id; }",
            "packet { @length(packet) uint16 length; uint8 form; @if(form != 0) uint8 more; @id uint8 id; }",
            "PACKET_SAME_LAYOUT packet: old reads, new reads"
        ),
        (
            "packet { @constant(\"ZBXD\") char[4] magic; @length(packet) uint16 length; @id uint8 id; }",
            "packet { @constant(\"ZBX\") char[4] magic; @length(packet) uint16 length; @id uint8 id; }",
            "PACKET_SAME_LAYOUT packet: old refuses, new refuses"
        ),
        (
            "packet { @default(\"ZBXD\") char[4] magic; @length(packet) uint16 length; @id uint8 id; }",
            "packet { @constant(\"ZBXD\") char[4] magic; @length(packet) uint16 length; @id uint8 id; }",
            "PACKET_SAME_LAYOUT packet: old reads, new refuses"
        ),
        (
            "packet { @default(\"ZBXD\") char[4] magic; @length(packet) uint16 length; @id uint8 id; }",
            "packet { char[4] magic; @length(packet) uint16 length; @id uint8 id; }",
            "DEFAULT_SAME packet.magic: old reads, new reads"
        ),
        // The same bytes, said in another way.
        (
            "packet { @length(packet) uint16 length; @id uint8 id; @checksum(xor8) uint8 sum; }",
            "packet { @length(packet) uint16 length; @id uint8 id; @checksum(xor8, rest) uint8 sum; }",
            nil
        ),
        (
            "packet { @length(packet) uint16 length; @id uint8 id; @checksum(xor8, id..payload) uint8 sum; }",
            "packet { @length(packet) uint16 length; @id uint8 kind; @checksum(xor8, kind..payload) uint8 sum; }",
            "HEADER_SAME_NAME packet.kind: old reads, new reads"
        ),
    ])
    func `changes of the packet have the expected effects`(old: String, new: String, expected: String?) throws {
        let message = " struct Node { uint8 a; Node[] next; } message Cs_1 { string text; Node[] nodes; }"
        let found = try verdicts(old + message, new + message)
        #expect(found == [expected].compactMap(\.self))
    }

    @Test(arguments: [
        ("", "@header(qos = 1)", "PACKET_SAME_LAYOUT M: old reads, new refuses"),
        // Its default is 2: only a packet with another value shows the difference.
        ("", "@header(qos = 2)", "PACKET_SAME_LAYOUT M: old reads, new refuses"),
        ("@header(qos = 1)", "@header(qos = 3)", "PACKET_SAME_LAYOUT M: old refuses, new refuses"),
        ("@header(qos = 1)", "", "PACKET_SAME_LAYOUT M: old refuses, new reads"),
        ("@header(qos = 1, dup = true)", "@header(dup = true, qos = 1)", nil),
        ("", "@header(place = \"a\")", "PACKET_SAME_LAYOUT M: old reads, new refuses"),
        ("@header(place = \"a\")", "@header(place = \"ab\")", "PACKET_SAME_LAYOUT M: old refuses, new refuses"),
        ("@header(phone = \"12\")", "@header(phone = \"00\")", "PACKET_SAME_LAYOUT M: old refuses, new refuses"),
    ])
    func `header fields that a message fixes are part of its packets`(
        old: String, new: String, expected: String?
    ) throws {
        let packet =
            "packet { @id uint4 type; @default(2) uint2 qos; bit dup; bit retain; @length(rest) uint8 length; "
            + "char[2] place; bcd[1] phone; } "
        let message = " @id(1) @from(client) message M { uint8 a; }"
        let found = try verdicts(packet + old + message, packet + new + message)
        #expect(found == [expected].compactMap(\.self))
    }

    @Test func `a message with another name and another fixed header is the same message`() throws {
        let packet = "packet { @id uint4 type; uint2 qos; uint2 x; @length(rest) uint8 length; } @id(1) @from(client) "
        let found = try verdicts(packet + "message M { uint8 a; }", packet + "@header(qos = 1) message N { uint8 a; }")
        #expect(
            found == ["MESSAGE_SAME_NAME N: old reads, new reads", "PACKET_SAME_LAYOUT N: old reads, new refuses"])
    }

    @Test(arguments: [
        // Another direction, and another ID and name.
        ("@id(10) @from(client) message M {}", "@id(10) @from(server) message M {}"),
        ("@id(10) @from(client) message M {}", "@id(11) @from(client) message N {}"),
    ])
    func `a changed packet layout is refused even if both versions have no message in common`(
        old: String, new: String
    ) throws {
        let header = "packet { @length(packet) uint16 length; @id uint8 id; } "
        let changed = "packet { @length(packet - 1) uint16 length; @id uint8 id; } "
        let found = try verdicts(header + old, changed + new)
        #expect(found.contains("PACKET_SAME_LAYOUT packet: old refuses, new refuses"), "\(found)")
    }

    @Test(arguments: [
        (
            "packet { @id uint8 id; @length(payload) uint16 length; @default(1) uint8 version; }",
            "packet { @id uint8 id; @length(payload) uint16 length; @constant(1) uint8 version; }",
            "PACKET_SAME_LAYOUT packet"
        ),
        (
            "packet { @id uint8 id; @length(payload) uint8 length; }",
            "packet { @id uint8 id; @length(payload) varint length; }",
            "PACKET_SAME_LAYOUT packet"
        ),
        ("option max_packet = 200;", "option max_packet = 100;", "MAX_PACKET_NO_SHRINK option max_packet"),
    ])
    func `a packet of a message that only its writer knows is refused under a changed layout`(
        old: String, new: String, subject: String
    ) throws {
        // Its ID is reserved, so the packet would be delivered as an unknown message.
        let found = try verdicts(
            old + " @id(10) @from(client) message M { string a; }",
            new + " reserved 10; @id(11) @from(client) message N {}")
        #expect(found.contains(subject + ": old reads, new refuses"), "\(found)")
    }

    @Test(arguments: [
        ("message Cs_1 { @count(PREFIX) string a; }", "FIELD_SAME_PREFIX Cs_1.a"),
        ("message Cs_1 { @count(PREFIX) uint32[] a; }", "FIELD_SAME_PREFIX Cs_1.a"),
        ("option string_count = PREFIX; message Cs_1 { string[] a; }", "FIELD_SAME_PREFIX Cs_1.a"),
        ("option list_count = PREFIX; message Cs_1 { T[] a; } struct T { uint8 a; }", "FIELD_SAME_PREFIX Cs_1.a"),
        ("message Cs_1 { S s; } struct S sized(PREFIX) { string a; string b; }", "STRUCT_SAME_SIZED struct S"),
        (
            "message Cs_1 { string a; S s; } struct S sized(PREFIX) { @max(100) string a; bytes b; }",
            "STRUCT_SAME_SIZED struct S"
        ),
        ("message Cs_1 { S s; } struct S sized(PREFIX) { T[] t; } struct T { uint8 a; }", "STRUCT_SAME_SIZED struct S"),
        (
            "message Cs_1 { S s; } struct S sized(PREFIX) { @max(33) bytes a; T[] t; } struct T { uint8[15] a; }",
            "STRUCT_SAME_SIZED struct S"
        ),
        (
            "message Cs_1 { S s; } struct S sized(PREFIX) { T t; } struct T { @count(uint16) string a; }",
            "STRUCT_SAME_SIZED struct S"
        ),
        // Only one arm can be as large, or only values deep inside, or only if a condition holds.
        (
            "message Cs_1 { S s; } struct S sized(PREFIX) { U u; } union U : uint8 { 1: uint8 a; 2: T t; 3: uint8 c; } "
                + "struct T sized(uint8) { uint8 x; string s; }", "STRUCT_SAME_SIZED struct S"
        ),
        (
            "message Cs_1 { U u; } union U : uint8 sized(PREFIX) { 1: uint8 a; 2: T t; } "
                + "struct T { uint8 a; V v; } union V : uint8 { 1: uint16 a; 2: uint8[] b; }",
            "STRUCT_SAME_SIZED union U"
        ),
        (
            "message Cs_1 { @size(PREFIX) U u; } union U : uint8 { 1: uint8 a; 2: T t; } struct T { uint8[] b; }",
            "FIELD_SAME_PREFIX Cs_1.u"
        ),
        (
            "message Cs_1 { S s; } struct S sized(PREFIX) { A a; } struct A sized(uint8) { B b; } "
                + "struct B sized(uint8) { @max(120) string x; @max(120) string y; }", "STRUCT_SAME_SIZED struct S"
        ),
        (
            "message Cs_1 { string a; uint8 k; @if(k == 200) S s; } "
                + "struct S sized(PREFIX) { uint8 n; uint8 x; @if(x == 99) @count(n) uint8[] a; }",
            "STRUCT_SAME_SIZED struct S"
        ),
        (
            "option max_packet = 256; packet { @length(rest) PREFIX size; @id uint8 id; } message Cs_1 { bytes a; }",
            "PACKET_SAME_LAYOUT packet"
        ),
    ])
    func `a one-byte count is not a varint, although small counts look the same`(text: String, subject: String) throws {
        let found = try verdicts(
            text.replacing("PREFIX", with: "uint8"), text.replacing("PREFIX", with: "varint"))
        let change = try #require(found.first { $0.hasPrefix(subject + ":") }, "\(found)")
        #expect(!change.contains("old reads") && !change.contains("new reads"), "\(change)")
        let unaffected = try verdicts(
            text.replacing("PREFIX", with: "uint8"), text.replacing("PREFIX", with: "uint8"))
        #expect(unaffected.isEmpty)
    }

    @Test func `a limit of a recursive list is tried once, and not at each depth`() throws {
        let tree = "message Cs_1 { Tree tree; } struct Tree { uint8 x; @max(LIMIT) Tree[] kids; }"
        let found = try verdicts(tree.replacing("LIMIT", with: "1000"), tree.replacing("LIMIT", with: "999"))
        #expect(found.count == 1 && found[0].hasSuffix("Tree.kids: old reads, new refuses"), "\(found)")
    }

    @Test func `a limit that no packet can reach costs no more than a packet`() throws {
        let text = "option max_packet = 65536; message Cs_1 { @max(LIMIT) @count(uint32) string a; }"
        let found = try verdicts(
            text.replacing("LIMIT", with: "2000000000"), text.replacing("LIMIT", with: "1999999999"))
        #expect(found == ["MAX_NO_SHRINK Cs_1.a: old reads, new reads"])
    }

    @Test func `a change names all messages that have it, and its place in both versions`() throws {
        let old = try describe(
            "struct S { uint8 a; }\nmessage Cs_1 { S s; }\nmessage Sc_2 { T[] t; }\nstruct T { S s; }")
        let new = try describe(
            "struct S { uint16 a; }\n\nmessage Cs_1 { S s; }\nmessage Sc_2 { T[] t; }\nstruct T { S s; }")
        let changes = new.changes(since: old)
        #expect(changes.map(\.messages) == [["Cs_1", "Sc_2"]])
        #expect(changes[0].oldLocation == SourceLocation(file: "a.wire", line: 1, column: 18))
        #expect(changes[0].newLocation == SourceLocation(file: "a.wire", line: 1, column: 19))
        #expect(changes[0].effect == .wire && !changes[0].isSafe(for: .old) && !changes[0].isSafe(for: .new))
        let failure = try #require(changes[0].failures.first { $0.reader == .old })
        #expect(failure.packet == [0, 0, 0, 8, 0, 1, 0, 1])
        #expect(failure.sender == .client && failure.message == "Cs_1")
        #expect(failure.sent == ["s": ["a": 1]])
        guard case .misread("Cs_1", ["s": ["a": 0]], let difference?) = failure.outcome else {
            Issue.record("\(failure.outcome)")
            return
        }
        #expect(difference.path == "s.a" && difference.range == 6..<7)
        #expect(difference.sent == 1 && difference.read == 0)
    }

    @Test func `a schema has no changes since itself`() throws {
        let schema = try describe(
            "option byte_order = little; enum E : uint8 { a = 1; } message Cs_1 { E e; S[] s; } struct S { string t; }")
        #expect(schema.changes(since: schema) == [])
    }

    @Test func `each rule except an addition says what to do instead`() {
        #expect(CompatibilityRule.allCases.filter { $0.alternative == nil } == [.addition])
    }
}

/// The result of `wire diff` in short: for each change its rule, its subject, and what each version does with
/// packets of the other version: it `reads` them, `refuses` one, `misreads` one or does not `know` one.
func verdicts(_ old: String, _ new: String) throws -> [String] {
    try describe(new, warns: true).changes(since: describe(old, warns: true)).map { change in
        let verdicts = SchemaVersion.allCases.map { reader in
            switch change.failures.first(where: { $0.reader == reader })?.outcome {
            case nil: "reads"
            case .refused?: "refuses"
            case .misread?: "misreads"
            case .unknownMessage?: "does not know"
            }
        }
        return "\(change.rule.rawValue) \(change.subject): old \(verdicts[0]), new \(verdicts[1])"
    }
}
