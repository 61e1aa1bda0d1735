// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec
import WirelineSchema

/// A frame around packets, in a schema that is valid.
struct FrameTests {
    @Test func `a frame has marks and escapes, and its packets need no length`() throws {
        let description = try describe(
            """
            packet {
                frame '['..0x5D { '[' = 0x5A01; 90 = 23042; 0x5D = 0x5E01; 0x5E = 0x5E02; }
                @id uint8 id;
            }
            """)
        #expect(
            description.layout.framing
                == PacketFraming(
                    start: 0x5B, end: 0x5D,
                    escapes: [
                        .init(0x5B, as: 0x5A, 1), .init(0x5A, as: 0x5A, 2), .init(0x5D, as: 0x5E, 1),
                        .init(0x5E, as: 0x5E, 2),
                    ]))
        #expect(description.layout.header.map(\.name) == ["id"])
        #expect(description.options.maximumPacketByteCount == 1 << 20)
    }

    @Test func `a length limits packets in a frame, too, but not one that may be absent`() throws {
        let frame = "frame 1..1 { 1 = 0x0203; 2 = 0x0202; }"
        let always = try describe("packet { \(frame) @length(packet) uint8 size; }")
        #expect(always.options.maximumPacketByteCount == 255)
        let sometimes = try describe("packet { \(frame) bool long; @if(long) @length(packet) uint8 size; }")
        #expect(sometimes.options.maximumPacketByteCount == 1 << 20)
    }

    @Test func `frame is a name everywhere else`() throws {
        let description = try describe(
            """
            packet { frame 1..1 { 1 = 0x0203; 2 = 0x0202; } uint8 frame; }
            struct frame { uint8 frame; }
            @from(client) message frames { frame frame; }
            """)
        #expect(description.layout.header.map(\.name) == ["frame"])
        #expect(description.messages[0].fields.map(\.name) == ["frame"])
    }
}
