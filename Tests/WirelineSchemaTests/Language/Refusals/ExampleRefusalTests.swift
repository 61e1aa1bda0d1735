// SPDX-License-Identifier: Apache-2.0

import Testing

/// Refused: values of `@example` that the field cannot have.
struct ExampleRefusalTests {
    @Test(arguments: refusals)
    func `each problem is reported once, in full`(refusal: Refusal) {
        #expect(problems(refusal.source) == refusal.report)
    }

    static let refusals: [Refusal] = [
        Refusal(
            "a number that is out of range, by its type or its `@range`",
            """
            message Cs_1 {
                @example(256) uint8 a;
                @example(5) @range(0..4) uint8 b;
                @example(300) uint8[] c;
            }
            """,
            """
            a.wire:2:14: error: this cannot be the field's example
                @example(256) uint8 a;
                         ^^^
            help: it is a whole number from 0 to 255
            a.wire:3:14: error: this cannot be the field's example
                @example(5) @range(0..4) uint8 b;
                         ^
            help: it is a whole number from 0 to 4
            a.wire:4:14: error: this cannot be the field's example
                @example(300) uint8[] c;
                         ^^^
            help: it is a whole number from 0 to 255
            """),
        Refusal(
            "a value of another kind",
            """
            message Cs_1 {
                @example("x") bool a;
                @example(purple) Color b;
                @example(1) String c;
                @example("long") @max(3) String d;
            }
            enum Color : uint8 { red = 1; }
            """,
            """
            a.wire:2:14: error: this cannot be the field's example
                @example("x") bool a;
                         ^^^
            help: it is `true` or `false`
            a.wire:3:14: error: `Color` has no `purple`
                @example(purple) Color b;
                         ^^^^^^
            help: it has `red`
            a.wire:4:14: error: this cannot be the field's example
                @example(1) String c;
                         ^
            help: it is a string: `"…"`
            a.wire:5:14: error: this example has 4 bytes, 3 are allowed
                @example("long") @max(3) String d;
                         ^^^^^^
            help: shorten it, or raise the limit
            """),
        Refusal(
            "a struct, and something other than a field",
            """
            message Cs_1 {
                @example(1) S a;
                @example uint8 b;
            }
            @example(1) struct S { uint8 x; }
            """,
            """
            a.wire:2:5: error: `@example` does not go with `S`
                @example(1) S a;
                ^^^^^^^^^^^
            help: it is for numbers, texts, enums and flags, and for lists of them
            a.wire:3:5: error: `@example` takes a value
                @example uint8 b;
                ^^^^^^^^
            help: write `@example(7)`
            a.wire:5:1: error: `@example` cannot stand before a struct
            @example(1) struct S { uint8 x; }
            ^^^^^^^^^^^
            help: it stands before a field
            """),
    ]
}
