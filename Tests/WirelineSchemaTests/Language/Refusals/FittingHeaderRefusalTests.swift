// SPDX-License-Identifier: Apache-2.0

import Testing

/// Refused: `@fit`, `padding` and `@size(n) bytes` in the packet.
struct FittingHeaderRefusalTests {
    @Test(arguments: refusals)
    func `each problem is reported once, in full`(refusal: Refusal) {
        #expect(problems(refusal.source) == refusal.report)
    }

    static let refusals: [Refusal] = [
        Refusal(
            "a number that fits",
            """
            packet { @fit uint8 form; @length(packet) uint16 length; @id uint8 id; }
            """,
            """
            a.wire:1:10: error: `@fit` does not go with `uint8`
            packet { @fit uint8 form; @length(packet) uint16 length; @id uint8 id; }
                     ^^^^
            help: it goes with an enum
            """),
        Refusal(
            "two fields that fit",
            """
            enum Form : uint8 { a = 0; b = 1; }
            packet { @fit Form first; @fit Form second; @length(packet) uint16 length; @id uint8 id; }
            """,
            """
            a.wire:2:37: error: `second`: there can be one sequence, and one `@fit`
            packet { @fit Form first; @fit Form second; @length(packet) uint16 length; @id uint8 id; }
                                                ^^^^^^
            help: remove one of them
            """),
        Refusal(
            "bytes without a size",
            """
            packet {
                @length(packet) uint16 length; @id uint8 id;
                bytes a; @size(uint8) bytes b; @size(0) bytes c; @size(4) uint32 d; @size(4) @id bytes e;
            }
            """,
            """
            a.wire:3:5: error: bytes in the packet have a size
                bytes a; @size(uint8) bytes b; @size(0) bytes c; @size(4) uint32 d; @size(4) @id bytes e;
                ^^^^^
            help: as in `@size(16) bytes key;`
            a.wire:3:20: error: bytes in the packet have always the same size
                bytes a; @size(uint8) bytes b; @size(0) bytes c; @size(4) uint32 d; @size(4) @id bytes e;
                               ^^^^^
            help: as in `@size(16) bytes key;`
            a.wire:3:42: error: `@size` takes 1 to 65535 bytes
                bytes a; @size(uint8) bytes b; @size(0) bytes c; @size(4) uint32 d; @size(4) @id bytes e;
                                                     ^
            help: a size that varies has a prefix: `@size(uint32)`
            a.wire:3:54: error: `@size` does not go with `uint32`
                bytes a; @size(uint8) bytes b; @size(0) bytes c; @size(4) uint32 d; @size(4) @id bytes e;
                                                                 ^^^^^^^^
            help: in the packet it goes with `bytes`
            a.wire:3:82: error: `@id` does not go with `bytes`
                bytes a; @size(uint8) bytes b; @size(0) bytes c; @size(4) uint32 d; @size(4) @id bytes e;
                                                                                             ^^^
            help: it goes with a number
            """),
        Refusal(
            "padding of no bytes",
            """
            packet { @length(packet) uint16 length; padding 0; @id uint8 id; padding 300; }
            """,
            """
            a.wire:1:49: error: `padding` has 1 to 65535 bytes
            packet { @length(packet) uint16 length; padding 0; @id uint8 id; padding 300; }
                                                            ^
            help: their number stands after the word, as in `padding 3;`
            """),
    ]
}
