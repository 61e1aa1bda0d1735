// SPDX-License-Identifier: Apache-2.0

import Modbus
import Replies
import Testing
import WirelineTesting

/// Handlers that choose one of several replies.
struct SeveralRepliesHandlerTests {
    typealias Kind = MessageHandlersTests.Kind

    private static func handlers(_ kind: Kind) -> MessageHandlers<RepliesProtocol, Int> {
        var handlers = MessageHandlers<RepliesProtocol, Int>()
        switch kind {
        case .atOnce:
            handlers.reply(to: Enter.self) { enter, client in
                guard enter.room > 0 else { return .failure(Failure(code: 1, reason: "no such room")) }
                client.state = Int(enter.room)
                return .entered(Entered(room: enter.room))
            }
            handlers.reply(to: Leave.self) { _, client in
                client.state > 0 ? .left(Left()) : .failure(Failure(code: 2, reason: "nowhere"))
            }
        case .inTask:
            handlers.reply(to: Enter.self) { enter, client in
                await Task.yield()
                guard enter.room > 0 else { return .failure(Failure(code: 1, reason: "no such room")) }
                client.state = Int(enter.room)
                return .entered(Entered(room: enter.room))
            }
            handlers.reply(to: Leave.self) { _, client in
                await Task.yield()
                return client.state > 0 ? .left(Left()) : .failure(Failure(code: 2, reason: "nowhere"))
            }
        }
        handlers.reply(to: Ping.self) { ping, _ in Pong(number: ping.number) }
        handlers.ignore(Message.self, MessageIDs.self, RepliesProtocol.Agreed.self)
        return handlers
    }

    @Test(arguments: Kind.allCases)
    func `a handler returns one of the replies, and the client switches over them`(kind: Kind) async throws {
        let network = try TestNetwork()
        let server = try await network.serve(Self.handlers(kind)) { _ in 0 }
        let ann = try await network.connect(to: server)
        #expect(try await ann.request(Leave()) == .failure(Failure(code: 2, reason: "nowhere")))
        #expect(try await ann.request(Enter(room: 0)) == .failure(Failure(code: 1, reason: "no such room")))
        switch try await ann.request(Enter(room: 7)) {
        case .entered(let entered): #expect(entered.room == 7)
        case .failure(let failure): Issue.record("\(failure)")
        }
        #expect(try await ann.request(Ping(number: 3)) == Pong(number: 3))
        try await ann.send(Leave())
        try await ann.expect(Left())
    }

    @Test func `a handler that returns nothing may reply with one of the replies later`() async throws {
        var handlers = MessageHandlers<ModbusProtocol, ReceivedPacket?>()
        handlers.others { _, _ in }
        handlers.on(ReadCoils.self) { read, client in
            guard let first = client.state else {
                client.state = client.packet
                return
            }
            try client.reply(with: Self.answer(read))
            try client.connection.writeReply(to: first.lent, with: Self.answer(ReadCoils(address: 1, quantity: 1)))
        }
        let network = try TestNetwork()
        let server = try await network.serve(handlers) { _ in nil }
        let master = try await network.connect(to: server)
        let numbers: [Int128] = [513, 514]
        for number in numbers {
            try await master.send(ReadCoils(address: 2, quantity: 1), header: ["transaction": number])
        }
        let (coils, failure) = (try await master.expectMessage(), try await master.expectMessage())
        #expect(try coils.header["transaction"] == 514)
        #expect(coils.packet.id == Coils.messageID)
        #expect(try failure.header["transaction"] == 513)
        #expect(failure.packet.id == ReadCoilsFailed.messageID)
    }

    @Test(arguments: Kind.allCases)
    func `the chosen reply has the request's sequence number`(kind: Kind) async throws {
        var handlers = MessageHandlers<ModbusProtocol, Void>()
        handlers.others { _, _ in }
        switch kind {
        case .atOnce:
            handlers.reply(to: ReadCoils.self) { read, _ in Self.answer(read) }
        case .inTask:
            handlers.reply(to: ReadCoils.self) { read, _ in
                await Task.yield()
                return Self.answer(read)
            }
        }
        let network = try TestNetwork()
        let server = try await network.serve(handlers) { _ in }
        let master = try await network.connect(to: server)
        for address in 0..<4 as Range<UInt16> {
            let read = ReadCoils(address: address, quantity: 1)
            #expect(try await master.request(read) == Self.answer(read))
        }
        try await master.send(ReadCoils(address: 1, quantity: 1), header: ["transaction": 513])
        let failure = try await master.expectMessage()
        #expect(try failure.header["transaction"] == 513)
        #expect(failure.packet.id == ReadCoilsFailed.messageID)
    }

    private static func answer(_ read: ReadCoils) -> ReadCoils.Reply {
        read.address % 2 == 0
            ? .coils(Coils(status: [UInt8(read.address)]))
            : .readCoilsFailed(ReadCoilsFailed(code: .illegalDataAddress))
    }
}
