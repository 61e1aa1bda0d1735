// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineSchema

struct DocumentationTests {
    @Test(arguments: [
        ("// 场景", "场景"),
        ("/// text", "text"),
        ("//! text", "text"),
        ("//text", "text"),
        ("// ========== 切换到新场景 ==========", "切换到新场景"),
        ("// ---- x ----", "x"),
        ("// == x ==", "x"),
        ("// ---- x", "x"),
        ("// x ----", "x"),
        ("//////////\n// x\n//////////", "x"),
        ("// ==========\n// x\n// ==========", "x"),
        ("// ＝＝＝＝ x ＝＝＝＝", "x"),
        ("// ━━━━━━", ""),
        ("// - item", "- item"),
        ("// **bold** words", "**bold** words"),
        ("// a -- b", "a -- b"),
        ("// one\n//   two\n//\n// three", "one\n  two\n\nthree"),
        ("/* x */", "x"),
        ("/** x */", "x"),
        ("/**/", ""),
        ("/* **** x **** */", "x"),
        ("/***************\n * x\n ***************/", "x"),
        ("/*\n * one\n *   two\n */", "one\n  two"),
        ("/* one\n   two */", "one\n  two"),
        ("/*\r\n * one\r\n * two\r\n */", "one\ntwo"),
        ("/* one */ // two", "one\ntwo"),
    ])
    func `marks and rulers are removed from comments`(comment: String, expected: String) throws {
        #expect(try describe("\(comment)\nmessage Cs_1 { }").messages[0].documentation == expected)
    }

    @Test func `a comment belongs to the declaration directly after it`() throws {
        let messages = try describe(
            """
            // Of the file.

            // Of one.
            message Cs_1 { }

            // Of nothing.

            message Cs_2 { }
            message Cs_3 { }
            /* Of four. */ message Cs_4 { }
            // Of five.
            @name(Five)
            message Cs_5 { }
            """
        ).messages
        #expect(messages.map(\.documentation) == ["Of one.", "", "", "Of four.", "Of five."])
    }

    @Test func `a comment after code belongs to the code on its line`() throws {
        let message = try describe(
            """
            message Cs_1 {  // Of the message.
                uint8 a;  // Of a.
                uint8 b; // Of b.
                uint8 c;
                // Of d,
                uint8 d; // on both sides.
                /* Of e. */ uint8 e; /* Of f. */ uint8 f;
                // Of nothing.
            } // Of nothing.
            """
        ).messages[0]
        #expect(message.documentation == "Of the message.")
        #expect(
            message.fields.map(\.documentation) == ["Of a.", "Of b.", "", "Of d,\non both sides.", "Of e.", "Of f."])
    }

    @Test func `a comment after a declaration on one line belongs to the declaration`() throws {
        let description = try describe(
            """
            message Cs_1 { uint8 a; } // One.
            message Cs_2 { }
            const uint8 seats = 4; // How many.
            enum E : uint8 { a = 1; /* A. */
                b = 2; // B.
            }
            """)
        #expect(description.messages.map(\.documentation) == ["One.", ""])
        #expect(description.messages[0].fields[0].documentation == "")
        #expect(description.constants[0].documentation == "How many.")
        #expect(description.enumerations[0].cases.map(\.documentation) == ["A.", "B."])
    }

    @Test func `a comment after a field continues below in the same column, also after Chinese text`() throws {
        let fields = try describe(
            """
            message Cs_1 {
                uint8 a; /* 场景 */ // one
                                    // two
                uint8 b;   // three
                // four
                uint8 c;
            }
            """
        ).messages[0].fields
        #expect(fields.map(\.documentation) == ["场景\none\ntwo", "three", "four"])
    }

    @Test func `structs, enums, flags and the packet have documentation`() throws {
        let description = try describe(
            """
            // P
            packet { // Q
                @length(packet) uint32 length; // L
            }
            // S
            struct S { uint8 a; }
            // E
            enum E : uint8 { a = 1; }
            // F
            flags F : uint8 { a = 1; }
            """)
        #expect(description.documentation == "P\nQ")
        #expect(description.packetFields.map(\.documentation) == ["L"])
        #expect(description.structures[0].documentation == "S")
        #expect(description.enumerations[0].documentation == "E")
        #expect(description.flagSets[0].documentation == "F")
    }

    @Test func `comment marks inside strings, and strings inside comments, are left alone`() throws {
        let message = try describe(#"message Cs_1 { @deprecated("// /* no") uint8 a; /* "x" */ }"#).messages[0]
        #expect(message.fields[0].deprecation == "// /* no")
    }
}
