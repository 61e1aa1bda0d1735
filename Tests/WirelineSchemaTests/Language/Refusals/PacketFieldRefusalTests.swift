// SPDX-License-Identifier: Apache-2.0

import Testing

/// Refused: fields of the packet that share bytes, or are text, enums or flags.
struct PacketFieldRefusalTests {
    @Test(arguments: refusals)
    func `each problem is reported once, in full`(refusal: Refusal) {
        #expect(problems(refusal.source) == refusal.report)
    }

    static let refusals: [Refusal] = [
        Refusal(
            "fields that end inside a byte",
            """
            packet { @length(rest) uint8 length; uint4 a; bit b; payload; uint4 c; }
            """,
            """
            a.wire:1:51: error: `b` ends inside a byte
            packet { @length(rest) uint8 length; uint4 a; bit b; payload; uint4 c; }
                                                              ^
            help: let its bits and those of the fields beside it fill whole bytes
            """),
        Refusal(
            "a varint inside a byte",
            """
            packet { uint4 a; @length(rest) varint b; uint4 c; }
            """,
            """
            a.wire:1:16: error: `a` ends inside a byte
            packet { uint4 a; @length(rest) varint b; uint4 c; }
                           ^
            help: let its bits and those of the fields beside it fill whole bytes
            """),
        Refusal(
            "a run of more than 64 bits",
            """
            packet { @length(rest) uint20 length; uint50 a; uint2 b; }
            """,
            """
            a.wire:1:31: error: no field from `length` on ends at a byte boundary within 64 bits
            packet { @length(rest) uint20 length; uint50 a; uint2 b; }
                                          ^^^^^^
            help: end a field at a byte boundary earlier
            """),
        Refusal(
            "a run in two byte orders",
            """
            packet { @length(rest) uint12 length; @little uint4 a; }
            """,
            """
            a.wire:1:53: error: `a` shares bytes with fields of another byte order
            packet { @length(rest) uint12 length; @little uint4 a; }
                                                                ^
            help: fields that share bytes have one byte order
            """),
        Refusal(
            "text that should be a number, or has no bytes",
            """
            packet { @length(rest) uint8 length; @id bcd[2] id; char name; @pad(0x20) uint8 a; @pad(0) char[2] b; }
            """,
            """
            a.wire:1:38: error: `@id` does not go with `bcd[2]`
            packet { @length(rest) uint8 length; @id bcd[2] id; char name; @pad(0x20) uint8 a; @pad(0) char[2] b; }
                                                 ^^^
            help: it goes with a number
            a.wire:1:53: error: `char` does not say how many bytes it takes
            packet { @length(rest) uint8 length; @id bcd[2] id; char name; @pad(0x20) uint8 a; @pad(0) char[2] b; }
                                                                ^^^^
            help: write `char[24]`; a single byte is `uint8`, text of any length `string`
            a.wire:1:64: error: `@pad` does not go with `uint8`
            packet { @length(rest) uint8 length; @id bcd[2] id; char name; @pad(0x20) uint8 a; @pad(0) char[2] b; }
                                                                           ^^^^^^^^^^
            help: it says what fills a `char[n]`
            a.wire:1:89: error: `@pad` takes a byte from 1 to 255
            packet { @length(rest) uint8 length; @id bcd[2] id; char name; @pad(0x20) uint8 a; @pad(0) char[2] b; }
                                                                                                    ^
            help: without `@pad`, text is filled with NULs
            """),
        Refusal(
            "a closed enum",
            """
            @closed enum Kind : uint8 { a = 0; }
            packet { @length(rest) uint8 length; Kind kind; }
            """,
            """
            a.wire:2:38: error: a field of the packet cannot be the `@closed` enum `Kind`
            packet { @length(rest) uint8 length; Kind kind; }
                                                 ^^^^
            help: leave `@closed` out: then an unknown number is kept, and the message can still be read
            """),
        Refusal(
            "an unknown case",
            """
            enum Kind : uint8 { one = 1; two = 2; }
            packet { @length(rest) uint8 length; @default(on) Kind kind; }
            """,
            """
            a.wire:2:47: error: `Kind` has no `on`
            packet { @length(rest) uint8 length; @default(on) Kind kind; }
                                                          ^^
            help: it has `one`, `two`
            """),
    ]
}
