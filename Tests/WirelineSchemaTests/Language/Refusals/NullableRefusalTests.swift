// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec
import WirelineSchema

/// Refused: prefixes with a sign, whose -1 says that a value is absent.
struct NullableRefusalTests {
    @Test(arguments: refusals)
    func `each problem is reported once, in full`(refusal: Refusal) {
        #expect(problems(refusal.source) == refusal.report)
    }

    static let refusals: [Refusal] = [
        Refusal(
            "a field that may be missing in two ways",
            """
            struct Item { uint8 kind; }
            message Cs_1 {
                uint8 kind;
                @if(kind == 1) @count(int16) string a;
                @count(zigzag) @since(2) Item[] b;
                @size(int32) optional Item c;
            }
            """,
            """
            a.wire:4:5: error: `@if` does not go with the prefix `int16`
                @if(kind == 1) @count(int16) string a;
                ^^^^^^^^^^^^^^
            help: its -1 says that the field is absent: remove one of them, or take a prefix without a sign
            a.wire:5:20: error: `@since` does not go with the prefix `zigzag`
                @count(zigzag) @since(2) Item[] b;
                               ^^^^^^^^^
            help: its -1 says that the field is absent: remove one of them, or take a prefix without a sign
            a.wire:6:18: error: `optional` does not go with the prefix `int32`
                @size(int32) optional Item c;
                             ^^^^^^^^
            help: its -1 says that the field is absent: remove one of them, or take a prefix without a sign
            """),
        Refusal(
            "a default",
            """
            message Cs_1 { @count(int16) @default("a") string a; }
            """,
            """
            a.wire:1:30: error: `@default` does not go with the prefix `int16`
            message Cs_1 { @count(int16) @default("a") string a; }
                                         ^^^^^^^^^^^^^
            help: its -1 says that the field is absent: remove one of them, or take a prefix without a sign
            """),
        Refusal(
            "after a field that may be missing",
            """
            message Cs_1 { optional uint8 a; @count(int16) string b; }
            """,
            """
            a.wire:1:55: error: `b` must be there, but `a` before it may be missing
            message Cs_1 { optional uint8 a; @count(int16) string b; }
                                                                  ^
            help: move it up: it is in every packet
            """),
        Refusal(
            "what has no bytes of its own",
            """
            struct Item sized(int16) { uint8 kind; }
            union U : uint8 sized(zigzag) { 0: none; 1: @count(int32) bytes data; 2: @size(int16) Item item; }
            message Cs_1 { Item item; U u; }
            """,
            """
            a.wire:1:19: error: `int16` cannot hold the size of a struct
            struct Item sized(int16) { uint8 kind; }
                              ^^^^^
            help: it is `uint8`, `uint16`, `uint32` or `varint`; a field that may be absent has `@size(int16)` before it
            a.wire:2:23: error: `zigzag` cannot hold the size of a value
            union U : uint8 sized(zigzag) { 0: none; 1: @count(int32) bytes data; 2: @size(int16) Item item; }
                                  ^^^^^^
            help: it is `uint8`, `uint16`, `uint32` or `varint`; a field that may be absent has `@size(zigzag)` before it
            a.wire:2:52: error: the value of an arm is always there, and the -1 of `int32` says that it is absent
            union U : uint8 sized(zigzag) { 0: none; 1: @count(int32) bytes data; 2: @size(int16) Item item; }
                                                               ^^^^^
            help: put the field into a struct, and let the arm hold that
            a.wire:2:80: error: the value of an arm is always there, and the -1 of `int16` says that it is absent
            union U : uint8 sized(zigzag) { 0: none; 1: @count(int32) bytes data; 2: @size(int16) Item item; }
                                                                                           ^^^^^
            help: put the field into a struct, and let the arm hold that
            """),
        Refusal(
            "types that have no prefix",
            """
            message Cs_1 { @count(int16) uint8 a; @count(int16) uint8[4] b; @size(int32) uint8[4] c; @size(zigzag) bool d; }
            """,
            """
            a.wire:1:16: error: `@count` does not go with `uint8`
            message Cs_1 { @count(int16) uint8 a; @count(int16) uint8[4] b; @size(int32) uint8[4] c; @size(zigzag) bool d; }
                           ^^^^^^^^^^^^^
            help: it sets the prefix of a string, of bytes or of a list
            a.wire:1:39: error: `@count` does not go with `uint8[4]`
            message Cs_1 { @count(int16) uint8 a; @count(int16) uint8[4] b; @size(int32) uint8[4] c; @size(zigzag) bool d; }
                                                  ^^^^^^^^^^^^^
            help: it sets the prefix of a string, of bytes or of a list
            a.wire:1:65: error: `@size` does not go with `uint8[4]`
            message Cs_1 { @count(int16) uint8 a; @count(int16) uint8[4] b; @size(int32) uint8[4] c; @size(zigzag) bool d; }
                                                                            ^^^^^^^^^^^^
            help: it says how many bytes a string, bytes, a list, a struct or a union take
            a.wire:1:90: error: `@size` does not go with `bool`
            message Cs_1 { @count(int16) uint8 a; @count(int16) uint8[4] b; @size(int32) uint8[4] c; @size(zigzag) bool d; }
                                                                                                     ^^^^^^^^^^^^^
            help: it says how many bytes a string, bytes, a list, a struct or a union take
            """),
        Refusal(
            "options",
            """
            option string_count = int32;
            option list_count = zigzag;
            message Cs_1 { uint8 a; }
            """,
            """
            a.wire:1:23: error: `string_count` cannot be this
            option string_count = int32;
                                  ^^^^^
            help: it is `uint8`, `uint16`, `uint32` or `varint`
            a.wire:2:21: error: `list_count` cannot be this
            option list_count = zigzag;
                                ^^^^^^
            help: it is `uint8`, `uint16`, `uint32` or `varint`
            """),
        Refusal(
            "a condition that looks at one",
            """
            message Cs_1 { @count(int16) string a; @if(a) uint8 b; }
            """,
            """
            a.wire:1:44: error: a condition cannot look at `a`, which is `string`
            message Cs_1 { @count(int16) string a; @if(a) uint8 b; }
                                                       ^
            help: it looks at integers, `bool`, enums and flags
            """),
        Refusal(
            "other integers with a sign",
            """
            message Cs_1 { @count(int8) string a; @size(int64) bytes b; @count(varint32) uint8[] c; }
            """,
            """
            a.wire:1:23: error: `int8` cannot hold a count
            message Cs_1 { @count(int8) string a; @size(int64) bytes b; @count(varint32) uint8[] c; }
                                  ^^^^
            help: it is `uint8`, `uint16`, `uint32` or `varint`, or an integer field before this one; for a value that may be absent it is `int16`, `int32` or `zigzag`
            a.wire:1:45: error: `int64` cannot hold a size
            message Cs_1 { @count(int8) string a; @size(int64) bytes b; @count(varint32) uint8[] c; }
                                                        ^^^^^
            help: it is `uint8`, `uint16`, `uint32` or `varint`, or a number of bytes or an integer field before this one; for a value that may be absent it is `int16`, `int32` or `zigzag`
            a.wire:1:68: error: `varint32` cannot hold a count
            message Cs_1 { @count(int8) string a; @size(int64) bytes b; @count(varint32) uint8[] c; }
                                                                               ^^^^^^^^
            help: it is `uint8`, `uint16`, `uint32` or `varint`, or an integer field before this one; for a value that may be absent it is `int16`, `int32` or `zigzag`
            """),
        Refusal(
            "a limit that its prefix cannot say",
            """
            message Cs_1 { @count(int16) @max(32768) string a; }
            """,
            """
            a.wire:1:35: error: `@max(32768)` is not a limit for this field
            message Cs_1 { @count(int16) @max(32768) string a; }
                                              ^^^^^
            help: it can be 1 to 32767
            """),
        Refusal(
            "a structure that contains itself",
            """
            struct Node { uint8 kind; @size(int32) Node next; }
            message Cs_1 { Node node; }
            """,
            """
            a.wire:1:40: error: `Node` contains itself, by way of `Node.next`
            struct Node { uint8 kind; @size(int32) Node next; }
                                                   ^^^^
            help: let one of these fields be a list: `repeated Node`
            """),
        Refusal(
            "a byte order that changes nothing",
            """
            message Cs_1 { @little @count(zigzag) string a; @little @count(int16) string b; }
            """,
            """
            a.wire:1:16: warning: `@little` changes nothing before `string`
            message Cs_1 { @little @count(zigzag) string a; @little @count(int16) string b; }
                           ^^^^^^^
            help: nothing of it is a number of several bytes: leave it out
            """),
    ]
}
