// SPDX-License-Identifier: Apache-2.0

import Senders
import Testing
import Wireline
import WirelineCodec
import WirelineTesting

/// A protocol whose packets depend on their sender, between programs.
struct SenderTests {
    private static func handlers(_ room: Room<SendersProtocol>) -> MessageHandlers<SendersProtocol, Int> {
        var handlers = MessageHandlers<SendersProtocol, Int>()
        handlers.on(Ask.self) { ask, client in
            room.join(client.connection)
            try client.reply(with: Answer(numbers: Array(repeating: 7, count: Int(ask.count))))
        }
        handlers.on(Note.self) { note, client in
            try room.send(note)
            try client.send(Note(text: note.text + "!"))
        }
        handlers.on(Alarm.self) { alarm, client in try client.send(alarm) }
        handlers.on(Report.self) { report, client in
            try client.send(report, header: report.reason == nil ? [:] : ["mode": 2])
        }
        return handlers
    }

    @Test func `requests, messages of both ends and rooms have the header of their sender`() async throws {
        let network = try TestNetwork()
        let server = try await network.serve(Self.handlers(Room())) { _ in 0 }
        let ann = try await network.connect(to: server)
        #expect(try await ann.request(Ask(count: 2)) == Answer(numbers: [7, 7]))
        try await ann.send(Note(text: "hi"))
        try await ann.expect(Note(text: "hi"))
        try await ann.expect(Note(text: "hi!"))
        try await ann.send(Alarm(code: 3))
        try await ann.expect(Alarm(code: 3))
        try await ann.send(Report(reason: 5, more: [1]), header: ["mode": 2, "token": 9])
        try await ann.expect(Report(reason: 5, more: [1]))
        try await ann.sendTogether(Note(text: "a"), Alarm(code: 4))
        try await ann.expect(Note(text: "a"))
        try await ann.expect(Note(text: "a!"))
        try await ann.expect(Alarm(code: 4))
        try await server.shutDown(telling: Note(text: "bye"))
        try await ann.expect(Note(text: "bye"))
        try await ann.expectEnd()
    }

    @Test func `a task of a connection reads the client's header, and replies with the server's`() async throws {
        let network = try TestNetwork()
        let server = try await network.serve(SendersProtocol.self) { client in
            while let received = try await client.nextMessage() {
                guard case .ask = received.message else { continue }
                let numbers = try [UInt16(received.header["token"] ?? 0), UInt16(received.packet.byteCount)]
                try await client.reply(to: received, with: Answer(numbers: numbers), header: ["mode": 1])
            }
        }
        let ann = try await network.connect(to: server)
        #expect(try await ann.request(Ask(count: 1), header: ["token": 300]) == Answer(numbers: [300, 12]))
    }

    @Test func `a session sends a client's packets`() async throws {
        let network = try TestNetwork()
        let server = try await network.serve(Self.handlers(Room())) { _ in 0 }
        let session = try PacketSession.start(
            to: [server.endpoint], protocol: SendersProtocol.self, on: network.loops)
        try await network.run { try await session.waitUntilReady() }
        let answer = try await network.run { try await session.request(Ask(count: 1), header: ["token": 5]) }
        #expect(answer == Answer(numbers: [7]))
        let outcome = try await network.run { try await session.send(Note(text: "hi")).outcome() }
        #expect(outcome == .given)
    }

    @Test func `packets in a WebSocket depend on their sender, too`() async throws {
        let network = try TestNetwork()
        network.delivery = .random(seed: 7)
        var (configuration, clientConfiguration) = (ServerConfiguration(), ClientConfiguration())
        configuration.webSocket = ServerConfiguration.WebSocketOptions()
        clientConfiguration.webSocket = ClientConfiguration.WebSocketOptions()
        let server = try await network.serve(Self.handlers(Room()), configuration: configuration) { _ in 0 }
        let ann = try await network.connect(to: server, configuration: clientConfiguration)
        #expect(try await ann.request(Ask(count: 1)) == Answer(numbers: [7]))
    }

    @Test func `a field of the other end's packets cannot be set`() async throws {
        let network = try TestNetwork()
        let server = try await network.serve(Self.handlers(Room())) { _ in 0 }
        let ann = try await network.connect(to: server)
        await #expect(throws: ConnectionError.self) { try await ann.send(Note(text: ""), header: ["priority": 1]) }
        try await ann.send(Note(text: "still open"))
        try await ann.expect(Note(text: "still open!"))
    }

    @Test func `a message that both may send is written for the sender that is named`() throws {
        let note = Note(text: "")
        #expect(throws: CodecError(.invalidLayout(.needsContext), path: "Note")) { try note.encoded() }
        for sender in [WirelineCodec.Sender.client, .server] {
            let packet = try note.encoded(from: sender)
            let read = try Note(packet: packet.span.bytes, from: sender)
            #expect(read == note && packet.count == (sender == .client ? 13 : 12))
        }
        let ask = Ask(count: 1)
        let packet = try ask.encoded()
        let read = try Ask(packet: packet.span.bytes)
        #expect(try read == ask && packet == ask.encoded(from: .client))
        let received = try ReceivedMessage<SendersProtocol.FromServer>(of: note, header: ["mode": 1])
        let priority = try received.header["priority"]
        #expect(priority == 7)
    }
}
