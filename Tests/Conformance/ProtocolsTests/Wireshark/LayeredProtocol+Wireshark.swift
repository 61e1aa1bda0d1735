// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

extension LayeredProtocol {
    /// What goes on from packet to packet, one inside of another, with compression between.
    static let streams = LayeredProtocol(
        name: "Streams",
        schema: """
            option max_packet = 4096;
            option max_inflated = 16384;
            option max_nested = 3;
            packet {
                state uint8 phase;
                @length(rest) uint16 size;
                uint8 kind;
                @if(phase > 1) layer rc4(outer);
                @if(kind & 1) layer gzip;
                uint4 inner; uint4 spare;
                @if(inner == 7) layer rc4(second);
                @if(kind & 2) layer deflate;
                @id varint id;
                @if(nested) uint8 place;
                @if(kind & 4) packets;
                @if(kind & 8) opaque;
                payload;
                @checksum(adler32) uint32 check;
            }
            @id(1) @from(both) @sets(phase = 2) message Begin { string text; }
            @id(2) @from(both) @sets(phase = 1) message Pause {}
            @id(3) @from(both) message Say { @if(header.inner == 7) uint16 number; @rest string text; }
            """,
        keys: ["outer": "0102030405", "second": "c0ffee"],
        packets: [
            SamplePacket(.client, #"{"message":"Begin","header":{"kind":3},"fields":{"text":"hello hello hello"}}"#),
            SamplePacket(
                .server,
                """
                {"message":null,"id":9,"header":{"kind":5,"inner":7},"packets":[
                {"message":"Say","header":{"kind":1,"inner":7,"place":2},"fields":{"number":3,"text":"inner"}},
                {"message":null,"id":8,"header":{"kind":4},"packets":[{"message":"Pause","fields":{}}]},
                {"message":"Begin","header":{"kind":2},"fields":{"text":"again"}}]}
                """),
        ])

    /// Each format of compression, around bytes that are not read.
    static let formats = LayeredProtocol(
        name: "Formats",
        schema: """
            option max_packet = 60000;
            option max_inflated = 60000;
            packet {
                @length(rest) uint32 size;
                uint8 format;
                @if(format == 1) layer zlib;
                @if(format == 2) layer deflate;
                @if(format == 3) layer gzip;
                @id uint8 id;
                opaque;
            }
            @id(1) @from(client) message None {}
            """,
        packets: [])

    /// A layer of at most 8 KiB, and one of more in packets that are the same.
    static let inflating = inflating(limit: 8_192)
    static let largerInflating = inflating(limit: 100_000)

    private static func inflating(limit: Int) -> LayeredProtocol {
        LayeredProtocol(
            name: "Inflating",
            schema: """
                option max_packet = 4096;
                option max_inflated = \(limit);
                packet { @length(rest) uint16 size; layer zlib; @id uint8 id; opaque; }
                @id(1) @from(server) message None {}
                """,
            packets: [])
    }
}
