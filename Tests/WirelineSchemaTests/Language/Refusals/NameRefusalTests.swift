// SPDX-License-Identifier: Apache-2.0

import Testing

/// Refused: names that are unknown, or declared more than once.
struct NameRefusalTests {
    @Test(arguments: refusals)
    func `each problem is reported once, in full`(refusal: Refusal) {
        #expect(problems(refusal.source) == refusal.report)
    }

    static let refusals: [Refusal] = [
        Refusal(
            "a misspelt type",
            """
            message Cs_1 { Strng a; uimt32 b; Piont c; }
            struct Point { uint8 x; }
            """,
            """
            a.wire:1:16: error: unknown type `Strng`
            message Cs_1 { Strng a; uimt32 b; Piont c; }
                           ^^^^^
            help: did you mean `String`?
            a.wire:1:25: error: unknown type `uimt32`
            message Cs_1 { Strng a; uimt32 b; Piont c; }
                                    ^^^^^^
            help: did you mean `uint32`?
            a.wire:1:35: error: unknown type `Piont`
            message Cs_1 { Strng a; uimt32 b; Piont c; }
                                              ^^^^^
            help: did you mean `Point`?
            """),
        Refusal(
            "types of other languages",
            """
            message Cs_1 { int a; Byte b; str c; boolean d; UINT8 e; }
            """,
            """
            a.wire:1:16: error: unknown type `int`
            message Cs_1 { int a; Byte b; str c; boolean d; UINT8 e; }
                           ^^^
            help: did you mean `int32`?
            a.wire:1:23: error: unknown type `Byte`
            message Cs_1 { int a; Byte b; str c; boolean d; UINT8 e; }
                                  ^^^^
            help: did you mean `uint8`?
            a.wire:1:31: error: unknown type `str`
            message Cs_1 { int a; Byte b; str c; boolean d; UINT8 e; }
                                          ^^^
            help: did you mean `string`?
            a.wire:1:38: error: unknown type `boolean`
            message Cs_1 { int a; Byte b; str c; boolean d; UINT8 e; }
                                                 ^^^^^^^
            help: did you mean `bool`?
            a.wire:1:49: error: unknown type `UINT8`
            message Cs_1 { int a; Byte b; str c; boolean d; UINT8 e; }
                                                            ^^^^^
            help: did you mean `uint8`?
            """),
        Refusal(
            "an unknown type, once however often it is used",
            """
            message Cs_1 { Item a; Item[] b; }
            message Cs_2 { Item a; Item b; Item c; Item d; }
            """,
            """
            a.wire:1:16: error: unknown type `Item`
            message Cs_1 { Item a; Item[] b; }
                           ^^^^
            help: declare it: `struct Item { … }` (also in a.wire:1, a.wire:2, a.wire:2 and 2 more places)
            """),
        Refusal(
            "a type that is a message",
            """
            message Cs_1 { }
            message Cs_2 { Cs_1 a; }
            """,
            """
            a.wire:2:16: error: `Cs_1` is a message, not a type
            message Cs_2 { Cs_1 a; }
                           ^^^^
            help: declare a `struct` for what messages share
            """),
        Refusal(
            "a type that is a constant",
            """
            const uint8 seats = 4;
            message Cs_2 { seats a; }
            """,
            """
            a.wire:2:16: error: `seats` is a constant, not a type
            message Cs_2 { seats a; }
                           ^^^^^
            help: declare a `struct` for what messages share
            """),
        Refusal(
            "an unknown constant",
            """
            const uint8 seats = 4;
            message Cs_1 { uint8[seat] a; uint8[rows] b; }
            """,
            """
            a.wire:2:22: error: unknown constant `seat`
            message Cs_1 { uint8[seat] a; uint8[rows] b; }
                                 ^^^^
            help: did you mean `seats`?
            a.wire:2:37: error: unknown constant `rows`
            message Cs_1 { uint8[seat] a; uint8[rows] b; }
                                                ^^^^
            help: declare it: `const uint8 rows = 4;`
            """),
        Refusal(
            "a count that is not a constant",
            """
            struct Point { uint8 x; }
            message Cs_1 { uint8[Point] a; }
            """,
            """
            a.wire:2:22: error: `Point` is a struct, not a constant
            message Cs_1 { uint8[Point] a; }
                                 ^^^^^
            help: declare one: `const uint8 seats = 4;`
            """),
        Refusal(
            "two declarations of one name",
            """
            struct A { uint8 a; }
            enum A : uint8 { a = 0; }
            """,
            """
            a.wire:2:6: error: `A` is declared twice; first in a.wire:1
            enum A : uint8 { a = 0; }
                 ^
            help: rename or remove one of them
            """),
        Refusal(
            "a declaration with the name of a type",
            """
            struct uint8 { bool a; }
            """,
            """
            a.wire:1:8: error: `uint8` is a type of the language
            struct uint8 { bool a; }
                   ^^^^^
            help: choose another name
            """),
        Refusal(
            "two fields of one name",
            """
            message Cs_1 {
                uint8 a;
                uint8 a;
            }
            """,
            """
            a.wire:3:11: error: field `a` is declared twice; first in a.wire:2
                uint8 a;
                      ^
            help: rename or remove one of them
            """),
        Refusal(
            "two cases of one name",
            """
            enum E : uint8 { a = 0; a = 1; }
            """,
            """
            a.wire:1:25: error: case `a` is declared twice; first in a.wire:1
            enum E : uint8 { a = 0; a = 1; }
                                    ^
            help: rename or remove one of them
            """),
        Refusal(
            "two flags of one name",
            """
            flags F : uint8 { a = 1; a = 2; }
            """,
            """
            a.wire:1:26: error: flag `a` is declared twice; first in a.wire:1
            flags F : uint8 { a = 1; a = 2; }
                                     ^
            help: rename or remove one of them
            """),
        Refusal(
            "a `@name` that is taken by a field",
            """
            message Cs_1 { uint8 a; @name(a) uint8 b; }
            """,
            """
            a.wire:1:31: error: the name `a` is taken in a.wire:1
            message Cs_1 { uint8 a; @name(a) uint8 b; }
                                          ^
            help: choose another name
            """),
        Refusal(
            "a `@name` that is taken by a declaration",
            """
            struct A { uint8 a; }
            @name(A) message Cs_1 { }
            """,
            """
            a.wire:2:7: error: the name `A` is taken in a.wire:1
            @name(A) message Cs_1 { }
                  ^
            help: choose another name
            """),
        Refusal(
            "a `@name` that is given twice",
            """
            @name(Enter) message Cs_1 { }
            @name(Enter) message Cs_2 { }
            """,
            """
            a.wire:2:7: error: the name `Enter` is taken in a.wire:1
            @name(Enter) message Cs_2 { }
                  ^^^^^
            help: choose another name
            """),
        Refusal(
            "field numbers that do not ascend",
            """
            message Cs_1 { uint8 a = 2; uint8 b = 2; uint8 c = 1; }
            """,
            """
            a.wire:1:39: error: field number 2 stands after 2
            message Cs_1 { uint8 a = 2; uint8 b = 2; uint8 c = 1; }
                                                  ^
            help: fields stand on the wire in the order of their lines: number them upwards, or leave the numbers out
            a.wire:1:52: error: field number 1 stands after 2
            message Cs_1 { uint8 a = 2; uint8 b = 2; uint8 c = 1; }
                                                               ^
            help: fields stand on the wire in the order of their lines: number them upwards, or leave the numbers out
            """),
        Refusal(
            "field numbers that are not field numbers",
            """
            message Cs_1 { uint8 a = -1; uint8 b = 1.5; uint8 c = 2147483648; }
            """,
            """
            a.wire:1:26: error: a field's number is a whole number from 0 to 2147483647
            message Cs_1 { uint8 a = -1; uint8 b = 1.5; uint8 c = 2147483648; }
                                     ^^
            help: leave it out: the order on the wire is that of the lines
            a.wire:1:40: error: a field's number is a whole number from 0 to 2147483647
            message Cs_1 { uint8 a = -1; uint8 b = 1.5; uint8 c = 2147483648; }
                                                   ^^^
            help: leave it out: the order on the wire is that of the lines
            a.wire:1:55: error: a field's number is a whole number from 0 to 2147483647
            message Cs_1 { uint8 a = -1; uint8 b = 1.5; uint8 c = 2147483648; }
                                                                  ^^^^^^^^^^
            help: leave it out: the order on the wire is that of the lines
            """),
    ]
}
