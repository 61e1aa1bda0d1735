// SPDX-License-Identifier: Apache-2.0

import Testing

/// Refused: fields that may be missing, and fields without an end.
struct GrowthRefusalTests {
    @Test(arguments: refusals)
    func `each problem is reported once, in full`(refusal: Refusal) {
        #expect(problems(refusal.source) == refusal.report)
    }

    static let refusals: [Refusal] = [
        Refusal(
            "a required field after an optional one, once",
            """
            message Cs_1 {
                optional uint8 a;
                uint8 b;
                uint8 c;
            }
            """,
            """
            a.wire:3:11: error: `b` must be there, but `a` before it may be missing
                uint8 b;
                      ^
            help: move it up, or make it `optional` or `@since(n)` too
            """),
        Refusal(
            "`@since` that descends",
            """
            message Cs_1 { @since(3) uint8 a; @since(2) uint8 b; }
            """,
            """
            a.wire:1:51: error: `@since(2)` stands after `@since(3)`
            message Cs_1 { @since(3) uint8 a; @since(2) uint8 b; }
                                                              ^
            help: fields are only ever appended: the newest stand last
            """),
        Refusal(
            "`@since` out of range",
            """
            message Cs_1 { @since(0) uint8 a; @since(1) uint8 b; }
            """,
            """
            a.wire:1:23: error: `@since` takes a number from 1 to 2147483647
            message Cs_1 { @since(0) uint8 a; @since(1) uint8 b; }
                                  ^
            help: it is the version of your protocol that added the field
            """),
        Refusal(
            "`@since` after an optional",
            """
            message Cs_1 { optional uint8 a; @since(2) uint8 b; @since(2) uint8 c; }
            """,
            """
            a.wire:1:50: warning: `b` is always written, so `a` before it can never be left out
            message Cs_1 { optional uint8 a; @since(2) uint8 b; @since(2) uint8 c; }
                                                             ^
            help: make `b` `optional` too
            """),
        Refusal(
            "`optional` and `@since`",
            """
            message Cs_1 { @since(2) optional uint8 a; }
            """,
            """
            a.wire:1:26: error: `optional` and `@since` exclude each other
            message Cs_1 { @since(2) optional uint8 a; }
                                     ^^^^^^^^
            help: an `optional` field may be left out, a `@since` field is always written: choose one
            """),
        Refusal(
            "an optional field in a struct of fixed shape",
            """
            struct S { uint8 a; optional uint8 b; }
            """,
            """
            a.wire:1:21: error: a struct of fixed shape cannot have a field that may be missing
            struct S { uint8 a; optional uint8 b; }
                                ^^^^^^^^
            help: let the struct say its size: `struct S sized(uint16) { … }`
            """),
        Refusal(
            "a `@since` field in a struct of fixed shape",
            """
            struct S { uint8 a; @since(2) uint8 b; }
            """,
            """
            a.wire:1:21: error: a struct of fixed shape cannot have a field that may be missing
            struct S { uint8 a; @since(2) uint8 b; }
                                ^^^^^^^^^
            help: let the struct say its size: `struct S sized(uint16) { … }`
            """),
        Refusal(
            "an optional that may be empty",
            """
            struct Empty { }
            message Cs_1 { optional Empty a; }
            message Cs_2 { optional properties a; }
            message Cs_3 { @rest optional bytes a; }
            """,
            """
            a.wire:2:25: error: `a` may take no bytes, so an optional one could not be told from a missing one
            message Cs_1 { optional Empty a; }
                                    ^^^^^
            help: leave `optional` out: empty can mean missing
            a.wire:3:25: error: `a` may take no bytes, so an optional one could not be told from a missing one
            message Cs_2 { optional properties a; }
                                    ^^^^^^^^^^
            help: leave `optional` out: empty can mean missing
            a.wire:4:31: error: `a` may take no bytes, so an optional one could not be told from a missing one
            message Cs_3 { @rest optional bytes a; }
                                          ^^^^^
            help: leave `optional` out: empty can mean missing
            """),
        Refusal(
            "a field after `@rest`",
            """
            message Cs_1 { @rest bytes a; uint8 b; }
            """,
            """
            a.wire:1:28: error: `a` goes to the end of the payload, but `b` follows
            message Cs_1 { @rest bytes a; uint8 b; }
                                       ^
            help: move it to the end of the message
            """),
        Refusal(
            "a field after `properties`",
            """
            message Cs_1 { properties a; uint8 b; }
            """,
            """
            a.wire:1:27: error: `a` goes to the end of the payload, but `b` follows
            message Cs_1 { properties a; uint8 b; }
                                      ^
            help: move it to the end of the message
            """),
        Refusal(
            "`@rest` in a struct",
            """
            struct S { @rest bytes a; }
            struct P sized(uint16) { properties a; }
            """,
            """
            a.wire:1:24: error: `a` goes to the end of the payload, which only a message's field can
            struct S { @rest bytes a; }
                                   ^
            help: count it with a prefix, or move it into the message
            a.wire:2:37: error: `a` goes to the end of the payload, which only a message's field can
            struct P sized(uint16) { properties a; }
                                                ^
            help: count it with a prefix, or move it into the message
            """),
        Refusal(
            "a list of properties",
            """
            message Cs_1 { properties[] a; }
            """,
            """
            a.wire:1:16: error: `properties` go to the end of the payload, so there is no list of them
            message Cs_1 { properties[] a; }
                           ^^^^^^^^^^^^
            help: use a list of a struct with a key and a value
            """),
        Refusal(
            "`@default` without `@since`",
            """
            message Cs_1 { @default(3) uint8 a; @default(3) optional uint8 b; }
            """,
            """
            a.wire:1:16: error: `@default` goes with `@since`
            message Cs_1 { @default(3) uint8 a; @default(3) optional uint8 b; }
                           ^^^^^^^^^^^
            help: a field that every packet has needs no default; for one that was added write `@since(2)` too
            a.wire:1:37: error: `@default` goes with `@since`
            message Cs_1 { @default(3) uint8 a; @default(3) optional uint8 b; }
                                                ^^^^^^^^^^^
            help: a field that every packet has needs no default; for one that was added write `@since(2)` too
            """),
        Refusal(
            "a default of the wrong type",
            """
            enum E : uint8 { failed = 0; ok = 1; }
            message Cs_1 {
                @since(1) @default("x") uint8 a;
                @since(1) @default(256) uint8 b;
                @since(1) @default(1) bool c;
                @since(1) @default(okay) E d;
                @since(1) @default(good) E e;
                @since(1) @default(256) E f;
                @since(1) @default(1e39) float g;
                @since(1) @default(x) string h;
                @since(1) @default(1.5) uint8 i;
            }
            """,
            """
            a.wire:3:24: error: this cannot be the field's default
                @since(1) @default("x") uint8 a;
                                   ^^^
            help: it is a whole number from 0 to 255
            a.wire:4:24: error: this cannot be the field's default
                @since(1) @default(256) uint8 b;
                                   ^^^
            help: it is a whole number from 0 to 255
            a.wire:5:24: error: this cannot be the field's default
                @since(1) @default(1) bool c;
                                   ^
            help: it is `true` or `false`
            a.wire:6:24: error: `E` has no `okay`
                @since(1) @default(okay) E d;
                                   ^^^^
            help: it has `failed`, `ok`
            a.wire:7:24: error: `E` has no `good`
                @since(1) @default(good) E e;
                                   ^^^^
            help: it has `failed`, `ok`
            a.wire:8:24: error: this cannot be the field's default
                @since(1) @default(256) E f;
                                   ^^^
            help: it is one of `failed`, `ok`
            a.wire:9:24: error: this cannot be the field's default
                @since(1) @default(1e39) float g;
                                   ^^^^
            help: it is a number
            a.wire:10:24: error: this cannot be the field's default
                @since(1) @default(x) string h;
                                   ^
            help: it is a string: `"…"`
            a.wire:11:24: error: this cannot be the field's default
                @since(1) @default(1.5) uint8 i;
                                   ^^^
            help: it is a whole number from 0 to 255
            """),
        Refusal(
            "a default where there is none",
            """
            struct P { uint8 x; }
            message Cs_1 { @since(1) @default(1) P a; @since(1) @default("x") bytes b; @since(1) @default(1) uint8[4] c; }
            """,
            """
            a.wire:2:26: error: `@default` does not go with `P`
            message Cs_1 { @since(1) @default(1) P a; @since(1) @default("x") bytes b; @since(1) @default(1) uint8[4] c; }
                                     ^^^^^^^^^^^
            help: leave it out: such a field is empty, or zero in all parts
            a.wire:2:53: error: `@default` does not go with `bytes`
            message Cs_1 { @since(1) @default(1) P a; @since(1) @default("x") bytes b; @since(1) @default(1) uint8[4] c; }
                                                                ^^^^^^^^^^^^^
            help: leave it out: such a field is empty, or zero in all parts
            a.wire:2:86: error: `@default` does not go with `uint8[4]`
            message Cs_1 { @since(1) @default(1) P a; @since(1) @default("x") bytes b; @since(1) @default(1) uint8[4] c; }
                                                                                                 ^^^^^^^^^^^
            help: leave it out: such a field is empty, or zero in all parts
            """),
        Refusal(
            "a default beyond the limits",
            """
            message Cs_1 { @since(1) @range(1..5) @default(6) uint8 a; @since(1) @max(2) @default("abc") string b; @since(1) @range(0..1) @default(1.5) float c; }
            """,
            """
            a.wire:1:48: error: this cannot be the field's default
            message Cs_1 { @since(1) @range(1..5) @default(6) uint8 a; @since(1) @max(2) @default("abc") string b; @since(1) @range(0..1) @default(1.5) float c; }
                                                           ^
            help: it is a whole number from 1 to 5
            a.wire:1:87: error: this default has 3 bytes, 2 are allowed
            message Cs_1 { @since(1) @range(1..5) @default(6) uint8 a; @since(1) @max(2) @default("abc") string b; @since(1) @range(0..1) @default(1.5) float c; }
                                                                                                  ^^^^^
            help: shorten it, or raise the limit
            a.wire:1:136: error: this cannot be the field's default
            message Cs_1 { @since(1) @range(1..5) @default(6) uint8 a; @since(1) @max(2) @default("abc") string b; @since(1) @range(0..1) @default(1.5) float c; }
                                                                                                                                                   ^^^
            help: it is a number from 0.0 to 1.0
            """),
        Refusal(
            "a default that `@rest` could not keep",
            """
            message Cs_1 { @since(1) @default("x") @rest string a; }
            """,
            """
            a.wire:1:35: error: this cannot be the field's default
            message Cs_1 { @since(1) @default("x") @rest string a; }
                                              ^^^
            help: an empty `@rest` field is written as nothing, so that it could only be read as empty
            """),
        Refusal(
            "a zero that the range excludes",
            """
            message Cs_1 { @since(1) @range(1..5) uint8 a; @since(1) @range(0.5..1) float b; }
            """,
            """
            a.wire:1:45: error: `a` is zero when it is missing, but the `@range` of `a` excludes 0
            message Cs_1 { @since(1) @range(1..5) uint8 a; @since(1) @range(0.5..1) float b; }
                                                        ^
            help: say what it is then: `@default(…)`
            a.wire:1:79: error: `b` is zero when it is missing, but the `@range` of `b` excludes 0
            message Cs_1 { @since(1) @range(1..5) uint8 a; @since(1) @range(0.5..1) float b; }
                                                                                          ^
            help: say what it is then: `@default(…)`
            """),
        Refusal(
            "a zero that a closed enum lacks",
            """
            @closed enum E : uint8 { one = 1; }
            struct P { E e; }
            message Cs_1 { @since(1) E a; @since(1) E[4] b; @since(1) P c; @since(1) @default(2) E d; }
            """,
            """
            a.wire:3:28: error: `a` is zero when it is missing, but the closed `E` has no 0
            message Cs_1 { @since(1) E a; @since(1) E[4] b; @since(1) P c; @since(1) @default(2) E d; }
                                       ^
            help: say what it is then: `@default(…)`
            a.wire:3:46: error: `b` is zero when it is missing, but the closed `E` has no 0
            message Cs_1 { @since(1) E a; @since(1) E[4] b; @since(1) P c; @since(1) @default(2) E d; }
                                                         ^
            help: allow zero, or make the field `optional`
            a.wire:3:61: error: `c` is zero when it is missing, but the closed `E` has no 0
            message Cs_1 { @since(1) E a; @since(1) E[4] b; @since(1) P c; @since(1) @default(2) E d; }
                                                                        ^
            help: allow zero, or make the field `optional`
            a.wire:3:83: error: this cannot be the field's default
            message Cs_1 { @since(1) E a; @since(1) E[4] b; @since(1) P c; @since(1) @default(2) E d; }
                                                                                              ^
            help: it is one of `one`
            """),
        Refusal(
            "a default beside a float's range",
            """
            message Cs_1 { @since(1) @range(0..0.1) @default(0.2) float a; }
            """,
            """
            a.wire:1:50: error: this cannot be the field's default
            message Cs_1 { @since(1) @range(0..0.1) @default(0.2) float a; }
                                                             ^^^
            help: it is a number from 0.0 to 0.1
            """),
        Refusal(
            "a zero that cannot be written",
            """
            struct S sized(uint8) { uint8 a; optional uint8 b; @since(1) uint8 c; }
            message Cs_1 { @since(1) S d; }
            """,
            """
            a.wire:1:68: warning: `c` is always written, so `b` before it can never be left out
            struct S sized(uint8) { uint8 a; optional uint8 b; @since(1) uint8 c; }
                                                                               ^
            help: make `c` `optional` too
            a.wire:2:28: error: `d` is zero when it is missing, but `b` cannot be left out before `c`
            message Cs_1 { @since(1) S d; }
                                       ^
            help: allow zero, or make the field `optional`
            """),
    ]
}
