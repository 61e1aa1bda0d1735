// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineSchema

/// Any input gets an answer, without a trap, and in time that grows hardly faster than its size. If something took
/// quadratic time, or more stack than there is, a test here would run for minutes or crash.
struct HostileSchemaTests {
    @Test(
        .amongAll,
        arguments: [
            ("braces", String(repeating: "{", count: 20_000)),
            ("open messages", String(repeating: "message A {\n", count: 20_000)),
            ("one long name", String(repeating: "a", count: 200_000)),
            ("one long number", String(repeating: "1", count: 200_000)),
            ("one long string", "message Cs_1 { @deprecated(\"" + String(repeating: "\\", count: 100_000)),
            ("one long ruler", "// " + String(repeating: "=", count: 100_000) + "\nmessage Cs_1 { }"),
            ("at signs", String(repeating: "@", count: 20_000)),
            ("open attributes", String(repeating: "@a( ", count: 10_000)),
            ("full-width marks", String(repeating: "；", count: 10_000)),
            ("marks that there are not", String(repeating: "$#%", count: 10_000)),
            ("comments", String(repeating: "/* x */ ", count: 10_000) + String(repeating: "// y\n", count: 10_000)),
            ("cases without a semicolon", "enum E : uint8 {" + String(repeating: " x", count: 20_000)),
        ])
    func `very long input gets an answer`(title: String, text: String) {
        #expect(!check(text).diagnostics.contains { $0.excerpt.text.utf8.count > 1000 })
    }

    /// How many structs or unions of a chain are deeper than a stack of ``stackByteCount`` bytes, if each one takes its
    /// frames there. On a usual stack of 8 MiB it would be four times as many, and four times as much work.
    private static let chainCount = 2500
    private static let stackByteCount = 2 << 20

    @Test(.amongAll) func `a chain of structs deeper than the stack is refused at its message`() async throws {
        let text =
            (0..<Self.chainCount).map { "struct S\($0) { S\($0 + 1) a; }\n" }.joined()
            + "struct S\(Self.chainCount) { uint8 a; } message Cs_1 { S0 a; }"
        let found = try await onThread(stackByteCount: Self.stackByteCount) { check(text).diagnostics.map(\.message) }
        #expect(found == ["in `Cs_1` structs nest \(Self.chainCount + 1) deep, 32 are allowed"])
    }

    @Test(.amongAll) func `a chain of unions deeper than the stack is refused at its message`() async throws {
        let text =
            (0..<Self.chainCount).map { "union U\($0) : uint8 { 1: U\($0 + 1) a; }\n" }.joined()
            + "union U\(Self.chainCount) : uint8 { 1: nothing; } message Cs_1 { U0 a; }"
        let found = try await onThread(stackByteCount: Self.stackByteCount) { check(text).diagnostics.map(\.message) }
        #expect(found == ["in `Cs_1` structs and unions nest \(Self.chainCount + 1) deep, 32 are allowed"])
    }

    @Test(.amongAll) func `a chain of unions deeper than the stack is translated and compared`() async throws {
        let text =
            (0..<Self.chainCount).map { "union U\($0) : uint8 { 0: leaf; 1: U\($0 + 1) a; }\n" }
            .joined()
            + "union U\(Self.chainCount) : uint8 { 1: nothing; }"
        let (effects, fields) = try await onThread(stackByteCount: Self.stackByteCount) {
            let old = try describe(text + "message Cs_1 { U0 a; }")
            let new = try describe(text + "message Cs_1 { U0 a; optional uint8 b; }")
            let payload: [UInt8] = [1, 1, 0]
            let fields = try PacketTranslator(old).decodePayload(payload.span.bytes, asMessage: "Cs_1")?["fields"]
            return (new.changes(since: old).map(\.effect), fields)
        }
        #expect(effects == [.none])
        #expect(fields == ["a": ["a": ["a": ["leaf": .null]]]])
    }

    @Test(
        .amongAll,
        arguments: [
            ("struct S", "", "uint8 b;", "uint8"), ("struct S", "sized(uint8)", "uint8 b; @since(1)", "uint8"),
            ("struct S", "sized(uint8)", "uint8 b; optional", "S0"), ("struct S", "", "@count(uint8) repeated", "S0"),
        ])
    func `a chain of structs deeper than the stack is translated and compared`(
        start: String, size: String, mark: String, type: String
    ) async throws {
        let text =
            (0..<Self.chainCount).map { "\(start)\($0) \(size) { \(mark) S\($0 + 1) a; }\n" }.joined()
            + "struct S\(Self.chainCount) { uint8 a; }"
        let (effects, depth) = try await onThread(stackByteCount: Self.stackByteCount) {
            let old = try describe(text + "message Cs_1 { \(type) a; }")
            let new = try describe(text + "message Cs_1 { \(type) a; optional uint8 b; }")
            return (new.changes(since: old).map(\.effect), PacketTranslator(old).maximumJSONDepth)
        }
        #expect(effects == [.none])
        #expect(depth == 128)
    }

    @Test(.amongAll) func `the size of lists in lists does not overflow`() {
        let count = 60
        let text =
            (0..<count).map { "struct S\($0) { S\($0 + 1)[65535] a; S\($0 + 1) b; }\n" }.joined()
            + "struct S\(count) { uint8 a; } message Cs_1 { S0[65535] a; }"
        #expect(
            check(text).diagnostics.map(\.message) == [
                "a packet of `Cs_1` takes more bytes than can be counted, 1048576 are allowed",
                "in `Cs_1` structs nest 61 deep, 32 are allowed",
            ])
    }

    @Test(.amongAll) func `many unknown names with many similar known names are reported in time`() {
        let unknown = (0..<5000).map { "Type\($0)x a\($0); " }.joined()
        let known = (0..<5000).map { "struct Typx\($0) { uint8 a; }" }.joined()
        let result = check("message Cs_1 { \(unknown) } \(known)")
        #expect(result.diagnostics.count + result.omittedDiagnosticCount == 5000)
    }

    @Test func `a message may have five hundred fields`() throws {
        let fields = (0..<500).map { "uint16 field\($0) = \($0 + 1); " }.joined()
        let message = try describe("message Cs_1 { \(fields) }").messages[0]
        #expect(message.fields.map(\.name) == (0..<500).map { "field\($0)" })
        #expect(message.fields.map(\.offset) == (0..<500).map { Optional(2 * $0) })
    }

    @Test(.amongAll) func `a protocol may have five thousand messages`() throws {
        let text = (0..<5000).map { number in
            """
            // ===== 消息 \(number) =====
            message Cs_\(number){
                uint8 SceneId = 1;   // 场景
                String message = 2;  // 讯息
                S\(number)[] items = 3;
            }
            struct S\(number) { uint32 a; repeated uint8 b; }

            """
        }.joined()
        let description = try describe(text)
        #expect(description.messages.count == 5000)
        #expect(description.messages.last?.documentation == "消息 4999")
    }

    @Test func `a schema that is truncated anywhere gets an answer`() {
        let bytes = Array(Self.schema.utf8)
        let results = bytes.indices.map { end in
            ProtocolDescription.check(name: "Cut", files: [SourceFile(path: "a.wire", bytes: Array(bytes[..<end]))])
        }
        #expect(results.count == bytes.count)
    }

    @Test func `a schema with bytes changed at random gets an answer, and errors are reported`() {
        var generator = SeededGenerator.forThisRun()
        let bytes = Array(Self.schema.utf8)
        let pieces = Array("{}()[];,:=@-+.\"'/*\n\r\0 0xAZé场；".utf8) + [0x80, 0xFF]
        let silent = (0..<Depth.rounds(60)).filter { _ in
            var changed = bytes
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let index = Int.random(in: 0..<changed.count, using: &generator)
                let piece = pieces.randomElement(using: &generator) ?? 0
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: changed[index] = piece
                case 1: changed.insert(piece, at: index)
                default:
                    changed.removeSubrange(index..<min(changed.count, index + Int.random(in: 1...9, using: &generator)))
                }
            }
            let result = ProtocolDescription.check(name: "Fuzz", files: [SourceFile(path: "a.wire", bytes: changed)])
            return result.description == nil && !result.diagnostics.contains { $0.severity == .error }
        }
        #expect(silent.isEmpty, generator.seedComment)
    }

    /// One of each part of the language.
    static let schema = #"""
        packet { @length(packet - 4) uint32 length; @id uint16 id; payload; @checksum(crc32) uint32 crc; }
        option byte_order = little; option max_packet = 65536;
        const int8 seats = -0x4; reserved 20003, 20010 to 20019;
        /* 场景 */ @closed enum E : int8 { a = -1; reserved 3, -5 to -3; }
        flags F : uint16 { mute = 0x1; ban = 0x2; }
        struct S sized(uint16) { uint8 a; S[] b; optional uint8 c; }
        @name(Enter) message Cs_20001{
            @range(-1.5..1e3) float f = 1; // 分线
            @count(uint8) @max(3) repeated string s = 2; S[4] t; @since(1) @default("x\"") string u;
        }
        @id(5) @from(both) @reply(Cs_20001) message Ping { @rest bytes b; }
        """#
}
