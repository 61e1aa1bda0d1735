// SPDX-License-Identifier: Apache-2.0

import Headers
import ProtocolsSupport
import Testing
import WirelineCodec
import WirelineSchema

/// Header fields that have the same value in every packet of a message, in generated Swift.
struct FixedHeaderTests {
    private let alarm = Alarm(code: 9)

    @Test func `the values are written, whatever else the caller sets`() throws {
        let bytes = try alarm.encoded(header: ["index": 5, "urgent": 1])
        let header = try HeadersProtocol.layout.header(of: Packet(bytes.span.bytes, layout: HeadersProtocol.layout))
        #expect(header["priority"] == 2)
        #expect(header["urgent"] == 1)
        #expect(header["marks"] == 2)
        #expect(header["filler"] == 7)
        #expect(header["index"] == 5)
        #expect(try Alarm(packet: bytes.span.bytes) == alarm)
        var appended: [UInt8] = []
        try alarm.encode(appendingTo: &appended)
        #expect(try appended == alarm.encoded() && appended == alarm.encoded(header: [:]))
    }

    static let refusals: [(PacketHeader, CodecError)] = [
        (["priority": 1], CodecError(.wrongConstant(value: 1, expected: 2), path: "Alarm.packet.priority")),
        (["filler": 128], CodecError(.outOfRange(value: 128, minimum: 0, maximum: 127), path: "Alarm.packet.filler")),
    ]

    @Test(arguments: refusals)
    func `another value is refused on writing`(header: PacketHeader, error: CodecError) {
        #expect(throws: error) { try alarm.encoded(header: header) }
    }

    @Test func `another value is refused on reading`() throws {
        let bytes = try HeadersProtocol.layout.encode(
            id: Alarm.messageID, header: ["priority": 2, "urgent": 0, "marks": 2, "filler": 7],
            payload: [9 as UInt8].span.bytes)
        let error = CodecError(.wrongConstant(value: 0, expected: 1), offset: 7, path: "packet.urgent")
        #expect(throws: error) { try Alarm(packet: bytes.span.bytes) }
        #expect(throws: error) {
            let packet = try Packet(bytes.span.bytes, layout: HeadersProtocol.layout)
            return try HeadersProtocol.FromClient(in: packet).unknownID
        }
        let translator = try ProtocolFolder.named("Headers").translator
        #expect(throws: error) { try translator.decode(bytes.span.bytes, from: .client) }
    }
}
