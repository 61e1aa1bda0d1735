// SPDX-License-Identifier: Apache-2.0

import Testing

/// Refused: `@if` before fields of the packet.
struct PacketConditionRefusalTests {
    @Test(arguments: refusals)
    func `each problem is reported once, in full`(refusal: Refusal) {
        #expect(problems(refusal.source) == refusal.report)
    }

    static let refusals: [Refusal] = [
        Refusal(
            "operands that no condition can have",
            """
            packet {
                @length(packet) uint16 length;
                bcd[2] phone;
                @checksum(sum8) uint8 sum;
                @if(length > 9) uint8 a;
                @if(phone) uint8 b;
                @if(sum) uint8 c;
                @if(e == 1) uint8 d;
                @if(lenght) uint8 e;
                @id uint8 id;
            }
            """,
            """
            a.wire:5:9: error: a condition cannot look at `length`, which is a length
                @if(length > 9) uint8 a;
                    ^^^^^^
            help: it looks at integers, `bool`, enums and flags
            a.wire:6:9: error: a condition cannot look at `phone`, which is `bcd[2]`
                @if(phone) uint8 b;
                    ^^^^^
            help: it looks at integers, `bool`, enums and flags
            a.wire:7:9: error: a condition cannot look at `sum`, which is a checksum
                @if(sum) uint8 c;
                    ^^^
            help: it looks at integers, `bool`, enums and flags
            a.wire:8:9: error: `e` does not stand before this field
                @if(e == 1) uint8 d;
                    ^
            help: a condition looks at what has been read: move `e` up
            a.wire:9:9: error: no field before this one is named `lenght`
                @if(lenght) uint8 e;
                    ^^^^^^
            help: did you mean `length`?
            """),
        Refusal(
            "a field of the trailer",
            """
            packet {
                @length(packet) uint16 length; @id uint8 id;
                payload;
                uint8 kind; @if(kind) uint8 more;
            }
            """,
            """
            a.wire:4:21: error: a condition cannot look at `kind`, which is in the trailer
                uint8 kind; @if(kind) uint8 more;
                                ^^^^
            help: it looks at integers, `bool`, enums and flags
            """),
        Refusal(
            "a value that the operand never has",
            """
            enum Form : uint8 { short = 1; long = 2; }
            packet {
                Form form; uint4 kind; bit on; uint3 rest;
                @if(form == middle or kind > 16 or on == 2) @length(packet) uint16 length;
                @id uint8 id;
            }
            """,
            """
            a.wire:4:17: error: `Form` has no `middle`
                @if(form == middle or kind > 16 or on == 2) @length(packet) uint16 length;
                            ^^^^^^
            help: it has `short`, `long`
            a.wire:4:34: error: the operand is never this
                @if(form == middle or kind > 16 or on == 2) @length(packet) uint16 length;
                                             ^^
            help: it is a whole number from 0 to 15
            a.wire:4:46: error: a `bool` is never this
                @if(form == middle or kind > 16 or on == 2) @length(packet) uint16 length;
                                                         ^
            help: it is `true` or `false`; write `on` or `not on`
            """),
        Refusal(
            "fields that share bytes",
            """
            packet { @length(packet) uint16 length; uint8 kind; @if(kind) uint4 a; uint4 b; @id uint8 id; }
            """,
            """
            a.wire:1:69: error: `a` shares bytes with others, and so is always there
            packet { @length(packet) uint16 length; uint8 kind; @if(kind) uint4 a; uint4 b; @id uint8 id; }
                                                                                ^
            help: give it whole bytes, after other whole bytes
            """),
        Refusal(
            "too many IDs",
            """
            packet {
                @length(packet) uint16 length; uint8 kind;
                @if(kind) @id uint8 a; @if(kind) @id uint8 b; @if(kind) @id uint8 c; @if(kind) @id uint8 d;
                @if(kind) @id uint8 e;
            }
            """,
            """
            a.wire:4:25: error: `e`: at most four ID fields have a condition
                @if(kind) @id uint8 e;
                                    ^
            help: let fewer fields with `@id` have `@if`
            """),
        Refusal(
            "a message that fixes a field",
            """
            packet { @length(packet) uint16 length; bool versioned; @if(versioned) uint8 version; @id uint8 id; }
            @id(1) @from(both) @header(version = 2) message M {}
            """,
            """
            a.wire:2:28: error: a message cannot set `version`, which not every packet has
            @id(1) @from(both) @header(version = 2) message M {}
                                       ^^^^^^^
            help: fix the fields that its condition looks at
            """),
    ]
}
