// SPDX-License-Identifier: Apache-2.0

import Testing

/// Refused: texts that attributes give to fields of the packet.
struct HeaderTextRefusalTests {
    @Test(arguments: refusals)
    func `each problem is reported once, in full`(refusal: Refusal) {
        #expect(problems("packet { @length(rest) uint8 length;\n" + refusal.source) == refusal.report)
    }

    static let refusals: [Refusal] = [
        Refusal(
            "a constant that is too long",
            """
            @constant("ZBXD1") char[4] magic; }
            """,
            """
            a.wire:2:11: error: this constant has 5 bytes, 4 are allowed
            @constant("ZBXD1") char[4] magic; }
                      ^^^^^^^
            help: shorten it, or raise the limit
            """),
        Refusal(
            "a default that is too long",
            """
            @default("éé") char[3] place; }
            """,
            """
            a.wire:2:10: error: this default has 4 bytes, 3 are allowed
            @default("éé") char[3] place; }
                     ^^^^
            help: shorten it, or raise the limit
            """),
        Refusal(
            "a text that would be read otherwise",
            """
            @constant("end ") @pad(0x20) char[8] end; }
            """,
            """
            a.wire:2:11: error: this cannot be the field's constant
            @constant("end ") @pad(0x20) char[8] end; }
                      ^^^^^^
            help: the byte of `@pad` is taken off the end of a text
            """),
        Refusal(
            "values of another kind",
            """
            @constant(1) char[4] a; @default(no) char[4] b; @default(1) bcd[1] c; @default("1") uint8 d; }
            """,
            """
            a.wire:2:11: error: this cannot be the field's constant
            @constant(1) char[4] a; @default(no) char[4] b; @default(1) bcd[1] c; @default("1") uint8 d; }
                      ^
            help: it is a string: `"…"`
            a.wire:2:34: error: this cannot be the field's default
            @constant(1) char[4] a; @default(no) char[4] b; @default(1) bcd[1] c; @default("1") uint8 d; }
                                             ^^
            help: it is a string: `"…"`
            a.wire:2:58: error: this cannot be the field's default
            @constant(1) char[4] a; @default(no) char[4] b; @default(1) bcd[1] c; @default("1") uint8 d; }
                                                                     ^
            help: it is a string of 2 digits: `"00"`
            a.wire:2:80: error: `uint8` cannot hold this value
            @constant(1) char[4] a; @default(no) char[4] b; @default(1) bcd[1] c; @default("1") uint8 d; }
                                                                                           ^^^
            help: it holds a whole number from 0 to 255
            """),
        Refusal(
            "digits that are none, and too few of them",
            """
            @default("12a4") bcd[2] a; @default("123") bcd[2] b; }
            """,
            """
            a.wire:2:10: error: this cannot be the field's default
            @default("12a4") bcd[2] a; @default("123") bcd[2] b; }
                     ^^^^^^
            help: it is a string of 4 digits: `"0000"`
            a.wire:2:37: error: this cannot be the field's default
            @default("12a4") bcd[2] a; @default("123") bcd[2] b; }
                                                ^^^^^
            help: it is a string of 4 digits: `"0000"`
            """),
        Refusal(
            "fields whose values have no notation",
            """
            @constant("12") bcd[1] a; @constant("a") @size(1) bytes b; @default("a") @size(1) bytes c; }
            """,
            """
            a.wire:2:1: error: `@constant` does not go with `bcd[1]`
            @constant("12") bcd[1] a; @constant("a") @size(1) bytes b; @default("a") @size(1) bytes c; }
            ^^^^^^^^^^^^^^^
            help: it goes with a number or a `char[n]`
            a.wire:2:27: error: `@constant` does not go with `bytes`
            @constant("12") bcd[1] a; @constant("a") @size(1) bytes b; @default("a") @size(1) bytes c; }
                                      ^^^^^^^^^^^^^^
            help: it goes with a number or a `char[n]`
            a.wire:2:60: error: `@default` does not go with `bytes`
            @constant("12") bcd[1] a; @constant("a") @size(1) bytes b; @default("a") @size(1) bytes c; }
                                                                       ^^^^^^^^^^^^^
            help: it goes with a number, a `char[n]` or a `bcd[n]`
            """),
        Refusal(
            "two purposes",
            """
            @constant("a") @default("a") char[1] a; }
            """,
            """
            a.wire:2:16: error: `@constant` and `@default` exclude each other
            @constant("a") @default("a") char[1] a; }
                           ^^^^^^^^^^^^^
            help: a field has one purpose
            """),
        Refusal(
            "texts that a message cannot fix",
            """
            @id uint8 id; char[2] place; bcd[2] phone; @size(2) bytes key; @constant("a") char[1] mark; }
            @id(1) @from(both) @header(place = "abc", phone = "12", key = "ab", mark = "a") message M {}
            @id(2) @from(both) @header(place = 1, phone = north, id = "a") message N {}
            """,
            """
            a.wire:3:36: error: this value has 3 bytes, 2 are allowed
            @id(1) @from(both) @header(place = "abc", phone = "12", key = "ab", mark = "a") message M {}
                                               ^^^^^
            help: shorten it, or raise the limit
            a.wire:3:51: error: this cannot be the field's value
            @id(1) @from(both) @header(place = "abc", phone = "12", key = "ab", mark = "a") message M {}
                                                              ^^^^
            help: it is a string of 4 digits: `"0000"`
            a.wire:3:57: error: a message cannot set `key`
            @id(1) @from(both) @header(place = "abc", phone = "12", key = "ab", mark = "a") message M {}
                                                                    ^^^
            help: it fixes numbers, enums, flags, `char[n]` and `bcd[n]`
            a.wire:3:69: error: a message cannot set `mark`
            @id(1) @from(both) @header(place = "abc", phone = "12", key = "ab", mark = "a") message M {}
                                                                                ^^^^
            help: IDs, lengths, sequences, constants and checksums have values of their own
            a.wire:4:36: error: this cannot be the field's value
            @id(2) @from(both) @header(place = 1, phone = north, id = "a") message N {}
                                               ^
            help: it is a string: `"…"`
            a.wire:4:47: error: this cannot be the field's value
            @id(2) @from(both) @header(place = 1, phone = north, id = "a") message N {}
                                                          ^^^^^
            help: it is a string of 4 digits: `"0000"`
            a.wire:4:54: error: a message cannot set `id`
            @id(2) @from(both) @header(place = 1, phone = north, id = "a") message N {}
                                                                 ^^
            help: IDs, lengths, sequences, constants and checksums have values of their own
            """),
    ]
}
