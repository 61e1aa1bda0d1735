// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOPosix

/// SwiftNIO with async code, as its documentation writes it: a task a connection, over the same pipeline.
func serveWithAsyncNIO(_ tls: NIOTLSContext?) async throws {
    let server = try await ServerBootstrap.ofOneThread().bind(host: "127.0.0.1", port: 0) { channel in
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addTLS(tls)
            try channel.pipeline.syncOperations.addPacketHandlers()
            return try NIOAsyncChannel<NIOPacket, NIOPacket>(wrappingChannelSynchronously: channel)
        }
    }
    server.channel.announce()
    try await withThrowingDiscardingTaskGroup { group in
        try await server.executeThenClose { connections in
            for try await connection in connections {
                group.addTask { await serve(connection) }
            }
        }
    }
}

private func serve(_ connection: NIOAsyncChannel<NIOPacket, NIOPacket>) async {
    // A connection that is reset is no error of the server.
    try? await connection.executeThenClose { packets, replies in
        var count = PacketCount()
        for try await packet in packets {
            if let reply = count.reply(to: packet) { try await replies.write(reply) }
        }
    }
}
