// SPDX-License-Identifier: Apache-2.0

import Testing

/// Refused: layers, `packets`, `opaque` and their limits.
struct ContentRefusalTests {
    @Test(arguments: refusals)
    func `each problem is reported once, in full`(refusal: Refusal) {
        #expect(problems(refusal.source) == refusal.report)
    }

    static let refusals: [Refusal] = [
        Refusal(
            "a layer that is not known",
            """
            packet { @length(packet) uint32 size; layer zip; @id uint16 id; }
            """,
            """
            a.wire:1:45: error: no layer is named `zip`
            packet { @length(packet) uint32 size; layer zip; @id uint16 id; }
                                                        ^^^
            help: did you mean `gzip`?
            """),
        Refusal(
            "layers with other names between the parentheses",
            """
            packet { @length(packet) uint32 size; layer zlib(level); layer xor; @id uint16 id; }
            """,
            """
            a.wire:1:45: error: this layer is written `layer zlib;`
            packet { @length(packet) uint32 size; layer zlib(level); layer xor; @id uint16 id; }
                                                        ^^^^^^^^^^
            help: it has no key, and the program decides about the level
            a.wire:1:64: error: this layer is written `layer xor(key);`
            packet { @length(packet) uint32 size; layer zlib(level); layer xor; @id uint16 id; }
                                                                           ^^^
            help: the program gives it the key of this name
            """),
        Refusal(
            "a layer without its name",
            """
            packet { @length(packet) uint32 size; layer; @id uint16 id; }
            """,
            """
            a.wire:1:44: error: expected a transform, as in `layer zlib;`, found `;`
            packet { @length(packet) uint32 size; layer; @id uint16 id; }
                                                       ^
            """),
        Refusal(
            "packets in packets that all have one keystream",
            """
            packet { @length(packet) uint32 size; uint8 form; layer rc4(session); @id uint16 id; @if(form) packets; }
            """,
            """
            a.wire:1:1: error: no packet can have packets inside: each would use the keystream of `session` before those around it
            packet { @length(packet) uint32 size; uint8 form; layer rc4(session); @id uint16 id; @if(form) packets; }
            ^^^^^^
            help: write `@if(not nested)` before the layer: then the packets inside are without it
            """),
        Refusal(
            "five layers",
            """
            packet {
                @length(packet) uint32 size;
                layer zlib;
                layer xor(a);
                layer gzip;
                layer rc4(b);
                layer brotli;
                @id uint16 id;
            }
            """,
            """
            a.wire:7:5: error: a packet has at most 4 layers
                layer brotli;
                ^^^^^
            help: remove one of them
            """),
        Refusal(
            "lines about the content twice, and after it",
            """
            packet {
                @length(packet) uint32 size; @id uint16 id; bool split;
                @if(split) opaque;
                @if(not split) opaque;
                payload;
                packets;
                uint8 end;
            }
            """,
            """
            a.wire:4:20: error: a second `opaque;`
                @if(not split) opaque;
                               ^^^^^^
            help: write one condition with `or`
            a.wire:6:5: error: `packets` stands after `payload;`
                packets;
                ^^^^^^^
            help: it says what the payload is: move it before `payload;`
            """),
        Refusal(
            "a condition of a layer about what is not known there",
            """
            enum E : uint8 { a = 1; b = 2; }
            packet {
                @length(rest) uint16 size; @fit E form; uint8 kind;
                @if(form == a) layer zlib;
                @if(late) layer gzip;
                @if(size > 3) layer brotli;
                uint8 late;
            }
            """,
            """
            a.wire:4:9: error: `layer` cannot depend on `form`, which has `@fit`
                @if(form == a) layer zlib;
                    ^^^^^^^^^
            help: `@fit` looks at the length of what layers have made: let the condition look at another field
            a.wire:5:9: error: `late` does not stand before this field
                @if(late) layer gzip;
                    ^^^^
            help: a condition looks at what has been read: move `late` up
            a.wire:6:9: error: a condition cannot look at `size`, which is a length
                @if(size > 3) layer brotli;
                    ^^^^
            help: it looks at integers, `bool`, enums and flags
            """),
        Refusal(
            "other attributes of a layer",
            """
            packet { @length(packet) uint32 size; @id layer zlib; @max(3) packets; @id uint16 id; }
            """,
            """
            a.wire:1:39: error: `@id` cannot stand before a line of the packet
            packet { @length(packet) uint32 size; @id layer zlib; @max(3) packets; @id uint16 id; }
                                                  ^^^
            help: it stands before a message or a field of the packet
            a.wire:1:55: error: `@max` cannot stand before a line of the packet
            packet { @length(packet) uint32 size; @id layer zlib; @max(3) packets; @id uint16 id; }
                                                                  ^^^^^^^
            help: it stands before a field
            """),
        Refusal(
            "a vector of AES that is no field of 16 bytes, or comes too late",
            """
            packet {
                @length(packet) uint32 size; uint32 iv;
                layer aes_ctr(key, iv);
                layer aes_cbc(key, late);
                @size(16) bytes late;
                @id uint16 id;
            }
            """,
            """
            a.wire:3:24: error: `iv` is no field of 16 bytes
                layer aes_ctr(key, iv);
                                   ^^
            help: AES begins with 16 bytes: write `@size(16) bytes iv;`
            a.wire:4:24: error: `late` does not stand before this layer
                layer aes_cbc(key, late);
                                   ^^^^
            help: the layer begins with it: move `late` up
            """),
        Refusal(
            "a length inside of a layer that counts the packet",
            """
            packet { @length(payload) uint32 size; layer zlib; @length(packet) uint16 all; @id uint16 id; }
            """,
            """
            a.wire:1:75: error: `all` is inside of a layer, where no length counts the whole packet
            packet { @length(payload) uint32 size; layer zlib; @length(packet) uint16 all; @id uint16 id; }
                                                                                      ^^^
            help: count the `payload` or the `rest`
            """),
        Refusal(
            "no length outside of the layers",
            """
            packet { layer zlib; @length(payload) uint16 size; @id uint16 id; }
            """,
            """
            a.wire:1:1: error: no header field is a length
            packet { layer zlib; @length(payload) uint16 size; @id uint16 id; }
            ^^^^^^
            help: put `@length(packet)`, `@length(payload)` or `@length(rest)` before a field of the header
            """),
        Refusal(
            "a count of the content without a layer, and inside of it",
            """
            packet { @length(packet) uint32 size; @length(content) uint16 count; @id uint16 id; }
            """,
            """
            a.wire:1:63: error: `count`: one field before the innermost layer can count its content
            packet { @length(packet) uint32 size; @length(content) uint16 count; @id uint16 id; }
                                                                          ^^^^^
            help: write a `layer` after it, or count the `payload`
            """),
        Refusal(
            "a count of the content after the innermost layer",
            """
            packet { @length(packet) uint32 size; layer zlib; @length(content) uint16 count; @id uint16 id; }
            """,
            """
            a.wire:1:75: error: `count`: one field before the innermost layer can count its content
            packet { @length(packet) uint32 size; layer zlib; @length(content) uint16 count; @id uint16 id; }
                                                                                      ^^^^^
            help: write a `layer` after it, or count the `payload`
            """),
        Refusal(
            "a checksum inside of a layer of a field outside",
            """
            packet { @length(packet) uint32 size; uint8 kind; layer zlib; @id uint16 id; @checksum(xor8, kind..payload) uint8 check; }
            """,
            """
            a.wire:1:115: error: `check`: the range of its checksum names no field, or ends before it begins
            packet { @length(packet) uint32 size; uint8 kind; layer zlib; @id uint16 id; @checksum(xor8, kind..payload) uint8 check; }
                                                                                                                              ^^^^^
            """),
        Refusal(
            "an ID inside of a layer and in the trailer",
            """
            packet { @length(packet) uint32 size; layer zlib; @id uint16 id; payload; @id uint8 more; }
            """,
            """
            a.wire:1:85: error: `more`: an ID with fields inside of a layer has none in the trailer
            packet { @length(packet) uint32 size; layer zlib; @id uint16 id; payload; @id uint8 more; }
                                                                                                ^^^^
            help: move it before the layer, or into it
            """),
        Refusal(
            "a layer that begins inside a byte",
            """
            packet { @length(packet) uint32 size; uint4 a; layer zlib; uint4 b; @id uint16 id; }
            """,
            """
            a.wire:1:45: error: `a` ends inside a byte
            packet { @length(packet) uint32 size; uint4 a; layer zlib; uint4 b; @id uint16 id; }
                                                        ^
            help: let its bits and those of the fields beside it fill whole bytes
            """),
        Refusal(
            "limits that do not fit",
            """
            option max_packet = 1000;
            option max_inflated = 999;
            option max_nested = 17;
            """,
            """
            a.wire:2:23: error: `max_inflated` is less than `max_packet`, which is 1000
            option max_inflated = 999;
                                  ^^^
            help: what a packet contains must not be less than the packet: write a larger number, or a smaller `max_packet`
            a.wire:3:21: error: `max_nested` cannot be this
            option max_nested = 17;
                                ^^
            help: it is a number from 1 to 16
            """),
    ]
}
