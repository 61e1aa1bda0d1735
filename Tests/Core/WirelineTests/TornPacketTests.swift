// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Scene
import Testing
import TestingSupport
import WirelineCodec

@testable import Wireline

/// Packets that arrive byte by byte.
@Suite(.ahead)
struct TornPacketTests {
    @Test func `a byte of a long packet does not move the bytes before it when little memory is left`() async throws {
        var configuration = ServerConfiguration.patient
        // Memory is tight when less than half of it is left.
        configuration.listening.heldByteLimit = 1 << 20
        let (accepted, feed) = AsyncStream.makeStream(of: PacketConnection.self)
        let server = try await SceneServer.start(configuration: configuration) { client in
            feed.yield(client.connection)
            while try await client.nextPacket() != nil {}
        }
        let socket = try RawSocket.connect(to: server.address.port)
        let bytes = try packet(payload: [UInt8](repeating: 7, count: 700_000))
        var sentByteCount = 600_000
        try await onThread { try socket.send(Array(bytes[..<600_000])) }
        let connection = try #require(await accepted.first { _ in true })
        var capacities: Set<Int> = []
        for _ in 0..<40 {
            let expected = sentByteCount
            #expect(try await eventually { try await connection.onLoop { $0.input.byteCount == expected } })
            capacities.insert(try await connection.onLoop { $0.input.capacity })
            try await onThread { try socket.send([7]) }
            sentByteCount += 1
        }
        // Each capacity is that of a block, to which all bytes were moved.
        #expect(capacities.count <= 2, "\(capacities)")
        await server.shutDown(within: .zero)
    }
}
