// SPDX-License-Identifier: Apache-2.0

import Goim
import Testing
import WirelineTesting

/// Handlers that a test calls itself.
struct TestContextTests {
    static func login(
        _ login: Authentication, _ client: ClientContext<GoimProtocol, String>
    ) throws -> AuthenticationReply {
        client.state = login.body
        try client.send(Notification(body: "welcome"))
        return AuthenticationReply(body: "hello " + login.body)
    }

    @Test func `a handler is called with a state, and what it sends is received`() async throws {
        let context = try await TestContext(GoimProtocol.self) { _ in "nobody" }
        let reply = try await context.call { try Self.login(Authentication(body: "Ann"), $0) }
        #expect(reply == AuthenticationReply(body: "hello Ann"))
        #expect(try await context.call { $0.state } == "Ann")
        try await context.client.expect(Notification(body: "welcome"))
        try await context.client.expectNothing()
    }

    @Test func `a handler may kick, and join a room`() async throws {
        let context = try await TestContext(GoimProtocol.self)
        let room = Room<GoimProtocol>()
        try await context.call { client in room.join(client.connection) }
        #expect(room.count == 1)
        try await context.call { try $0.kick(with: Notification(body: "go")) }
        try await context.client.expect(Notification(body: "go"))
        try await context.client.expectEnd()
        #expect(room.isEmpty)
    }

    @Test func `a handler that waits for ever is an error`() async throws {
        let context = try await TestContext(GoimProtocol.self, on: try TestNetwork(patience: .zero))
        await #expect(throws: TestFailure.self) {
            try await context.call { client in try await client.connection.waitUntilEnd() }
        }
    }

    @Test func `a received message is made without a network`() throws {
        let received = try ReceivedMessage<GoimProtocol.FromClient>(of: ChangeRoom(room: "7"), header: ["Sequence": 9])
        guard case .changeRoom(let change) = received.message else { return #expect(Bool(false), "\(received)") }
        #expect(change.room == "7")
        #expect(try received.header["Sequence"] == 9)
        #expect(throws: CodecError.self) {
            try ReceivedPacket(bytes: [1, 2, 3], layout: GoimProtocol.layout)
        }
        let other = try ReceivedMessage<GoimProtocol.FromClient>(of: ChangeRoomReply())
        #expect(other.message.unknownID == 13)
    }

    @Test func `a received message returns its packet, and refuses one of another layout`() throws {
        let bytes = try ChangeRoom(room: "7").encoded(header: ["Sequence": 9])
        let packet = try ReceivedPacket(bytes: bytes, layout: GoimProtocol.layout)
        let received = try ReceivedMessage<GoimProtocol.FromClient>(packet)
        #expect(Array(copying: received.packet.bytes) == bytes)
        #expect(Array(copying: received.packet.payload) == Array(copying: packet.payload))
        #expect(received.packet.id == ChangeRoom.messageID)
        // Its payload would be one of the protocol's messages, but the header is shorter.
        let other = try ReceivedPacket(bytes: [0, 1, 7], layout: .erlangPacket2)
        #expect(throws: CodecError.self) { try ReceivedMessage<GoimProtocol.FromClient>(other) }
    }

    // MARK: State

    /// A value with methods that call back while it is changed.
    struct Nest {
        var count = 0

        mutating func change(_ body: () throws -> Void) rethrows {
            count += 1
            try body()
        }
    }

    @Test func `the state is changed in place, also by a change that throws or waits`() async throws {
        let context = try await TestContext(GoimProtocol.self) { _ in Nest() }
        let count = try await context.call { client in
            client.state.count += 1
            try? client.state.change { throw CancellationError() }
            client.state.count = client.state.count + 1
            await Task.yield()
            client.state.change { _ = client.packet }
            return client.state.count
        }
        #expect(count == 4)
    }

    @Test func `using the state during its change stops the program`() async {
        await #expect(processExitsWith: .failure) {
            let context = try await TestContext(GoimProtocol.self) { _ in Nest() }
            try await context.call { client in client.state.change { print(client.state.count) } }
        }
        await #expect(processExitsWith: .failure) {
            let context = try await TestContext(GoimProtocol.self) { _ in Nest() }
            try await context.call { client in client.state.change { client.state.count += 1 } }
        }
    }
}
