// SPDX-License-Identifier: Apache-2.0

import Testing

/// Refused: the packet.
struct PacketRefusalTests {
    @Test(arguments: refusals)
    func `each problem is reported once, in full`(refusal: Refusal) {
        #expect(problems(refusal.source) == refusal.report)
    }

    static let refusals: [Refusal] = [
        Refusal(
            "no length",
            """
            packet { @id uint16 id; }
            """,
            """
            a.wire:1:1: error: no header field is a length
            packet { @id uint16 id; }
            ^^^^^^
            help: put `@length(packet)`, `@length(payload)` or `@length(rest)` before a field of the header
            """),
        Refusal(
            "two packets",
            """
            packet { @length(packet) uint32 a; @id uint16 id; }
            packet { @length(packet) uint32 a; @id uint16 id; }
            """,
            """
            a.wire:2:1: error: a second `packet`; the first is in a.wire:1
            packet { @length(packet) uint32 a; @id uint16 id; }
            ^^^^^^
            help: a folder is one protocol: remove one of them
            """),
        Refusal(
            "a field of another type",
            """
            packet {
                @length(packet) uint32 length;
                @id uint16 id;
                string a;
                Unit8 b;
                repeated uint8 c;
                uint8[4] d;
                optional uint8 e;
            }
            """,
            """
            a.wire:4:5: error: a field of the packet cannot be `string`
                string a;
                ^^^^^^
            help: it is a number, a `bool`, an enum, flags, `char[n]`, `bcd[n]` or `@size(n) bytes`
            a.wire:5:5: error: a field of the packet cannot be `Unit8`
                Unit8 b;
                ^^^^^
            help: did you mean `uint8`?
            a.wire:6:5: error: a field of the packet is there once
                repeated uint8 c;
                ^^^^^^^^
            help: leave this out; lists belong into the messages
            a.wire:7:10: error: a field of the packet is there once
                uint8[4] d;
                     ^^^
            help: leave this out; lists belong into the messages
            a.wire:8:5: error: a field of the packet is there once
                optional uint8 e;
                ^^^^^^^^
            help: say when it is there with `@if`: `@if(versioned) uint8 version;`
            """),
        Refusal(
            "two purposes",
            """
            packet { @length(packet) @id uint32 length; }
            """,
            """
            a.wire:1:26: error: `@length` and `@id` exclude each other
            packet { @length(packet) @id uint32 length; }
                                     ^^^
            help: a field has one purpose
            """),
        Refusal(
            "an unknown count",
            """
            packet { @length(body) uint32 length; @length(packet - 70000) uint32 b; @length(packet * 4) uint32 c; }
            """,
            """
            a.wire:1:18: error: a length cannot count `body`
            packet { @length(body) uint32 length; @length(packet - 70000) uint32 b; @length(packet * 4) uint32 c; }
                             ^^^^
            help: it counts the whole `packet`, the `payload`, the `rest` after the field, or the `content` of the innermost layer
            a.wire:1:56: error: a length differs from what it counts by a whole number up to 65535
            packet { @length(body) uint32 length; @length(packet - 70000) uint32 b; @length(packet * 4) uint32 c; }
                                                                   ^^^^^
            help: as in `@length(packet - 4)`
            a.wire:1:88: error: expected `)` after the attribute's value, found `*`
            packet { @length(body) uint32 length; @length(packet - 70000) uint32 b; @length(packet * 4) uint32 c; }
                                                                                                   ^
            """),
        Refusal(
            "attributes with wrong arguments",
            """
            packet { @length uint32 length; @id(3) uint16 id; @checksum(md5) uint32 sum; @constant uint8 a; @sequence(3) uint8 b; @length(4) uint32 c; }
            """,
            """
            a.wire:1:10: error: `@length` takes what is counted
            packet { @length uint32 length; @id(3) uint16 id; @checksum(md5) uint32 sum; @constant uint8 a; @sequence(3) uint8 b; @length(4) uint32 c; }
                     ^^^^^^^
            help: write `@length(packet - 4)`
            a.wire:1:33: error: `@id` takes no argument
            packet { @length uint32 length; @id(3) uint16 id; @checksum(md5) uint32 sum; @constant uint8 a; @sequence(3) uint8 b; @length(4) uint32 c; }
                                            ^^^^^^
            help: write `@id`
            a.wire:1:61: error: unknown checksum `md5`
            packet { @length uint32 length; @id(3) uint16 id; @checksum(md5) uint32 sum; @constant uint8 a; @sequence(3) uint8 b; @length(4) uint32 c; }
                                                                        ^^^
            help: there are `crc32`, `crc32c`, `crc16_arc`, `crc16_modbus`, `crc16_ccitt_false`, `crc16_xmodem`, `crc16_kermit`, `crc16_x25`, `adler32`, `sum8`, `xor8`
            a.wire:1:78: error: `@constant` takes a value
            packet { @length uint32 length; @id(3) uint16 id; @checksum(md5) uint32 sum; @constant uint8 a; @sequence(3) uint8 b; @length(4) uint32 c; }
                                                                                         ^^^^^^^^^
            help: write `@constant(16)`
            a.wire:1:97: error: `@sequence` takes no argument
            packet { @length uint32 length; @id(3) uint16 id; @checksum(md5) uint32 sum; @constant uint8 a; @sequence(3) uint8 b; @length(4) uint32 c; }
                                                                                                            ^^^^^^^^^^^^
            help: write `@sequence`
            a.wire:1:119: error: `@length` takes what is counted
            packet { @length uint32 length; @id(3) uint16 id; @checksum(md5) uint32 sum; @constant uint8 a; @sequence(3) uint8 b; @length(4) uint32 c; }
                                                                                                                                  ^^^^^^^^^^
            help: write `@length(packet - 4)`
            """),
        Refusal(
            "values that do not fit",
            """
            packet {
                @length(packet) uint32 length;
                @id uint16 id;
                @constant(256) uint8 a;
                @default(-1) uint8 b;
                @default(1) bool c;
                @constant(true) uint8 d;
                @default(1.5) uint8 e;
            }
            """,
            """
            a.wire:4:15: error: `uint8` cannot hold this value
                @constant(256) uint8 a;
                          ^^^
            help: it holds a whole number from 0 to 255
            a.wire:5:14: error: `uint8` cannot hold this value
                @default(-1) uint8 b;
                         ^^
            help: it holds a whole number from 0 to 255
            a.wire:6:14: error: `bool` cannot hold this value
                @default(1) bool c;
                         ^
            help: it holds `true` or `false`
            a.wire:7:15: error: `uint8` cannot hold this value
                @constant(true) uint8 d;
                          ^^^^
            help: it holds a whole number from 0 to 255
            a.wire:8:14: error: `uint8` cannot hold this value
                @default(1.5) uint8 e;
                         ^^^
            help: it holds a whole number from 0 to 255
            """),
        Refusal(
            "two fields of one name",
            """
            packet { @length(packet) uint32 a; @id uint16 a; }
            """,
            """
            a.wire:1:47: error: field `a` is declared twice; first in a.wire:1
            packet { @length(packet) uint32 a; @id uint16 a; }
                                                          ^
            help: rename or remove one of them
            """),
        Refusal(
            "a varint in the trailer",
            """
            packet { @length(packet) uint32 length; @id uint16 id; payload; varint a; }
            """,
            """
            a.wire:1:72: error: `a`: the fields of a trailer have a fixed width
            packet { @length(packet) uint32 length; @id uint16 id; payload; varint a; }
                                                                                   ^
            help: give it a type of fixed width, or put it into the header
            """),
        Refusal(
            "a varint of 11 bytes",
            """
            packet { @length(rest) @max_bytes(11) varint length; @max_bytes(3) uint8 a; }
            """,
            """
            a.wire:1:35: error: a varint has 1 to 10 bytes
            packet { @length(rest) @max_bytes(11) varint length; @max_bytes(3) uint8 a; }
                                              ^^
            help: 10 bytes hold 64 bits
            a.wire:1:54: error: `@max_bytes` does not go with `uint8`
            packet { @length(rest) @max_bytes(11) varint length; @max_bytes(3) uint8 a; }
                                                                 ^^^^^^^^^^^^^
            help: it limits a `varint`
            """),
        Refusal(
            "two sequences",
            """
            packet { @length(packet) uint32 length; @sequence uint8 a; @sequence uint8 b; }
            """,
            """
            a.wire:1:76: error: `b`: there can be one sequence, and one `@fit`
            packet { @length(packet) uint32 length; @sequence uint8 a; @sequence uint8 b; }
                                                                                       ^
            help: remove one of them
            """),
        Refusal(
            "checksums of what is not there",
            """
            packet {
                @length(packet) uint32 length;
                @checksum(crc16_modbus, lenght..payload) uint16 a;
                @checksum(crc23) uint32 b;
                @checksum(xor8, payload..length) uint8 c;
                @checksum(xor8, length) uint8 d;
                @checksum(xor8, body) uint8 e;
                @checksum(xor8, rest..payload) uint8 f;
            }
            """,
            """
            a.wire:3:29: error: the packet has no field `lenght`
                @checksum(crc16_modbus, lenght..payload) uint16 a;
                                        ^^^^^^
            help: did you mean `length`?
            a.wire:4:15: error: unknown checksum `crc23`
                @checksum(crc23) uint32 b;
                          ^^^^^
            help: did you mean `crc32`?
            a.wire:5:21: error: `length` stands before `payload`
                @checksum(xor8, payload..length) uint8 c;
                                ^^^^^^^^^^^^^^^
            help: write `length..payload`
            a.wire:6:21: error: a checksum cannot cover `length`
                @checksum(xor8, length) uint8 d;
                                ^^^^^^
            help: for one field, write `length..length`
            a.wire:7:21: error: a checksum cannot cover `body`
                @checksum(xor8, body) uint8 e;
                                ^^^^
            help: it covers the `payload`, the `rest` after the field, or fields as in `first..last`
            a.wire:8:21: error: the packet has no field `rest`
                @checksum(xor8, rest..payload) uint8 f;
                                ^^^^
            """),
        Refusal(
            "checksums with other arguments",
            """
            packet { @length(packet) uint32 length; @checksum uint32 a; @checksum(a..b) uint32 b; @checksum(crc32, 3) uint32 c; @checksum(crc32, payload, rest) uint32 d; @checksum(crc32, a..) uint32 e; }
            """,
            """
            a.wire:1:41: error: `@checksum` takes the name of a checksum, and what it covers
            packet { @length(packet) uint32 length; @checksum uint32 a; @checksum(a..b) uint32 b; @checksum(crc32, 3) uint32 c; @checksum(crc32, payload, rest) uint32 d; @checksum(crc32, a..) uint32 e; }
                                                    ^^^^^^^^^
            help: write `@checksum(crc32)`
            a.wire:1:61: error: `@checksum` takes the name of a checksum, and what it covers
            packet { @length(packet) uint32 length; @checksum uint32 a; @checksum(a..b) uint32 b; @checksum(crc32, 3) uint32 c; @checksum(crc32, payload, rest) uint32 d; @checksum(crc32, a..) uint32 e; }
                                                                        ^^^^^^^^^^^^^^^
            help: write `@checksum(crc32)`
            a.wire:1:87: error: `@checksum` takes the name of a checksum, and what it covers
            packet { @length(packet) uint32 length; @checksum uint32 a; @checksum(a..b) uint32 b; @checksum(crc32, 3) uint32 c; @checksum(crc32, payload, rest) uint32 d; @checksum(crc32, a..) uint32 e; }
                                                                                                  ^^^^^^^^^^^^^^^^^^^
            help: write `@checksum(crc32)`
            a.wire:1:117: error: `@checksum` takes the name of a checksum, and what it covers
            packet { @length(packet) uint32 length; @checksum uint32 a; @checksum(a..b) uint32 b; @checksum(crc32, 3) uint32 c; @checksum(crc32, payload, rest) uint32 d; @checksum(crc32, a..) uint32 e; }
                                                                                                                                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
            help: write `@checksum(crc32)`
            a.wire:1:179: error: expected the last of the names, found `)`
            packet { @length(packet) uint32 length; @checksum uint32 a; @checksum(a..b) uint32 b; @checksum(crc32, 3) uint32 c; @checksum(crc32, payload, rest) uint32 d; @checksum(crc32, a..) uint32 e; }
                                                                                                                                                                                              ^
            """),
        Refusal(
            "checksums in fields that cannot hold them",
            """
            packet { @length(packet) uint32 length; @checksum(crc16_arc) uint8 sum; }
            """,
            """
            a.wire:1:68: error: `sum`: a CRC-16/ARC takes 2 bytes
            packet { @length(packet) uint32 length; @checksum(crc16_arc) uint8 sum; }
                                                                               ^^^
            help: write `uint16`
            """),
        Refusal(
            "a signed checksum",
            """
            packet { @length(packet) uint32 length; @checksum(xor8) int8 sum; }
            """,
            """
            a.wire:1:62: error: `sum`: a checksum is an unsigned integer
            packet { @length(packet) uint32 length; @checksum(xor8) int8 sum; }
                                                                         ^^^
            help: write `uint8`
            """),
        Refusal(
            "a narrow checksum",
            """
            packet { @length(packet) uint32 length; payload; @checksum(crc32) uint16 sum; }
            """,
            """
            a.wire:1:74: error: `sum`: a CRC-32 takes 4 bytes
            packet { @length(packet) uint32 length; payload; @checksum(crc32) uint16 sum; }
                                                                                     ^^^
            help: write `uint32`
            """),
        Refusal(
            "a message ID of more than 64 bits",
            """
            packet { @length(packet) uint32 length; @id uint64 a; @id uint8 b; }
            """,
            """
            a.wire:1:65: error: `b`: an ID has at most 64 bits
            packet { @length(packet) uint32 length; @id uint64 a; @id uint8 b; }
                                                                            ^
            help: make the ID's fields narrower
            """),
        Refusal(
            "a length in a bool",
            """
            packet { @length(packet) bool length; }
            """,
            """
            a.wire:1:31: error: `length` cannot hold a length
            packet { @length(packet) bool length; }
                                          ^^^^^^
            help: make it an integer
            """),
        Refusal(
            "a length that cannot count its header",
            """
            packet { @length(packet + 300) uint8 length; }
            """,
            """
            a.wire:1:1: error: no packet has a byte count that its lengths can say
            packet { @length(packet + 300) uint8 length; }
            ^^^^^^
            help: make the length wider, or what it is increased by smaller
            """),
        Refusal(
            "a length in the trailer that cannot count the header",
            """
            packet { @length(packet) uint32 length; payload; @length(packet + 300) uint8 again; }
            """,
            """
            a.wire:1:1: error: a length of this packet cannot count even its header
            packet { @length(packet) uint32 length; payload; @length(packet + 300) uint8 again; }
            ^^^^^^
            help: make the length wider
            """),
        Refusal(
            "a header of more than 256 bytes",
            """
            packet { @length(packet) uint32 length; uint64 a0; uint64 a1; uint64 a2; uint64 a3; uint64 a4; uint64 a5; uint64 a6; uint64 a7; uint64 a8; uint64 a9; uint64 a10; uint64 a11; uint64 a12; uint64 a13; uint64 a14; uint64 a15; uint64 a16; uint64 a17; uint64 a18; uint64 a19; uint64 a20; uint64 a21; uint64 a22; uint64 a23; uint64 a24; uint64 a25; uint64 a26; uint64 a27; uint64 a28; uint64 a29; uint64 a30; uint64 a31; }
            """,
            """
            a.wire:1:1: error: header or trailer has more than 256 bytes
            packet { @length(packet) uint32 length; uint64 a0; uint64 a1; uint64 a2; uint64 a3; uint64 a4; uint64 a5; uint64 a6; uin…
            ^^^^^^
            help: move what belongs to a message into it
            """),
        Refusal(
            "two byte orders",
            """
            packet { @length(packet) @little @big uint32 length; }
            """,
            """
            a.wire:1:34: error: `@little` and `@big` exclude each other
            packet { @length(packet) @little @big uint32 length; }
                                             ^^^^
            help: remove one of them
            """),
        Refusal(
            "a second `payload`",
            """
            packet { @length(packet) uint32 length; payload; payload; uint8 a; }
            """,
            """
            a.wire:1:50: error: a second `payload;`
            packet { @length(packet) uint32 length; payload; payload; uint8 a; }
                                                             ^^^^^^^
            help: the message's fields stand in one place: remove a line
            """),
        Refusal(
            "attributes of messages",
            """
            packet { @length(packet) @range(0..1) uint32 length; @name(A) uint8 a; @sensitive uint8 b; @since(1) uint8 c; }
            """,
            """
            a.wire:1:26: error: `@range` cannot stand before a field of the packet
            packet { @length(packet) @range(0..1) uint32 length; @name(A) uint8 a; @sensitive uint8 b; @since(1) uint8 c; }
                                     ^^^^^^^^^^^^
            help: it stands before a field
            a.wire:1:54: error: `@name` cannot stand before a field of the packet
            packet { @length(packet) @range(0..1) uint32 length; @name(A) uint8 a; @sensitive uint8 b; @since(1) uint8 c; }
                                                                 ^^^^^^^^
            help: it stands before a message, a struct, a union, an enum, flags, a field, a case of an enum or a flag
            a.wire:1:72: error: `@sensitive` cannot stand before a field of the packet
            packet { @length(packet) @range(0..1) uint32 length; @name(A) uint8 a; @sensitive uint8 b; @since(1) uint8 c; }
                                                                                   ^^^^^^^^^^
            help: it stands before a field
            a.wire:1:92: error: `@since` cannot stand before a field of the packet
            packet { @length(packet) @range(0..1) uint32 length; @name(A) uint8 a; @sensitive uint8 b; @since(1) uint8 c; }
                                                                                                       ^^^^^^^^^
            help: it stands before a field
            """),
        Refusal(
            "attributes of the packet elsewhere",
            """
            message Cs_1 { @length(packet) uint32 a; @sequence uint8 b; }
            """,
            """
            a.wire:1:16: error: `@length` cannot stand before a field
            message Cs_1 { @length(packet) uint32 a; @sequence uint8 b; }
                           ^^^^^^^^^^^^^^^
            help: it stands before a field of the packet
            a.wire:1:42: error: `@sequence` cannot stand before a field
            message Cs_1 { @length(packet) uint32 a; @sequence uint8 b; }
                                                     ^^^^^^^^^
            help: it stands before a field of the packet
            """),
        Refusal(
            "field numbers that do not ascend",
            """
            packet { @length(packet) uint32 a = 2; uint8 b = 1; }
            """,
            """
            a.wire:1:50: error: field number 1 stands after 2
            packet { @length(packet) uint32 a = 2; uint8 b = 1; }
                                                             ^
            help: fields stand on the wire in the order of their lines: number them upwards, or leave the numbers out
            """),
    ]
}
