// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineSchema

/// Refused: `padding`.
struct PaddingRefusalTests {
    @Test(arguments: refusals)
    func `each problem is reported once, in full`(refusal: Refusal) {
        #expect(problems(refusal.source) == refusal.report)
    }

    @Test func `padding is a name everywhere else`() throws {
        let description = try describe(
            "struct padding { uint8 padding; } message Cs_1 { padding padding; padding 2; padding[2] more; padding 1; }"
        )
        #expect(description.messages[0].fields.map(\.name) == ["padding", "padding[0]", "more", "padding[1]"])
        #expect(description.messages[0].fields.map(\.hasValue) == [true, false, true, false])
        #expect(description.messages[0].fields.map(\.offset) == [0, 1, 3, 5])
    }

    static let refusals: [Refusal] = [
        Refusal(
            "numbers of bytes",
            """
            message Cs_1 { padding 0; padding 65536; padding -1; padding 1.5; }
            """,
            """
            a.wire:1:24: error: `padding` has 1 to 65535 bytes
            message Cs_1 { padding 0; padding 65536; padding -1; padding 1.5; }
                                   ^
            help: their number stands after the word, as in `padding 3;`
            a.wire:1:35: error: `padding` has 1 to 65535 bytes
            message Cs_1 { padding 0; padding 65536; padding -1; padding 1.5; }
                                              ^^^^^
            help: their number stands after the word, as in `padding 3;`
            a.wire:1:50: error: `padding` has 1 to 65535 bytes
            message Cs_1 { padding 0; padding 65536; padding -1; padding 1.5; }
                                                             ^^
            help: their number stands after the word, as in `padding 3;`
            a.wire:1:62: error: `padding` has 1 to 65535 bytes
            message Cs_1 { padding 0; padding 65536; padding -1; padding 1.5; }
                                                                         ^^^
            help: their number stands after the word, as in `padding 3;`
            """),
        Refusal(
            "attributes",
            """
            message Cs_1 { @since(2) padding 3; }
            """,
            """
            a.wire:1:16: error: `padding` takes no attributes
            message Cs_1 { @since(2) padding 3; }
                           ^^^^^^^^^
            help: bytes that have a meaning are a field, with a type and a name
            """),
        Refusal(
            "padding after a field that may be missing",
            """
            message Cs_1 { optional uint8 a; padding 3; }
            """,
            """
            a.wire:1:34: error: `padding[0]` must be there, but `a` before it may be missing
            message Cs_1 { optional uint8 a; padding 3; }
                                             ^^^^^^^
            help: move it up: it is in every packet
            """),
    ]
}
