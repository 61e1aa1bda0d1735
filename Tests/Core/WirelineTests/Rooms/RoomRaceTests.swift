// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Scene
import Testing
import TestingSupport
import Wireline
import WirelineTransport

/// Joins, leaves, sends and ends on several threads at the same time.
@Suite(.ahead)
struct RoomRaceTests {
    /// The number of a sender's message, so that each message names its sender.
    private static func number(_ sender: Int, _ message: Int) -> Int { sender * 100_000 + message }

    @Test func `members that come and go get each message at most once, and in order`() async throws {
        let random = SeededGenerator.forThisRun()
        let rooms = try await RoomServer.start(on: EventLoopGroup(threadCount: 2))
        let (room, clients) = (rooms.room, try await rooms.connect(6))
        let members = clients.map(\.member)
        let (senderCount, sendCount, last) = (4, 500, 999_999)
        let readings = clients.map { guest in Task { try await guest.client.lines(upTo: last) } }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for sender in 0..<senderCount {
                group.addTask {
                    for message in 1...sendCount {
                        try room.send(RoomServer.line(Self.number(sender, message)))
                        if message % 50 == 0 { await Task.yield() }
                    }
                }
            }
            for (index, member) in members.enumerated() where index > 0 {
                group.addTask(executorPreference: index % 2 == 0 ? member.loop : nil) {
                    var random = SeededGenerator(seed: random.seed &+ UInt64(index))
                    for _ in 0..<300 {
                        room.leave(member)
                        if Bool.random(using: &random) { await Task.yield() }
                        room.join(member)
                        if Int.random(in: 0..<10, using: &random) == 0 { try await member.send(RoomServer.line(0)) }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(room.count == 6, random.seedComment)
        try room.send(RoomServer.line(last))
        for (index, reading) in readings.enumerated() {
            let lines = try await reading.value
            for sender in 0..<senderCount {
                let numbers = lines.filter { $0 > 0 && $0 < last && $0 / 100_000 == sender }
                #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }, random.seedComment)
                // The first member stays.
                if index == 0 { #expect(numbers.count == sendCount, random.seedComment) }
            }
        }
        let counters = await room.counters()
        #expect(counters.sentCount == senderCount * sendCount + 1)
        #expect(counters.droppedCount == 0)
        await rooms.server.shutDown(within: .zero)
    }

    @Test func `connections that end during sends leave no member behind`() async throws {
        var random = SeededGenerator.forThisRun()
        let connections = LiveObjects<PacketConnection>()
        let room = SceneRoom()
        let server = try await SceneServer.start(on: EventLoopGroup(threadCount: 2)) { client in
            connections.add(client.connection)
            room.join(client)
            while try await client.nextPacket() != nil {}
        }
        let isDone = Gate()
        let sending = Task {
            var number = 0
            while !isDone.isOpen {
                number += 1
                try room.send(RoomServer.line(number, text: String(repeating: "x", count: number % 3_000)))
                await Task.yield()
            }
        }
        for _ in 0..<100 {
            let socket = try RawSocket.connect(to: server.address.port)
            #expect(try await eventually { !room.isEmpty })
            switch Int.random(in: 0..<4, using: &random) {
            case 0: socket.reset()
            case 1: socket.endOutput()
            case 2: for member in room.members { member.close() }
            default: for member in room.members { room.leave(member) }
            }
        }
        isDone.open()
        try await sending.value
        #expect(try await eventually { room.isEmpty }, random.seedComment)
        await server.shutDown(within: .zero)
        #expect(try await connections.complaint("connections") == nil)
        #expect(await room.counters().pendingByteCount == 0)
    }
}
