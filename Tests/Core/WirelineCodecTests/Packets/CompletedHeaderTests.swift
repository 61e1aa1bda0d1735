// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec

/// The header that conditions of a message's fields look at when the message is written.
struct CompletedHeaderTests {
    private static func layout() throws -> PacketLayout {
        try PacketLayout(
            header: [
                PacketField("length", .integer(.uint16, .bigEndian), .length(of: .packet, plus: 0)),
                PacketField("id", .integer(.uint8, .bigEndian), .messageID),
                PacketField("magic", .integer(.uint8, .bigEndian), .constant(7)),
                PacketField("level", .integer(.int8, .bigEndian), .value(default: -3)),
                PacketField("urgent", .boolean), PacketField("name", .text(byteCount: 2, padding: 0)),
                PacketField("serial", .integer(.uint8, .bigEndian), .sequence),
            ],
            trailer: [PacketField("sum", .integer(.uint32, .bigEndian), .checksum)])
    }

    @Test func `what is not set has its default, and what is computed is left out`() throws {
        #expect(try Self.layout().completed([:]) == ["magic": 7, "level": -3, "urgent": 0])
    }

    @Test func `what is set stays as it is`() throws {
        var header: PacketHeader = ["urgent": 1, "serial": 9, "unknown": 2]
        header[text: "name"] = "ab"
        let completed = try Self.layout().completed(header)
        #expect(completed["urgent"] == 1 && completed["serial"] == 9 && completed["unknown"] == 2)
        #expect(completed[text: "name"] == "ab")
        #expect(completed["level"] == -3 && completed["magic"] == 7)
    }
}
