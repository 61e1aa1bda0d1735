// SPDX-License-Identifier: Apache-2.0

import Wireline

/// The server that is looked at: sends every packet back.
enum EchoServer {
    static func run(inBatches: Bool) async throws {
        raiseDescriptorLimit()
        let handler: PacketListener.Handler =
            inBatches
            ? .batches { connection in
                { batch in while let packet = try batch.next() { try connection.write(packet: packet.bytes) } }
            }
            : .task { connection in
                while let packet = try await connection.next() { try await connection.forward(packet) }
            }
        var configuration = ServerConfiguration()
        configuration.firstPacketTimeout = nil
        let listener = try await PacketListener.start(
            at: "127.0.0.1", port: 0, layout: .standard, packetLimit: 1 << 20, configuration: configuration,
            handler: handler)
        print(listener.address.port)
        flush()
        // The end of standard input ends the server.
        while readLine() != nil {}
        await listener.shutDown(within: .seconds(10))
    }
}
