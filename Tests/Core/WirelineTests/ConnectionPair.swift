// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineCodec
import WirelineTLS
import WirelineTransport

/// Two ends of a packet connection on loopback, each on its own loop.
struct ConnectionPair {
    let client: PacketConnection
    let server: PacketConnection

    static let group = Result { () throws(TransportError) in try EventLoopGroup(threadCount: 2) }

    static func make(
        _ layout: PacketLayout = .standard, limits: ConnectionLimits = ConnectionLimits(writeTimeout: nil),
        tls: (client: TLSEngine, server: TLSEngine)? = nil
    ) async throws -> ConnectionPair {
        let group = try group.get()
        let (accepted, feed) = AsyncStream<ByteStream>.makeStream()
        let listener = try Listener.bind(to: .loopback(port: 0), on: group)
        listener.start { feed.yield($0) }
        defer { listener.loop.execute { listener.close() } }
        // One of two loops takes the client, and the other the first accepted connection, or the other way round.
        let client = try await ByteStream.connect(to: listener.address, on: group.loops[0], timeout: .seconds(500))
        var iterator = accepted.makeAsyncIterator()
        guard let server = await iterator.next() else { throw TransportError.closed }
        let pair = ConnectionPair(
            client: PacketConnection(client, layout: layout, limits: limits, tls: tls?.client),
            server: PacketConnection(server, layout: layout, limits: limits, tls: tls?.server))
        try await pair.client.onLoop { connection in try connection.start() }
        try await pair.server.onLoop { connection in try connection.start() }
        return pair
    }

    func close() {
        client.close()
        server.close()
    }
}

extension PacketConnection {
    /// Runs a closure on the connection's loop, and waits for it.
    @discardableResult
    func onLoop<Value: Sendable>(_ body: @escaping @Sendable (PacketConnection) throws -> Value) async throws -> Value {
        try await stream.loop.run { () throws(any Error) in try body(self) }
    }

    /// Sends bytes at once; they need not be a packet.
    func sendRaw(_ bytes: [UInt8]) async throws {
        try await onLoop { connection in
            connection.stream.write(bytes)
            connection.stream.flush()
        }
    }

    /// The bytes of the next packet.
    func nextBytes() async throws(ConnectionError) -> [UInt8]? {
        guard let packet = try await next() else { return nil }
        return [UInt8](copying: packet.bytes)
    }
}

/// A packet of the standard layout.
func packet(id: UInt64 = 1, payload: [UInt8]) throws -> [UInt8] {
    try PacketLayout.standard.encode(id: id, payload: payload.span.bytes, limit: 64 << 20)
}
