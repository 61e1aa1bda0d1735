// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec
import WirelineSchema

/// Refused: `char[n]`, `bcd[n]` and `@pad`.
struct SizedTypeRefusalTests {
    @Test(arguments: refusals)
    func `each problem is reported once, in full`(refusal: Refusal) {
        #expect(problems(refusal.source) == refusal.report)
    }

    static let refusals: [Refusal] = [
        Refusal(
            "types without their size",
            """
            message Cs_1 { char a; bcd[] b; }
            """,
            """
            a.wire:1:16: error: `char` does not say how many bytes it takes
            message Cs_1 { char a; bcd[] b; }
                           ^^^^
            help: write `char[24]`; a single byte is `uint8`, text of any length `string`
            a.wire:1:27: error: `bcd` does not say how many bytes it takes
            message Cs_1 { char a; bcd[] b; }
                                      ^^
            help: write `bcd[6]`
            """),
        Refusal(
            "sizes that no field has",
            """
            message Cs_1 { char[0] a; bcd[65536] b; char[n] c; }
            """,
            """
            a.wire:1:21: error: a `char` has 1 to 65535 bytes
            message Cs_1 { char[0] a; bcd[65536] b; char[n] c; }
                                ^
            help: their number stands in the brackets, as in `char[24]`
            a.wire:1:31: error: a `bcd` has 1 to 65535 bytes
            message Cs_1 { char[0] a; bcd[65536] b; char[n] c; }
                                          ^^^^^
            help: their number stands in the brackets, as in `bcd[6]`
            a.wire:1:46: error: unknown constant `n`
            message Cs_1 { char[0] a; bcd[65536] b; char[n] c; }
                                                         ^
            help: declare it: `const uint8 n = 4;`
            """),
        Refusal(
            "lists of lists",
            """
            message Cs_1 { char[2][3][4] a; }
            """,
            """
            a.wire:1:16: error: lists of lists are not possible
            message Cs_1 { char[2][3][4] a; }
                           ^^^^^^^^^^^^^
            help: put the inner list into a struct, and use a list of that
            """),
        Refusal(
            "attributes of text with a prefix",
            """
            message Cs_1 {
                @max(3) char[4] a;
                @count(uint8) char[4] b;
                @terminated char[4] c;
                @rest char[4] d;
            }
            """,
            """
            a.wire:2:5: error: `@max` does not go with `char[4]`
                @max(3) char[4] a;
                ^^^^^^^
            help: the number in its brackets is the limit
            a.wire:3:5: error: `@count` does not go with `char[4]`
                @count(uint8) char[4] b;
                ^^^^^^^^^^^^^
            help: it sets the prefix of a string, of bytes or of a list
            a.wire:4:5: error: `@terminated` does not go with `char[4]`
                @terminated char[4] c;
                ^^^^^^^^^^^
            help: it ends a string, or each string of a list, at a NUL
            a.wire:5:5: error: `@rest` does not go with `char[4]`
                @rest char[4] d;
                ^^^^^
            help: it goes with a string, bytes or a list
            """),
        Refusal(
            "padding",
            """
            message Cs_1 {
                @pad(0x20) string a;
                @pad(0) char[4] b;
                @pad(256) char[4] c;
                @pad(1) bcd[4] d;
            }
            """,
            """
            a.wire:2:5: error: `@pad` does not go with `string`
                @pad(0x20) string a;
                ^^^^^^^^^^
            help: it says what fills a `char[n]`
            a.wire:3:10: error: `@pad` takes a byte from 1 to 255
                @pad(0) char[4] b;
                     ^
            help: without `@pad`, text is filled with NULs
            a.wire:4:10: error: `@pad` takes a byte from 1 to 255
                @pad(256) char[4] c;
                     ^^^
            help: without `@pad`, text is filled with NULs
            a.wire:5:5: error: `@pad` does not go with `bcd[4]`
                @pad(1) bcd[4] d;
                ^^^^^^^
            help: it says what fills a `char[n]`
            """),
        Refusal(
            "values that the fields cannot hold",
            """
            message Cs_1 {
                @example("abcd") char[3] a;
                @example("a ") @pad(0x20) char[3] b;
                @example("123") bcd[2] c;
                @example("12x4") bcd[2] d;
                @since(2) @default(1234) bcd[2] e;
            }
            """,
            """
            a.wire:2:14: error: this example has 4 bytes, 3 are allowed
                @example("abcd") char[3] a;
                         ^^^^^^
            help: shorten it, or raise the limit
            a.wire:3:14: error: this cannot be the field's example
                @example("a ") @pad(0x20) char[3] b;
                         ^^^^
            help: the byte of `@pad` is taken off the end of a text
            a.wire:4:14: error: this cannot be the field's example
                @example("123") bcd[2] c;
                         ^^^^^
            help: it is a string of 4 digits: `"0000"`
            a.wire:5:14: error: this cannot be the field's example
                @example("12x4") bcd[2] d;
                         ^^^^^^
            help: it is a string of 4 digits: `"0000"`
            a.wire:6:24: error: this cannot be the field's default
                @since(2) @default(1234) bcd[2] e;
                                   ^^^^
            help: it is a string of 4 digits: `"0000"`
            """),
    ]

    @Test func `declared types may be called char and bcd, and fields too`() throws {
        let description = try describe(
            """
            struct char { uint8 a; }
            enum bcd : uint8 { char = 0; }
            message Cs_1 { char[4] char; bcd[2] bcd; char pad; }
            """)
        #expect(
            description.messages[0].fields.map(\.type) == [
                .fixedList(.structure(0), count: 4), .fixedList(.enumeration(0, .bigEndian), count: 2), .structure(0),
            ])
    }
}
