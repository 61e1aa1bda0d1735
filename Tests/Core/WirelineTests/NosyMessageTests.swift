// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Scene
import Testing
import TestingSupport
import Wireline
import WirelineCodec
import WirelineTransport

/// Messages that use their own connection while they are written.
@Suite(.ahead)
struct NosyMessageTests {
    @Test(arguments: [10, 500_000], [false, true])
    func `what a message sends while it is written arrives after the message`(
        byteCount: Int, waits: Bool
    )
        async throws
    {
        let pair = try await ConnectionPair.make()
        let client = pair.client
        let message = NosyMessage(connection: client, nestedByteCount: byteCount)
        if waits {
            try await Task(executorPreference: client.loop) { try await client.send(message) }.value
        } else {
            try await client.onLoop { connection in try connection.write(message) }
        }
        let payload = [UInt8](repeating: 7, count: NosyMessage.byteCount)
        #expect(try await pair.server.nextBytes() == (try packet(id: 77, payload: payload)))
        let nested = [UInt8](repeating: 8, count: byteCount)
        #expect(try await pair.server.nextBytes() == (try packet(id: 78, payload: nested)))
        pair.close()
    }
}

private struct NosyMessage: PacketMessage {
    typealias Definition = SceneProtocol
    static var messageName: String { "Nosy" }
    static var messageID: UInt64 { 77 }
    static let byteCount = 1_000

    let connection: PacketConnection
    let nestedByteCount: Int

    init(connection: PacketConnection, nestedByteCount: Int) {
        self.connection = connection
        self.nestedByteCount = nestedByteCount
    }

    init(from reader: inout ByteReader) throws(CodecError) {
        throw CodecError(.wrongMessage(id: 0, expected: 77))
    }

    func payloadByteCount() throws(CodecError) -> Int { Self.byteCount }

    func writePayload(to writer: inout ByteWriter) {
        let nested = try? packet(id: 78, payload: [UInt8](repeating: 8, count: nestedByteCount))
        if let nested { try? connection.write(packet: nested.span.bytes) }
        for _ in 0..<Self.byteCount { writer.writeInteger(7 as UInt8, .bigEndian) }
    }

    static func == (left: NosyMessage, right: NosyMessage) -> Bool {
        left.connection === right.connection
    }
}
