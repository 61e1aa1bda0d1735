// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Parts
import Synchronization
import Testing
import TestingSupport
import Wireline
import WirelineCodec
import WirelineLayers
import WirelineTransport

/// The memory budget of a server also holds for what the layers of packets contain.
@Suite(.ahead)
struct LayeredMemoryTests {
    private static let clientCount = 12
    /// The contents of two packets, for which it is asked before they are opened: `max_inflated` and a copy.
    private static let limit = 16 << 20

    private static func sealed(_ content: [UInt8], as shape: Shape) throws -> [UInt8] {
        var sealer = PacketSealer(
            PartsProtocol.layout, from: .client, packetLimit: PartsProtocol.maximumPacketByteCount,
            settings: LayerSettings())
        sealer.beginPacket()
        var keystreams = LayerSet()
        return try sealer.packet(
            id: 1, header: ["shape": Int128(shape.rawValue)], payload: content.rawSpan,
            shape == .bundle ? .packets : .message, &keystreams)
    }

    /// A short packet before one that grows to 3 MB, in which a short packet comes first.
    ///
    /// - Parameter inner: The shape of the packets inside: they can be compressed, too.
    private static func packets(inner: Shape = .plain) throws -> [UInt8] {
        let text = Array(String(repeating: "a", count: 1_000_000).utf8)
        var content = try Say(text: "a").encoded()
        for _ in 0..<3 {
            content +=
                try inner == .plain
                ? Say(text: String(decoding: text, as: UTF8.self)).encoded() : sealed(text, as: inner)
        }
        return try Say(text: "ready").encoded() + sealed(content, as: .bundle)
    }

    private static func configuration(_ limit: Int = limit) -> ServerConfiguration {
        var configuration = ServerConfiguration.patient
        configuration.listening.heldByteLimit = limit
        return configuration
    }

    /// Connects clients that send the packets.
    private static func sockets(to port: UInt16, sending packets: [UInt8]) throws -> [RawSocket] {
        try (0..<clientCount).map { _ in
            let socket = try RawSocket.connect(to: port)
            try socket.send(packets)
            return socket
        }
    }

    /// How many connections have opened a packet at a time.
    private final class Activity: Sendable {
        private let state = Mutex((count: 0, most: 0))

        var most: Int { state.withLock { $0.most } }

        func begin() {
            state.withLock { state in
                state.count += 1
                state.most = max(state.most, state.count)
            }
        }

        func end() { state.withLock { $0.count -= 1 } }
    }

    @Test(arguments: [false, true], [Shape.plain, .compressed])
    func `only as many packets are opened at a time as there is memory for`(
        clientsLeave: Bool, inner: Shape
    ) async throws {
        let (ready, ended) = (Seen<Void>(), Seen<ConnectionError?>())
        let activity = Activity()
        let server = try await PacketServer.start(
            at: "127.0.0.1", port: 0, protocol: PartsProtocol.self, on: EventLoopGroup(threadCount: 2),
            configuration: Self.configuration()
        ) { client in
            _ = try await client.nextPacket()
            ready.add(())
            _ = await ready.first(Self.clientCount)
            if clientsLeave { try? await client.waitUntilEnd() }
            var count = 0
            do throws(ConnectionError) {
                while try await client.nextPacket() != nil {
                    count += 1
                    // The fourth one is the last in the packet.
                    if count == 4 { activity.end() }
                    guard count == 1 else { continue }
                    activity.begin()
                    // The other connections of the loop have time to open theirs.
                    for _ in 0..<1_000 { await client.loop.giveWay() }
                }
                ended.add(nil)
            } catch {
                ended.add(error)
            }
            if 1..<4 ~= count { activity.end() }
        }
        let sockets = try Self.sockets(
            to: try #require(server.addresses.first?.port), sending: Self.packets(inner: inner))
        _ = await ready.first(Self.clientCount)
        for socket in sockets { clientsLeave ? socket.reset() : socket.endOutput() }
        let ends = await ended.first(Self.clientCount)
        #expect(1...2 ~= activity.most)
        if !clientsLeave { #expect(ends.allSatisfy { $0 == nil }) }
        await server.shutDown(within: .zero)
        #expect(await server.counters().heldByteCount == 0)
    }

    @Test func `only as many packets of paused connections are opened as there is memory for`() async throws {
        let taken = Seen<Void>()
        let activity = Activity()
        let server = try await PacketListener.start(
            at: "127.0.0.1", port: 0, on: EventLoopGroup(threadCount: 2), layout: PartsProtocol.layout,
            packetLimit: PartsProtocol.maximumPacketByteCount, configuration: Self.configuration(),
            handler: .messages { listener, connection in
                listener.endsByItself(connection)
                var count = 0
                return MessageCalls(
                    open: {},
                    take: { batch in
                        guard try batch.next() != nil else { return }
                        count += 1
                        taken.add(())
                        if count == 5 { activity.end() }
                        guard count == 2 else { return }
                        activity.begin()
                        connection.pauseInput()
                        // The other connections of the loop have time to open theirs.
                        Task(executorPreference: connection.loop) {
                            for _ in 0..<1_000 { await connection.loop.giveWay() }
                            connection.resumeInput()
                        }
                    }, close: { _ in })
            })
        let sockets = try Self.sockets(to: server.address.port, sending: Self.packets(inner: .compressed))
        _ = await taken.first(5 * Self.clientCount)
        #expect(1...2 ~= activity.most)
        for socket in sockets { socket.endOutput() }
        #expect(try await eventually { await server.counters().heldByteCount == 0 })
        await server.shutDown(within: .zero)
    }

    enum Handler: CaseIterable { case task, batches, messages }

    @Test(arguments: Handler.allCases, [8 << 20, 16 << 20])
    func `packets that follow long ones are neither lost nor stuck`(handler: Handler, limit: Int) async throws {
        var random = SeededGenerator.forThisRun()
        let long = random.bytes(900_000).map { $0 & 1 + 0x61 }
        let packets = try (0..<3).flatMap { number in
            try Self.sealed(long, as: .compressed) + Say(text: "\(number)").encoded()
        }
        let sizes = Seen<Int>()
        let (port, stop) = try await Self.serve(handler, limit) { sizes.add($0) }
        let sockets = try (0..<Self.clientCount).map { _ in try RawSocket.connect(to: port) }
        let threads = sockets.map { socket in Task { try await onThread { try socket.send(packets) } } }
        let seen = await sizes.first(6 * Self.clientCount)
        #expect(seen.count { $0 == long.count } == 3 * Self.clientCount)
        for thread in threads { try await thread.value }
        for socket in sockets { socket.endOutput() }
        await stop()
    }

    /// Starts a server that reports the bytes of each text.
    private static func serve(
        _ handler: Handler, _ limit: Int, _ report: @escaping @Sendable (Int) -> Void
    ) async throws -> (port: UInt16, stop: @Sendable () async -> Void) {
        switch handler {
        case .task:
            let server = try await PacketServer.start(
                at: "127.0.0.1", port: 0, protocol: PartsProtocol.self, on: EventLoopGroup(threadCount: 2),
                configuration: configuration(limit)
            ) { client in
                while let packet = try await client.nextPacket() {
                    report(try Say(payloadOf: packet.lent).text.utf8.count)
                }
            }
            return (try #require(server.addresses.first?.port), { await server.shutDown(within: .zero) })
        case .batches, .messages:
            let take: @Sendable (inout PacketBatch) throws -> Void = { batch in
                while let packet = try batch.next() { report(try Say(payloadOf: packet).text.utf8.count) }
            }
            let server = try await PacketListener.start(
                at: "127.0.0.1", port: 0, on: EventLoopGroup(threadCount: 2), layout: PartsProtocol.layout,
                packetLimit: PartsProtocol.maximumPacketByteCount, configuration: configuration(limit),
                handler: handler == .batches
                    ? .batches { _ in take }
                    : .messages { listener, connection in
                        listener.endsByItself(connection)
                        return MessageCalls(open: {}, take: take, close: { _ in })
                    })
            return (server.address.port, { await server.shutDown(within: .zero) })
        }
    }
}
