// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec
import WirelineSchema

/// Refused: `@size`.
struct SizedFieldRefusalTests {
    @Test(arguments: refusals)
    func `each problem is reported once, in full`(refusal: Refusal) {
        #expect(problems(refusal.source) == refusal.report)
    }

    static let refusals: [Refusal] = [
        Refusal(
            "sizes that no field has",
            """
            message Cs_1 { @size(0) bytes a; @size(65536) string b; @size(int64) bytes c; }
            """,
            """
            a.wire:1:22: error: `@size` takes 1 to 65535 bytes
            message Cs_1 { @size(0) bytes a; @size(65536) string b; @size(int64) bytes c; }
                                 ^
            help: a size that varies has a prefix: `@size(uint32)`
            a.wire:1:40: error: `@size` takes 1 to 65535 bytes
            message Cs_1 { @size(0) bytes a; @size(65536) string b; @size(int64) bytes c; }
                                                   ^^^^^
            help: a size that varies has a prefix: `@size(uint32)`
            a.wire:1:63: error: `int64` cannot hold a size
            message Cs_1 { @size(0) bytes a; @size(65536) string b; @size(int64) bytes c; }
                                                                          ^^^^^
            help: it is `uint8`, `uint16`, `uint32` or `varint`, or a number of bytes or an integer field before this one; for a value that may be absent it is `int16`, `int32` or `zigzag`
            """),
        Refusal(
            "text of 16-bit units that does not fit its bytes",
            """
            message Cs_1 {
                @utf16 @size(5) string a;
                @since(1) @default("ab") @utf16 @size(6) string b;
                @since(1) @utf16 @size(6) string c;
                @since(1) @example("abc") @max(2) @utf16 @size(uint8) string d;
            }
            """,
            """
            a.wire:2:28: error: 16-bit units cannot fill the 5 bytes of `a`
                @utf16 @size(5) string a;
                                       ^
            help: make its `@size` a multiple of 2
            a.wire:3:24: error: this cannot be the field's default
                @since(1) @default("ab") @utf16 @size(6) string b;
                                   ^^^^
            help: `@size` gives it 6 bytes, and this has 4
            a.wire:4:38: error: `c` is zero when it is missing, but `@size` gives it 6 bytes
                @since(1) @utf16 @size(6) string c;
                                                 ^
            help: say what it is then: `@default(…)`
            a.wire:5:24: error: this example has 3 16-bit units, 2 are allowed
                @since(1) @example("abc") @max(2) @utf16 @size(uint8) string d;
                                   ^^^^^
            help: shorten it, or raise the limit
            """),
        Refusal(
            "a type that has no size of its own",
            """
            message Cs_1 { @size(4) uint32 a; @size(8) uint8[8] b; @size(4) @count(uint8) uint8[] c; }
            """,
            """
            a.wire:1:16: error: `@size` does not go with `uint32`
            message Cs_1 { @size(4) uint32 a; @size(8) uint8[8] b; @size(4) @count(uint8) uint8[] c; }
                           ^^^^^^^^
            help: it says how many bytes a string, bytes, a list, a struct or a union take
            a.wire:1:35: error: `@size` does not go with `uint8[8]`
            message Cs_1 { @size(4) uint32 a; @size(8) uint8[8] b; @size(4) @count(uint8) uint8[] c; }
                                              ^^^^^^^^
            help: it says how many bytes a string, bytes, a list, a struct or a union take
            a.wire:1:56: error: `@count` and `@size` exclude each other
            message Cs_1 { @size(4) uint32 a; @size(8) uint8[8] b; @size(4) @count(uint8) uint8[] c; }
                                                                   ^^^^^^^^
            help: something ends in one way: remove one of them
            """),
        Refusal(
            "fewer items than fill their size",
            """
            message Cs_1 { @size(24) @max(1) uint8[] a; }
            """,
            """
            a.wire:1:42: error: 24 items fill `a`, and `@max` allows 1
            message Cs_1 { @size(24) @max(1) uint8[] a; }
                                                     ^
            help: drop `@max`: `@size` says how many there are
            """),
        Refusal(
            "content that cannot fill its bytes",
            """
            struct S { uint32 a; uint32 b; }
            message Cs_1 { @size(5) uint16[] a; @size(7) S b; }
            """,
            """
            a.wire:2:34: error: items of 2 bytes cannot fill the 5 bytes of `a`
            message Cs_1 { @size(5) uint16[] a; @size(7) S b; }
                                             ^
            help: make its `@size` a multiple of 2
            a.wire:2:48: error: `b` takes at least 8 bytes, and `@size` gives it 7
            message Cs_1 { @size(5) uint16[] a; @size(7) S b; }
                                                           ^
            help: raise its `@size`
            """),
        Refusal(
            "a field of a size without a zero",
            """
            message Cs_1 { uint8 a; @since(1) @size(4) string b; @since(1) @default("abc") @size(4) string c; }
            """,
            """
            a.wire:1:51: error: `b` is zero when it is missing, but `@size` gives it 4 bytes
            message Cs_1 { uint8 a; @since(1) @size(4) string b; @since(1) @default("abc") @size(4) string c; }
                                                              ^
            help: say what it is then: `@default(…)`
            a.wire:1:73: error: this cannot be the field's default
            message Cs_1 { uint8 a; @since(1) @size(4) string b; @since(1) @default("abc") @size(4) string c; }
                                                                                    ^^^^^
            help: `@size` gives it 4 bytes, and this has 3
            """),
        Refusal(
            "what follows the rest of a struct",
            """
            struct S sized(uint8) { @rest bytes a; uint8 b; }
            message Cs_1 { S a; }
            """,
            """
            a.wire:1:37: error: `a` goes to the end of the payload, but `b` follows
            struct S sized(uint8) { @rest bytes a; uint8 b; }
                                                ^
            help: move it to the end of the struct
            """),
        Refusal(
            "a union whose tag stands elsewhere and that does not fit",
            """
            union U : uint32 { 0: uint16 a; 1: uint32 b; }
            message Cs_1 { uint32 kind; @size(1) @tag(kind) U u; }
            message Cs_2 { uint32 kind; @size(2) @tag(kind) U u; }
            """,
            """
            a.wire:2:51: error: `u` takes at least 2 bytes, and `@size` gives it 1
            message Cs_1 { uint32 kind; @size(1) @tag(kind) U u; }
                                                              ^
            help: raise its `@size`
            """),
    ]
}
