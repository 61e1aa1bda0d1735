// SPDX-License-Identifier: Apache-2.0

import Testing

/// Refused: attributes.
struct AttributeRefusalTests {
    @Test(arguments: refusals)
    func `each problem is reported once, in full`(refusal: Refusal) {
        #expect(problems(refusal.source) == refusal.report)
    }

    static let refusals: [Refusal] = [
        Refusal(
            "an unknown attribute",
            """
            message Cs_1 { @lengthy uint8 a; @maxx(3) string b; }
            """,
            """
            a.wire:1:16: error: unknown attribute `@lengthy`
            message Cs_1 { @lengthy uint8 a; @maxx(3) string b; }
                           ^^^^^^^^
            a.wire:1:34: error: unknown attribute `@maxx`
            message Cs_1 { @lengthy uint8 a; @maxx(3) string b; }
                                             ^^^^^^^^
            help: did you mean `@max`?
            """),
        Refusal(
            "an attribute before something else",
            """
            @max(3) message Cs_1 { @id(3) uint8 a; }
            @closed struct S { uint8 a; }
            """,
            """
            a.wire:1:1: error: `@max` cannot stand before a message
            @max(3) message Cs_1 { @id(3) uint8 a; }
            ^^^^^^^
            help: it stands before a field
            a.wire:1:24: error: `@id` cannot stand before a field
            @max(3) message Cs_1 { @id(3) uint8 a; }
                                   ^^^^^^
            help: it stands before a message or a field of the packet
            a.wire:2:1: error: `@closed` cannot stand before a struct
            @closed struct S { uint8 a; }
            ^^^^^^^
            help: it stands before an enum
            """),
        Refusal(
            "an attribute before what takes none",
            """
            @name(Seats) const uint8 seats = 4;
            @name(A) option max_depth = 3;
            @name(B) reserved 3;
            @name(C) packet { @length(packet) uint32 length; @id uint16 id; }
            """,
            """
            a.wire:1:1: error: `@name` cannot stand before a constant
            @name(Seats) const uint8 seats = 4;
            ^^^^^^^^^^^^
            help: it stands before a message, a struct, a union, an enum, flags, a field, a case of an enum or a flag
            a.wire:2:1: error: `@name` cannot stand before an option
            @name(A) option max_depth = 3;
            ^^^^^^^^
            help: it stands before a message, a struct, a union, an enum, flags, a field, a case of an enum or a flag
            a.wire:3:1: error: `@name` cannot stand before reserved IDs
            @name(B) reserved 3;
            ^^^^^^^^
            help: it stands before a message, a struct, a union, an enum, flags, a field, a case of an enum or a flag
            a.wire:4:1: error: `@name` cannot stand before the packet
            @name(C) packet { @length(packet) uint32 length; @id uint16 id; }
            ^^^^^^^^
            help: it stands before a message, a struct, a union, an enum, flags, a field, a case of an enum or a flag
            """),
        Refusal(
            "an attribute twice",
            """
            message Cs_1 { @max(3) @max(4) string a; }
            """,
            """
            a.wire:1:24: error: `@max` stands here twice
            message Cs_1 { @max(3) @max(4) string a; }
                                   ^^^^^^^
            help: remove one of them
            """),
        Refusal(
            "an argument too few",
            """
            message Cs_1 { @max string a; @range uint8 b; @deprecated uint8 c; }
            """,
            """
            a.wire:1:16: error: `@max` takes a whole number
            message Cs_1 { @max string a; @range uint8 b; @deprecated uint8 c; }
                           ^^^^
            help: write `@max(32)`
            a.wire:1:31: error: `@range` takes a range
            message Cs_1 { @max string a; @range uint8 b; @deprecated uint8 c; }
                                          ^^^^^^
            help: write `@range(0..100)`
            a.wire:1:47: error: `@deprecated` takes a string
            message Cs_1 { @max string a; @range uint8 b; @deprecated uint8 c; }
                                                          ^^^^^^^^^^^
            help: write `@deprecated("why")`
            """),
        Refusal(
            "an argument too many",
            """
            message Cs_1 { @sensitive(3) uint8 a; @max(3, 4) string b; }
            """,
            """
            a.wire:1:16: error: `@sensitive` takes no argument
            message Cs_1 { @sensitive(3) uint8 a; @max(3, 4) string b; }
                           ^^^^^^^^^^^^^
            help: write `@sensitive`
            a.wire:1:39: error: `@max` takes a whole number
            message Cs_1 { @sensitive(3) uint8 a; @max(3, 4) string b; }
                                                  ^^^^^^^^^^
            help: write `@max(32)`
            """),
        Refusal(
            "an argument of the wrong kind",
            """
            message Cs_1 { @max("3") string a; @range(3) uint8 b; @deprecated(old) uint8 c; @name("A") uint8 d; @max(1.5) string e; @since(1..2) uint8 f; }
            """,
            """
            a.wire:1:16: error: `@max` takes a whole number
            message Cs_1 { @max("3") string a; @range(3) uint8 b; @deprecated(old) uint8 c; @name("A") uint8 d; @max(1.5) string e; @since(1..2) uint8 f; }
                           ^^^^^^^^^
            help: write `@max(32)`
            a.wire:1:36: error: `@range` takes a range
            message Cs_1 { @max("3") string a; @range(3) uint8 b; @deprecated(old) uint8 c; @name("A") uint8 d; @max(1.5) string e; @since(1..2) uint8 f; }
                                               ^^^^^^^^^
            help: write `@range(0..100)`
            a.wire:1:55: error: `@deprecated` takes a string
            message Cs_1 { @max("3") string a; @range(3) uint8 b; @deprecated(old) uint8 c; @name("A") uint8 d; @max(1.5) string e; @since(1..2) uint8 f; }
                                                                  ^^^^^^^^^^^^^^^^
            help: write `@deprecated("why")`
            a.wire:1:81: error: `@name` takes a name
            message Cs_1 { @max("3") string a; @range(3) uint8 b; @deprecated(old) uint8 c; @name("A") uint8 d; @max(1.5) string e; @since(1..2) uint8 f; }
                                                                                            ^^^^^^^^^^
            help: write `@name(EnterScene)`
            a.wire:1:101: error: `@max` takes a whole number
            message Cs_1 { @max("3") string a; @range(3) uint8 b; @deprecated(old) uint8 c; @name("A") uint8 d; @max(1.5) string e; @since(1..2) uint8 f; }
                                                                                                                ^^^^^^^^^
            help: write `@max(32)`
            a.wire:1:121: error: `@since` takes a whole number
            message Cs_1 { @max("3") string a; @range(3) uint8 b; @deprecated(old) uint8 c; @name("A") uint8 d; @max(1.5) string e; @since(1..2) uint8 f; }
                                                                                                                                    ^^^^^^^^^^^^
            help: write `@since(2)`
            """),
        Refusal(
            "a prefix that is no prefix",
            """
            message Cs_1 { @count(uint24) string a; }
            struct S sized(int16) { uint8 a; }
            """,
            """
            a.wire:1:23: error: `uint24` cannot hold a count
            message Cs_1 { @count(uint24) string a; }
                                  ^^^^^^
            help: it is `uint8`, `uint16`, `uint32` or `varint`, or an integer field before this one; for a value that may be absent it is `int16`, `int32` or `zigzag`
            a.wire:2:16: error: `int16` cannot hold the size of a struct
            struct S sized(int16) { uint8 a; }
                           ^^^^^
            help: it is `uint8`, `uint16`, `uint32` or `varint`; a field that may be absent has `@size(int16)` before it
            """),
        Refusal(
            "a prefix where nothing is counted",
            """
            message Cs_1 { @count(uint8) uint8 a; @count(uint8) uint8[4] b; }
            """,
            """
            a.wire:1:16: error: `@count` does not go with `uint8`
            message Cs_1 { @count(uint8) uint8 a; @count(uint8) uint8[4] b; }
                           ^^^^^^^^^^^^^
            help: it sets the prefix of a string, of bytes or of a list
            a.wire:1:39: error: `@count` does not go with `uint8[4]`
            message Cs_1 { @count(uint8) uint8 a; @count(uint8) uint8[4] b; }
                                                  ^^^^^^^^^^^^^
            help: it sets the prefix of a string, of bytes or of a list
            """),
        Refusal(
            "`@terminated` without text",
            """
            message Cs_1 { @terminated uint8[] a; }
            """,
            """
            a.wire:1:16: error: `@terminated` does not go with `uint8[]`
            message Cs_1 { @terminated uint8[] a; }
                           ^^^^^^^^^^^
            help: it ends a string, or each string of a list, at a NUL
            """),
        Refusal(
            "`@rest` on what has its own end",
            """
            message Cs_1 { @rest uint8[4] a; }
            message Cs_2 { @rest uint8 a; }
            """,
            """
            a.wire:1:16: error: `@rest` does not go with `uint8[4]`
            message Cs_1 { @rest uint8[4] a; }
                           ^^^^^
            help: it goes with a string, bytes or a list
            a.wire:2:16: error: `@rest` does not go with `uint8`
            message Cs_2 { @rest uint8 a; }
                           ^^^^^
            help: it goes with a string, bytes or a list
            """),
        Refusal(
            "two ends",
            """
            message Cs_1 { @count(uint8) @rest string a; }
            message Cs_2 { @rest @terminated bytes a; }
            message Cs_3 { @count(uint8) @rest uint8[] a; }
            """,
            """
            a.wire:1:30: error: `@count` and `@rest` exclude each other
            message Cs_1 { @count(uint8) @rest string a; }
                                         ^^^^^
            help: something ends in one way: remove one of them
            a.wire:2:16: error: `@terminated` and `@rest` exclude each other
            message Cs_2 { @rest @terminated bytes a; }
                           ^^^^^
            help: something ends in one way: remove one of them
            a.wire:3:30: error: `@count` and `@rest` exclude each other
            message Cs_3 { @count(uint8) @rest uint8[] a; }
                                         ^^^^^
            help: something ends in one way: remove one of them
            """),
        Refusal(
            "two byte orders",
            """
            message Cs_1 { @little @big uint16 a; }
            """,
            """
            a.wire:1:24: error: `@little` and `@big` exclude each other
            message Cs_1 { @little @big uint16 a; }
                                   ^^^^
            help: remove one of them
            """),
        Refusal(
            "a byte order for a struct",
            """
            struct Point { uint16 x; }
            message Cs_1 { @little Point a; }
            """,
            """
            a.wire:2:16: error: `@little` does not go with `Point`
            message Cs_1 { @little Point a; }
                           ^^^^^^^
            help: put it before the fields inside `Point`
            """),
        Refusal(
            "a byte order that changes nothing",
            """
            message Cs_1 { @little uint8 a; @big bool b; @little @count(uint8) string c; }
            """,
            """
            a.wire:1:16: warning: `@little` changes nothing before `uint8`
            message Cs_1 { @little uint8 a; @big bool b; @little @count(uint8) string c; }
                           ^^^^^^^
            help: nothing of it is a number of several bytes: leave it out
            a.wire:1:33: warning: `@big` changes nothing before `bool`
            message Cs_1 { @little uint8 a; @big bool b; @little @count(uint8) string c; }
                                            ^^^^
            help: nothing of it is a number of several bytes: leave it out
            a.wire:1:46: warning: `@little` changes nothing before `string`
            message Cs_1 { @little uint8 a; @big bool b; @little @count(uint8) string c; }
                                                         ^^^^^^^
            help: nothing of it is a number of several bytes: leave it out
            """),
        Refusal(
            "`@max_bytes` beyond 64 bits, or on something else",
            """
            message Cs_1 { @max_bytes(11) varint a; @max_bytes(0) varint b; @max_bytes(3) uint32 c; }
            """,
            """
            a.wire:1:27: error: a varint has 1 to 10 bytes
            message Cs_1 { @max_bytes(11) varint a; @max_bytes(0) varint b; @max_bytes(3) uint32 c; }
                                      ^^
            help: 10 bytes hold 64 bits
            a.wire:1:52: error: a varint has 1 to 10 bytes
            message Cs_1 { @max_bytes(11) varint a; @max_bytes(0) varint b; @max_bytes(3) uint32 c; }
                                                               ^
            help: 10 bytes hold 64 bits
            a.wire:1:65: error: `@max_bytes` does not go with `uint32`
            message Cs_1 { @max_bytes(11) varint a; @max_bytes(0) varint b; @max_bytes(3) uint32 c; }
                                                                            ^^^^^^^^^^^^^
            help: it limits a `varint`
            """),
        Refusal(
            "a varint32 of more than 32 bits",
            "message Cs_1 { @max_bytes(6) varint32 a; @range(-1..0x80000000) varint32 b; }",
            """
            a.wire:1:27: error: a varint32 has 1 to 5 bytes
            message Cs_1 { @max_bytes(6) varint32 a; @range(-1..0x80000000) varint32 b; }
                                      ^
            help: 5 bytes hold 32 bits
            a.wire:1:53: error: 2147483648 does not fit in `varint32`
            message Cs_1 { @max_bytes(6) varint32 a; @range(-1..0x80000000) varint32 b; }
                                                                ^^^^^^^^^^
            help: `varint32` goes from -2147483648 to 2147483647
            """),
        Refusal(
            "a range that does not fit",
            """
            message Cs_1 { @range(0..256) uint8 a; @range(-1..1) varint b; @range(0.5..1) uint8 c; }
            """,
            """
            a.wire:1:26: error: 256 does not fit in `uint8`
            message Cs_1 { @range(0..256) uint8 a; @range(-1..1) varint b; @range(0.5..1) uint8 c; }
                                     ^^^
            help: `uint8` goes from 0 to 255
            a.wire:1:47: error: -1 does not fit in `varint`
            message Cs_1 { @range(0..256) uint8 a; @range(-1..1) varint b; @range(0.5..1) uint8 c; }
                                                          ^^
            help: `varint` goes from 0 to 18446744073709551615
            a.wire:1:71: error: a whole number is expected
            message Cs_1 { @range(0..256) uint8 a; @range(-1..1) varint b; @range(0.5..1) uint8 c; }
                                                                                  ^^^
            help: `uint8` goes from 0 to 255
            """),
        Refusal(
            "a range that is upside down",
            """
            message Cs_1 { @range(5..1) uint8 a; @range(1..-1) float b; }
            """,
            """
            a.wire:1:23: error: this range is upside down
            message Cs_1 { @range(5..1) uint8 a; @range(1..-1) float b; }
                                  ^^^^
            help: the smaller number stands first
            a.wire:1:45: error: this range is upside down
            message Cs_1 { @range(5..1) uint8 a; @range(1..-1) float b; }
                                                        ^^^^^
            help: the smaller number stands first
            """),
        Refusal(
            "a range of something without order",
            """
            enum E : uint8 { a = 0; }
            message Cs_1 { @range(0..1) E a; @range(0..1) string b; @range(0..1) uint8[] c; }
            """,
            """
            a.wire:2:16: error: `@range` does not go with `E`
            message Cs_1 { @range(0..1) E a; @range(0..1) string b; @range(0..1) uint8[] c; }
                           ^^^^^^^^^^^^
            help: it limits an integer or a float
            a.wire:2:34: error: `@range` does not go with `string`
            message Cs_1 { @range(0..1) E a; @range(0..1) string b; @range(0..1) uint8[] c; }
                                             ^^^^^^^^^^^^
            help: it limits an integer or a float
            a.wire:2:57: error: `@range` does not go with `uint8[]`
            message Cs_1 { @range(0..1) E a; @range(0..1) string b; @range(0..1) uint8[] c; }
                                                                    ^^^^^^^^^^^^
            help: it limits an integer or a float
            """),
        Refusal(
            "`@max` beyond the prefix",
            """
            message Cs_1 { @count(uint8) @max(256) string a; @max(0) string b; @max(65536) uint8[] c; }
            """,
            """
            a.wire:1:35: error: `@max(256)` is not a limit for this field
            message Cs_1 { @count(uint8) @max(256) string a; @max(0) string b; @max(65536) uint8[] c; }
                                              ^^^
            help: it can be 1 to 255
            a.wire:1:55: error: `@max(0)` is not a limit for this field
            message Cs_1 { @count(uint8) @max(256) string a; @max(0) string b; @max(65536) uint8[] c; }
                                                                  ^
            help: it can be 1 to 65535
            a.wire:1:73: error: `@max(65536)` is not a limit for this field
            message Cs_1 { @count(uint8) @max(256) string a; @max(0) string b; @max(65536) uint8[] c; }
                                                                                    ^^^^^
            help: it can be 1 to 65535
            """),
        Refusal(
            "`@max` where nothing is counted",
            """
            message Cs_1 { @max(3) uint8 a; @max(3) uint8[4] b; }
            """,
            """
            a.wire:1:16: error: `@max` does not go with `uint8`
            message Cs_1 { @max(3) uint8 a; @max(3) uint8[4] b; }
                           ^^^^^^^
            help: it limits the bytes of a string, or the items of a list
            a.wire:1:33: error: `@max` does not go with `uint8[4]`
            message Cs_1 { @max(3) uint8 a; @max(3) uint8[4] b; }
                                            ^^^^^^^
            help: it limits the bytes of a string, or the items of a list
            """),
        Refusal(
            "lists of lists",
            """
            message Cs_1 { uint8[][] a; repeated uint8[4] b; repeated uint8[] c; }
            """,
            """
            a.wire:1:16: error: lists of lists are not possible
            message Cs_1 { uint8[][] a; repeated uint8[4] b; repeated uint8[] c; }
                           ^^^^^^^^^
            help: put the inner list into a struct, and use a list of that
            a.wire:1:29: error: lists of lists are not possible
            message Cs_1 { uint8[][] a; repeated uint8[4] b; repeated uint8[] c; }
                                        ^^^^^^^^^^^^^^^^^
            help: put the inner list into a struct, and use a list of that
            a.wire:1:50: error: lists of lists are not possible
            message Cs_1 { uint8[][] a; repeated uint8[4] b; repeated uint8[] c; }
                                                             ^^^^^^^^^^^^^^^^
            help: put the inner list into a struct, and use a list of that
            """),
        Refusal(
            "a fixed count out of range",
            """
            message Cs_1 { uint8[0] a; uint8[65536] b; uint8[-1] c; uint8[2147483648] d; uint8[1.5] e; }
            """,
            """
            a.wire:1:22: error: a fixed count is a whole number from 1 to 65535
            message Cs_1 { uint8[0] a; uint8[65536] b; uint8[-1] c; uint8[2147483648] d; uint8[1.5] e; }
                                 ^
            help: a list whose count varies is `T[]` or `repeated T`
            a.wire:1:34: error: a fixed count is a whole number from 1 to 65535
            message Cs_1 { uint8[0] a; uint8[65536] b; uint8[-1] c; uint8[2147483648] d; uint8[1.5] e; }
                                             ^^^^^
            help: a list whose count varies is `T[]` or `repeated T`
            a.wire:1:50: error: a fixed count is a whole number from 1 to 65535
            message Cs_1 { uint8[0] a; uint8[65536] b; uint8[-1] c; uint8[2147483648] d; uint8[1.5] e; }
                                                             ^^
            help: a list whose count varies is `T[]` or `repeated T`
            a.wire:1:63: error: a fixed count is a whole number from 1 to 65535
            message Cs_1 { uint8[0] a; uint8[65536] b; uint8[-1] c; uint8[2147483648] d; uint8[1.5] e; }
                                                                          ^^^^^^^^^^
            help: a list whose count varies is `T[]` or `repeated T`
            a.wire:1:84: error: a fixed count is a whole number from 1 to 65535
            message Cs_1 { uint8[0] a; uint8[65536] b; uint8[-1] c; uint8[2147483648] d; uint8[1.5] e; }
                                                                                               ^^^
            help: a list whose count varies is `T[]` or `repeated T`
            """),
    ]
}
