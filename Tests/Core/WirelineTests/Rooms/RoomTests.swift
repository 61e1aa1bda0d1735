// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Scene
import Testing
import TestingSupport
import Wireline
import WirelineCodec
import WirelineTransport

/// Who is a member of a room, and what members get.
@Suite(.ahead)
struct RoomTests {
    private static func line(_ number: Int, text: String = "") -> Sc_20001 { RoomServer.line(number, text: text) }

    @Test func `a message is encoded once, and reaches all members on all loops`() async throws {
        let rooms = try await RoomServer.start(on: EventLoopGroup(threadCount: 2))
        let clients = try await rooms.connect(20)
        #expect(Set(rooms.room.members.map { ObjectIdentifier($0.loop) }).count == 2)
        let counted = CountedMessage(message: Self.line(7))
        try rooms.room.send(counted)
        try rooms.room.send(Self.line(8))
        for client in clients { #expect(try await client.lines(2) == [7, 8]) }
        #expect(counted.encodings.count == 1)
        let counters = await rooms.room.counters()
        #expect(counters.memberCount == 20)
        #expect(counters.sentCount == 2)
        #expect(counters.deliveredCount == 40)
        #expect(counters.droppedCount == 0)
        #expect(try await eventually { await rooms.room.counters().pendingByteCount == 0 })
        await rooms.server.shutDown(within: .zero)
    }

    @Test func `a connection joins once, leaves once, and can join again`() async throws {
        let rooms = try await RoomServer.start()
        let clients = try await rooms.connect(2)
        let member = clients[0].member
        #expect(!rooms.room.join(member))
        #expect(rooms.room.contains(member))
        #expect(rooms.room.count == 2)
        try rooms.room.send(Self.line(1))
        rooms.room.leave(member)
        rooms.room.leave(member)
        #expect(!rooms.room.contains(member))
        #expect(rooms.room.members.count == 1)
        try rooms.room.send(Self.line(2))
        #expect(rooms.room.join(member))
        try rooms.room.send(Self.line(3))
        #expect(try await clients[0].lines(2) == [1, 3])
        #expect(try await clients[1].lines(3) == [1, 2, 3])
        await rooms.server.shutDown(within: .zero)
    }

    @Test func `a connection that has ended cannot join`() async throws {
        let rooms = try await RoomServer.start()
        let clients = try await rooms.connect(1)
        let member = try #require(rooms.room.members.first)
        member.close()
        #expect(try await eventually { rooms.room.isEmpty })
        #expect(await member.loop.run { !rooms.room.join(member) })
        #expect(rooms.room.isEmpty)
        rooms.room.join(member)
        #expect(try await eventually { rooms.room.isEmpty })
        clients[0].client.close()
        await rooms.server.shutDown(within: .zero)
    }

    enum End: CaseIterable {
        case clean, reset, closed, kicked, everyoneKicked, handlerReturns, shutDown
    }

    @Test(arguments: End.allCases)
    func `a member is gone when its connection ends, and so is the connection`(end: End) async throws {
        let connections = LiveObjects<PacketConnection>()
        let room = SceneRoom()
        let server = try await SceneServer.start { client in
            connections.add(client.connection)
            room.join(client)
            while try await client.nextPacket() != nil { if end == .handlerReturns { return } }
        }
        let socket = try RawSocket.connect(to: server.address.port)
        #expect(try await eventually { room.count == 1 })
        switch end {
        case .clean: socket.endOutput()
        case .reset: socket.reset()
        case .closed: for member in room.members { member.close() }
        case .kicked: for member in room.members { try member.kick(with: Self.line(1), within: .seconds(500)) }
        case .everyoneKicked: try room.kickAll(with: Self.line(1), within: .seconds(500))
        case .handlerReturns: try socket.send(packet(payload: []))
        case .shutDown: await server.shutDown(within: .zero)
        }
        #expect(try await eventually { room.isEmpty })
        try room.send(Self.line(2))
        if end == .kicked || end == .everyoneKicked {
            #expect(try await onThread { try socket.rest() } == Self.line(1).encoded())
            socket.endOutput()
        }
        #expect(try await connections.complaint("connections") == nil)
        #expect(await room.counters().memberCount == 0)
        await server.shutDown(within: .zero)
    }

    @Test func `all members of a large room can be sent away`() async throws {
        let ends = ConnectionEnds()
        let rooms = try await RoomServer.start(configuration: ends.configure())
        let clients = try await rooms.connect(150)
        try rooms.room.send(Self.line(1))
        try rooms.room.kickAll(with: Self.line(2), within: .seconds(500))
        for client in clients { #expect(try await client.lines(3) == [1, 2]) }
        for client in clients { client.client.close() }
        #expect(try await eventually { rooms.server.connections.isEmpty })
        #expect(rooms.room.isEmpty)
        #expect(await ends.nextText() == "\(ConnectionError.kicked)")
        await rooms.server.shutDown()
    }

    @Test func `a connection in several rooms gets what each of them sends, in order`() async throws {
        let rooms = (0..<3).map { _ in SceneRoom() }
        let server = try await SceneServer.start { client in
            for room in rooms { room.join(client) }
            while try await client.nextPacket() != nil {
                for number in 0..<30 { try rooms[number % 3].send(Self.line(number)) }
                try client.write(Self.line(30))
                rooms[1].leave(client)
                for number in 31..<40 { try rooms[number % 3].send(Self.line(number)) }
                try client.write(Self.line(40))
            }
        }
        let client = try await server.connect()
        try await client.send(Cs_20001(sceneID: 1, line: 1, message: ""))
        let lines = try await client.lines(upTo: 40)
        let ofRooms = lines.filter { $0 != 30 && $0 != 40 }
        for remainder in 0..<3 {
            let last = remainder == 1 ? 30 : 40
            let expected: [Int] = stride(from: remainder, to: last, by: 3).filter { $0 != 30 }
            let got: [Int] = ofRooms.filter { $0 % 3 == remainder }
            #expect(got == expected)
        }
        #expect(lines.firstIndex(of: 30) == 30)
        #expect(lines.count == 38)
        client.close()
        #expect(try await eventually { rooms.allSatisfy(\.isEmpty) })
        await server.shutDown()
    }

    @Test func `a member that ends its stream still gets messages`() async throws {
        let room = SceneRoom()
        let hasEnded = Gate()
        let isDone = Gate()
        let server = try await SceneServer.start { client in
            room.join(client)
            while try await client.nextPacket() != nil {}
            hasEnded.open()
            await isDone.wait()
        }
        let client = try await server.connect()
        client.endOutput()
        await hasEnded.wait()
        try room.send(Self.line(5))
        #expect(try await client.lines(1) == [5])
        isDone.open()
        await server.shutDown()
    }

    @Test func `what was sent to the room before a member's handler ends still reaches it`() async throws {
        let room = SceneRoom()
        let server = try await SceneServer.start { client in
            room.join(client)
            try room.send(Self.line(1))
            try room.send(Self.line(2))
        }
        let client = try await server.connect()
        #expect(try await client.lines(3) == [1, 2])
        await server.shutDown()
    }

    @Test(arguments: [1, 70])
    func `messages to the room and to a member of it keep their order`(memberCount: Int) async throws {
        let room = SceneRoom()
        let orders = Seen<Void>()
        let server = try await SceneServer.start { client in
            room.join(client)
            while try await client.nextPacket() != nil {
                // All in one turn of the loop.
                try client.write(Self.line(1))
                try room.send(Self.line(2))
                try client.write(Self.line(3))
                try room.send(Self.line(4))
                try room.send(Self.line(5))
                try await client.send(Self.line(6))
                try room.send(Self.line(7))
                orders.add(())
            }
        }
        var clients: [PacketClient<SceneProtocol>] = []
        for _ in 0..<memberCount { clients.append(try await server.connect()) }
        #expect(try await eventually { room.count == memberCount })
        try await clients[memberCount / 2].send(Cs_20001(sceneID: 1, line: 1, message: ""))
        for (index, client) in clients.enumerated() {
            let isAuthor = index == memberCount / 2
            let expected = isAuthor ? [1, 2, 3, 4, 5, 6, 7] : [2, 4, 5, 7]
            #expect(try await client.lines(expected.count) == expected)
        }
        await server.shutDown(within: .zero)
    }

    @Test func `a member can be left out`() async throws {
        let rooms = try await RoomServer.start()
        let clients = try await rooms.connect(3)
        let author = clients[1].member
        try await author.connection.onLoop { _ in
            try rooms.room.send(Self.line(1))
            try rooms.room.send(Self.line(2), except: author)
            try rooms.room.send(Self.line(3))
            try rooms.room.send(Self.line(4), except: author)
            try rooms.room.send(Self.line(5))
        }
        for (index, client) in clients.enumerated() {
            let expected = index == 1 ? [1, 3, 5] : [1, 2, 3, 4, 5]
            #expect(try await client.lines(expected.count) == expected)
        }
        #expect(await rooms.room.counters().deliveredCount == 13)
        await rooms.server.shutDown(within: .zero)
    }

    @Test func `a message that cannot be encoded reaches no member`() async throws {
        let rooms = try await RoomServer.start()
        let clients = try await rooms.connect(1)
        #expect(throws: ConnectionError.self) {
            try rooms.room.send(Self.line(1, text: String(repeating: "x", count: 70_000)))
        }
        #expect(throws: ConnectionError.self) { try rooms.room.send(Self.line(1), header: ["NoSuchField": 1]) }
        try rooms.room.send(Self.line(2))
        #expect(try await clients[0].lines(1) == [2])
        #expect(await rooms.room.counters().sentCount == 1)
        await rooms.server.shutDown(within: .zero)
    }

    @Test func `a room that is not kept delivers what was sent, and lets its members go`() async throws {
        let live = LiveObjects<SceneRoom>()
        let joined = Seen<ServerConnection<SceneProtocol>>()
        let server = try await SceneServer.start { client in
            joined.add(client)
            while try await client.nextPacket() != nil {}
        }
        let client = try await server.connect()
        let member = await joined.first(1)[0]
        do {
            let room = SceneRoom()
            live.add(room)
            room.join(member)
            for number in 1...1_000 { try room.send(Self.line(number)) }
        }
        #expect(try await client.lines(1_000) == Array(1...1_000))
        #expect(try await live.complaint("rooms") == nil)
        try await member.send(Self.line(0))
        #expect(try await client.lines(1) == [0])
        await server.shutDown(within: .zero)
    }

    @Test(arguments: [false, true])
    func `messages of one turn are sent together, and each is counted and logged`(isLogged: Bool) async throws {
        let lines = Seen<String>()
        var configuration = ServerConfiguration.patient
        if isLogged {
            configuration.log = TrafficLog(of: SceneProtocol.self) { entry in
                if case .sent(let message) = entry.event { lines.add(message.fields) }
            }
        }
        let rooms = try await RoomServer.start(configuration: configuration)
        let clients = try await rooms.connect(2)
        try await clients[0].member.connection.onLoop { _ in
            for number in 1...50 { try rooms.room.send(Self.line(number)) }
        }
        let byteCount = try Self.line(1).encoded().count
        for client in clients {
            #expect(try await client.lines(50) == Array(1...50))
            let counters = await client.member.connection.counters()
            #expect(counters.sentPacketCount == 50)
            #expect(counters.sentByteCount == 50 * byteCount)
        }
        #expect(lines.count == (isLogged ? 100 : 0))
        await rooms.server.shutDown(within: .zero)
    }
}
