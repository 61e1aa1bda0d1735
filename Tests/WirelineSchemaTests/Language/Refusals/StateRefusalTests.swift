// SPDX-License-Identifier: Apache-2.0

import Testing

/// Refused: states of connections, conditions that test them, and `@sets`.
struct StateRefusalTests {
    @Test(arguments: refusals)
    func `each problem is reported once, in full`(refusal: Refusal) {
        #expect(problems(refusal.source) == refusal.report)
    }

    static let refusals: [Refusal] = [
        Refusal(
            "a state after a field that tests it",
            """
            packet { @length(rest) uint8 l; @if(on) uint8 a; state bit on; }
            """,
            """
            a.wire:1:37: error: `on` does not stand before this field
            packet { @length(rest) uint8 l; @if(on) uint8 a; state bit on; }
                                                ^^
            help: a condition looks at what has been read: move `on` up
            """),
        Refusal(
            "a state with the name of a field, and two of one name",
            """
            packet { state bit a; state uint8 b; state bit b; @length(rest) uint8 l; @if(b > 1) uint8 a; }
            """,
            """
            a.wire:1:20: error: `a` is declared twice in the packet; also in a.wire:1
            packet { state bit a; state uint8 b; state bit b; @length(rest) uint8 l; @if(b > 1) uint8 a; }
                               ^
            help: rename or remove one of them
            a.wire:1:48: error: `b` is declared twice in the packet; also in a.wire:1
            packet { state bit a; state uint8 b; state bit b; @length(rest) uint8 l; @if(b > 1) uint8 a; }
                                                           ^
            help: rename or remove one of them
            """),
        Refusal(
            "a state of a type that has no number",
            """
            struct S { uint8 x; }
            packet { state string s; state S t; state float32 f; state varint v; state flot g; @length(rest) uint8 l; @if(s) uint8 a; }
            """,
            """
            a.wire:2:16: error: a state cannot be `string`
            packet { state string s; state S t; state float32 f; state varint v; state flot g; @length(rest) uint8 l; @if(s) uint8 a; }
                           ^^^^^^
            help: it is an integer, a `bool`, a `bit`, an enum or flags
            a.wire:2:32: error: a state cannot be `S`
            packet { state string s; state S t; state float32 f; state varint v; state flot g; @length(rest) uint8 l; @if(s) uint8 a; }
                                           ^
            help: it is an integer, a `bool`, a `bit`, an enum or flags
            a.wire:2:43: error: a state cannot be `float32`
            packet { state string s; state S t; state float32 f; state varint v; state flot g; @length(rest) uint8 l; @if(s) uint8 a; }
                                                      ^^^^^^^
            help: it is an integer, a `bool`, a `bit`, an enum or flags
            a.wire:2:60: error: a state cannot be `varint`
            packet { state string s; state S t; state float32 f; state varint v; state flot g; @length(rest) uint8 l; @if(s) uint8 a; }
                                                                       ^^^^^^
            help: it is an integer, a `bool`, a `bit`, an enum or flags
            a.wire:2:76: error: a state cannot be `flot`
            packet { state string s; state S t; state float32 f; state varint v; state flot g; @length(rest) uint8 l; @if(s) uint8 a; }
                                                                                       ^^^^
            help: did you mean `float`?
            """),
        Refusal(
            "a state of a closed enum",
            """
            @closed enum E : uint8 { a = 1; }
            packet { state E e; @length(rest) uint8 l; @if(e == a) uint8 x; }
            """,
            """
            a.wire:2:16: error: a state cannot be the `@closed` enum `E`
            packet { state E e; @length(rest) uint8 l; @if(e == a) uint8 x; }
                           ^
            help: leave `@closed` out: a state is 0 at first, and programs can set it to any number
            """),
        Refusal(
            "a state in a message",
            """
            message Cs_1 { state bit on; }
            """,
            """
            a.wire:1:26: error: expected `;` after the field, found `on`
            message Cs_1 { state bit on; }
                                     ^^
            help: a state stands in the `packet`, without attributes: `state bit started;`
            """),
        Refusal(
            "a value that a state never has",
            """
            enum E : uint8 { a = 1; b = 2; }
            packet { state E e; state uint2 n; state bit on; @length(rest) uint8 l; @if(e == c) uint8 x; @if(n > 4) uint8 y; @if(on == 2) uint8 z; }
            """,
            """
            a.wire:2:82: error: `E` has no `c`
            packet { state E e; state uint2 n; state bit on; @length(rest) uint8 l; @if(e == c) uint8 x; @if(n > 4) uint8 y; @if(on == 2) uint8 z; }
                                                                                             ^
            help: it has `a`, `b`
            a.wire:2:102: error: the operand is never this
            packet { state E e; state uint2 n; state bit on; @length(rest) uint8 l; @if(e == c) uint8 x; @if(n > 4) uint8 y; @if(on == 2) uint8 z; }
                                                                                                                 ^
            help: it is a whole number from 0 to 3
            a.wire:2:124: error: a `bool` is never this
            packet { state E e; state uint2 n; state bit on; @length(rest) uint8 l; @if(e == c) uint8 x; @if(n > 4) uint8 y; @if(on == 2) uint8 z; }
                                                                                                                                       ^
            help: it is `true` or `false`; write `on` or `not on`
            """),
        Refusal(
            "a condition that holds in no state",
            """
            enum E : uint8 { a = 1; b = 2; }
            packet { state E e; @length(rest) uint8 l; @if(e == a and e == b) uint8 x; @if(e > 3 and not e > 2) uint8 y; }
            """,
            """
            a.wire:2:45: error: no packet has `x`
            packet { state E e; @length(rest) uint8 l; @if(e == a and e == b) uint8 x; @if(e > 3 and not e > 2) uint8 y; }
                                                        ^^
            help: its condition holds neither for a client nor for a server, whatever the states are: remove the field, or correct the condition
            a.wire:2:77: error: no packet has `y`
            packet { state E e; @length(rest) uint8 l; @if(e == a and e == b) uint8 x; @if(e > 3 and not e > 2) uint8 y; }
                                                                                        ^^
            help: its condition holds neither for a client nor for a server, whatever the states are: remove the field, or correct the condition
            """),
        Refusal(
            "seven tests",
            """
            packet { state uint8 s; @length(rest) uint8 l; @if(s == 1 or s == 2 or s == 3 or s == 4 or s == 5 or s == 6 or s == 7) uint8 x; }
            """,
            """
            a.wire:1:1: error: the packet's conditions have more than 6 different tests of states and of `nested`
            packet { state uint8 s; @length(rest) uint8 l; @if(s == 1 or s == 2 or s == 3 or s == 4 or s == 5 or s == 6 or s == 7) uint8 x; }
            ^^^^^^
            help: test an enum that says the same as several states
            """),
        Refusal(
            "a condition of a message that tests a state",
            """
            packet { state bit on; @length(rest) uint8 l; @id uint8 i; @if(on) uint8 x; }
            message Cs_1 { @if(on) uint8 a; }
            """,
            """
            a.wire:2:20: error: no field before this one is named `on`
            message Cs_1 { @if(on) uint8 a; }
                               ^^
            help: `on` decides only about fields of the packet
            """),
        Refusal(
            "`@sets` of what is no state",
            """
            packet { state bit started; @length(rest) uint8 l; @id uint8 i; @if(started) uint8 x; }
            @sets(startd) message Cs_1 {}
            @sets(l = 1) message Cs_2 {}
            """,
            """
            a.wire:2:7: error: the packet has no state `startd`
            @sets(startd) message Cs_1 {}
                  ^^^^^^
            help: did you mean `started`?
            a.wire:3:7: error: the packet has no state `l`
            @sets(l = 1) message Cs_2 {}
                  ^
            help: it is a field of the packet, which `@header` sets
            """),
        Refusal(
            "`@sets` without states",
            """
            packet { @length(rest) uint8 l; @id uint8 i; }
            @sets(started) message Cs_1 {}
            """,
            """
            a.wire:2:7: error: the packet has no state `started`
            @sets(started) message Cs_1 {}
                  ^^^^^^^
            help: declare it in the `packet`: `state bit started;`
            """),
        Refusal(
            "`@sets` with a value that does not fit",
            """
            enum E : uint8 { a = 1; b = 2; }
            flags F : uint8 { r = 1; }
            packet { state bit on; state E e; state F f; state int1 s; state uint8 n; @length(rest) uint8 l; @id uint8 i; @if(on) uint8 x; }
            @sets(on = 1) message Cs_1 {}
            @sets(e) message Cs_2 {}
            @sets(e = c) message Cs_3 {}
            @sets(s) message Cs_4 {}
            @sets(n = 256) message Cs_5 {}
            @sets(f = "r") message Cs_6 {}
            @sets(f) message Cs_7 {}
            """,
            """
            a.wire:4:12: error: `on` cannot hold this value
            @sets(on = 1) message Cs_1 {}
                       ^
            help: it holds `true` or `false`
            a.wire:5:7: error: `@sets` does not say what `e` becomes
            @sets(e) message Cs_2 {}
                  ^
            help: write `@sets(e = …)` with one of `a`, `b`
            a.wire:6:11: error: there is no `c`
            @sets(e = c) message Cs_3 {}
                      ^
            help: it has `a`, `b`
            a.wire:7:7: error: `s` cannot hold this value
            @sets(s) message Cs_4 {}
                  ^
            help: it holds a whole number from -1 to 0
            a.wire:8:11: error: `n` cannot hold this value
            @sets(n = 256) message Cs_5 {}
                      ^^^
            help: it holds a whole number from 0 to 255
            a.wire:9:11: error: `f` cannot hold this value
            @sets(f = "r") message Cs_6 {}
                      ^^^
            help: it holds a whole number from 0 to 255
            a.wire:10:7: error: `@sets` does not say what `f` becomes
            @sets(f) message Cs_7 {}
                  ^
            help: write `@sets(f = …)` with one of `r`
            """),
        Refusal(
            "`@sets` in another form",
            """
            packet { state bit on; @length(rest) uint8 l; @id uint8 i; @if(on) uint8 x; }
            @sets message Cs_1 {}
            @sets(on, on) message Cs_2 {}
            @sets(on) @sets(on) message Cs_3 {}
            @sets(1) message Cs_4 {}
            struct S { @sets(on) uint8 a; }
            """,
            """
            a.wire:2:1: error: `@sets` takes a state, or a state and its value
            @sets message Cs_1 {}
            ^^^^^
            help: write `@sets(started)`
            a.wire:3:1: error: `@sets` takes a state, or a state and its value
            @sets(on, on) message Cs_2 {}
            ^^^^^^^^^^^^^
            help: write `@sets(started)`
            a.wire:4:11: error: `@sets` stands here twice
            @sets(on) @sets(on) message Cs_3 {}
                      ^^^^^^^^^
            help: remove one of them
            a.wire:5:1: error: `@sets` takes a state, or a state and its value
            @sets(1) message Cs_4 {}
            ^^^^^^^^
            help: write `@sets(started)`
            a.wire:6:12: error: `@sets` cannot stand before a field
            struct S { @sets(on) uint8 a; }
                       ^^^^^^^^^
            help: it stands before a message
            """),
        Refusal(
            "a packet without fields in a state",
            """
            packet { state bit on; @if(on) @length(rest) uint8 l; @if(on) uint8 x; }
            """,
            """
            a.wire:1:1: error: a packet from a client has no fields
            packet { state bit on; @if(on) @length(rest) uint8 l; @if(on) uint8 x; }
            ^^^^^^
            help: let a field be there if `sender == client`, too
            """),
        Refusal(
            "an ID that fits in no state",
            """
            packet { state bit on; @length(rest) uint8 l; @if(on) @id uint8 i; @if(not on) @id uint16 j; }
            @id(70000) @from(client) message A {}
            @id(300) @from(client) message B {}
            """,
            """
            a.wire:2:5: error: no packet from a client can have the ID 70000
            @id(70000) @from(client) message A {}
                ^^^^^
            help: IDs from a client go from 0 to 65535
            """),
    ]
}
