// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineSchema

/// Refused: frames.
struct FrameRefusalTests {
    @Test(arguments: refusals)
    func `each problem is reported once, in full`(refusal: Refusal) {
        #expect(problems(refusal.source) == refusal.report)
    }

    static let refusals: [Refusal] = [
        Refusal(
            "a mark without an escape",
            """
            packet { frame 1..3 { 1 = 0x0204; 2 = 0x0205; } @id uint8 id; }
            """,
            """
            a.wire:1:19: error: the mark 0x03 has no escape
            packet { frame 1..3 { 1 = 0x0204; 2 = 0x0205; } @id uint8 id; }
                              ^
            help: a packet may contain this byte: say with `0x03 = …;` how it is written
            """),
        Refusal(
            "the first byte of an escape without one",
            """
            packet { frame 1..1 { 1 = 0x0203; } @id uint8 id; }
            """,
            """
            a.wire:1:27: error: 0x02 begins an escape, and has none itself
            packet { frame 1..1 { 1 = 0x0203; } @id uint8 id; }
                                      ^^^^^^
            help: a packet may contain this byte: say with `0x02 = …;` how it is written
            """),
        Refusal(
            "a byte with two escapes",
            """
            packet { frame 1..1 { 1 = 0x0202; 2 = 0x0203; 1 = 0x0204; } @id uint8 id; }
            """,
            """
            a.wire:1:47: error: 0x01 has two escapes
            packet { frame 1..1 { 1 = 0x0202; 2 = 0x0203; 1 = 0x0204; } @id uint8 id; }
                                                          ^
            help: remove one of them
            """),
        Refusal(
            "two bytes with one escape",
            """
            packet { frame 1..1 { 1 = 0x0202; 2 = 0x0202; } @id uint8 id; }
            """,
            """
            a.wire:1:39: error: the same two bytes replace another byte
            packet { frame 1..1 { 1 = 0x0202; 2 = 0x0202; } @id uint8 id; }
                                                  ^^^^^^
            help: each byte has two bytes of its own
            """),
        Refusal(
            "a mark in an escape",
            """
            packet { frame 1..1 { 1 = 0x0202; 2 = 0x0201; } @id uint8 id; }
            """,
            """
            a.wire:1:39: error: an escape cannot contain a mark
            packet { frame 1..1 { 1 = 0x0202; 2 = 0x0201; } @id uint8 id; }
                                                  ^^^^^^
            help: a reader would take it for one
            """),
        Refusal(
            "numbers",
            """
            packet { frame 256..-1 { 300 = 0x0201; 2 = 0x10000; } @id uint8 id; }
            """,
            """
            a.wire:1:16: error: a mark is one byte, 0 to 255
            packet { frame 256..-1 { 300 = 0x0201; 2 = 0x10000; } @id uint8 id; }
                           ^^^
            help: write it as in `0x7E`
            a.wire:1:21: error: a mark is one byte, 0 to 255
            packet { frame 256..-1 { 300 = 0x0201; 2 = 0x10000; } @id uint8 id; }
                                ^^
            help: write it as in `0x7E`
            a.wire:1:26: error: what is escaped is one byte, 0 to 255
            packet { frame 256..-1 { 300 = 0x0201; 2 = 0x10000; } @id uint8 id; }
                                     ^^^
            help: write it as in `0x7E`
            a.wire:1:44: error: two bytes replace a byte
            packet { frame 256..-1 { 300 = 0x0201; 2 = 0x10000; } @id uint8 id; }
                                                       ^^^^^^^
            help: write them as in `0x7D02`
            """),
        Refusal(
            "after a field",
            """
            packet { @id uint8 id; frame 1..1 { 1 = 0x0203; 2 = 0x0202; } }
            """,
            """
            a.wire:1:24: error: a frame stands first in the packet
            packet { @id uint8 id; frame 1..1 { 1 = 0x0203; 2 = 0x0202; } }
                                   ^^^^^
            help: move it before the first field
            """),
        Refusal(
            "twice",
            """
            packet {
                frame 1..1 { 1 = 0x0203; 2 = 0x0202; }
                frame 3..3 { 3 = 0x0201; 2 = 0x0202; }
                @id uint8 id;
            }
            """,
            """
            a.wire:3:5: error: a second frame
                frame 3..3 { 3 = 0x0201; 2 = 0x0202; }
                ^^^^^
            help: remove one of them
            """),
        Refusal(
            "an attribute",
            """
            packet { @id frame 1..1 { 1 = 0x0201; 2 = 0x0202; } uint8 id; }
            """,
            """
            a.wire:1:20: error: expected the field's name, found `1`
            packet { @id frame 1..1 { 1 = 0x0201; 2 = 0x0202; } uint8 id; }
                               ^
            help: a frame stands first in the `packet`, without attributes
            """),
        Refusal(
            "one mark",
            """
            packet { frame 1 { 1 = 0x0201; 2 = 0x0202; } @id uint8 id; }
            """,
            """
            a.wire:1:18: error: expected `..` after the start mark, found `{`
            packet { frame 1 { 1 = 0x0201; 2 = 0x0202; } @id uint8 id; }
                             ^
            help: write both marks, as in `0x7E..0x7E`
            """),
        Refusal(
            "no marks",
            """
            packet { frame { 1 = 0x0201; } @id uint8 id; }
            """,
            """
            a.wire:1:16: error: expected the start mark, as in `frame 0x7E..0x7E { … }`, found `{`
            packet { frame { 1 = 0x0201; } @id uint8 id; }
                           ^
            """),
        Refusal(
            "an escape without its bytes",
            """
            packet { frame 1..1 { 1; 2 = 0x0202; } @id uint8 id; }
            """,
            """
            a.wire:1:24: error: expected `=` after the byte, found `;`
            packet { frame 1..1 { 1; 2 = 0x0202; } @id uint8 id; }
                                   ^
            help: two bytes replace it, as in `0x7E = 0x7D02;`
            """),
        Refusal(
            "no field",
            """
            packet { frame 1..1 { 1 = 0x0203; 2 = 0x0202; } payload; }
            """,
            """
            a.wire:1:1: error: a packet in a frame has at least one field
            packet { frame 1..1 { 1 = 0x0203; 2 = 0x0202; } payload; }
            ^^^^^^
            help: add a field, such as `@id uint16 id;`: marks with nothing between them are no packet
            """),
    ]
}
