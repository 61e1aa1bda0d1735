// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Modbus
import Replies
import Testing
import TestingSupport
import Wireline

/// Requests that one of several messages answers (`@reply(Entered | Failure)`).
@Suite(.ahead)
struct SeveralRepliesTests {
    // MARK: With sequence numbers

    /// Answers reads of address 0 with an exception, and others with the address.
    private static func answer(_ read: ReadCoils) -> ReadCoils.Reply {
        read.address == 0
            ? .readCoilsFailed(ReadCoilsFailed(code: .illegalDataAddress))
            : .coils(Coils(status: [UInt8(read.address)]))
    }

    private func startModbus() async throws -> PacketServer<ModbusProtocol> {
        try await PacketServer<ModbusProtocol>.start { client in
            var waiting: [ReceivedMessage<ModbusProtocol.FromClient>] = []
            while let received = try await client.nextMessage() {
                waiting.append(received)
                guard waiting.count == 2 else { continue }
                for received in waiting.reversed() {
                    guard case .readCoils(let read) = received.message else { continue }
                    try await client.reply(to: received, with: Self.answer(read))
                }
                waiting = []
            }
        }
    }

    @Test func `with sequence numbers, each reply finds its request, in any order`() async throws {
        let server = try await startModbus()
        let client = try await server.connect()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 as Range<UInt16> {
                group.addTask {
                    let read = ReadCoils(address: number % 3, quantity: 1)
                    let reply = try await client.request(read)
                    #expect(reply == Self.answer(read))
                }
            }
            try await group.waitForAll()
        }
        client.close()
        await server.shutDown()
    }

    @Test func `a session's request gets any of its replies`() async throws {
        let server = try await startModbus()
        let session = try server.session()
        async let first = session.request(ReadCoils(address: 0, quantity: 1))
        async let second = session.request(ReadCoils(address: 7, quantity: 1), delivery: .atLeastOnce)
        #expect(try await first == .readCoilsFailed(ReadCoilsFailed(code: .illegalDataAddress)))
        #expect(try await second == .coils(Coils(status: [7])))
        session.end()
        await server.shutDown()
    }

    @Test func `a reply without its request's number is named, whichever of the replies it is`() async throws {
        let server = try await PacketServer<ModbusProtocol>.start { client in
            while try await client.nextMessage() != nil {
                try await client.send(ReadCoilsFailed(code: .deviceBusy), header: ["transaction": 0])
            }
        }
        let (client, session) = (try await server.connect(), try server.session())
        let read = ReadCoils(address: 1, quantity: 1)
        for request in [
            { () async throws in _ = try await client.request(read, timeout: .milliseconds(200)) },
            { () async throws in _ = try await session.request(read, timeout: .milliseconds(200)) },
        ] {
            var found: ConnectionError?
            // On a busy machine, the reply may come after the timeout.
            while found == nil {
                do {
                    try await request()
                } catch let error as ConnectionError {
                    if case .unmatchedReply = error { found = error }
                }
            }
            guard case .unmatchedReply("ReadCoilsFailed", _, received: 0) = found else {
                Issue.record("\(String(describing: found))")
                continue
            }
        }
        client.close()
        session.end()
        await server.shutDown()
    }

    // MARK: Without sequence numbers

    /// A server that reports each message, and sends what it is given after all have come.
    private func startOrdered(
        after count: Int, _ replies: [any ServerMessage]
    ) async throws -> (PacketServer<RepliesProtocol>, AsyncStream<Void>) {
        let (requests, asked) = AsyncStream<Void>.makeStream()
        let server = try await PacketServer<RepliesProtocol>.start { client in
            for _ in 0..<count {
                guard try await client.nextMessage() != nil else { return }
                asked.yield()
            }
            for reply in replies { try await client.send(packet: reply.encoded()) }
            while try await client.nextMessage() != nil {}
        }
        return (server, requests)
    }

    private static let failures = (1...3).map { Failure(code: $0, reason: "") }

    @Test func `without sequence numbers, a common error answers the oldest request that it may answer`() async throws {
        let (server, requests) = try await startOrdered(
            after: 5, [Pong(number: 5), Self.failures[0], Left(), Self.failures[1], Entered(room: 4)])
        let client = try await server.connect()
        var asked = requests.makeAsyncIterator()
        let first = Task { try await client.request(Enter(room: 1)) }
        await asked.next()
        let ping = Task { try await client.request(Ping(number: 5)) }
        await asked.next()
        let leave = Task { try await client.request(Leave()) }
        await asked.next()
        let second = Task { try await client.request(Leave()) }
        await asked.next()
        let third = Task { try await client.request(Enter(room: 4)) }
        await asked.next()
        #expect(try await first.value == .failure(Self.failures[0]))
        #expect(try await ping.value == Pong(number: 5))
        #expect(try await leave.value == .left(Left()))
        #expect(try await second.value == .failure(Self.failures[1]))
        #expect(try await third.value == .entered(Entered(room: 4)))
        client.close()
        await server.shutDown()
    }

    @Test func `without sequence numbers, a late common error answers no other request`() async throws {
        let (server, requests) = try await startOrdered(after: 2, [Self.failures[0], Self.failures[1]])
        let client = try await server.connect()
        var asked = requests.makeAsyncIterator()
        let late = Task { try await client.request(Enter(room: 1)) }
        await asked.next()
        late.cancel()
        await #expect(throws: ConnectionError.cancelled) { _ = try await late.value }
        #expect(try await client.request(Leave()) == .failure(Self.failures[1]))
        guard case .failure(let failure)? = try await client.nextMessage()?.message else {
            throw ConnectionError.endedBeforeReply
        }
        #expect(failure == Self.failures[0])
        client.close()
        await server.shutDown()
    }

    @Test func `without sequence numbers, a session's common error answers the oldest request, too`() async throws {
        let (server, requests) = try await startOrdered(after: 2, [Self.failures[0], Left()])
        let session = try server.session()
        var asked = requests.makeAsyncIterator()
        let enter = Task { try await session.request(Enter(room: 1)) }
        await asked.next()
        let leave = Task { try await session.request(Leave()) }
        #expect(try await enter.value == .failure(Self.failures[0]))
        #expect(try await leave.value == .left(Left()))
        session.end()
        await server.shutDown()
    }

    @Test func `all requests end with their connection, also those that share replies`() async throws {
        let (requests, asked) = AsyncStream<Void>.makeStream()
        let server = try await PacketServer<RepliesProtocol>.start { client in
            for _ in 0..<3 {
                guard try await client.nextMessage() != nil else { return }
                asked.yield()
            }
        }
        let client = try await server.connect()
        var iterator = requests.makeAsyncIterator()
        let enter = Task { try await client.request(Enter(room: 1)) }
        await iterator.next()
        let leave = Task { try await client.request(Leave()) }
        await iterator.next()
        let second = Task { try await client.request(Enter(room: 2)) }
        await #expect(throws: ConnectionError.endedBeforeReply) { _ = try await enter.value }
        await #expect(throws: ConnectionError.endedBeforeReply) { _ = try await leave.value }
        await #expect(throws: ConnectionError.endedBeforeReply) { _ = try await second.value }
        client.close()
        await server.shutDown()
    }

    @Test func `a server's request gets any of the client's replies`() async throws {
        let replies = Seen<Invite.Reply>()
        let server = try await PacketServer<RepliesProtocol>.start { client in
            for room in 0..<3 as Range<UInt32> { replies.add(try await client.request(Invite(room: room))) }
        }
        let client = try await server.connect()
        while let received = try await client.nextMessage() {
            guard case .invite(let invite) = received.message else { continue }
            switch invite.room {
            case 0: try await client.send(Message())
            case 1: try await client.send(MessageIDs())
            default: try await client.send(RepliesProtocol.Agreed(code: 2))
            }
        }
        #expect(
            await replies.first(3)
                == [.message_(Message()), .messageIDs_(MessageIDs()), .agreed(RepliesProtocol.Agreed(code: 2))])
        client.close()
        await server.shutDown()
    }

    // MARK: The value

    @Test func `a reply knows its messages, is decoded by its ID, and hides what is sensitive`() throws {
        #expect(Enter.replyIDs == [1, 9])
        #expect(Ping.replyIDs == [3])
        #expect(Enter.Reply.messageIDs == [1, 9])
        let failure = Failure(code: 4, reason: "hush")
        let packet = try ReceivedPacket(bytes: failure.encoded(), layout: RepliesProtocol.layout)
        let reply = try Enter.Reply(in: packet.lent)
        #expect(reply == .failure(failure))
        #expect(reply.message as? Failure == failure)
        #expect(!"\(reply)".contains("hush"))
    }
}
