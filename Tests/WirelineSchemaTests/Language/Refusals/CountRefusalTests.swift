// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec
import WirelineSchema

/// Refused: counts and sizes in earlier fields.
struct CountRefusalTests {
    @Test(arguments: refusals)
    func `each problem is reported once, in full`(refusal: Refusal) {
        #expect(problems(refusal.source) == refusal.report)
    }

    static let refusals: [Refusal] = [
        Refusal(
            "fields that cannot hold a count",
            """
            message Cs_1 {
                @count(after) uint8[] a; uint8 after;
                @count(none) uint8[] b;
                string text; @size(text) bytes c;
                uint64 wide; @count(wide) uint8[] d;
                varint long; @size(long + 1) bytes e;
                uint8 n; @count(n) string f;
            }
            """,
            """
            a.wire:2:12: error: `after` does not stand before this field
                @count(after) uint8[] a; uint8 after;
                       ^^^^^
            help: a count is read first: move `after` up
            a.wire:3:12: error: `none` cannot hold a count
                @count(none) uint8[] b;
                       ^^^^
            help: it is `uint8`, `uint16`, `uint32` or `varint`, or an integer field before this one; for a value that may be absent it is `int16`, `int32` or `zigzag`
            a.wire:4:24: error: `text` cannot hold a size: it is `string`
                string text; @size(text) bytes c;
                                   ^^^^
            help: an integer can
            a.wire:5:25: error: `wide` cannot hold a count: it has 64 bits
                uint64 wide; @count(wide) uint8[] d;
                                    ^^^^
            help: use at most 32 bits
            a.wire:6:24: error: `long` cannot hold a size: it may have more than 5 bytes
                varint long; @size(long + 1) bytes e;
                                   ^^^^
            help: put `@max_bytes(5)` before it
            a.wire:7:14: error: `@count(n)` counts the items of a list
                uint8 n; @count(n) string f;
                         ^^^^^^^^^
            help: bytes are counted by `@size(n)`
            """),
        Refusal(
            "fields that have a value of their own",
            """
            message Cs_1 {
                @constant(3) uint8 a; @count(a) uint8[] b;
                @range(0..9) uint8 c; @count(c) uint8[] d;
                bool e; @if(e) uint8 f; @size(f) bytes g;
                uint8 h; @count(h) uint8[] i; @if(h == 2) uint8 j;
            }
            """,
            """
            a.wire:2:34: error: `a` cannot hold a count: it is a constant
                @constant(3) uint8 a; @count(a) uint8[] b;
                                             ^
            help: leave its `@constant` out
            a.wire:3:34: error: `c` cannot hold a count: it is written as what it must be, so it has no `@range`
                @range(0..9) uint8 c; @count(c) uint8[] d;
                                             ^
            help: put `@max` before the field that it counts
            a.wire:4:35: error: `f` cannot hold a size: it may be missing
                bool e; @if(e) uint8 f; @size(f) bytes g;
                                              ^
            help: leave its `optional`, `@since` or `@if` out
            a.wire:5:53: error: `j` has a condition on `h`, which counts other fields
                uint8 h; @count(h) uint8[] i; @if(h == 2) uint8 j;
                                                                ^
            help: `h` has no value of its own: test another field
            """),
        Refusal(
            "sizes that cannot be",
            """
            message Cs_1 {
                uint4 n; uint4 m; @size(n - 16) bytes a;
                uint8 k; @size(k + 3000000000) bytes c;
            }
            """,
            """
            a.wire:2:29: error: this is always under 0
                uint4 n; uint4 m; @size(n - 16) bytes a;
                                        ^^^^^^
            help: `n` is at most 15
            a.wire:3:24: error: a size is a field, plus or minus a whole number of at most 2147483647
                uint8 k; @size(k + 3000000000) bytes c;
                                   ^^^^^^^^^^
            help: write it as in `@size(n - 4)`
            """),
        Refusal(
            "a size that is known too late",
            """
            struct S { string a; }
            message Cs_1 { uint4 n; uint4 m; @size(n) S b; @max_bytes(2) varint k; @size(k) string[] c; }
            """,
            """
            a.wire:2:45: error: `n` cannot hold the size of `b`, which is known only after it is written
            message Cs_1 { uint4 n; uint4 m; @size(n) S b; @max_bytes(2) varint k; @size(k) string[] c; }
                                                        ^
            help: give `n` whole bytes of its own: `uint16`
            a.wire:2:90: error: `k` cannot hold the size of `c`, which is known only after it is written
            message Cs_1 { uint4 n; uint4 m; @size(n) S b; @max_bytes(2) varint k; @size(k) string[] c; }
                                                                                                     ^
            help: give `k` whole bytes of its own: `uint16`
            """),
        Refusal(
            "a count that is a tag",
            """
            union U : uint8 { 0: none; }
            message Cs_1 { uint8 n; @count(n) uint8[] a; @tag(n) U u; }
            """,
            """
            a.wire:2:51: error: `n` counts other fields, so it cannot be the tag of `u`
            message Cs_1 { uint8 n; @count(n) uint8[] a; @tag(n) U u; }
                                                              ^
            help: each needs a number of its own
            """),
    ]
}
