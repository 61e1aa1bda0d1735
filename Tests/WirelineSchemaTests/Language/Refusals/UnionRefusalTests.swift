// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec
import WirelineSchema

/// Refused: unions, and fields of unions.
struct UnionRefusalTests {
    @Test(arguments: refusals)
    func `each problem is reported once, in full`(refusal: Refusal) {
        #expect(problems(refusal.source) == refusal.report)
    }

    @Test func `a union has at most 256 arms`() {
        let arms = (0...256).map { "\($0): a\($0);" }.joined(separator: " ")
        let found = check("union U : uint16 { \(arms) }").diagnostics
        #expect(found.map(\.message) == ["`U` has 257 arms, 256 are allowed"])
        #expect(found.map(\.hint) == ["let a `default` arm keep the rare ones, or put a second tag into a struct"])
    }

    static let refusals: [Refusal] = [
        Refusal(
            "a head without its parts",
            """
            union { 1: uint8 a; }
            union U { 1: uint8 a; }
            union U : { 1: uint8 a; }
            union V : uint8 sized { 1: uint8 a; }
            union W : uint8 1: uint8 a;
            """,
            """
            a.wire:1:7: error: expected the name of the union, found `{`
            union { 1: uint8 a; }
                  ^
            a.wire:2:9: error: expected `:` after the name, found `{`
            union U { 1: uint8 a; }
                    ^
            help: say what its tag is, as in `union U : uint8 { … }`
            a.wire:3:11: error: expected the type of the tag, found `{`
            union U : { 1: uint8 a; }
                      ^
            a.wire:4:23: error: expected `(` after `sized`, found `{`
            union V : uint8 sized { 1: uint8 a; }
                                  ^
            help: as in `sized(uint16)`
            a.wire:5:17: error: expected `{` before the union's arms, found `1`
            union W : uint8 1: uint8 a;
                            ^
            """),
        Refusal(
            "arms without their parts",
            """
            union U : uint8 { uint8 a; 1: ; 2 uint8 b; 3: uint8 c 4: uint8 d; @max(3) 5: string e; 6: @max(3) text; }
            """,
            """
            a.wire:1:25: error: expected `:` after the tag, found `a`
            union U : uint8 { uint8 a; 1: ; 2 uint8 b; 3: uint8 c 4: uint8 d; @max(3) 5: string e; 6: @max(3) text; }
                                    ^
            help: an arm is a tag and a field, as in `1: uint32 mileage;`
            a.wire:1:31: error: expected a field, as in `uint8 SceneId = 1;`, found `;`
            union U : uint8 { uint8 a; 1: ; 2 uint8 b; 3: uint8 c 4: uint8 d; @max(3) 5: string e; 6: @max(3) text; }
                                          ^
            a.wire:1:35: error: expected `:` after the tag, found `uint8`
            union U : uint8 { uint8 a; 1: ; 2 uint8 b; 3: uint8 c 4: uint8 d; @max(3) 5: string e; 6: @max(3) text; }
                                              ^^^^^
            help: an arm is a tag and a field, as in `1: uint32 mileage;`
            a.wire:1:55: error: expected `;` after the field, found `4`
            union U : uint8 { uint8 a; 1: ; 2 uint8 b; 3: uint8 c 4: uint8 d; @max(3) 5: string e; 6: @max(3) text; }
                                                                  ^
            a.wire:1:67: error: expected an arm's tag, found `@`
            union U : uint8 { uint8 a; 1: ; 2 uint8 b; 3: uint8 c 4: uint8 d; @max(3) 5: string e; 6: @max(3) text; }
                                                                              ^
            help: attributes stand after the `:`, as in `1: @max(32) string text;`
            a.wire:1:103: error: expected the field's name, found `;`
            union U : uint8 { uint8 a; 1: ; 2 uint8 b; 3: uint8 c 4: uint8 d; @max(3) 5: string e; 6: @max(3) text; }
                                                                                                                  ^
            help: a field is a type and a name, as in `uint8 SceneId = 1;`
            """),
        Refusal(
            "no arms",
            """
            union U : uint8 {}
            message Cs_1 { U u; }
            """,
            """
            a.wire:1:7: error: `U` has no arms
            union U : uint8 {}
                  ^
            help: an arm is a tag and a field, as in `1: uint32 mileage;`
            """),
        Refusal(
            "types that cannot be a tag",
            """
            flags F : uint8 { f = 1; } enum Small : uint4 { a = 1; } struct S { uint8 x; }
            union A : bool { 1: uint8 a; }
            union B : uint4 { 1: uint8 a; }
            union C : zigzag { 1: uint8 a; }
            union D : F { 1: uint8 a; }
            union E : Small { a: uint8 a; }
            union G : S { 1: uint8 a; }
            union H : uin16 { 1: uint8 a; }
            union I : Smal { a: uint8 a; }
            union J : string { 1: uint8 a; }
            """,
            """
            a.wire:2:11: error: `bool` cannot be the tag of a union
            union A : bool { 1: uint8 a; }
                      ^^^^
            help: it is an integer or an enum of whole bytes, or a `varint`
            a.wire:3:11: error: `uint4` cannot be the tag of a union
            union B : uint4 { 1: uint8 a; }
                      ^^^^^
            help: it is an integer or an enum of whole bytes, or a `varint`
            a.wire:4:11: error: `zigzag` cannot be the tag of a union
            union C : zigzag { 1: uint8 a; }
                      ^^^^^^
            help: it is an integer or an enum of whole bytes, or a `varint`
            a.wire:5:11: error: `F` cannot be the tag of a union
            union D : F { 1: uint8 a; }
                      ^
            help: it is an integer or an enum of whole bytes, or a `varint`
            a.wire:6:11: error: `Small` cannot be the tag of a union
            union E : Small { a: uint8 a; }
                      ^^^^^
            help: it is an integer or an enum of whole bytes, or a `varint`
            a.wire:7:11: error: `S` cannot be the tag of a union
            union G : S { 1: uint8 a; }
                      ^
            help: it is an integer or an enum of whole bytes, or a `varint`
            a.wire:8:11: error: `uin16` cannot be the tag of a union
            union H : uin16 { 1: uint8 a; }
                      ^^^^^
            help: did you mean `uint16`?
            a.wire:9:11: error: `Smal` cannot be the tag of a union
            union I : Smal { a: uint8 a; }
                      ^^^^
            help: did you mean `Small`?
            a.wire:10:11: error: `string` cannot be the tag of a union
            union J : string { 1: uint8 a; }
                      ^^^^^^
            help: it is an integer or an enum of whole bytes, or a `varint`
            """),
        Refusal(
            "a size that is no prefix",
            """
            union U : uint8 sized(uint24) { 1: uint8 a; }
            """,
            """
            a.wire:1:23: error: `uint24` cannot hold the size of a value
            union U : uint8 sized(uint24) { 1: uint8 a; }
                                  ^^^^^^
            help: it is `uint8`, `uint16`, `uint32` or `varint`
            """),
        Refusal(
            "tags that the type does not have",
            """
            enum E : uint8 { one = 1; two = 2; }
            union U : uint8 { 256: uint8 a; -1: uint8 b; 'Q': uint8 c; one: uint8 d; }
            union V : E { one: uint8 a; tow: uint8 b; 2: uint8 c; }
            union W : varint { -1: uint8 a; 18446744073709551616: uint8 b; }
            """,
            """
            a.wire:2:19: error: 256 does not fit in `uint8`
            union U : uint8 { 256: uint8 a; -1: uint8 b; 'Q': uint8 c; one: uint8 d; }
                              ^^^
            help: `uint8` goes from 0 to 255
            a.wire:2:33: error: -1 does not fit in `uint8`
            union U : uint8 { 256: uint8 a; -1: uint8 b; 'Q': uint8 c; one: uint8 d; }
                                            ^^
            help: `uint8` goes from 0 to 255
            a.wire:2:60: error: the tags of `U` are numbers
            union U : uint8 { 256: uint8 a; -1: uint8 b; 'Q': uint8 c; one: uint8 d; }
                                                                       ^^^
            help: for names, let the tag be an enum: `union U : Kind { … }`
            a.wire:3:29: error: `E` has no `tow`
            union V : E { one: uint8 a; tow: uint8 b; 2: uint8 c; }
                                        ^^^
            help: did you mean `two`?
            a.wire:3:43: error: the tags of `V` are names of `E`
            union V : E { one: uint8 a; tow: uint8 b; 2: uint8 c; }
                                                      ^
            help: write the name; a number that has none gets one in the enum
            a.wire:4:20: error: -1 does not fit in `uint64`
            union W : varint { -1: uint8 a; 18446744073709551616: uint8 b; }
                               ^^
            help: `uint64` goes from 0 to 18446744073709551615
            a.wire:4:33: error: `18446744073709551616` is too large
            union W : varint { -1: uint8 a; 18446744073709551616: uint8 b; }
                                            ^^^^^^^^^^^^^^^^^^^^
            help: numbers go to 18446744073709551615, which is 0xFFFFFFFFFFFFFFFF
            """),
        Refusal(
            "a tag, a name or `default` twice",
            """
            union U : uint8 {
                1: uint8 a;
                0x01: uint8 b;
                2: uint16 a;
                default: bytes c;
                default: bytes d;
            }
            """,
            """
            a.wire:3:5: error: `a` and `b` have the same tag
                0x01: uint8 b;
                ^^^^
            help: each tag has one arm
            a.wire:4:15: error: arm `a` is declared twice; first in a.wire:2
                2: uint16 a;
                          ^
            help: rename or remove one of them
            a.wire:6:5: error: a second `default`
                default: bytes d;
                ^^^^^^^
            help: one arm keeps all other tags: remove one of them
            """),
        Refusal(
            "a `default` arm that keeps no bytes",
            """
            union U : uint8 { 1: uint8 a; default: string b; }
            union V : uint8 { default: nothing; }
            union W : uint8 { default: bytes[] b; }
            union X : uint8 { default: @max(3) bytes b; }
            """,
            """
            a.wire:1:40: error: the `default` arm holds `bytes`
            union U : uint8 { 1: uint8 a; default: string b; }
                                                   ^^^^^^
            help: it keeps what has another tag as it is: `default: bytes b;`
            a.wire:2:28: error: the `default` arm holds `bytes`
            union V : uint8 { default: nothing; }
                                       ^^^^^^^
            help: it keeps what has another tag as it is: `default: bytes nothing;`
            a.wire:3:28: error: the `default` arm holds `bytes`
            union W : uint8 { default: bytes[] b; }
                                       ^^^^^^^
            help: it keeps what has another tag as it is: `default: bytes b;`
            a.wire:4:28: error: `@max` cannot stand before the `default` arm
            union X : uint8 { default: @max(3) bytes b; }
                                       ^^^^^^^
            help: it stands before a field
            """),
        Refusal(
            "values that are not always there",
            """
            union U : uint8 { 1: optional uint8 a; 2: @since(2) uint8 b; 3: uint8 c; 4: @if(c) uint8 d; }
            """,
            """
            a.wire:1:22: error: the value of an arm is always there
            union U : uint8 { 1: optional uint8 a; 2: @since(2) uint8 b; 3: uint8 c; 4: @if(c) uint8 d; }
                                 ^^^^^^^^
            help: an arm without a value is only a name, as in `0: nothing;`
            a.wire:1:43: error: the value of an arm is always there
            union U : uint8 { 1: optional uint8 a; 2: @since(2) uint8 b; 3: uint8 c; 4: @if(c) uint8 d; }
                                                      ^^^^^^^^^
            help: an arm without a value is only a name, as in `0: nothing;`
            a.wire:1:77: error: the value of an arm is always there
            union U : uint8 { 1: optional uint8 a; 2: @since(2) uint8 b; 3: uint8 c; 4: @if(c) uint8 d; }
                                                                                        ^^^^^^
            help: an arm without a value is only a name, as in `0: nothing;`
            """),
        Refusal(
            "what is no value",
            """
            union U : uint8 { 1: padding 3; 2: @constant(7) uint8 version; 3: uint8 a = 4294967296; }
            """,
            """
            a.wire:1:22: error: an arm holds a value or nothing
            union U : uint8 { 1: padding 3; 2: @constant(7) uint8 version; 3: uint8 a = 4294967296; }
                                 ^^^^^^^
            help: put the padding into a struct with the value, or leave only a name, as in `0: nothing;`
            a.wire:1:55: error: `version` is a constant, which is no value of an arm
            union U : uint8 { 1: padding 3; 2: @constant(7) uint8 version; 3: uint8 a = 4294967296; }
                                                                  ^^^^^^^
            help: put it into a struct, and let the arm hold that
            a.wire:1:77: error: a field's number is a whole number from 0 to 2147483647
            union U : uint8 { 1: padding 3; 2: @constant(7) uint8 version; 3: uint8 a = 4294967296; }
                                                                                        ^^^^^^^^^^
            help: leave it out: the order on the wire is that of the lines
            """),
        Refusal(
            "a part of a byte",
            """
            union U : uint8 { 1: uint4 half; 2: bit on; 3: uint12 long; 4: uint24 whole; 5: uint4[] list; }
            """,
            """
            a.wire:1:28: error: the arm ends inside a byte: `half` takes 4 bits
            union U : uint8 { 1: uint4 half; 2: bit on; 3: uint12 long; 4: uint24 whole; 5: uint4[] list; }
                                       ^^^^
            help: give it whole bytes, or put it into a struct with what fills its bytes
            a.wire:1:41: error: the arm ends inside a byte: `on` takes 1 bit
            union U : uint8 { 1: uint4 half; 2: bit on; 3: uint12 long; 4: uint24 whole; 5: uint4[] list; }
                                                    ^^
            help: give it whole bytes, or put it into a struct with what fills its bytes
            a.wire:1:55: error: the arm ends inside a byte: `long` takes 12 bits
            union U : uint8 { 1: uint4 half; 2: bit on; 3: uint12 long; 4: uint24 whole; 5: uint4[] list; }
                                                                  ^^^^
            help: give it whole bytes, or put it into a struct with what fills its bytes
            a.wire:1:81: error: a list of `uint4` is not possible: its items would begin inside a byte
            union U : uint8 { 1: uint4 half; 2: bit on; 3: uint12 long; 4: uint24 whole; 5: uint4[] list; }
                                                                                            ^^^^^^^
            help: put 2 of them, or other fields up to the end of a byte, into a struct, and use a list of that
            """),
        Refusal(
            "unions that contain themselves",
            """
            union U : uint8 { 1: uint8 a; 2: S s; 3: U u; }
            struct S { uint8 x; U u; }
            """,
            """
            a.wire:1:34: error: `S` contains itself, by way of `S.u`, `U.s`
            union U : uint8 { 1: uint8 a; 2: S s; 3: U u; }
                                             ^
            help: let one of these fields be a list: `repeated S`
            a.wire:1:42: error: `U` contains itself, by way of `U.u`
            union U : uint8 { 1: uint8 a; 2: S s; 3: U u; }
                                                     ^
            help: let one of these fields be a list: `repeated U`
            """),
        Refusal(
            "a union to the end of the payload that is not last",
            """
            union U : uint8 { 1: @rest bytes all; }
            union V : uint8 sized(uint8) { 1: U last; 2: U[] list; }
            union W : uint8 { 1: U u; }
            struct S { uint8 x; U u; }
            message Cs_1 { U u; uint8 x; }
            message Cs_2 { U[] list; }
            message Cs_3 { uint8 x; U u; }
            """,
            """
            a.wire:2:50: error: `list` may go to the end of the payload, because of `U.all`
            union V : uint8 sized(uint8) { 1: U last; 2: U[] list; }
                                                             ^^^^
            help: let the union say its size: `union U : … sized(uint16) { … }`
            a.wire:3:24: error: `u` may go to the end of the payload, because of `U.all`
            union W : uint8 { 1: U u; }
                                   ^
            help: make it a message's last field, or let the union say its size: `sized(uint16)`
            a.wire:4:23: error: `u` may go to the end of the payload, because of `U.all`
            struct S { uint8 x; U u; }
                                  ^
            help: make it a message's last field, or let the union say its size: `sized(uint16)`
            a.wire:5:18: error: `u` may go to the end of the payload, because of `U.all`
            message Cs_1 { U u; uint8 x; }
                             ^
            help: make it a message's last field, or let the union say its size: `sized(uint16)`
            a.wire:6:20: error: `list` may go to the end of the payload, because of `U.all`
            message Cs_2 { U[] list; }
                               ^^^^
            help: let the union say its size: `union U : … sized(uint16) { … }`
            """),
        Refusal(
            "a union in a `@since` field",
            """
            union U : uint8 { 1: uint8 a; }
            struct S { U u; }
            message Cs_1 { uint8 a; @since(2) U u; @since(2) U[2] pair; @since(3) S s; @since(3) U[] list; }
            """,
            """
            a.wire:3:37: error: `u` is zero when it is missing, but the union `U` has no zero
            message Cs_1 { uint8 a; @since(2) U u; @since(2) U[2] pair; @since(3) S s; @since(3) U[] list; }
                                                ^
            help: make the field `optional`
            a.wire:3:55: error: `pair` is zero when it is missing, but the union `U` has no zero
            message Cs_1 { uint8 a; @since(2) U u; @since(2) U[2] pair; @since(3) S s; @since(3) U[] list; }
                                                                  ^^^^
            help: make the field `optional`
            a.wire:3:73: error: `s` is zero when it is missing, but the union `U` has no zero
            message Cs_1 { uint8 a; @since(2) U u; @since(2) U[2] pair; @since(3) S s; @since(3) U[] list; }
                                                                                    ^
            help: allow zero, or make the field `optional`
            """),
        Refusal(
            "values of attributes, where a union has none",
            """
            union U : uint8 { 1: uint8 a; }
            message Cs_1 { @range(1..2) U a; @max(3) U b; @example(1) U c; @constant(1) U d; @if(a) uint8 e; }
            """,
            """
            a.wire:2:16: error: `@range` does not go with `U`
            message Cs_1 { @range(1..2) U a; @max(3) U b; @example(1) U c; @constant(1) U d; @if(a) uint8 e; }
                           ^^^^^^^^^^^^
            help: it limits an integer or a float
            a.wire:2:34: error: `@max` does not go with `U`
            message Cs_1 { @range(1..2) U a; @max(3) U b; @example(1) U c; @constant(1) U d; @if(a) uint8 e; }
                                             ^^^^^^^
            help: it limits the bytes of a string, or the items of a list
            a.wire:2:47: error: `@example` does not go with `U`
            message Cs_1 { @range(1..2) U a; @max(3) U b; @example(1) U c; @constant(1) U d; @if(a) uint8 e; }
                                                          ^^^^^^^^^^^
            help: it is for numbers, texts, enums and flags, and for lists of them
            a.wire:2:64: error: `@constant` does not go with `U`
            message Cs_1 { @range(1..2) U a; @max(3) U b; @example(1) U c; @constant(1) U d; @if(a) uint8 e; }
                                                                           ^^^^^^^^^^^^
            help: it goes with an integer, a `bit`, a `bool`, an enum or a `char[n]`
            a.wire:2:86: error: a condition cannot look at `a`, which is `U`
            message Cs_1 { @range(1..2) U a; @max(3) U b; @example(1) U c; @constant(1) U d; @if(a) uint8 e; }
                                                                                                 ^
            help: it looks at integers, `bool`, enums and flags
            """),
        Refusal(
            "the name of another type",
            """
            union U : uint8 { 1: uint8 a; }
            struct U { uint8 a; }
            union string : uint8 { 1: uint8 a; }
            message Cs_1 { Uu u; }
            """,
            """
            a.wire:2:8: error: `U` is declared twice; first in a.wire:1
            struct U { uint8 a; }
                   ^
            help: rename or remove one of them
            a.wire:3:7: error: `string` is a type of the language
            union string : uint8 { 1: uint8 a; }
                  ^^^^^^
            help: choose another name
            a.wire:4:16: error: unknown type `Uu`
            message Cs_1 { Uu u; }
                           ^^
            help: declare it: `struct Uu { … }`
            """),
        Refusal(
            "a union in the header",
            """
            union U : uint8 { 1: uint8 a; }
            packet { @length(packet) uint16 length; U u; @id uint8 id; }
            """,
            """
            a.wire:2:41: error: a field of the packet cannot be `U`
            packet { @length(packet) uint16 length; U u; @id uint8 id; }
                                                    ^
            help: it is a number, a `bool`, an enum, flags, `char[n]`, `bcd[n]` or `@size(n) bytes`
            """),
        Refusal(
            "items that are large in memory, whichever arm they have",
            """
            struct P { uint64 x; uint64 y; } struct Q { P a; P b; P c; P d; } struct Big { Q a; Q b; Q c; Q d; }
            union U : uint8 { 0: nothing; 1: Big big; 2: uint8[4000] much; }
            message Cs_1 { @count(uint32) @max(100000) U[] list; }
            """,
            """
            a.wire:3:48: error: an item of `list` takes 864 bytes of memory when it has 1 byte in a packet, 128 are allowed for each byte
            message Cs_1 { @count(uint32) @max(100000) U[] list; }
                                                           ^^^^
            help: make its largest arm smaller, or allow fewer items: `@max(22795)`
            """),
        Refusal(
            "unions that nest too deeply in every value",
            """
            option max_depth = 2;
            union A : uint8 { 1: B b; }
            union B : uint8 { 1: C c; }
            union C : uint8 { 1: uint8 x; }
            message Cs_1 { A a; }
            """,
            """
            a.wire:5:9: error: in `Cs_1` structs and unions nest 3 deep, 2 are allowed
            message Cs_1 { A a; }
                    ^^^^
            help: set `option max_depth`
            """),
    ]
}
