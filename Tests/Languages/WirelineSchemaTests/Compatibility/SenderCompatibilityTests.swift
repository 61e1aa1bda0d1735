// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineSchema

/// Changes of packets that depend on their sender.
struct SenderCompatibilityTests {
    private static let breaking = "PACKET_SAME_LAYOUT packet: old does not know, new does not know"

    private static func schema(_ condition: String) -> String {
        """
        packet { @length(rest) uint8 size; \(condition) uint8 mark; @id uint8 id; }
        @id(1) @from(client) message A { uint8 a; }
        @id(1) @from(server) message B { uint8 a; }
        """
    }

    @Test(arguments: [
        ("@if(sender == client)", "@if(sender == client)", []),
        ("@if(sender == client)", "@if(sender != server)", ["PACKET_SAME_LAYOUT packet: old reads, new reads"]),
        ("@if(sender == client)", "", [breaking]),
        ("@if(sender == client)", "@if(sender == server)", [breaking]),
        (
            "@if(sender == client or nested)", "@if(sender == client)",
            ["PACKET_SAME_LAYOUT packet: old reads, new reads"]
        ),
    ])
    func `a condition on the sender is tried in both directions`(
        old: String, new: String, expected: [String]
    ) throws {
        #expect(try verdicts(Self.schema(old), Self.schema(new)) == expected)
    }
}
