// SPDX-License-Identifier: Apache-2.0

import Testing

/// Refused: options.
struct OptionRefusalTests {
    @Test(arguments: refusals)
    func `each problem is reported once, in full`(refusal: Refusal) {
        #expect(problems(refusal.source) == refusal.report)
    }

    static let refusals: [Refusal] = [
        Refusal(
            "an unknown option",
            """
            option byteorder = big;
            option colour = red;
            """,
            """
            a.wire:1:8: error: unknown option `byteorder`
            option byteorder = big;
                   ^^^^^^^^^
            help: did you mean `byte_order`?
            a.wire:2:8: error: unknown option `colour`
            option colour = red;
                   ^^^^^^
            help: the options are `byte_order`, `string_count`, `list_count`, `max_packet`, `max_depth`, `max_inflated`, `max_nested`, `trailing`, `properties`, `varints`
            """),
        Refusal(
            "a value that is none of the choices",
            """
            option byte_order = middle;
            option string_count = uint24;
            option list_count = 16;
            option trailing = yes;
            option properties = "strict";
            """,
            """
            a.wire:1:21: error: `byte_order` cannot be this
            option byte_order = middle;
                                ^^^^^^
            help: it is `big` or `little`
            a.wire:2:23: error: `string_count` cannot be this
            option string_count = uint24;
                                  ^^^^^^
            help: it is `uint8`, `uint16`, `uint32` or `varint`
            a.wire:3:21: error: `list_count` cannot be this
            option list_count = 16;
                                ^^
            help: it is `uint8`, `uint16`, `uint32` or `varint`
            a.wire:4:19: error: `trailing` cannot be this
            option trailing = yes;
                              ^^^
            help: it is `keep` or `reject`
            a.wire:5:21: error: `properties` cannot be this
            option properties = "strict";
                                ^^^^^^^^
            help: it is `strict` or `lenient`
            """),
        Refusal(
            "a number out of range",
            """
            option max_packet = 2147483648;
            option max_depth = 0;
            """,
            """
            a.wire:1:21: error: `max_packet` cannot be this
            option max_packet = 2147483648;
                                ^^^^^^^^^^
            help: it is a number of bytes up to 2147483647
            a.wire:2:20: error: `max_depth` cannot be this
            option max_depth = 0;
                               ^
            help: it is a number from 1 to 1000
            """),
        Refusal(
            "a depth that no stack holds",
            """
            option max_depth = 1001;
            """,
            """
            a.wire:1:20: error: `max_depth` cannot be this
            option max_depth = 1001;
                               ^^^^
            help: it is a number from 1 to 1000
            """),
        Refusal(
            "a packet smaller than its header",
            """
            option max_packet = 5;
            """,
            """
            a.wire:1:21: error: a packet of 5 bytes has no room for its header
            option max_packet = 5;
                                ^
            help: header and trailer take 6 bytes
            """),
    ]
}
