// SPDX-License-Identifier: Apache-2.0

import LiveHeap
import Scene
import TestingSupport
import Wireline

/// The server under test: it sends every packet back.
enum EchoServer {
    static func run(inBatches: Bool) async throws {
        DescriptorLimit.raise()
        let configuration = ServerConfiguration(firstPacketTimeout: nil)
        let server: PacketServer<SceneProtocol>
        if inBatches {
            server = try await PacketServer.startBatched(
                at: "127.0.0.1", port: 0, protocol: SceneProtocol.self, on: EventLoopGroup.shared,
                configuration: configuration
            ) { client in
                { batch in while let packet = try batch.next() { try client.write(packet: packet.bytes) } }
            }
        } else {
            server = try await PacketServer.start(
                at: "127.0.0.1", port: 0, protocol: SceneProtocol.self, on: EventLoopGroup.shared,
                configuration: configuration
            ) { client in
                while let packet = try await client.nextPacket() { try await client.forward(packet) }
            }
        }
        print(server.address.port)
        flush()
        // For each line it prints how many bytes are allocated; the end of standard input ends the server.
        while readLine() != nil {
            print(live_heap_byte_count())
            flush()
        }
        await server.shutDown()
    }
}
