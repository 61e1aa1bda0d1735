// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec
import WirelineSchema

/// Refused: conditions, `@if(…)`.
struct ConditionRefusalTests {
    @Test(arguments: refusals)
    func `each problem is reported once, in full`(refusal: Refusal) {
        #expect(problems(refusal.source) == refusal.report)
    }

    static let refusals: [Refusal] = [
        Refusal(
            "operands that are not there",
            """
            message Cs_1 {
                @if(kind) uint8 a;
                @if(late == 1) uint8 b;
                @if(b) uint8 b2;
                @if(bb > 1) uint8 c;
                uint8 late;
            }
            """,
            """
            a.wire:2:9: error: no field before this one is named `kind`
                @if(kind) uint8 a;
                    ^^^^
            a.wire:3:9: error: `late` does not stand before this field
                @if(late == 1) uint8 b;
                    ^^^^
            help: a condition looks at what has been read: move `late` up
            a.wire:5:9: error: no field before this one is named `bb`
                @if(bb > 1) uint8 c;
                    ^^
            """),
        Refusal(
            "operands that are no numbers",
            """
            struct S { uint8 x; }
            message Cs_1 {
                string text;
                uint8[] list;
                float32 ratio;
                S point;
                @if(text) uint8 a;
                @if(list == 0) uint8 b;
                @if(ratio > 1) uint8 c;
                @if(point) uint8 d;
            }
            """,
            """
            a.wire:7:9: error: a condition cannot look at `text`, which is `string`
                @if(text) uint8 a;
                    ^^^^
            help: it looks at integers, `bool`, enums and flags
            a.wire:8:9: error: a condition cannot look at `list`, which is `uint8[]`
                @if(list == 0) uint8 b;
                    ^^^^
            help: it looks at integers, `bool`, enums and flags
            a.wire:9:9: error: a condition cannot look at `ratio`, which is `float32`
                @if(ratio > 1) uint8 c;
                    ^^^^^
            help: it looks at integers, `bool`, enums and flags
            a.wire:10:9: error: a condition cannot look at `point`, which is `S`
                @if(point) uint8 d;
                    ^^^^^
            help: it looks at integers, `bool`, enums and flags
            """),
        Refusal(
            "a field that looks at itself, or whose type is unknown",
            """
            message Cs_1 {
                @if(a) uint8 a;
                Unknown b;
                @if(b) uint8 c;
            }
            """,
            """
            a.wire:2:9: error: `a` does not stand before this field
                @if(a) uint8 a;
                    ^
            help: a condition looks at what has been read: move `a` up
            a.wire:3:5: error: unknown type `Unknown`
                Unknown b;
                ^^^^^^^
            help: declare it: `struct Unknown { … }`
            """),
        Refusal(
            "values that an operand never has",
            """
            enum Kind : uint8 { plain = 0; zlib = 1; }
            flags Rights : uint8 { mute = 1; ban = 2; }
            message Cs_1 {
                Kind kind;
                Rights rights;
                int8 step;
                bool yes;
                @if(kind == zip) uint8 a;
                @if(rights & mut) uint8 b;
                @if(step < -129) uint8 c;
                @if(kind == 256) uint8 d;
                @if(step == plain) uint8 e;
                @if(step == 1.5) uint8 f;
            }
            """,
            """
            a.wire:8:17: error: `Kind` has no `zip`
                @if(kind == zip) uint8 a;
                            ^^^
            help: it has `plain`, `zlib`
            a.wire:9:18: error: `Rights` has no `mut`
                @if(rights & mut) uint8 b;
                             ^^^
            help: did you mean `mute`?
            a.wire:10:16: error: the operand is never this
                @if(step < -129) uint8 c;
                           ^^^^
            help: it is a whole number from -128 to 127
            a.wire:11:17: error: the operand is never this
                @if(kind == 256) uint8 d;
                            ^^^
            help: it is a name of `Kind`, or a number from 0 to 255
            a.wire:12:17: error: the operand is never this
                @if(step == plain) uint8 e;
                            ^^^^^
            help: it is a whole number from -128 to 127
            a.wire:13:17: error: the operand is never this
                @if(step == 1.5) uint8 f;
                            ^^^
            help: it is a whole number from -128 to 127
            """),
        Refusal(
            "comparisons of a `bool`",
            """
            message Cs_1 {
                bool yes;
                @if(yes < true) uint8 a;
                @if(yes == 1) uint8 b;
                @if(yes & true) uint8 c;
            }
            """,
            """
            a.wire:3:13: error: `<` does not go with a `bool`
                @if(yes < true) uint8 a;
                        ^
            help: write `yes` or `not yes`
            a.wire:4:16: error: a `bool` is never this
                @if(yes == 1) uint8 b;
                           ^
            help: it is `true` or `false`; write `yes` or `not yes`
            a.wire:5:13: error: `&` does not go with a `bool`
                @if(yes & true) uint8 c;
                        ^
            help: write `yes` or `not yes`
            """),
        Refusal(
            "conditions with `optional` and `@since`",
            """
            message Cs_1 {
                uint8 a;
                @if(a) optional uint8 b;
                @if(a) @since(2) uint8 c;
                @if(a) @default(1) uint8 d;
            }
            """,
            """
            a.wire:3:12: error: `@if` and `optional` exclude each other
                @if(a) optional uint8 b;
                       ^^^^^^^^
            help: a field with a condition is there exactly when it holds: choose one
            a.wire:4:12: error: `@if` and `@since` exclude each other
                @if(a) @since(2) uint8 c;
                       ^^^^^^^^^
            help: a field with a condition is there exactly when it holds: choose one
            a.wire:5:12: error: `@default` goes with `@since`
                @if(a) @default(1) uint8 d;
                       ^^^^^^^^^^^
            help: a field that every packet has needs no default; for one that was added write `@since(2)` too
            """),
        Refusal(
            "a condition after a field that may be missing",
            """
            message Cs_1 {
                uint8 a;
                optional uint8 b;
                @if(a) uint8 c;
            }
            """,
            """
            a.wire:4:18: error: `c` has a condition, but `b` before it may be missing
                @if(a) uint8 c;
                             ^
            help: move it up: a field with a condition cannot be `optional` or `@since(n)`
            """),
        Refusal(
            "a condition on the rest after a field that may be missing",
            """
            message Cs_1 {
                uint8 a;
                @since(2) uint8 b;
                @if(a) @rest bytes c;
            }
            """,
            """
            a.wire:4:24: error: `c` has a condition, but `b` before it may be missing
                @if(a) @rest bytes c;
                                   ^
            help: move it up: a field with a condition cannot be `optional` or `@since(n)`
            """),
        Refusal(
            "conditions that are none",
            """
            message Cs_1 {
                uint8 a;
                @if uint8 b;
                @if() uint8 c;
                @if(3) uint8 d;
                @if(a = 1) uint8 e;
                @if(a == ) uint8 f;
                @if(a == 1, a == 2) uint8 g;
                @if(a == "x") uint8 h;
                @if(a and) uint8 i;
                @if((a) uint8 j;
            }
            """,
            """
            a.wire:3:5: error: `@if` takes a condition
                @if uint8 b;
                ^^^
            help: write `@if(version > 1)`
            a.wire:4:5: error: `@if` takes a condition
                @if() uint8 c;
                ^^^^^
            help: write `@if(version > 1)`
            a.wire:5:9: error: expected a field, as in `@if(version > 1)`, found `3`
                @if(3) uint8 d;
                    ^
            a.wire:6:11: error: expected `==`, found `=`
                @if(a = 1) uint8 e;
                      ^
            help: write `==`
            a.wire:7:14: error: expected a number or a name to compare with, found `)`
                @if(a == ) uint8 f;
                         ^
            a.wire:8:5: error: `@if` takes a condition
                @if(a == 1, a == 2) uint8 g;
                ^^^^^^^^^^^^^^^^^^^
            help: write `@if(version > 1)`
            a.wire:9:14: error: expected a number or a name to compare with, found a string
                @if(a == "x") uint8 h;
                         ^^^
            a.wire:10:14: error: expected a field, as in `@if(version > 1)`, found `)`
                @if(a and) uint8 i;
                         ^
            a.wire:11:13: error: expected `)` after the attribute's value, found `uint8`
                @if((a) uint8 j;
                        ^^^^^
            """),
        Refusal(
            "words of other languages",
            """
            message Cs_1 {
                uint8 a;
                @if(a && a) uint8 b;
                @if(a || a) uint8 c;
                @if(!a) uint8 d;
                @if(a | 1) uint8 e;
                @if(a <> 1) uint8 f;
            }
            """,
            """
            a.wire:3:12: error: expected a number or a name to compare with, found `&`
                @if(a && a) uint8 b;
                       ^
            help: write `and`
            a.wire:4:11: error: expected `)` after the condition, found `|`
                @if(a || a) uint8 c;
                      ^
            help: write `or`
            a.wire:5:9: error: expected a field, as in `@if(version > 1)`, found `!`
                @if(!a) uint8 d;
                    ^
            help: write `not`
            a.wire:6:11: error: expected `)` after the condition, found `|`
                @if(a | 1) uint8 e;
                      ^
            help: write `or`
            a.wire:7:12: error: expected a number or a name to compare with, found `>`
                @if(a <> 1) uint8 f;
                       ^
            """),
        Refusal(
            "a condition before something else",
            """
            @if(a) message Cs_1 { uint8 a; }
            @if(a) enum E : uint8 { x = 1; }
            """,
            """
            a.wire:1:1: error: `@if` cannot stand before a message
            @if(a) message Cs_1 { uint8 a; }
            ^^^^^^
            help: it stands before a field, a field of the packet or a line of the packet
            a.wire:2:1: error: `@if` cannot stand before an enum
            @if(a) enum E : uint8 { x = 1; }
            ^^^^^^
            help: it stands before a field, a field of the packet or a line of the packet
            """),
        Refusal(
            "two conditions",
            """
            message Cs_1 {
                uint8 a;
                @if(a) @if(a == 1) uint8 b;
            }
            """,
            """
            a.wire:3:12: error: `@if` stands here twice
                @if(a) @if(a == 1) uint8 b;
                       ^^^^^^^^^^^
            help: remove one of them
            """),
        Refusal(
            "operands in other places",
            """
            struct S {
                uint8 x;
                @if(header.length) uint8 y;
            }
            message Cs_1 {
                S s;
                @if(s.x) uint8 a;
                @if(packet.id == 1) uint8 b;
            }
            """,
            """
            a.wire:3:9: error: a struct's condition cannot look at the packet's fields
                @if(header.length) uint8 y;
                    ^^^^^^^^^^^^^
            help: only a message's can: repeat the header's value in a field of the struct, or move this field into the message
            a.wire:7:9: error: a condition cannot look into `s`
                @if(s.x) uint8 a;
                    ^^^
            help: it looks at fields of the same message or struct, or at `header.…`
            a.wire:8:9: error: a condition cannot look into `packet`
                @if(packet.id == 1) uint8 b;
                    ^^^^^^^^^
            help: it looks at fields of the same message or struct, or at `header.…`
            """),
        Refusal(
            "a zero that a condition makes impossible",
            """
            struct S {
                uint8 kind;
                @if(kind == 0) @range(1..9) uint8 a;
                @if(kind == 1) @range(1..9) uint8 b;
            }
            message Cs_1 {
                @since(2) S s;
            }
            """,
            """
            a.wire:7:17: error: `s` is zero when it is missing, but the `@range` of `a` excludes 0
                @since(2) S s;
                            ^
            help: allow zero, or make the field `optional`
            """),
        Refusal(
            "a struct that contains itself by way of a condition",
            """
            struct S {
                bool more;
                @if(more) S next;
            }
            message Cs_1 { S s; }
            """,
            """
            a.wire:3:15: error: `S` contains itself, by way of `S.next`
                @if(more) S next;
                          ^
            help: let one of these fields be a list: `repeated S`
            """),
        Refusal(
            "conditions that are too deep",
            """
            message Cs_1 {
                uint8 a;
                @if((((((((((((((((((a)))))))))))))))))) uint8 b;
                @if(not not not not not not not not not not not not not not not not not a) uint8 c;
            }
            """,
            """
            a.wire:3:25: error: conditions stand more than 16 deep in one another
                @if((((((((((((((((((a)))))))))))))))))) uint8 b;
                                    ^
            help: write it with fewer parentheses and `not`
            a.wire:4:73: error: conditions stand more than 16 deep in one another
                @if(not not not not not not not not not not not not not not not not not a) uint8 c;
                                                                                    ^^^
            help: write it with fewer parentheses and `not`
            """),
    ]
}
