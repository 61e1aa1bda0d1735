// SPDX-License-Identifier: Apache-2.0

internal import Load
internal import Scene
internal import Wireline
internal import WirelineTLS

/// As the documentation writes it: a task for each connection, to which messages come as values of their own types.
func serveWithMessagesOfWireline(_ tls: TLSContext?) async throws {
    let server = try await PacketServer.start(
        at: "127.0.0.1", port: 0, protocol: LoadProtocol.self, configuration: .ofBenchmarks(tls)
    ) { client in
        var count = PacketCount()
        while let received = try await client.nextMessage() {
            switch received.message {
            case .echo(let echo): try await client.send(echo)
            case .counted(let counted): count.add(payloadByteCount: counted.content.count)
            case .unknown(let packet): try await client.forward(packet)
            case .message:
                let found = count.take()
                try await client.send(Counts(packets: found.packets, payloadBytes: found.payloadByteCount))
            }
        }
    }
    announceListening(port: Int(server.address.port))
    await server.waitUntilShutDown()
}

/// A task for each connection, which asks for what has arrived and sends one packet after another.
func serveWithWireline(_ tls: TLSContext?) async throws {
    let server = try await PacketServer.start(
        at: "127.0.0.1", port: 0, protocol: SceneProtocol.self, configuration: .ofBenchmarks(tls)
    ) { client in
        var count = PacketCount()
        while var batch = try await client.nextBatch() {
            while let packet = try batch.next() {
                switch packet.id {
                case UInt64(PacketCount.countedID): count.add(payloadByteCount: packet.payload.byteCount)
                case UInt64(PacketCount.countID): try await client.send(count.takePayload(), id: packet.id)
                default: try await client.send(id: packet.id, payload: packet.payload)
                }
            }
        }
    }
    announceListening(port: Int(server.address.port))
    await server.waitUntilShutDown()
}

/// A task for each connection, which asks for each packet, to keep it or to hand it on.
func serveWithPacketsOfWireline(_ tls: TLSContext?) async throws {
    let server = try await PacketServer.start(
        at: "127.0.0.1", port: 0, protocol: SceneProtocol.self, configuration: .ofBenchmarks(tls)
    ) { client in
        var count = PacketCount()
        while let packet = try await client.nextPacket() {
            switch packet.id {
            case UInt64(PacketCount.countedID): count.add(payloadByteCount: packet.payload.byteCount)
            case UInt64(PacketCount.countID): try await client.send(count.takePayload(), id: packet.id)
            default: try await client.send(id: packet.id, payload: packet.payload)
            }
        }
    }
    announceListening(port: Int(server.address.port))
    await server.waitUntilShutDown()
}

/// A closure for each connection, which takes what has arrived, without a task.
func serveWithBatchesOfWireline(_ tls: TLSContext?) async throws {
    let server = try await PacketServer.startBatched(
        at: "127.0.0.1", port: 0, protocol: SceneProtocol.self, configuration: .ofBenchmarks(tls)
    ) { client in
        var count = PacketCount()
        return { batch in
            while let packet = try batch.next() {
                switch packet.id {
                case UInt64(PacketCount.countedID): count.add(payloadByteCount: packet.payload.byteCount)
                case UInt64(PacketCount.countID): try client.write(count.takePayload(), id: packet.id)
                default: try client.write(id: packet.id, payload: packet.payload)
                }
            }
        }
    }
    announceListening(port: Int(server.address.port))
    await server.waitUntilShutDown()
}

extension ServerConfiguration {
    /// Long packets are taken; all else is as users have it.
    fileprivate static func ofBenchmarks(_ tls: TLSContext?) -> ServerConfiguration {
        ServerConfiguration(
            listening: ListeningOptions(tls: tls),
            limits: ConnectionLimits(maximumPacketByteCount: maximumPacketByteCount))
    }
}

extension ServerIdentity {
    var wirelineContext: TLSContext {
        get throws {
            try TLSContext(
                .server(identity: TLSIdentity(certificateChain: .file(certificate), privateKey: .file(key))))
        }
    }
}

/// What is sent once. It is apart from the echo: where that is the only thing that is sent in a loop, the compiler sets it
/// into the loop.
extension ServerConnection {
    @inline(never)
    fileprivate nonisolated(nonsending) func send(_ payload: [UInt8], id: UInt64) async throws(ConnectionError) {
        try await send(id: id, payload: payload.span.bytes)
    }

    @inline(never)
    fileprivate func write(_ payload: [UInt8], id: UInt64) throws(ConnectionError) {
        try write(id: id, payload: payload.span.bytes)
    }
}

extension PacketCount {
    /// What says what was counted: two big-endian numbers.
    fileprivate mutating func takePayload() -> [UInt8] {
        let count = take()
        return [count.packets, count.payloadByteCount].flatMap { withUnsafeBytes(of: $0.bigEndian, Array.init) }
    }
}
