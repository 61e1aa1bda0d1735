// SPDX-License-Identifier: Apache-2.0

internal import Load
internal import Scene
internal import SequencedLoad
internal import Wireline
internal import WirelineTLS

/// As the README writes it: a task for each connection, and a switch over the messages.
func serveWithMessagesOfWireline(_ tls: TLSContext?) async throws {
    let server = try await PacketServer.start(
        at: "127.0.0.1", port: 0, protocol: LoadProtocol.self, on: EventLoopGroup.shared,
        configuration: .ofBenchmarks(tls)
    ) { client in
        var count = PacketCount()
        while let received = try await client.nextMessage() {
            switch received.message {
            case .echo(let echo): try await client.send(echo)
            case .counted(let counted): count.add(payloadByteCount: counted.payloadByteCount)
            case .askForCounts: try await client.send(count.takeMessage())
            case .unknown: try await client.forward(received.packet)
            }
        }
    }
    announceListening(port: Int(server.address.port))
    await server.waitUntilShutDown()
}

/// As the README writes it: handlers by type.
func serveWithHandlersOfWireline(_ tls: TLSContext?) async throws {
    try await serve(loadHandlers(), tls)
}

/// The same, with all connections in a room, to which nothing is sent.
func serveWithRoomOfWireline(_ tls: TLSContext?) async throws {
    var handlers = loadHandlers()
    let room = Room<LoadProtocol>()
    handlers.onOpen { client in room.join(client.connection) }
    try await serve(handlers, tls)
}

private func loadHandlers() -> MessageHandlers<LoadProtocol, PacketCount> {
    var handlers = MessageHandlers<LoadProtocol, PacketCount>()
    handlers.on(Echo.self) { echo, client in try client.send(echo) }
    handlers.on(Counted.self) { counted, client in
        client.state.add(payloadByteCount: counted.payloadByteCount)
    }
    handlers.on(AskForCounts.self) { _, client in try client.reply(with: client.state.takeMessage()) }
    handlers.others { received, client in try client.connection.write(packet: received.packet.bytes) }
    return handlers
}

/// As the README writes it: handlers that reply, with the request's sequence number.
func serveWithRepliesOfWireline(_ tls: TLSContext?) async throws {
    var handlers = MessageHandlers<SequencedLoadProtocol, PacketCount>()
    handlers.reply(to: EchoRequest.self) { request, _ in
        EchoReply(scene: request.scene, line: request.line, content: request.content)
    }
    handlers.on(CountedPacket.self) { counted, client in
        client.state.add(payloadByteCount: counted.content.count)
    }
    handlers.reply(to: CountsRequest.self) { _, client in
        let count = client.state.take()
        return CountsReply(packets: count.packets, payloadBytes: count.payloadByteCount)
    }
    handlers.others { received, client in try client.connection.write(packet: received.packet.bytes) }
    try await serve(handlers, tls)
}

private func serve<Definition: PacketProtocol>(
    _ handlers: MessageHandlers<Definition, PacketCount>, _ tls: TLSContext?
) async throws {
    let server = try await PacketServer.start(
        at: "127.0.0.1", port: 0, on: EventLoopGroup.shared, configuration: .ofBenchmarks(tls), handlers: handlers
    ) { _ in PacketCount() }
    announceListening(port: Int(server.address.port))
    await server.waitUntilShutDown()
}

extension Counted {
    /// The number of bytes of its fields.
    fileprivate var payloadByteCount: Int { 5 + content.utf8.count }
}

/// A task for each connection, which asks for what has arrived and sends one packet after another.
func serveWithWireline(_ tls: TLSContext?) async throws {
    let server = try await PacketServer.start(
        at: "127.0.0.1", port: 0, protocol: SceneProtocol.self, on: EventLoopGroup.shared,
        configuration: .ofBenchmarks(tls)
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
        at: "127.0.0.1", port: 0, protocol: SceneProtocol.self, on: EventLoopGroup.shared,
        configuration: .ofBenchmarks(tls)
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
        at: "127.0.0.1", port: 0, protocol: SceneProtocol.self, on: EventLoopGroup.shared,
        configuration: .ofBenchmarks(tls)
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
    fileprivate mutating func takeMessage() -> Counts {
        let count = take()
        return Counts(packets: count.packets, payloadBytes: count.payloadByteCount)
    }

    /// What says what was counted: two big-endian numbers.
    fileprivate mutating func takePayload() -> [UInt8] {
        let count = take()
        return [count.packets, count.payloadByteCount].flatMap { withUnsafeBytes(of: $0.bigEndian, Array.init) }
    }
}
