// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

extension LayeredProtocol {
    /// The names of what opens and seals packets in languages with classes, and of members of connections, with wide numbers.
    static let names = LayeredProtocol(
        name: "LayeredNames",
        schema: """
            packet {
                state uint8 keys; state uint8 streams; state uint8 layers; state bit Threshold;
                state uint8 set_key; state uint8 set_layer; state uint8 aes;
                @length(rest) uint64 size;
                uint8 mode;
                @if(mode == 1) layer rc4(ID_TYPE);
                @if(mode == 2) layer xor(length);
                @if(mode == 3) layer custom(EXCEPTION);
                @length(content) uint8 threshold;
                @if(threshold != 0) layer zlib;
                @id uint64 part;
                @if(part == 9) packets;
            }
            enum Work : uint8 { part = 0; layer = 1; }
            struct Layer { uint8 used; }
            struct Keystream { Layer work; }
            struct Part { Keystream lasting; Work work; }
            @id(1) @from(both) message InnerPackets { Part[] packets; }
            @id(2) @from(both) message Connection { string sender; uint8 c; }
            """,
        keys: ["ID_TYPE": "010203", "length": "ff00"],
        packets: [
            SamplePacket(
                .client, #"{"message":"Connection","header":{"mode":1,"threshold":1},"fields":{"sender":"a","c":1}}"#),
            SamplePacket(
                .server, #"{"message":"Connection","header":{"mode":2,"threshold":1},"fields":{"sender":"b","c":2}}"#),
            SamplePacket(
                .client, #"{"message":"Connection","header":{"mode":4,"threshold":1},"fields":{"sender":"c","c":3}}"#),
            SamplePacket(
                .client,
                """
                {"message":null,"id":9,"header":{"mode":1,"threshold":1},"packets":[
                {"message":"InnerPackets","header":{"mode":2,"threshold":1},"fields":
                {"packets":[{"lasting":{"work":{"used":1}},"work":"layer"}]}}]}
                """),
        ])
}
