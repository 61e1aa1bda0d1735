// SPDX-License-Identifier: Apache-2.0

import Testing

/// Refused: enums, flags and constants.
struct EnumerationRefusalTests {
    @Test(arguments: refusals)
    func `each problem is reported once, in full`(refusal: Refusal) {
        #expect(problems(refusal.source) == refusal.report)
    }

    static let refusals: [Refusal] = [
        Refusal(
            "a value that does not fit",
            """
            enum E : uint8 { a = 256; b = -1; c = 1.5; }
            enum F : int8 { a = -129; b = 128; }
            """,
            """
            a.wire:1:22: error: 256 does not fit in `uint8`
            enum E : uint8 { a = 256; b = -1; c = 1.5; }
                                 ^^^
            help: `uint8` goes from 0 to 255
            a.wire:1:31: error: -1 does not fit in `uint8`
            enum E : uint8 { a = 256; b = -1; c = 1.5; }
                                          ^^
            help: `uint8` goes from 0 to 255
            a.wire:1:39: error: a whole number is expected
            enum E : uint8 { a = 256; b = -1; c = 1.5; }
                                                  ^^^
            help: leave the fraction out
            a.wire:2:21: error: -129 does not fit in `int8`
            enum F : int8 { a = -129; b = 128; }
                                ^^^^
            help: `int8` goes from -128 to 127
            a.wire:2:31: error: 128 does not fit in `int8`
            enum F : int8 { a = -129; b = 128; }
                                          ^^^
            help: `int8` goes from -128 to 127
            """),
        Refusal(
            "one value twice",
            """
            enum E : uint8 { a = 1; b = 1; }
            """,
            """
            a.wire:1:29: error: `a` and `b` are both 1
            enum E : uint8 { a = 1; b = 1; }
                                        ^
            help: each number has one name
            """),
        Refusal(
            "a reserved value",
            """
            enum E : int8 { a = 1; b = -3; reserved 1, -5 to -2; }
            """,
            """
            a.wire:1:21: error: `a` has the reserved value 1
            enum E : int8 { a = 1; b = -3; reserved 1, -5 to -2; }
                                ^
            help: choose a number that no old program knows
            a.wire:1:28: error: `b` has the reserved value -3
            enum E : int8 { a = 1; b = -3; reserved 1, -5 to -2; }
                                       ^^
            help: choose a number that no old program knows
            """),
        Refusal(
            "a reserved range upside down",
            """
            enum E : uint8 { a = 1; reserved 5 to 3; reserved 1.5; }
            """,
            """
            a.wire:1:34: error: the range 5 to 3 is upside down
            enum E : uint8 { a = 1; reserved 5 to 3; reserved 1.5; }
                                             ^^^^^^
            help: write `3 to 5`
            a.wire:1:51: error: reserved numbers are whole
            enum E : uint8 { a = 1; reserved 5 to 3; reserved 1.5; }
                                                              ^^^
            help: as in `reserved 3, 10 to 19;`
            """),
        Refusal(
            "a type that is no integer",
            """
            enum E : string { a = 1; }
            flags F : Unit8 { a = 1; }
            """,
            """
            a.wire:1:10: error: `string` is not an integer type
            enum E : string { a = 1; }
                     ^^^^^^
            help: the integer types are `uint1` to `uint64` and `int1` to `int64`
            a.wire:2:11: error: `Unit8` is not an integer type
            flags F : Unit8 { a = 1; }
                      ^^^^^
            help: did you mean `uint8`?
            """),
        Refusal(
            "no cases",
            """
            enum E : uint8 { }
            flags F : uint8 { }
            """,
            """
            a.wire:1:6: error: `E` has no cases
            enum E : uint8 { }
                 ^
            help: use `uint8` where no number has a name
            a.wire:2:7: error: `F` has no flags
            flags F : uint8 { }
                  ^
            help: use `uint8` where no number has a name
            """),
        Refusal(
            "a flag without a bit",
            """
            flags F : uint8 { none = 0; }
            """,
            """
            a.wire:1:26: error: flag `none` has no bit
            flags F : uint8 { none = 0; }
                                     ^
            help: a flag is a mask such as `0x1`; no flags at all needs no name
            """),
        Refusal(
            "a flag that does not fit",
            """
            flags F : uint8 { a = 0x100; b = -1; }
            """,
            """
            a.wire:1:23: error: 256 does not fit in `uint8`
            flags F : uint8 { a = 0x100; b = -1; }
                                  ^^^^^
            help: `uint8` goes from 0 to 255
            a.wire:1:34: error: -1 does not fit in `uint8`
            flags F : uint8 { a = 0x100; b = -1; }
                                             ^^
            help: `uint8` goes from 0 to 255
            """),
        Refusal(
            "flags with a sign",
            """
            flags F : int16 { a = 1; }
            """,
            """
            a.wire:1:11: error: flags stand in an unsigned integer, not in `int16`
            flags F : int16 { a = 1; }
                      ^^^^^
            help: write `uint16`
            """),
        Refusal(
            "flags that reserve",
            """
            flags F : uint8 { a = 1; reserved 2; }
            """,
            """
            a.wire:1:35: error: flags have no reserved values
            flags F : uint8 { a = 1; reserved 2; }
                                              ^
            help: unknown bits are kept: leave the line out
            """),
        Refusal(
            "a constant that does not fit",
            """
            const uint8 seats = 256;
            message Cs_1 { uint8[seats] a; }
            """,
            """
            a.wire:1:21: error: 256 does not fit in `uint8`
            const uint8 seats = 256;
                                ^^^
            help: `uint8` goes from 0 to 255
            """),
        Refusal(
            "a constant that is no integer",
            """
            const float pi = 3;
            const uint8 half = 0.5;
            """,
            """
            a.wire:1:7: error: `float` is not an integer type
            const float pi = 3;
                  ^^^^^
            help: the integer types are `uint1` to `uint64` and `int1` to `int64`
            a.wire:2:20: error: a whole number is expected
            const uint8 half = 0.5;
                               ^^^
            help: leave the fraction out
            """),
    ]
}
