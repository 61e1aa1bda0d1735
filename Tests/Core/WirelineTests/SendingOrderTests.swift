// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Parts
import States
import Testing
import TestingSupport
import Wireline
import WirelineCodec

/// Packets that build on those before them keep their order, although some are written while tasks wait to send.
@Suite(.ahead)
struct SendingOrderTests {
    private static let secret: PacketHeader = ["shape": Int128(Shape.secret.rawValue)]
    private static let secretCompressed: PacketHeader = ["shape": Int128(Shape.secretCompressed.rawValue)]
    private static let key: [UInt8] = [1, 2, 3, 4, 5]
    private static let filling = String(repeating: "x", count: 60_000)
    /// It is compressed over many turns.
    private static let long = String(repeating: "long", count: 8 << 10)

    /// A server's connection, whose output has no room, and the client that reads nothing yet.
    private struct Stalled<Definition: PacketProtocol> {
        let server: PacketServer<Definition>
        let client: PacketClient<Definition>
        let member: ServerConnection<Definition>

        /// - Parameter filler: A packet that no packet builds on, of more than 50,000 bytes.
        init(filler: [UInt8]) async throws {
            let members = Seen<ServerConnection<Definition>>()
            var configuration = ServerConfiguration.patient
            configuration.limits.pendingByteCount = 1_000
            configuration.limits.writeTimeout = nil
            server = try await PacketServer.start(
                at: "127.0.0.1", port: 0, protocol: Definition.self, on: .ofFewTests(), configuration: configuration
            ) { member in
                members.add(member)
                while try await member.nextPacket() != nil {}
            }
            client = try await PacketClient.connect(
                to: "127.0.0.1", port: try #require(server.addresses.first?.port), protocol: Definition.self,
                configuration: .patient)
            member = await members.first(1)[0]
            // More than the systems of both ends buffer.
            try await write { member in
                for _ in 0..<(32 << 20) / filler.count { try member.write(packet: filler.span.bytes) }
            }
        }

        /// Begins to send in a task, which waits, because there is no room.
        func begin(
            _ send: @escaping @Sendable (ServerConnection<Definition>) async throws -> Void
        ) async throws -> Task<Void, any Error> {
            let count = await member.connection.counters().waitingSenderCount
            let task = Task(executorPreference: member.loop) { [member] in try await send(member) }
            #expect(try await eventually { await member.connection.counters().waitingSenderCount > count })
            return task
        }

        /// Does something on the connection's loop.
        func write(_ write: @escaping @Sendable (ServerConnection<Definition>) throws -> Void) async throws {
            try await member.connection.onLoop { [member] _ in try write(member) }
        }

        /// The texts that the client gets until one, but not those that fill the output.
        func texts(until last: String, _ text: (ReceivedPacket) throws -> String) async throws -> [String] {
            var texts: [String] = []
            while texts.last != last, let packet = try await client.nextPacket() {
                if packet.byteCount < 50_000 { texts.append(try text(packet)) }
            }
            client.close()
            await server.shutDown()
            return texts
        }
    }

    private static func stalledParts() async throws -> Stalled<PartsProtocol> {
        let stalled = try await Stalled<PartsProtocol>(filler: Say(text: filling).encoded())
        try stalled.client.layers.setKey("session", key)
        try await stalled.write { try $0.layers.setKey("session", key) }
        return stalled
    }

    private static func texts(of stalled: Stalled<PartsProtocol>, until last: String) async throws -> [String] {
        try await stalled.texts(until: last) { packet in
            let text = try Say(payloadOf: packet.lent).text
            return text == long ? "long" : text
        }
    }

    @Test(arguments: [false, true])
    func `what is written comes after the enciphered packet of a task that waits, or has given up`(
        givesUp: Bool
    ) async throws {
        let stalled = try await Self.stalledParts()
        let task = try await stalled.begin { try await $0.send(Say(text: "waits"), header: Self.secret) }
        if givesUp {
            task.cancel()
            await #expect(throws: ConnectionError.cancelled) { try await task.value }
        }
        try await stalled.write { try $0.write(Say(text: "written"), header: Self.secret) }
        #expect(try await Self.texts(of: stalled, until: "written") == ["waits", "written"])
    }

    @Test func `a long packet, and what is sent after it, come after the packet of a task that waits`() async throws {
        let stalled = try await Self.stalledParts()
        _ = try await stalled.begin { try await $0.send(Say(text: "waits"), header: Self.secret) }
        _ = try await stalled.begin { try await $0.send(Say(text: Self.long), header: Self.secretCompressed) }
        let whole = try Say(text: "whole").encoded()
        _ = try await stalled.begin { try await $0.send(packet: whole) }
        try await stalled.write { try $0.write(Say(text: "written"), header: Self.secret) }
        #expect(
            try await Self.texts(of: stalled, until: "written") == ["waits", "long", "whole", "written"])
    }

    @Test(arguments: [false, true])
    func `what is written comes after a packet that sets a state, although its task waits, or has given up`(
        givesUp: Bool
    ) async throws {
        let stalled = try await Stalled<StatesProtocol>(
            filler: Note(text: Self.filling).encoded(header: [:], from: .server))
        let task = try await stalled.begin { try await $0.send(Welcome(name: "waits")) }
        if givesUp {
            task.cancel()
            await #expect(throws: ConnectionError.cancelled) { try await task.value }
        }
        try await stalled.write { try $0.write(Note(text: "written")) }
        let texts = try await stalled.texts(until: "written") { packet in
            if packet.id == Welcome.messageID { return try packet.decode(Welcome.self).name }
            return try packet.decode(Note.self).text
        }
        #expect(texts == ["waits", "written"])
    }
}
