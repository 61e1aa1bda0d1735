// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineSchema

/// A file's text in the canonical layout; nil if it cannot be parsed.
func formatted(_ text: String) -> String? {
    guard case .formatted(let bytes) = SourceFile(path: "a.wire", bytes: Array(text.utf8)).formatted() else {
        return nil
    }
    return String(decoding: bytes, as: UTF8.self)
}

struct FormatterTests {
    @Test(arguments: [
        ("", ""),
        ("\n \n", ""),
        ("// alone", "// alone\n"),
        ("\u{FEFF}message Cs_1{}", "message Cs_1 {}\n"),
        ("message Cs_1\n{\n\n}\n", "message Cs_1 {}\n"),
        ("message Cs_1{uint8 a;}", "message Cs_1 { uint8 a; }\n"),
        ("message Cs_1{\r\nuint8 a;\r\nuint16 bc=2;}\r\n", "message Cs_1 {\n    uint8  a;\n    uint16 bc = 2;\n}\n"),
        ("struct S sized ( uint8 ) { uint8 [ 4 ] a ; } ;", "struct S sized(uint8) { uint8[4] a; }\n"),
        (
            "union U:uint8 sized( varint ){0x01 :@max( 3 )string  text;2: nothing ;default:bytes other=4;\n}",
            """
            union U : uint8 sized(varint) {
                0x01:    @max(3) string text;
                2:       nothing;
                default: bytes          other = 4;
            }

            """
        ),
        (
            "packet{frame 0x7E..0x7E{0x7E=0x7D02;0x7D=0x7D01;}@id uint8 id;payload;}",
            "packet { frame 0x7E..0x7E { 0x7E = 0x7D02; 0x7D = 0x7D01; } @id uint8 id; payload; }\n"
        ),
        (
            "packet{\nframe 0x7E .. 0x7E{0x7E=0x7D02;0x7D=0x7D01;} // Marks.\n@id uint8 id;\n\n// Next.\nuint16 x;}",
            """
            packet {
                frame 0x7E..0x7E { 0x7E = 0x7D02; 0x7D = 0x7D01; }  // Marks.
                @id uint8 id;

                // Next.
                uint16 x;
            }

            """
        ),
        (
            "packet {\n// Above.\nframe '['..']' {\n'[' = 0x5A01;// one\n0x5A = 0x5A02;\n// last\n}\nuint8 id; }",
            """
            packet {
                // Above.
                frame '['..']' {
                    '['  = 0x5A01;  // one
                    0x5A = 0x5A02;
                    // last
                }
                uint8 id;
            }

            """
        ),
        ("union U:E{one:S s;}", "union U : E { one: S s; }\n"),
        ("option  a=b;option  list_count = uint8;", "option a          = b;\noption list_count = uint8;\n"),
        ("reserved 1,3 to - 4;", "reserved 1, 3 to -4;\n"),
        ("const uint8 a= 'Q' ;reserved 'a'to 'z' ;", "const uint8 a = 'Q';\nreserved 'a' to 'z';\n"),
        ("@reply(Sc_1|Sc_2\n| Sc_3) message Cs_1{}", "@reply(Sc_1 | Sc_2 | Sc_3) message Cs_1 {}\n"),
        (
            "message Cs_1{@if( kind==3 or not(a&1)and(( b>= - 4 )))uint8 c;@if(header . qos!=x)@max(2)string d;}",
            "message Cs_1 {\n    @if(kind == 3 or not (a & 1) and ((b >= -4))) uint8 c;\n    @if(header.qos != x) @max(2) string d;\n}\n"
        ),
        ("const uint8 a=1;\n\n\nconst uint8 b=2;", "const uint8 a = 1;\n\nconst uint8 b = 2;\n"),
        (
            "@closed\nenum E:int8{a=- 1;\nreserved 4;long=2;}",
            "@closed\nenum E : int8 {\n    a    = -1;\n    reserved 4;\n    long = 2;\n}\n"
        ),
        (
            "packet{@length(packet-4)uint32 length;@id uint16 id;uint8 x;payload;@checksum(crc32) uint32 c;\n}",
            """
            packet {
                @length(packet - 4) uint32 length;
                @id                 uint16 id;
                                    uint8  x;
                payload;
                @checksum(crc32)    uint32 c;
            }

            """
        ),
        (
            "packet{state  Phase   phase ;\nstate bit on;// yes\n@if(on)uint8 a;uint8 b;\n}",
            """
            packet {
                state Phase phase;
                state bit   on;  // yes
                @if(on) uint8 a;
                        uint8 b;
            }

            """
        ),
        (
            "message Cs_1{uint8 a;padding  3 ;uint32 b;\n}",
            "message Cs_1 {\n    uint8  a;\n    padding 3;\n    uint32 b;\n}\n"
        ),
        (
            "packet{@length(packet)uint8 l;@checksum( xor8 ,l ..payload)uint8 c;\n}",
            "packet {\n    @length(packet)             uint8 l;\n    @checksum(xor8, l..payload) uint8 c;\n}\n"
        ),
        (
            "message Cs_1 {\n@range( - 1 .. 2 )int8 a;@default(\"x ;\")@since(2)String b;\n}",
            "message Cs_1 {\n    @range(-1..2) int8               a;\n    @default(\"x ;\") @since(2) String b;\n}\n"
        ),
        (
            "const uint8 a = 1;\nmessage Cs_1 {\n\n\nuint8 a;\n\n\nuint16 b;\n\n}\nconst uint8 b = 1;",
            """
            const uint8 a = 1;

            message Cs_1 {
                uint8 a;

                uint16 b;
            }

            const uint8 b = 1;

            """
        ),
        (
            "message Cs_1 {\n@deprecated(\"twenty and more columns of text\") uint8 a;\nuint16 b; // c\n}",
            "message Cs_1 {\n    @deprecated(\"twenty and more columns of text\") uint8 a;\n"
                + "    uint16 b;  // c\n}\n"
        ),
    ])
    func `every file has one canonical layout`(text: String, expected: String) {
        #expect(formatted(text) == expected)
        #expect(formatted(expected) == expected)
    }

    @Test(arguments: [
        // Above, detached, after code, and continued on the next line.
        (
            "// one\n\n// two\nmessage Cs_1 { // three\n  // four\nuint8 a;/* 场景 */ // five\n"
                + "                   // six\n    uint16 b; // seven\n// eight\n}// nine\n// ten",
            """
            // one

            // two
            message Cs_1 {  // three
                // four
                uint8  a;  /* 场景 */ // five
                                      // six
                uint16 b;  // seven
                // eight
            }  // nine

            // ten

            """
        ),
        (
            "message Cs_1 {\n uint8 a; // one\n          // two\n}",
            "message Cs_1 {\n    uint8 a;  // one\n              // two\n}\n"
        ),
        // A declaration that no longer fits one line keeps its documentation.
        ("message Cs_1 { uint8 a; /* b */ } // c", "message Cs_1 {  // c\n    uint8 a;\n    /* b */\n}\n"),
        ("message Cs_1 {\n} // c", "message Cs_1 {\n}  // c\n"),
        ("message Cs_1 {} ; // c\nmessage Cs_2 {}", "message Cs_1 {}\n// c\n\nmessage Cs_2 {}\n"),
        // Inside a statement.
        (
            "@id(1) // a\n@from(client) /* b */ message /* c */ M { uint8 // d\n a /* e */ ; }",
            "@id(1) // a\n@from(client) /* b */ message /* c */ M {\n    uint8 // d\n            a /* e */ ;\n}\n"
        ),
        // Blocks of stars move with their first line, others do not.
        ("message M {\n/*\n * a\n */\nuint8 a;\n}", "message M {\n    /*\n     * a\n     */\n    uint8 a;\n}\n"),
        ("message M {\n/* a\n   b   \n*/\nuint8 a;\n}", "message M {\n    /* a\n   b\n*/\n    uint8 a;\n}\n"),
    ])
    func `comments stay with the code that they belong to`(text: String, expected: String) {
        #expect(formatted(text) == expected)
        #expect(formatted(expected) == expected)
    }

    @Test(arguments: [
        "message", "message Cs_1 { uint8 }", "message Cs_1 { uint8 a; ", "/* open", "message 场 {}", "\"", "}",
    ])
    func `a file that cannot be parsed gets the same errors as in a check`(text: String) {
        let file = SourceFile(path: "a.wire", bytes: Array(text.utf8))
        guard case .broken(let result) = file.formatted() else {
            Issue.record("\(text) has been formatted")
            return
        }
        let checked = ProtocolDescription.check(name: "Test", files: [file])
        #expect(!result.isValid && !result.diagnostics.isEmpty)
        #expect(checked.diagnostics.starts(with: result.diagnostics))
    }

    @Test func `a file with an undeclared type is formatted, too`() {
        #expect(formatted("message Cs_1 {Other other;}") == "message Cs_1 { Other other; }\n")
    }

    @Test func `any layout with comments anywhere becomes one layout with the same meaning`() {
        var random = SeededGenerator.forThisRun()
        let seed = random.seedComment
        for _ in 0..<Depth.rounds(10) {
            let (schema, _) = RandomSchema.make(using: &random)
            var injector = CommentInjector(random: random)
            let text = injector.text(of: schema)
            random = injector.random
            let found = Reformatted(text, commentCount: injector.commentCount)
            if let fault = found.fault {
                #expect(Bool(false), "\(fault) in\n\(text)\nwhich became\n\(found.result ?? "nothing"); \(seed)")
                return
            }
        }
    }
}

/// Puts space and comments into the gaps of a schema.
struct CommentInjector {
    var random: SeededGenerator
    private(set) var commentCount = 0

    init(random: SeededGenerator) { self.random = random }

    mutating func text(of schema: RandomSchema) -> String {
        var text = ""
        for character in schema.marked {
            if character != RandomSchema.gap {
                text.append(character)
            } else {
                // A word ends, and may be followed by another.
                text += random.pick([" ", " ", " ", "\n", "\t", "\r\n", "\n\n\n    "])
                for _ in 0..<(random.chance(6) ? Int.random(in: 1...3, using: &random) : 0) { text += comment() }
            }
        }
        return text
    }

    private mutating func comment() -> String {
        commentCount += 1
        let text =
            random.pick(["", "*", " 场景 ", " ==== ", "  two", "\t", "/"]) + "c\(commentCount);"
            + random.pick(["", " ", " {"])
        let comment = random.pick([
            "//\(text)\n", "//\(text)\r\n", "/*\(text)*/", "/*\n * \(text)\n */", "/* a\n     \(text) \n*/",
            "/**** \n\(text) ****/",
        ])
        return comment + random.pick(["", " ", "\n", "\n        ", "\n\n"])
    }
}

/// A text before and after formatting.
private struct Reformatted {
    let result: String?
    /// What is wrong with the result.
    let fault: String?

    init(_ text: String, commentCount: Int) {
        result = formatted(text)
        guard let result else {
            fault = "a parse error"
            return
        }
        let before = check(text)
        let after = check(result)
        let isComplete = (1...max(1, commentCount)).allSatisfy {
            commentCount == 0 || result.ranges(of: "c\($0);").count == 1
        }
        fault =
            before.description?.withoutLocations != after.description?.withoutLocations || before.description == nil
            ? "another meaning"
            : formatted(result) != result
                ? "another layout the second time"
                : !isComplete ? "a lost comment" : result.hasTrailingSpace ? "space at the end of a line" : nil
    }
}

extension String {
    fileprivate var hasTrailingSpace: Bool {
        split(separator: "\n").contains { $0.hasSuffix(" ") || $0.hasSuffix("\t") } || contains("\r")
    }
}

extension ProtocolDescription {
    /// The same protocol with all locations equal.
    var withoutLocations: ProtocolDescription {
        var result = self
        let nowhere = SourceLocation(file: "", line: 0, column: 0)
        for index in result.packetFields.indices { result.packetFields[index].location = nowhere }
        for index in result.messages.indices {
            result.messages[index].location = nowhere
            for field in result.messages[index].fields.indices {
                result.messages[index].fields[field].location = nowhere
            }
        }
        for index in result.structures.indices {
            result.structures[index].location = nowhere
            for field in result.structures[index].fields.indices {
                result.structures[index].fields[field].location = nowhere
            }
        }
        for index in result.unions.indices {
            result.unions[index].location = nowhere
            for arm in result.unions[index].arms.indices {
                result.unions[index].arms[arm].location = nowhere
                result.unions[index].arms[arm].field?.location = nowhere
            }
        }
        for index in result.enumerations.indices { result.enumerations[index].location = nowhere }
        for index in result.flagSets.indices { result.flagSets[index].location = nowhere }
        for index in result.constants.indices { result.constants[index].location = nowhere }
        return result
    }
}
