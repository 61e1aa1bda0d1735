// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineSchema

/// Refused: integers of a part of a byte where they cannot stand.
struct PackingRefusalTests {
    @Test(arguments: refusals)
    func `each problem is reported once, in full`(refusal: Refusal) {
        #expect(problems(refusal.source) == refusal.report)
    }

    static let refusals: [Refusal] = [
        Refusal(
            "a message that ends inside a byte",
            """
            message Cs_1 { uint4 a; bit b; }
            """,
            """
            a.wire:1:29: error: the message ends inside a byte: `a` to `b` take 5 bits
            message Cs_1 { uint4 a; bit b; }
                                        ^
            help: add 3 bits, such as `uint3 reserved;`
            """),
        Refusal(
            "a struct that ends inside a byte",
            """
            struct S { uint8 a; uint31 b; } message Cs_1 { S a; }
            """,
            """
            a.wire:1:28: error: the struct ends inside a byte: `b` takes 31 bits
            struct S { uint8 a; uint31 b; } message Cs_1 { S a; }
                                       ^
            help: add 1 bit, such as `uint1 reserved;`
            """),
        Refusal(
            "a text, a list or a `bool` inside a byte",
            """
            message Cs_1 { uint4 a; string b; }
            message Cs_2 { bit a; uint8[2] b; }
            message Cs_3 { uint4 a; bool b; uint4 c; }
            """,
            """
            a.wire:1:32: error: `b` would begin inside a byte: `a` takes 4 bits
            message Cs_1 { uint4 a; string b; }
                                           ^
            help: only integers, `bit`, enums and flags share bytes; before it, add 4 bits, such as `uint4 reserved;`
            a.wire:2:32: error: `b` would begin inside a byte: `a` takes 1 bit
            message Cs_2 { bit a; uint8[2] b; }
                                           ^
            help: only integers, `bit`, enums and flags share bytes; before it, add 7 bits, such as `uint7 reserved;`
            a.wire:3:30: error: `b` would begin inside a byte: `a` takes 4 bits
            message Cs_3 { uint4 a; bool b; uint4 c; }
                                         ^
            help: only integers, `bit`, enums and flags share bytes; before it, add 4 bits, such as `uint4 reserved;`
            """),
        Refusal(
            "a run of more than 64 bits",
            """
            message Cs_1 { uint4 a; uint60 b; uint4 c; uint64 d; uint4 e; }
            """,
            """
            a.wire:1:51: error: `c` to `d` share bytes over more than 64 bits
            message Cs_1 { uint4 a; uint60 b; uint4 c; uint64 d; uint4 e; }
                                                              ^
            help: order them so that a field ends at the end of a byte at least every 64 bits
            """),
        Refusal(
            "two byte orders in one run",
            """
            message Cs_1 { @little uint12 a; uint4 b; }
            """,
            """
            a.wire:1:40: error: `b` shares bytes with `a`, which has the other byte order
            message Cs_1 { @little uint12 a; uint4 b; }
                                                   ^
            help: fields that share bytes are one number: give all of them the same byte order
            """),
        Refusal(
            "lists of parts of a byte",
            """
            enum E : uint2 { a = 0; } message Cs_1 { uint4[2] a; repeated bit b; E[] c; }
            """,
            """
            a.wire:1:42: error: a list of `uint4` is not possible: its items would begin inside a byte
            enum E : uint2 { a = 0; } message Cs_1 { uint4[2] a; repeated bit b; E[] c; }
                                                     ^^^^^^^^
            help: put 2 of them, or other fields up to the end of a byte, into a struct, and use a list of that
            a.wire:1:63: error: a list of `bit` is not possible: its items would begin inside a byte
            enum E : uint2 { a = 0; } message Cs_1 { uint4[2] a; repeated bit b; E[] c; }
                                                                          ^^^
            help: put 8 of them, or other fields up to the end of a byte, into a struct, and use a list of that
            a.wire:1:70: error: a list of `E` is not possible: its items would begin inside a byte
            enum E : uint2 { a = 0; } message Cs_1 { uint4[2] a; repeated bit b; E[] c; }
                                                                                 ^^^
            help: put 4 of them, or other fields up to the end of a byte, into a struct, and use a list of that
            """),
        Refusal(
            "parts of a byte that may be missing",
            """
            message Cs_1 { uint8 a; optional uint4 b; }
            message Cs_2 { uint8 a; @since(2) uint4 b; }
            """,
            """
            a.wire:1:25: error: `b` takes a part of a byte, so it cannot be missing
            message Cs_1 { uint8 a; optional uint4 b; }
                                    ^^^^^^^^
            help: give it whole bytes, or put it into a struct with the fields that share its bytes
            a.wire:2:41: error: `b` takes a part of a byte, so it cannot be missing
            message Cs_2 { uint8 a; @since(2) uint4 b; }
                                                    ^
            help: give it whole bytes, or put it into a struct with the fields that share its bytes
            """),
        Refusal(
            "integers of no bits and of too many",
            """
            message Cs_1 { uint0 a; int65 b; }
            enum E : uint128 { a = 0; }
            """,
            """
            a.wire:1:16: error: unknown type `uint0`
            message Cs_1 { uint0 a; int65 b; }
                           ^^^^^
            help: an integer has 1 to 64 bits
            a.wire:1:25: error: unknown type `int65`
            message Cs_1 { uint0 a; int65 b; }
                                    ^^^^^
            help: an integer has 1 to 64 bits
            a.wire:2:10: error: `uint128` is not an integer type
            enum E : uint128 { a = 0; }
                     ^^^^^^^
            help: the integer types are `uint1` to `uint64` and `int1` to `int64`
            """),
        Refusal(
            "a byte order that changes nothing",
            """
            message Cs_1 { @little uint4 a; uint4 b; @big uint12 c; @big uint4 d; @little uint8 e; }
            """,
            """
            a.wire:1:16: warning: `@little` changes nothing before `uint4`
            message Cs_1 { @little uint4 a; uint4 b; @big uint12 c; @big uint4 d; @little uint8 e; }
                           ^^^^^^^
            help: nothing of it is a number of several bytes: leave it out
            a.wire:1:39: error: `b` shares bytes with `a`, which has the other byte order
            message Cs_1 { @little uint4 a; uint4 b; @big uint12 c; @big uint4 d; @little uint8 e; }
                                                  ^
            help: fields that share bytes are one number: give all of them the same byte order
            a.wire:1:71: warning: `@little` changes nothing before `uint8`
            message Cs_1 { @little uint4 a; uint4 b; @big uint12 c; @big uint4 d; @little uint8 e; }
                                                                                  ^^^^^^^
            help: nothing of it is a number of several bytes: leave it out
            """),
        Refusal(
            "values that are none of a few bits",
            """
            enum E : uint2 { a = 4; }
            flags F : int3 { x = 1; }
            message Cs_1 { @range(0..16) uint4 a; @example(1) bit b; @example(8) uint3 c; }
            """,
            """
            a.wire:1:22: error: 4 does not fit in `uint2`
            enum E : uint2 { a = 4; }
                                 ^
            help: `uint2` goes from 0 to 3
            a.wire:2:11: error: flags stand in an unsigned integer, not in `int3`
            flags F : int3 { x = 1; }
                      ^^^^
            help: write `uint3`
            a.wire:3:26: error: 16 does not fit in `uint4`
            message Cs_1 { @range(0..16) uint4 a; @example(1) bit b; @example(8) uint3 c; }
                                     ^^
            help: `uint4` goes from 0 to 15
            a.wire:3:48: error: this cannot be the field's example
            message Cs_1 { @range(0..16) uint4 a; @example(1) bit b; @example(8) uint3 c; }
                                                           ^
            help: it is `true` or `false`
            a.wire:3:67: error: this cannot be the field's example
            message Cs_1 { @range(0..16) uint4 a; @example(1) bit b; @example(8) uint3 c; }
                                                                              ^
            help: it is a whole number from 0 to 7
            """),
        Refusal(
            "what a faulty part hides",
            """
            enum E : uint99 { a = 0; }
            message Cs_1 { uint4 a; E b; }
            message Cs_2 { uint4 a; Unknown b; }
            """,
            """
            a.wire:1:10: error: `uint99` is not an integer type
            enum E : uint99 { a = 0; }
                     ^^^^^^
            help: the integer types are `uint1` to `uint64` and `int1` to `int64`
            a.wire:3:25: error: unknown type `Unknown`
            message Cs_2 { uint4 a; Unknown b; }
                                    ^^^^^^^
            help: declare it: `struct Unknown { … }`
            """),
    ]
}
