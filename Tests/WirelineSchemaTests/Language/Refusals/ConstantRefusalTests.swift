// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineSchema

/// Refused: `@constant` in messages and structs.
struct ConstantRefusalTests {
    @Test(arguments: refusals)
    func `each problem is reported once, in full`(refusal: Refusal) {
        #expect(problems(refusal.source) == refusal.report)
    }

    static let refusals: [Refusal] = [
        Refusal(
            "types without constants",
            """
            message Cs_1 { @constant(1) varint a; @constant("x") string b; @constant(1) uint8[2] c; }
            """,
            """
            a.wire:1:16: error: `@constant` does not go with `varint`
            message Cs_1 { @constant(1) varint a; @constant("x") string b; @constant(1) uint8[2] c; }
                           ^^^^^^^^^^^^
            help: it goes with an integer, a `bit`, a `bool`, an enum or a `char[n]`
            a.wire:1:39: error: `@constant` does not go with `string`
            message Cs_1 { @constant(1) varint a; @constant("x") string b; @constant(1) uint8[2] c; }
                                                  ^^^^^^^^^^^^^^
            help: it goes with an integer, a `bit`, a `bool`, an enum or a `char[n]`
            a.wire:1:64: error: `@constant` does not go with `uint8[2]`
            message Cs_1 { @constant(1) varint a; @constant("x") string b; @constant(1) uint8[2] c; }
                                                                           ^^^^^^^^^^^^
            help: it goes with an integer, a `bit`, a `bool`, an enum or a `char[n]`
            """),
        Refusal(
            "values that the field cannot have",
            """
            message Cs_1 { @constant(256) uint8 a; @constant(1) bool b; @constant("abc") char[2] c; @constant(z) E d; }
            enum E : uint8 { y = 1; }
            """,
            """
            a.wire:1:26: error: this cannot be the field's constant
            message Cs_1 { @constant(256) uint8 a; @constant(1) bool b; @constant("abc") char[2] c; @constant(z) E d; }
                                     ^^^
            help: it is a whole number from 0 to 255
            a.wire:1:50: error: this cannot be the field's constant
            message Cs_1 { @constant(256) uint8 a; @constant(1) bool b; @constant("abc") char[2] c; @constant(z) E d; }
                                                             ^
            help: it is `true` or `false`
            a.wire:1:71: error: this constant has 3 bytes, 2 are allowed
            message Cs_1 { @constant(256) uint8 a; @constant(1) bool b; @constant("abc") char[2] c; @constant(z) E d; }
                                                                                  ^^^^^
            help: shorten it, or raise the limit
            a.wire:1:99: error: `E` has no `z`
            message Cs_1 { @constant(256) uint8 a; @constant(1) bool b; @constant("abc") char[2] c; @constant(z) E d; }
                                                                                                              ^
            help: it has `y`
            """),
        Refusal(
            "constants that share bytes, of values that their bits cannot have",
            """
            message Cs_1 { @constant(16) uint4 a; @constant(-5) int3 b; @constant(1) bit c; @constant(2) uint8 d; }
            """,
            """
            a.wire:1:26: error: this cannot be the field's constant
            message Cs_1 { @constant(16) uint4 a; @constant(-5) int3 b; @constant(1) bit c; @constant(2) uint8 d; }
                                     ^^
            help: it is a whole number from 0 to 15
            a.wire:1:49: error: this cannot be the field's constant
            message Cs_1 { @constant(16) uint4 a; @constant(-5) int3 b; @constant(1) bit c; @constant(2) uint8 d; }
                                                            ^^
            help: it is a whole number from -4 to 3
            a.wire:1:71: error: this cannot be the field's constant
            message Cs_1 { @constant(16) uint4 a; @constant(-5) int3 b; @constant(1) bit c; @constant(2) uint8 d; }
                                                                                  ^
            help: it is `true` or `false`
            """),
        Refusal(
            "flags that are always the same",
            """
            message Cs_1 { @constant(a) F f; uint5 g; } flags F : uint3 { a = 1; }
            """,
            """
            a.wire:1:16: error: `@constant` does not go with `F`
            message Cs_1 { @constant(a) F f; uint5 g; } flags F : uint3 { a = 1; }
                           ^^^^^^^^^^^^
            help: it goes with an integer, a `bit`, a `bool`, an enum or a `char[n]`
            """),
        Refusal(
            "constants that may be missing, or that programs could set",
            """
            message Cs_1 { @constant(1) @range(0..1) uint8 a; @constant(1) @since(2) uint8 b; @constant(1) optional uint8 c; }
            """,
            """
            a.wire:1:29: error: `@constant` and `@range` exclude each other
            message Cs_1 { @constant(1) @range(0..1) uint8 a; @constant(1) @since(2) uint8 b; @constant(1) optional uint8 c; }
                                        ^^^^^^^^^^^^
            help: a constant is in every packet, and no program sees it
            a.wire:1:64: error: `@constant` and `@since` exclude each other
            message Cs_1 { @constant(1) @range(0..1) uint8 a; @constant(1) @since(2) uint8 b; @constant(1) optional uint8 c; }
                                                                           ^^^^^^^^^
            help: a constant is in every packet, and no program sees it
            a.wire:1:96: error: a constant is in every packet
            message Cs_1 { @constant(1) @range(0..1) uint8 a; @constant(1) @since(2) uint8 b; @constant(1) optional uint8 c; }
                                                                                                           ^^^^^^^^
            help: leave `optional` out
            """),
    ]
}
