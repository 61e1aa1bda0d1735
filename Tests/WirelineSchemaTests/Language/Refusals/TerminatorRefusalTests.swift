// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec
import WirelineSchema

/// Refused: lists that a byte ends, `@until(0)`.
struct TerminatorRefusalTests {
    @Test(arguments: refusals)
    func `each problem is reported once, in full`(refusal: Refusal) {
        #expect(problems(refusal.source) == refusal.report)
    }

    static let refusals: [Refusal] = [
        Refusal(
            "what is no byte",
            """
            message Cs_1 {
                @until(256) uint8[] a; @until(-1) uint8[] b; @until uint8[] c; @until(a) uint8[] d; @until(1.5) uint8[] e;
            }
            """,
            """
            a.wire:2:12: error: `@until` takes a byte, 0 to 255
                @until(256) uint8[] a; @until(-1) uint8[] b; @until uint8[] c; @until(a) uint8[] d; @until(1.5) uint8[] e;
                       ^^^
            help: write it as in `@until(0xFF)`
            a.wire:2:35: error: `@until` takes a byte, 0 to 255
                @until(256) uint8[] a; @until(-1) uint8[] b; @until uint8[] c; @until(a) uint8[] d; @until(1.5) uint8[] e;
                                              ^^
            help: write it as in `@until(0xFF)`
            a.wire:2:50: error: `@until` takes a whole number
                @until(256) uint8[] a; @until(-1) uint8[] b; @until uint8[] c; @until(a) uint8[] d; @until(1.5) uint8[] e;
                                                             ^^^^^^
            help: write `@until(0)`
            a.wire:2:68: error: `@until` takes a whole number
                @until(256) uint8[] a; @until(-1) uint8[] b; @until uint8[] c; @until(a) uint8[] d; @until(1.5) uint8[] e;
                                                                               ^^^^^^^^^
            help: write `@until(0)`
            a.wire:2:89: error: `@until` takes a whole number
                @until(256) uint8[] a; @until(-1) uint8[] b; @until uint8[] c; @until(a) uint8[] d; @until(1.5) uint8[] e;
                                                                                                    ^^^^^^^^^^^
            help: write `@until(0)`
            """),
        Refusal(
            "what is no list of any number of items",
            """
            message Cs_1 { @until(0) string a; @until(0) uint8 b; @until(0) uint8[4] c; @until(0) S d; }
            struct S { uint8 a; }
            """,
            """
            a.wire:1:16: error: `@until` does not go with `string`
            message Cs_1 { @until(0) string a; @until(0) uint8 b; @until(0) uint8[4] c; @until(0) S d; }
                           ^^^^^^^^^
            help: it ends a list whose count varies, as in `@until(0) T[]`
            a.wire:1:36: error: `@until` does not go with `uint8`
            message Cs_1 { @until(0) string a; @until(0) uint8 b; @until(0) uint8[4] c; @until(0) S d; }
                                               ^^^^^^^^^
            help: it ends a list whose count varies, as in `@until(0) T[]`
            a.wire:1:55: error: `@until` does not go with `uint8[4]`
            message Cs_1 { @until(0) string a; @until(0) uint8 b; @until(0) uint8[4] c; @until(0) S d; }
                                                                  ^^^^^^^^^
            help: it ends a list whose count varies, as in `@until(0) T[]`
            a.wire:1:77: error: `@until` does not go with `S`
            message Cs_1 { @until(0) string a; @until(0) uint8 b; @until(0) uint8[4] c; @until(0) S d; }
                                                                                        ^^^^^^^^^
            help: it ends a list whose count varies, as in `@until(0) T[]`
            """),
        Refusal(
            "a second end",
            """
            message Cs_1 {
                uint8 n; @count(n) @until(0) uint8[] a; @size(uint16) @until(0) uint8[] b; @until(0) @until(1) uint8[] c;
                @until(0) @rest uint8[] d;
            }
            packet { @length(packet) uint16 length; @id uint8 id; @until(0) uint8 extra; }
            """,
            """
            a.wire:2:24: error: `@count` and `@until` exclude each other
                uint8 n; @count(n) @until(0) uint8[] a; @size(uint16) @until(0) uint8[] b; @until(0) @until(1) uint8[] c;
                                   ^^^^^^^^^
            help: something ends in one way: remove one of them
            a.wire:2:59: error: `@size` and `@until` exclude each other
                uint8 n; @count(n) @until(0) uint8[] a; @size(uint16) @until(0) uint8[] b; @until(0) @until(1) uint8[] c;
                                                                      ^^^^^^^^^
            help: something ends in one way: remove one of them
            a.wire:2:90: error: `@until` stands here twice
                uint8 n; @count(n) @until(0) uint8[] a; @size(uint16) @until(0) uint8[] b; @until(0) @until(1) uint8[] c;
                                                                                                     ^^^^^^^^^
            help: remove one of them
            a.wire:3:15: error: `@until` and `@rest` exclude each other
                @until(0) @rest uint8[] d;
                          ^^^^^
            help: something ends in one way: remove one of them
            a.wire:5:55: error: `@until` cannot stand before a field of the packet
            packet { @length(packet) uint16 length; @id uint8 id; @until(0) uint8 extra; }
                                                                  ^^^^^^^^^
            help: it stands before a field
            """),
        Refusal(
            "items that cannot be told from the end",
            """
            message Cs_1 {
                @until(0) Empty[] a; @until(1) Fixed[] b; @until(2) Fixed[] c; @until(0) Filled[] d;
                @until(0x41) Named[] e; @until(5) Only[] f; @until(1) Around[] g; @until(0) Around[] h;
            }
            struct Empty {}
            struct Fixed { Empty none; @constant(0x0102) uint16 magic; uint8 a; }
            struct Filled { padding 2; uint8 a; }
            struct Named { @constant("AB") char[2] magic; }
            union Only : uint8 { 5: uint8 a; }
            struct Around { Fixed fixed; }
            """,
            """
            a.wire:2:15: error: the items of `a` take no bytes
                @until(0) Empty[] a; @until(1) Fixed[] b; @until(2) Fixed[] c; @until(0) Filled[] d;
                          ^^^^^^^
            help: give their struct a field that is always there
            a.wire:2:36: error: each item of `b` begins with 0x01, the byte that ends the list
                @until(0) Empty[] a; @until(1) Fixed[] b; @until(2) Fixed[] c; @until(0) Filled[] d;
                                               ^^^^^^^
            help: end the list at another byte, or count its items
            a.wire:2:78: error: each item of `d` begins with 0x00, the byte that ends the list
                @until(0) Empty[] a; @until(1) Fixed[] b; @until(2) Fixed[] c; @until(0) Filled[] d;
                                                                                         ^^^^^^^^
            help: end the list at another byte, or count its items
            a.wire:3:18: error: each item of `e` begins with 0x41, the byte that ends the list
                @until(0x41) Named[] e; @until(5) Only[] f; @until(1) Around[] g; @until(0) Around[] h;
                             ^^^^^^^
            help: end the list at another byte, or count its items
            a.wire:3:39: error: each item of `f` begins with 0x05, the byte that ends the list
                @until(0x41) Named[] e; @until(5) Only[] f; @until(1) Around[] g; @until(0) Around[] h;
                                                  ^^^^^^
            help: end the list at another byte, or count its items
            a.wire:3:59: error: each item of `g` begins with 0x01, the byte that ends the list
                @until(0x41) Named[] e; @until(5) Only[] f; @until(1) Around[] g; @until(0) Around[] h;
                                                                      ^^^^^^^^
            help: end the list at another byte, or count its items
            """),
        Refusal(
            "items that contain themselves",
            """
            message Cs_1 { @until(0) A[] a; }
            struct A { A[2] a; }
            """,
            """
            a.wire:2:12: error: `A` contains itself, by way of `A.a`
            struct A { A[2] a; }
                       ^^^^
            help: let one of these fields be a list: `repeated A`
            """),
    ]
}
