// SPDX-License-Identifier: Apache-2.0

import Testing

/// Refused: `@header` before a message.
struct HeaderValueRefusalTests {
    @Test(arguments: refusals)
    func `each problem is reported once, in full`(refusal: Refusal) {
        let packet =
            "packet { @id uint4 type; bit dup; uint2 qos; bit retain; @length(rest) varint length; Kind kind; }"
        let source = "enum Kind : uint8 { one = 1; two = 2; }\n" + packet + "\n" + refusal.source
        #expect(problems(source) == refusal.report)
    }

    static let refusals: [Refusal] = [
        Refusal(
            "an unknown field",
            """
            @id(1) @from(both) @header(qoss = 1) message M {}
            """,
            """
            a.wire:3:28: error: the packet has no field `qoss`
            @id(1) @from(both) @header(qoss = 1) message M {}
                                       ^^^^
            help: did you mean `qos`?
            """),
        Refusal(
            "a field with a value of its own",
            """
            @id(1) @from(both) @header(length = 1) message M {}
            """,
            """
            a.wire:3:28: error: a message cannot set `length`
            @id(1) @from(both) @header(length = 1) message M {}
                                       ^^^^^^
            help: IDs, lengths, sequences, constants and checksums have values of their own
            """),
        Refusal(
            "a field twice",
            """
            @id(1) @from(both) @header(qos = 1, qos = 2) message M {}
            """,
            """
            a.wire:3:37: error: `qos` has two values
            @id(1) @from(both) @header(qos = 1, qos = 2) message M {}
                                                ^^^^^^^
            help: remove one of them
            """),
        Refusal(
            "values that do not fit",
            """
            @id(1) @from(both) @header(qos = 4, dup = 1, kind = on, retain = yes) message M {}
            """,
            """
            a.wire:3:34: error: `qos` cannot hold this value
            @id(1) @from(both) @header(qos = 4, dup = 1, kind = on, retain = yes) message M {}
                                             ^
            help: it holds a whole number from 0 to 3
            a.wire:3:43: error: `dup` cannot hold this value
            @id(1) @from(both) @header(qos = 4, dup = 1, kind = on, retain = yes) message M {}
                                                      ^
            help: it holds `true` or `false`
            a.wire:3:53: error: there is no `on`
            @id(1) @from(both) @header(qos = 4, dup = 1, kind = on, retain = yes) message M {}
                                                                ^^
            help: it has `one`, `two`
            a.wire:3:66: error: `retain` cannot hold this value
            @id(1) @from(both) @header(qos = 4, dup = 1, kind = on, retain = yes) message M {}
                                                                             ^^^
            help: it holds `true` or `false`
            """),
        Refusal(
            "no value",
            """
            @id(1) @from(both) @header(qos) message M {}
            """,
            """
            a.wire:3:20: error: `@header` takes fields of the packet with their values
            @id(1) @from(both) @header(qos) message M {}
                               ^^^^^^^^^^^^
            help: write `@header(qos = 1)`
            """),
    ]
}
