// SPDX-License-Identifier: Apache-2.0

import Headers
import ProtocolsSupport
import Testing
import WirelineCodec
import WirelineSchema

/// Fields that are there only if the packet's header says so, in generated Swift.
struct HeaderConditionTests {
    private static let urgent: PacketHeader = ["urgent": 1, "marks": 2]

    static let reports: [(PacketHeader, Report)] = [
        ([:], Report(header: 7)),
        (["priority": 2], Report(header: 7, reason: "fire")),
        (urgent, Report(header: 7, deadline: 300)),
        (["urgent": 1, "marks": 1], Report(header: 7)),
        (["level": 1], Report(header: 7, steps: [.first])),
        (["index": 0x800, "level": 0], Report(header: 7, steps: [])),
        (["difference": 71], Report(header: 1, drift: -5)),
        (["difference": 70], Report(header: 1)),
        (["offset": -1], Report(header: 7, more: [1, 2])),
        (
            ["priority": 2, "urgent": 1, "level": 3, "difference": 100, "offset": 7],
            Report(header: 1, reason: "", deadline: 0, steps: [.last], drift: 9, more: [])
        ),
    ]

    @Test(arguments: reports)
    func `a message is written with its header, and read back`(header: PacketHeader, report: Report) throws {
        let bytes = try report.encoded(header: header)
        #expect(try Report(packet: bytes.span.bytes) == report)
        let packet = try Packet(bytes.span.bytes, layout: HeadersProtocol.layout)
        #expect(try Report(payloadOf: packet) == report)
        #expect(try Self.report(HeadersProtocol.FromServer(in: packet)) == report)
        #expect(try Inquire.Reply(in: packet) == .report(report))
        let payload = try report.encodedPayload(header: header)
        #expect(payload == Array(copying: packet.payload))
        #expect(try Report(payload: payload.span.bytes, header: header) == report)
        #expect(try translator().decode(bytes.span.bytes, from: .server)["message"] == "Report")
    }

    @Test(arguments: reports)
    func `the codec of schemas makes the same packets`(header: PacketHeader, report: Report) throws {
        let bytes = try report.encoded(header: header)
        let line = try translator().decode(bytes.span.bytes, from: .client)
        #expect(try translator().encode(line: line) == bytes)
        for cut in bytes.indices {
            #expect(throws: CodecError.self) { try Report(packet: bytes.span.extracting(..<cut).bytes) }
        }
    }

    static let refusals: [(PacketHeader, Report, String, Bool)] = [
        ([:], Report(header: 7, reason: "fire"), "reason", true),
        (["priority": 2], Report(header: 7), "reason", false),
        (["urgent": 1, "marks": 1], Report(header: 7, deadline: 1), "deadline", true),
        (urgent, Report(header: 7), "deadline", false),
        (["difference": 71], Report(header: 1), "drift", false),
        (["difference": 71], Report(header: 2, drift: 1), "drift", true),
        (["offset": 1], Report(header: 7), "more", false),
    ]

    @Test(arguments: refusals)
    func `a field that is set or not set against the header is refused`(
        header: PacketHeader, report: Report, field: String, isSet: Bool
    ) {
        let error = CodecError(.wrongPresence(isSet: isSet), path: "Report." + field)
        #expect(throws: error) { try report.encoded(header: header) }
        #expect(throws: error) { try report.encodedPayload(header: header) }
    }

    @Test func `without a header, the defaults decide`() throws {
        let bytes = try Report(header: 1).encoded()
        var appended: [UInt8] = []
        try Report(header: 1).encode(appendingTo: &appended)
        #expect(try appended == bytes && bytes == Report(header: 1).encoded(header: [:]))
        #expect(try Report(payload: [1 as UInt8].span.bytes) == Report(header: 1))
        #expect(throws: CodecError(.wrongPresence(isSet: true), path: "Report.steps")) {
            try Report(header: 1, steps: []).encoded()
        }
        #expect(throws: CodecError(.wrongPresence(isSet: true), path: "Report.steps")) {
            try Report(header: 1, steps: []).encode(appendingTo: &appended)
        }
    }

    @Test func `a header field that does not exist is refused, and no condition asks for it`() {
        #expect(throws: CodecError.self) { try Report(header: 1).encoded(header: ["urgency": 1]) }
        #expect(throws: CodecError.self) { try Report(header: 1, deadline: 1).encoded(header: ["urgent": 2]) }
    }

    @Test func `a message may fix one header field and look at another`() throws {
        let bytes = try Estimate(days: 3).encoded()
        #expect(try Estimate(packet: bytes.span.bytes) == Estimate(days: 3))
        let urgent = try Estimate().encoded(header: ["urgent": 1])
        #expect(try Estimate(packet: urgent.span.bytes) == Estimate())
        let packet = try HeadersProtocol.layout.encode(
            id: Estimate.messageID, header: ["urgent": 1], payload: [UInt8]().span.bytes)
        let error = CodecError(.wrongConstant(value: 1, expected: 0), offset: 3, path: "packet.priority")
        #expect(throws: error) { try Estimate(packet: packet.span.bytes) }
        #expect(throws: error) {
            let packet = try Packet(packet.span.bytes, layout: HeadersProtocol.layout)
            return try Inquire.Reply(in: packet)
        }
    }

    private static func report(_ message: HeadersProtocol.FromServer) -> Report? {
        if case .report(let report) = message { report } else { nil }
    }

    private func translator() throws -> PacketTranslator { try ProtocolFolder.named("Headers").translator }
}
