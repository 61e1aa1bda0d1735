// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec
import WirelineSchema

/// Refused: `@utf16`.
struct UTF16RefusalTests {
    @Test(arguments: refusals)
    func `each problem is reported once, in full`(refusal: Refusal) {
        #expect(problems(refusal.source) == refusal.report)
    }

    static let refusals: [Refusal] = [
        Refusal(
            "types that are no text",
            """
            struct S { uint8 a; }
            message Cs_1 { @utf16 bytes a; @utf16 uint16 b; @utf16 bcd[2] c; @utf16 S d; }
            """,
            """
            a.wire:2:16: error: `@utf16` does not go with `bytes`
            message Cs_1 { @utf16 bytes a; @utf16 uint16 b; @utf16 bcd[2] c; @utf16 S d; }
                           ^^^^^^
            help: it goes with a `string` or a `char`
            a.wire:2:32: error: `@utf16` does not go with `uint16`
            message Cs_1 { @utf16 bytes a; @utf16 uint16 b; @utf16 bcd[2] c; @utf16 S d; }
                                           ^^^^^^
            help: it goes with a `string` or a `char`
            a.wire:2:49: error: `@utf16` does not go with `bcd[2]`
            message Cs_1 { @utf16 bytes a; @utf16 uint16 b; @utf16 bcd[2] c; @utf16 S d; }
                                                            ^^^^^^
            help: it goes with a `string` or a `char`
            a.wire:2:66: error: `@utf16` does not go with `S`
            message Cs_1 { @utf16 bytes a; @utf16 uint16 b; @utf16 bcd[2] c; @utf16 S d; }
                                                                             ^^^^^^
            help: it goes with a `string` or a `char`
            """),
        Refusal(
            "values that do not fit",
            """
            message Cs_1 {
                @example("abc") @utf16 char[2] a;
                @example("ab") @utf16 @max(1) string b;
                @example("é") @utf16 @pad(0xE9) char[2] c;
            }
            """,
            """
            a.wire:2:14: error: this example has 3 16-bit units, 2 are allowed
                @example("abc") @utf16 char[2] a;
                         ^^^^^
            help: shorten it, or raise the limit
            a.wire:3:14: error: this example has 2 16-bit units, 1 are allowed
                @example("ab") @utf16 @max(1) string b;
                         ^^^^
            help: shorten it, or raise the limit
            a.wire:4:14: error: this cannot be the field's example
                @example("é") @utf16 @pad(0xE9) char[2] c;
                         ^^^
            help: the byte of `@pad` is taken off the end of a text
            """),
    ]
}
