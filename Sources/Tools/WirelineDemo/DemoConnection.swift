// SPDX-License-Identifier: Apache-2.0

import Scene
package import Wireline
import WirelineCodec
package import WirelineTransport

/// A server and a client in this process, and a TCP connection between them on loopback.
package struct DemoConnection {
    private let server: PacketServer<SceneProtocol>
    private let client: PacketConnection
    private let accepted: PacketConnection
    /// Ends the server's handler.
    private let ending: AsyncStream<Never>.Continuation

    /// Starts the server, and connects the client to it.
    package init() async throws(ConnectionError) {
        let (end, ending) = AsyncStream<Never>.makeStream()
        self.ending = ending
        let (connections, feed) = AsyncStream<PacketConnection>.makeStream()
        server = try await PacketServer.start(at: "127.0.0.1", port: 0, protocol: SceneProtocol.self) { connection in
            feed.yield(connection.connection)
            // A connection ends when its handler returns. This handler waits, because the connection is used elsewhere.
            for await _ in end {}
        }
        client = try await PacketConnection.connect(
            to: "127.0.0.1", port: server.address.port, layout: SceneProtocol.layout,
            packetLimit: SceneProtocol.maximumPacketByteCount)
        var iterator = connections.makeAsyncIterator()
        guard let accepted = await iterator.next() else { throw .transport(.closed) }
        self.accepted = accepted
    }

    /// The server's address.
    package var address: SocketAddress { server.address }

    /// Writes each piece to the sender's socket separately, and reads this many messages at the other end.
    func send<Message: PacketMessage>(
        _ pieces: [[UInt8]], from sender: Sender, receiving count: Int, _ type: Message.Type
    ) async throws(ConnectionError) -> [Message] {
        let (source, sink) = sender == .client ? (client, accepted) : (accepted, client)
        await source.loop.run {
            for piece in pieces {
                source.stream.write(piece)
                source.stream.flush()
            }
        }
        var messages: [Message] = []
        while messages.count < count, let packet = try await sink.next() {
            do throws(CodecError) {
                messages.append(try packet.decode(type))
            } catch {
                throw .codec(error)
            }
        }
        return messages
    }

    package func close() async {
        client.close()
        ending.finish()
        await server.shutDown()
    }
}
