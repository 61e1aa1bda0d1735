// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Rcon
import Testing
import TestingSupport
import Wireline
import WirelineCodec

/// Replies whose sequence number says that the request failed (`@sequence(failure = -1)`), as servers of Source RCON send
/// them.
@Suite(.ahead)
struct FailedReplyTests {
    /// What a server sends after a wrong password: an empty response, and -1 in place of the request's number. From
    /// "Source RCON Protocol" of Valve's developer wiki, where the number of the first one is that of the request.
    private static func refusal(of request: UInt8) throws -> [UInt8] {
        try Hexadecimal.bytes(of: "0a000000") + [request]
            + Hexadecimal.bytes(of: "000000" + "00000000" + "0000" + "0a000000ffffffff020000000000")
    }

    /// A server that refuses each password, and executes commands.
    private static func start() async throws -> PacketServer<RconProtocol> {
        try await PacketServer<RconProtocol>.start { client in
            while let received = try await client.nextMessage() {
                switch received.message {
                case .auth:
                    let number = try #require(received.header["request"])
                    try await client.send(packet: refusal(of: UInt8(number)))
                case .execCommand(let command):
                    try await client.reply(to: received, with: ResponseValue(body: command.command))
                default: break
                }
            }
        }
    }

    @Test func `a request that failed throws the name of the message that says so`() async throws {
        let server = try await Self.start()
        let client = try await server.connect()
        await #expect(throws: ConnectionError.requestFailed("AuthResponse")) {
            try await client.request(Auth(password: "wrong"))
        }
        // The connection goes on, and so do its numbers.
        #expect(try await client.request(ExecCommand(command: "status")).body == "status")
        await #expect(throws: ConnectionError.requestFailed("AuthResponse")) {
            try await client.request(Auth(password: "wrong again"))
        }
        client.close()
        await server.shutDown()
    }

    @Test func `it ends the oldest request that waits for its message, and no other`() async throws {
        let server = try await PacketServer<RconProtocol>.start { client in
            var waiting: [ReceivedMessage<RconProtocol.FromClient>] = []
            while let received = try await client.nextMessage() {
                waiting.append(received)
                guard waiting.count == 3 else { continue }
                try await client.send(AuthResponse(body: ""), header: ["request": -1])
                try await client.reply(to: waiting[2], with: AuthResponse(body: "second"))
                try await client.reply(to: waiting[0], with: ResponseValue(body: "command"))
            }
        }
        let client = try await server.connect()
        let command = Task { try await client.request(ExecCommand(command: "")) }
        #expect(try await eventually { await client.connection.counters().sentPacketCount == 1 })
        let first = Task { try await client.request(Auth(password: "")) }
        #expect(try await eventually { await client.connection.counters().sentPacketCount == 2 })
        #expect(try await client.request(Auth(password: "")).body == "second")
        await #expect(throws: ConnectionError.requestFailed("AuthResponse")) { try await first.value }
        #expect(try await command.value.body == "command")
        client.close()
        await server.shutDown()
    }

    private func giveUpFirstRequest(of client: PacketClient<RconProtocol>) async throws {
        let first = Task { try await client.request(Auth(password: "")) }
        #expect(try await eventually { await client.connection.counters().sentPacketCount == 1 })
        first.cancel()
        await #expect(throws: ConnectionError.cancelled) { try await first.value }
    }

    @Test func `the late failure of a request that was given up does not end a younger one`() async throws {
        let server = try await PacketServer<RconProtocol>.start { client in
            var count = 0
            while let received = try await client.nextMessage() {
                count += 1
                switch count {
                case 1: break
                case 2:
                    try await client.send(AuthResponse(body: "late"), header: ["request": -1])
                    try await client.reply(to: received, with: AuthResponse(body: "second"))
                default: try await client.send(AuthResponse(body: ""), header: ["request": -1])
                }
            }
        }
        let client = try await server.connect()
        try await giveUpFirstRequest(of: client)
        #expect(try await client.request(Auth(password: "")).body == "second")
        // It arrives as a message like any other.
        guard case .authResponse(let response)? = try await client.nextMessage()?.message else {
            Issue.record("another message")
            return
        }
        #expect(response.body == "late")
        await #expect(throws: ConnectionError.requestFailed("AuthResponse")) {
            try await client.request(Auth(password: ""))
        }
        client.close()
        await server.shutDown()
    }

    @Test func `a request that was never answered keeps no failure from a younger one after a reply in between`()
        async throws
    {
        let server = try await PacketServer<RconProtocol>.start { client in
            var count = 0
            while let received = try await client.nextMessage() {
                count += 1
                switch count {
                case 1: break
                case 2: try await client.reply(to: received, with: AuthResponse(body: "second"))
                default: try await client.send(AuthResponse(body: ""), header: ["request": -1])
                }
            }
        }
        let client = try await server.connect()
        try await giveUpFirstRequest(of: client)
        #expect(try await client.request(Auth(password: "")).body == "second")
        await #expect(throws: ConnectionError.requestFailed("AuthResponse")) {
            try await client.request(Auth(password: ""))
        }
        client.close()
        await server.shutDown()
    }

    @Test func `without a request that waits, it is a message like any other`() async throws {
        let server = try await PacketServer<RconProtocol>.start { client in
            try await client.send(AuthResponse(body: "early"), header: ["request": -1])
            while try await client.nextMessage() != nil {}
        }
        let client = try await server.connect()
        guard case .authResponse(let response)? = try await client.nextMessage()?.message else {
            Issue.record("another message")
            return
        }
        #expect(response.body == "early")
        client.close()
        await server.shutDown()
    }

    @Test func `a session's request that failed throws, too`() async throws {
        let server = try await Self.start()
        let session = try server.session()
        await #expect(throws: ConnectionError.requestFailed("AuthResponse")) {
            try await session.request(Auth(password: "wrong"))
        }
        #expect(try await session.request(ExecCommand(command: "status")).body == "status")
        session.end()
        await server.shutDown()
    }

    @Test func `a request has never the number of failed ones`() throws {
        let fields = [
            PacketField("length", .integer(.uint8, .bigEndian), .length(of: .packet, plus: 0)),
            PacketField("sequence", .integer(.uint8, .bigEndian), .sequence, failure: 255),
        ]
        #expect(try PacketLayout(header: fields).maximumSequence == 254)
    }
}
