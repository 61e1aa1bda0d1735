// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineSchema

/// Changes of the frame around packets.
struct FrameCompatibilityTests {
    private static let frame = "frame 0x7E..0x7E { 0x7E = 0x7D02; 0x7D = 0x7D01; }"

    private static func schema(_ frame: String) -> String {
        "packet { \(frame) @id uint8 id; @length(packet) uint8 size; } @id(1) @from(client) message M { uint8 a; bytes b; }"
    }

    @Test(arguments: [
        (frame, frame, []),
        // The order of the list does not matter.
        (frame, "frame 0x7E..0x7E { 0x7D = 0x7D01; 0x7E = 0x7D02; }", []),
        ("", frame, ["PACKET_SAME_LAYOUT packet: old refuses, new refuses"]),
        (frame, "", ["PACKET_SAME_LAYOUT packet: old refuses, new refuses"]),
        (
            frame, "frame 0x7F..0x7F { 0x7F = 0x7D02; 0x7D = 0x7D01; }",
            ["PACKET_SAME_LAYOUT packet: old refuses, new refuses"]
        ),
        // Only a packet that contains a listed byte shows these.
        (
            frame, "frame 0x7E..0x7E { 0x7E = 0x7D03; 0x7D = 0x7D01; }",
            ["PACKET_SAME_LAYOUT packet: old refuses, new refuses"]
        ),
        (
            frame, "frame 0x7E..0x7E { 0x7E = 0x7D01; 0x7D = 0x7D02; }",
            ["PACKET_SAME_LAYOUT packet: old refuses, new refuses"]
        ),
        // A byte more is only written otherwise: the old version refuses its two bytes.
        (
            frame, "frame 0x7E..0x7E { 0x7E = 0x7D02; 0x7D = 0x7D01; 0x11 = 0x7D31; }",
            ["PACKET_SAME_LAYOUT packet: old refuses, new reads"]
        ),
    ])
    func `a change of marks or escapes is shown with packets`(old: String, new: String, changes: [String]) throws {
        #expect(try verdicts(Self.schema(old), Self.schema(new)) == changes)
    }
}
