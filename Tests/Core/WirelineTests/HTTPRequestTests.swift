// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Testing
import TestingSupport
import Wireline
import WirelineCodec
import WirelineTransport

/// Browsers that send HTTP requests to a packet server.
@Suite(.ahead)
struct HTTPRequestTests {
    static let methods = ["GET", "POST", "HEAD", "OPTIONS", "PUT", "DELETE", "PATCH"]

    @Test(arguments: methods, [1, 1_000])
    func `a server takes no packet from an HTTP request`(method: String, pieceByteCount: Int) async throws {
        let request = Array("\(method) /chosen-by-a-page HTTP/1.1\r\nHost: game.example\r\n\r\n".utf8)
        let (echoed, error) = try await echo(request + request, pieceByteCount, layout: .erlangPacket1)
        #expect(echoed == [])
        #expect(error == .httpRequest)
    }

    /// The first packet ends before the part that a page can choose, so a server could take it before it sees the rest.
    @Test(arguments: [1, 1_000])
    func `a server takes no second packet from an HTTP request`(pieceByteCount: Int) async throws {
        let layout = try PacketLayout(header: [
            PacketField("id", .integer(.uint8, .bigEndian), .messageID),
            PacketField("length", .integer(.uint8, .bigEndian), .length(of: .packet, plus: 77)),
        ])
        let (echoed, error) = try await echo(Array("POST / HTTP/1.1\r\n".utf8), pieceByteCount, layout: layout)
        #expect(echoed == Array("PO".utf8))
        #expect(error == .httpRequest)
    }

    /// `G` is the length of a packet of 71 bytes, and the first letter of a request.
    @Test(arguments: ["ET ", "ETTING /", "ET\u{0}/"], [1, 1_000])
    func `packets that only start like a request are packets`(start: String, pieceByteCount: Int) async throws {
        let payload = Array(start.utf8) + [UInt8](repeating: 7, count: 71 - start.utf8.count)
        let packet = [71] + payload
        let (echoed, error) = try await echo(packet + packet, pieceByteCount, layout: .erlangPacket1)
        #expect(echoed == packet + packet)
        #expect(error == nil)
    }

    /// What an echo server answers to bytes that come in pieces, and why it ended the connection.
    private func echo(
        _ bytes: [UInt8], _ pieceByteCount: Int, layout: PacketLayout
    ) async throws -> (echoed: [UInt8], ConnectionError?) {
        let ends = ConnectionEnds()
        let server = try await PacketListener.start(
            at: "127.0.0.1", port: 0, layout: layout, packetLimit: 1 << 20, configuration: ends.configure { _ in },
            handler: .batches { connection in
                { batch in while let packet = try batch.next() { try connection.write(packet: packet.bytes) } }
            })
        let socket = try RawSocket.connect(to: server.address.port)
        let echoed = try await onThread {
            for start in stride(from: 0, to: bytes.count, by: pieceByteCount) {
                // The server may have closed the connection.
                let piece = bytes[start..<min(bytes.count, start + pieceByteCount)]
                guard (try? socket.send(piece)) != nil else { break }
            }
            socket.endOutput()
            // A server that closes before it has read everything resets the connection.
            var echoed: [UInt8] = []
            while let more = try? socket.receive(), !more.isEmpty { echoed += more }
            return echoed
        }
        let error = await ends.next() as? ConnectionError
        await server.shutDown(within: .zero)
        return (echoed, error)
    }
}
