// SPDX-License-Identifier: Apache-2.0

import Headers
import Testing
import WirelineTesting

/// Messages of which the packet's header decides which fields are there, on their way between programs.
struct HeaderConditionTests {
    private static let all: PacketHeader = ["priority": 2, "urgent": 1, "level": 1]
    private static let full = Report(header: 2, reason: "fire", deadline: 9, steps: [.last])

    /// Answers with what the header asks for.
    private static func handlers(_ room: Room<HeadersProtocol>) -> MessageHandlers<HeadersProtocol, Int> {
        var handlers = MessageHandlers<HeadersProtocol, Int>()
        handlers.on(Report.self) { report, client in
            room.join(client.connection)
            try room.send(Report(header: 3, reason: report.reason ?? ""), header: ["priority": 2])
            try client.send(report, header: report.deadline == nil ? [:] : all)
        }
        handlers.on(Inquire.self) { inquiry, client in
            guard let patience = inquiry.patience else {
                return try client.reply(with: Inquire.Reply.estimate(Estimate(days: 1)))
            }
            let reply = Inquire.Reply.report(Report(header: patience, reason: "soon"))
            try client.reply(with: reply, header: ["priority": 2])
        }
        handlers.ignore(Text.self, Ask.self, Alarm.self)
        return handlers
    }

    @Test func `handlers and rooms send and receive what their headers ask for`() async throws {
        let network = try TestNetwork()
        let server = try await network.serve(Self.handlers(Room())) { _ in 0 }
        let ann = try await network.connect(to: server)
        try await ann.send(Self.full, header: Self.all)
        try await ann.expect(Report(header: 3, reason: "fire"))
        try await ann.expect(Self.full)
        try await ann.send(Report(header: 5))
        try await ann.expect(Report(header: 3, reason: ""))
        try await ann.expect(Report(header: 5))
    }

    @Test func `requests and their replies have headers of their own`() async throws {
        let network = try TestNetwork()
        let server = try await network.serve(Self.handlers(Room())) { _ in 0 }
        let ann = try await network.connect(to: server)
        #expect(try await ann.request(Inquire()) == .estimate(Estimate(days: 1)))
        let reply = try await ann.request(Inquire(patience: 4), header: ["urgent": 1])
        #expect(reply == .report(Report(header: 4, reason: "soon")))
    }

    @Test func `a task of a connection reads the header, and replies with one`() async throws {
        let network = try TestNetwork()
        let server = try await network.serve(HeadersProtocol.self) { client in
            while let received = try await client.nextMessage() {
                guard case .inquire(let inquiry) = received.message else { continue }
                let urgent = try received.header["urgent"]
                let days = inquiry.patience.map { UInt16($0) }
                let estimate = Estimate(days: days == nil ? UInt16(urgent ?? 9) : nil)
                try await client.reply(
                    to: received, with: Inquire.Reply.estimate(estimate), header: days == nil ? [:] : ["urgent": 1])
            }
        }
        let ann = try await network.connect(to: server)
        #expect(try await ann.request(Inquire()) == .estimate(Estimate(days: 0)))
        #expect(try await ann.request(Inquire(patience: 4), header: ["urgent": 1]) == .estimate(Estimate()))
    }

    @Test func `a last message to all clients has a header of its own`() async throws {
        let network = try TestNetwork()
        let server = try await network.serve(Self.handlers(Room())) { _ in 0 }
        let ann = try await network.connect(to: server)
        await #expect(throws: ConnectionError.self) { try await server.shutDown(telling: Self.full) }
        try await server.shutDown(telling: Self.full, header: Self.all)
        try await ann.expect(Self.full)
        try await ann.expectEnd()
    }

    @Test func `a message that its header contradicts is not sent`() async throws {
        let network = try TestNetwork()
        let server = try await network.serve(Self.handlers(Room())) { _ in 0 }
        let ann = try await network.connect(to: server)
        await #expect(throws: ConnectionError.self) { try await ann.send(Self.full) }
        await #expect(throws: ConnectionError.self) { try await ann.send(Report(header: 1), header: Self.all) }
        try await ann.send(Report(header: 5))
        try await ann.expect(Report(header: 3, reason: ""))
    }
}
