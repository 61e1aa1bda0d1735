// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineSchema

/// Changes of conditions that look at the packet's header.
struct HeaderConditionCompatibilityTests {
    private static let packet = """
        packet { @id uint4 type; bit dup; @default(1) uint2 qos; bit retain; @length(rest) uint8 length; }

        """

    private static func schema(_ fields: String) -> String {
        packet + "@id(1) @from(client) message M { \(fields) }"
    }

    @Test(arguments: [
        (
            "@if(header.qos > 0) uint16 a; uint8 b;", "@if(header.qos > 1) uint16 a; uint8 b;",
            ["FIELD_SAME_CONDITION M.a: old refuses, new misreads"]
        ),
        (
            "@if(header.qos == 3) uint16 a;", "uint16 a;",
            ["FIELD_SAME_CONDITION M.a: old misreads, new refuses"]
        ),
        (
            "@if(header.dup) uint16 a;", "@if(header.retain) uint16 a;",
            ["FIELD_SAME_CONDITION M.a: old misreads, new misreads"]
        ),
        (
            "@if(header.dup) uint16 a;", "@if(not not header.dup) uint16 a;",
            ["FIELD_SAME_CONDITION M.a: old reads, new reads"]
        ),
        // Only a packet with another value than the default shows these.
        (
            "@if(header.qos == 3) uint16 a;", "@if(header.qos == 3) uint32 a;",
            ["FIELD_SAME_TYPE M.a: old misreads, new refuses"]
        ),
        (
            "uint8 b;", "uint8 b; @if(header.qos == 3) uint16 a;",
            ["FIELD_NO_APPEND_REQUIRED M.a: old reads, new refuses"]
        ),
        (
            "@if(header.qos == 3) uint8[] a;", "@if(header.qos == 3) varint32[] a;",
            ["FIELD_SAME_TYPE M.a: old misreads, new refuses"]
        ),
        ("@if(header.qos == 3 and header.dup) uint16 a;", "@if(header.qos == 3 and header.dup) uint16 a;", []),
    ])
    func `a condition on the header is tried with headers for which it matters`(
        old: String, new: String, expected: [String]
    ) throws {
        #expect(try verdicts(Self.schema(old), Self.schema(new)) == expected)
    }

    @Test func `a header field that has another name is the same field`() throws {
        let fields = "@if(header.qos > 0) uint16 a;"
        let renamed = Self.schema(fields).replacing("qos", with: "quality")
        #expect(try verdicts(Self.schema(fields), renamed) == ["HEADER_SAME_NAME packet.quality: old reads, new reads"])
    }

    @Test func `another field in its place is another condition`() throws {
        let swapped = Self.schema("@if(header.dup) uint16 a;")
            .replacing("bit dup;", with: "bit x;").replacing("bit retain;", with: "bit dup;")
            .replacing("bit x;", with: "bit retain;")
        let found = try verdicts(Self.schema("@if(header.dup) uint16 a;"), swapped)
        #expect(found.contains("FIELD_SAME_CONDITION M.a: old misreads, new misreads"))
    }
}
