// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec
import WirelineSchema

/// A protocol and a message without generated code, with the fewest members possible.
struct HandWrittenTests {
    @Test func `defaults in code are the same as defaults in a schema`() {
        #expect(HandWritten.maximumPacketByteCount == ProtocolOptions().maximumPacketByteCount)
        #expect(HandWritten.maximumDepth == ProtocolOptions().maximumDepth)
    }

    @Test func `a message is encoded and decoded back`() throws {
        let packet = try HandWritten.Ping(number: 7).encoded()
        #expect(packet == [0, 0, 0, 10, 0, 1, 0, 0, 0, 7])
        #expect(try HandWritten.Ping(packet: packet.span.bytes) == HandWritten.Ping(number: 7))
    }
}

private enum HandWritten: PacketProtocol {
    static var protocolName: String { "HandWritten" }
    static var layout: PacketLayout { .standard }
    static func messageTypes(from sender: Sender) -> [any PacketMessage.Type] { [Ping.self] }

    typealias FromClient = Incoming
    typealias FromServer = Incoming

    enum Incoming: IncomingMessage {
        typealias Definition = HandWritten
        case ping(Ping)
        case unknown(id: UInt64)

        init(in packet: borrowing Packet) throws(CodecError) {
            self = packet.id == 1 ? .ping(try Ping(payloadOf: packet)) : .unknown(id: packet.id)
        }

        var unknownID: UInt64? { if case .unknown(let id) = self { id } else { nil } }
    }

    struct Ping: PacketMessage {
        typealias Definition = HandWritten
        static var messageName: String { "Ping" }
        static var messageID: UInt64 { 1 }

        var number: UInt32

        init(number: UInt32) { self.number = number }
        init(from reader: inout ByteReader) throws(CodecError) { number = try reader.readInteger(.bigEndian) }
        func payloadByteCount() throws(CodecError) -> Int { 4 }
        func writePayload(to writer: inout ByteWriter) { writer.writeInteger(number, .bigEndian) }
    }
}
