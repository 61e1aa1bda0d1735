// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Scene
import Testing
import TestingSupport
import Wireline
import WirelineCodec

/// The memory that a server counts: the blocks that hold bytes.
@Suite(.ahead)
struct ServerMemoryTests {
    @Test(arguments: [17 << 10, 40 << 10, 300 << 10])
    func `the start of a packet does not keep the memory of a larger packet before it`(byteCount: Int) async throws {
        let server = try await SceneServer.start(configuration: .patient) { client in
            while try await client.nextPacket() != nil {}
        }
        let socket = try RawSocket.connect(to: server.address.port)
        let large = try packet(payload: [UInt8](repeating: 7, count: (1 << 20) - 6))
        try await onThread { try socket.send(large + large[..<byteCount]) }
        #expect(
            try await eventually {
                let counters = await server.counters()
                let isRead = counters.traffic.receivedPacketCount == 1 && counters.traffic.unreadByteCount == byteCount
                return isRead && counters.heldByteCount <= 4 * byteCount
            })
        await server.shutDown(within: .zero)
    }

    @Test func `a client that has read most of a reply holds little of a server's memory`() async throws {
        let server = try await SceneServer.start(
            configuration: {
                var configuration = ServerConfiguration.patient
                configuration.limits.pendingByteCount = 32 << 20
                return configuration
            }()
        ) { client in
            _ = try await client.nextPacket()
            let reply = try packet(payload: [UInt8](repeating: 7, count: (16 << 20) - 6))
            try client.write(packet: reply.span.bytes)
            _ = try await client.nextPacket()
        }
        let socket = try RawSocket.connect(to: server.address.port, receiveBuffer: 4_096)
        try await onThread { try socket.send(packet(payload: [])) }
        #expect(try await eventually { await server.counters().heldByteCount > 8 << 20 })
        // The server frees the memory of what the client has read.
        var byteCount = 0
        while await server.counters().heldByteCount > 1 << 20 {
            let received = try await onThread { try socket.receive() }
            #expect(!received.isEmpty)
            byteCount += received.count
        }
        let counters = await server.counters()
        #expect(counters.traffic.pendingByteCount > 0)
        #expect(byteCount < 16 << 20)
        await server.shutDown(within: .zero)
    }
}
