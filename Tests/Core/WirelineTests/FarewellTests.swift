// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Scene
import Testing
import TestingSupport
import Wireline

/// How a server disconnects clients with a reason, one or all of them.
@Suite(.ahead)
struct FarewellTests {
    private static let hello = Cs_20001(sceneID: 1, line: 1, message: "")
    private static let reason = Sc_20001.entered(Cs_20001(sceneID: 9, line: 9, message: "go away"))

    /// The messages that a client gets until the end.
    private func messages(of client: PacketClient<SceneProtocol>) async throws -> [Sc_20001] {
        var messages: [Sc_20001] = []
        while let received = try await client.nextMessage() {
            if case .sc20001(let reply) = received.message { messages.append(reply) }
        }
        return messages
    }

    // MARK: Kicking

    @Test func `a kicked client gets the earlier output, the reason, and a clean end`() async throws {
        let ends = ConnectionEnds()
        let server = try await SceneServer.start(configuration: ends.configure()) { client in
            _ = try await client.nextPacket()
            try await client.send(Sc_20001.entered(Self.hello))
            try client.kick(with: Self.reason)
            await #expect(throws: ConnectionError.kicked) { try await client.send(Self.reason) }
            _ = try await client.nextPacket()
            Issue.record("the connection goes on")
        }
        let client = try await server.connect()
        // More than the handler reads; the reason must still arrive.
        try await client.connection.sendRaw(repeatElement(Self.hello.encoded(), count: 1_000).merged)
        #expect(try await messages(of: client) == [Sc_20001.entered(Self.hello), Self.reason])
        client.close()
        #expect(await ends.next() as? ConnectionError == .kicked)
        #expect(await server.counters().kickedConnectionCount == 1)
        await server.shutDown()
    }

    @Test func `another task can kick a client whose handler waits for packets or to send`() async throws {
        let ends = ConnectionEnds()
        let server = try await SceneServer.start(
            configuration: ends.configure {
                $0.limits.pendingByteCount = 1_000
                $0.limits.writeTimeout = nil
            }
        ) { client in
            guard let first = try await client.nextPacket() else { return }
            let enter = try first.decode(Cs_20001.self)
            guard enter.line == 1 else {
                while try await client.nextPacket() != nil {}
                return
            }
            let long = Sc_20001.entered(
                Cs_20001(sceneID: 1, line: 1, message: String(repeating: "x", count: 60_000)))
            while true { try await client.send(long) }
        }
        let receiving = try await server.connect()
        try await receiving.send(Cs_20001(sceneID: 1, line: 0, message: ""))
        #expect(try await eventually { await server.counters().traffic.receivedPacketCount >= 1 })
        try server.connections.first?.kick(with: Self.reason)
        #expect(try await messages(of: receiving) == [Self.reason])
        receiving.close()
        #expect(await ends.next() as? ConnectionError == .kicked)

        let sending = try await server.connect()
        try await sending.send(Self.hello)
        #expect(try await eventually { await server.counters().traffic.waitingSenderCount >= 1 })
        try server.connections.first?.kick(with: Self.reason, within: .seconds(500))
        #expect(try await messages(of: sending).last == Self.reason)
        sending.close()
        #expect(await ends.next() as? ConnectionError == .kicked)
        await server.shutDown()
    }

    @Test func `a batch handler can kick its client, and gets no more packets`() async throws {
        let ends = ConnectionEnds()
        let server = try await PacketServer.startBatched(
            at: "127.0.0.1", port: 0, protocol: SceneProtocol.self, configuration: ends.configure()
        ) { client in
            { batch in
                guard try batch.next() != nil else { return }
                try client.kick(with: Self.reason)
            }
        }
        let client = try await server.connect()
        try await client.connection.sendRaw(repeatElement(Self.hello.encoded(), count: 1_000).merged)
        #expect(try await messages(of: client) == [Self.reason])
        client.close()
        #expect(await ends.next() as? ConnectionError == .kicked)
        await server.shutDown()
    }

    @Test func `a kicked client that does not leave is closed when the time is over`() async throws {
        let ends = ConnectionEnds()
        let server = try await SceneServer.start(
            configuration: ends.configure { $0.limits.writeTimeout = nil }
        ) { client in
            // Until no more output leaves.
            let connection = client.connection
            let long = try Sc_20001.entered(
                Cs_20001(sceneID: 1, line: 1, message: String(repeating: "x", count: 60_000))
            ).encoded()
            while await connection.counters().pendingByteCount < 1 << 20 { try client.write(packet: long.span.bytes) }
            try client.kick(with: Self.reason, within: .milliseconds(50))
            while try await client.nextPacket() != nil {}
        }
        let client = try await server.connect()
        #expect(await ends.next() as? ConnectionError == .kicked)
        client.close()
        await server.shutDown()
    }

    @Test func `a kick message that does not fit leaves the client connected`() async throws {
        let server = try await SceneServer.start { client in
            while let packet = try await client.nextPacket() {
                let long = Sc_20001.entered(
                    Cs_20001(sceneID: 1, line: 1, message: String(repeating: "x", count: 70_000)))
                #expect(throws: ConnectionError.self) { try client.kick(with: long) }
                try await client.forward(packet)
            }
        }
        let client = try await server.connect()
        try await client.send(Self.hello)
        #expect(try await client.nextPacket() != nil)
        client.close()
        await server.shutDown()
    }

    // MARK: Shutting down

    @Test(arguments: [Duration.zero, .milliseconds(100)])
    func `a shutdown sends every client the message, and then its last answers`(spread: Duration) async throws {
        let ends = ConnectionEnds()
        let server = try await SceneServer.start(
            on: ConnectionPair.group.get(), configuration: ends.configure()
        ) { client in
            while try await client.nextPacket() != nil {}
            try await client.send(Sc_20001.entered(Self.hello))
        }
        var clients: [PacketClient<SceneProtocol>] = []
        for _ in 0..<20 { clients.append(try await server.connect()) }
        #expect(try await eventually { server.connections.count >= 20 })
        async let shutDown: Void = server.shutDown(within: .seconds(500), over: spread, telling: Self.reason)
        try await withThrowingTaskGroup(of: [Sc_20001].self) { group in
            for client in clients {
                group.addTask {
                    defer { client.close() }
                    return try await messages(of: client)
                }
            }
            for try await messages in group { #expect(messages == [Self.reason, Sc_20001.entered(Self.hello)]) }
        }
        try await shutDown
        for _ in clients { #expect(await ends.next() == nil) }
        #expect(server.connections.isEmpty)
    }

    @Test func `a shutdown sends its message to clients of a batch handler, too`() async throws {
        let server = try await PacketServer.startBatched(
            at: "127.0.0.1", port: 0, protocol: SceneProtocol.self,
            configuration: .patient
        ) { client in
            { batch in while let packet = try batch.next() { try client.write(packet: packet.bytes) } }
        }
        let client = try await server.connect()
        try await client.send(Self.hello)
        #expect(try await client.nextPacket() != nil)
        async let shutDown: Void = server.shutDown(within: .seconds(500), telling: Self.reason)
        #expect(try await messages(of: client) == [Self.reason])
        client.close()
        try await shutDown
    }

    @Test func `a shutdown message that does not fit leaves the server running`() async throws {
        let server = try await SceneServer.start { client in
            while let packet = try await client.nextPacket() { try await client.forward(packet) }
        }
        let long = Sc_20001.entered(Cs_20001(sceneID: 1, line: 1, message: String(repeating: "x", count: 70_000)))
        await #expect(throws: ConnectionError.self) { try await server.shutDown(telling: long) }
        let client = try await server.connect()
        try await client.send(Self.hello)
        #expect(try await client.nextPacket() != nil)
        client.close()
        await server.shutDown()
    }
}
