// SPDX-License-Identifier: Apache-2.0

import Testing

/// Refused: IDs that no packet can have, because of the conditions of the ID fields.
struct ImpossibleIDRefusalTests {
    @Test(arguments: refusals)
    func `each problem is reported once, in full`(refusal: Refusal) {
        #expect(problems(refusal.source) == refusal.report)
    }

    static let refusals: [Refusal] = [
        Refusal(
            "an ID that says that more of it follows",
            """
            packet { @length(packet) uint8 size; @id uint8 kind; @if(kind == 0xFF) @id uint16 more; }
            @id(0xFE) @from(both) message A {}
            @id(0xFF) @from(both) message B {}
            @id(0xFF0000) @from(both) message C {}
            @id(0x100) @from(both) message D {}
            """,
            """
            a.wire:3:5: error: no packet can have the ID 255
            @id(0xFF) @from(both) message B {}
                ^^^^
            help: wherever it fits, the condition of `more` asks for other ID fields
            a.wire:5:5: error: no packet can have the ID 256
            @id(0x100) @from(both) message D {}
                ^^^^^
            help: wherever it fits, the condition of `more` asks for other ID fields
            """),
        Refusal(
            "an ID in a message's name",
            """
            packet { @length(packet) uint8 size; @id uint8 kind; @if(kind > 99) @id uint8 more; }
            message Cs_100 {}
            message Cs_99 {}
            """,
            """
            a.wire:2:9: error: no packet can have the ID 100
            message Cs_100 {}
                    ^^^^^^
            help: wherever it fits, the condition of `more` asks for other ID fields
            """),
        Refusal(
            "a header that is fixed",
            """
            packet { @length(packet) uint8 size; uint8 form; @if(form >= 2) @id uint8 id; @if(form < 2) @id uint16 wide; }
            @id(256) @from(both) @header(form = 2) message A {}
            @id(257) @from(both) @header(form = 1) message B {}
            @id(258) @from(both) message C {}
            """,
            """
            a.wire:2:5: error: no packet with these header fields can have the ID 256
            @id(256) @from(both) @header(form = 2) message A {}
                ^^^
            help: wherever it fits, the condition of `id`, `wide` asks for other ID fields
            """),
        Refusal(
            "a condition that never holds",
            """
            packet {
                @length(packet) uint8 size; uint16 form; uint4 marks; uint4 rest;
                @id uint8 id; @if(form > 9 and form < 7 or marks & 2 and marks == 4) @id uint8 more;
            }
            @id(256) @from(both) message A {}
            """,
            """
            a.wire:5:5: error: no packet can have the ID 256
            @id(256) @from(both) message A {}
                ^^^
            help: wherever it fits, the condition of `more` asks for other ID fields
            """),
    ]

    @Test(arguments: [
        "@if(form > 9 and not form == 12 and form < 14) @id uint8 more;",
        "@if(form > 65534) @id uint8 more;",
        // Too many numbers to try: nothing is decided.
        "@if(form & 0x8000 and form & 1) @id uint8 more;",
        "@if(form) uint8 next; @if(next == 3) @id uint8 more;",
    ])
    func `an ID that some packet can have is accepted`(fields: String) {
        let packet = "packet { @length(packet) uint8 size; uint16 form; @id uint8 id; \(fields) }\n"
        #expect(problems(packet + "@id(256) @from(both) message A {}") == "")
    }
}
