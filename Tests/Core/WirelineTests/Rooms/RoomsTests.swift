// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Scene
import Testing
import TestingSupport
import Wireline
import WirelineTransport

/// Rooms that are made for their first member, and gone after the last one.
@Suite(.ahead)
struct RoomsTests {
    @Test func `a room exists while it has members`() async throws {
        let rooms = Rooms<Int, SceneProtocol>()
        let live = LiveObjects<SceneRoom>()
        let server = try await SceneServer.start { client in
            live.add(rooms.join(client, 7))
            live.add(rooms.join(client, 8))
            while try await client.nextPacket() != nil {}
        }
        #expect(rooms[7] == nil)
        let clients = [try await server.connect(), try await server.connect()]
        #expect(try await eventually { rooms[8]?.count == 2 })
        #expect(rooms[7]?.count == 2)
        #expect(rooms.keys.sorted() == [7, 8])
        try rooms[8]?.send(RoomServer.line(1))
        for client in clients { #expect(try await client.lines(1) == [1]) }
        for member in rooms[7]?.members ?? [] { rooms.leave(member, 7) }
        #expect(rooms[7] == nil)
        #expect(rooms.count == 1)
        for client in clients { client.close() }
        #expect(try await eventually { rooms.count == 0 })
        #expect(try await live.complaint("rooms") == nil)
        await server.shutDown()
    }

    @Test func `members that come and go on several threads find one room at a time`() async throws {
        let random = SeededGenerator.forThisRun()
        let rooms = Rooms<Int, SceneProtocol>()
        let joined = Seen<ServerConnection<SceneProtocol>>()
        let server = try await SceneServer.start(on: EventLoopGroup(threadCount: 2)) { client in
            joined.add(client)
            while try await client.nextPacket() != nil {}
        }
        var clients: [PacketClient<SceneProtocol>] = []
        for _ in 0..<6 { clients.append(try await server.connect()) }
        let members = await joined.first(6)
        await withTaskGroup(of: Void.self) { group in
            for (index, member) in members.enumerated() {
                group.addTask {
                    var random = SeededGenerator(seed: random.seed &+ UInt64(index))
                    for _ in 0..<500 {
                        let key = Int.random(in: 0..<2, using: &random)
                        let room = rooms.join(member, key)
                        #expect(room.contains(member))
                        #expect(rooms[key] === room)
                        rooms.leave(member, key)
                    }
                }
            }
        }
        #expect(rooms.count == 0, random.seedComment)
        for member in members { rooms.join(member, 3) }
        try rooms[3]?.send(RoomServer.line(9))
        for client in clients { #expect(try await client.lines(1) == [9]) }
        await server.shutDown(within: .zero)
    }
}
