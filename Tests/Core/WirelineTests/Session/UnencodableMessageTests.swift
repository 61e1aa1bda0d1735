// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Testing
import TestingSupport
import Wireline
import WirelineCodec

/// What happens to a session if one of its messages does not fit its packet.
@Suite(.ahead)
struct UnencodableMessageTests {
    /// A server that asks with each byte of a question's body, and records what it gets.
    private func server(noting seen: Seen<[UInt8]>) async throws -> PacketServer<NarrowProtocol> {
        try await PacketServer.start(
            at: "127.0.0.1", port: 0, protocol: NarrowProtocol.self, on: ConnectionPair.group.get(),
            configuration: .patient
        ) { client in
            try await client.send(Question(count: Blob.limit + 1))
            try await client.send(Question(count: 3))
            while let packet = try await client.nextPacket() {
                seen.add([UInt8](copying: packet.payload))
            }
        }
    }

    @Test func `only the answer that does not fit fails, and its question reaches the reader`() async throws {
        let seen = Seen<[UInt8]>()
        let server = try await server(noting: seen)
        var conventions = SessionConventions<NarrowProtocol>()
        conventions.answer(Question.self) { Blob(count: $0.count) }
        let session = try server.session(conventions: conventions)
        #expect(await seen.first(1) == [[1, 2, 3]])
        var messages = session.messages.makeAsyncIterator()
        guard case .question(let question)? = try await messages.next()?.message else {
            Issue.record("no question")
            return
        }
        #expect(question.count == Blob.limit + 1)
        // The session and its connection are the same.
        try await session.send(Blob(count: 1))
        #expect(await seen.first(2).last == [1])
        #expect(await session.counters().unencodableMessageCount == 1)
        session.end()
        await server.shutDown()
    }

    @Test func `only a message that its growing sequence number makes too long fails`() async throws {
        let seen = Seen<[UInt8]>()
        let server = try await server(noting: seen)
        let session = try server.session()
        var failed: [Int] = []
        for number in 1...140 {
            // With a number of one byte this is the longest packet; from 128 on, numbers have two bytes.
            let sent = try await session.send(
                Blob(count: number.isMultiple(of: 10) ? Blob.limit : 1), delivery: .exactlyOnce,
                confirmedBy: .acknowledgement)
            if number == 130 || number == 140 {
                #expect(try await sent.outcome() == .failed(.unencodable))
                failed.append(number)
            }
        }
        await #expect(throws: ConnectionError.self) {
            try await session.request(Blob(count: Blob.limit), timeout: .seconds(500))
        }
        try await session.send(Blob(count: 2))
        #expect(await seen.first(139).last == [1, 2])
        #expect(failed == [130, 140])
        #expect(await session.counters().unencodableMessageCount == 3)
        #expect(await session.outboundCounters().messageCount == 138)
        session.end()
        await server.shutDown()
    }

    @Test func `a request that its sequence number makes too long throws the reason`() async throws {
        let server = try await server(noting: Seen())
        let session = try server.session()
        for _ in 0..<127 {
            _ = try await session.send(Blob(count: 1), delivery: .exactlyOnce, confirmedBy: .acknowledgement)
        }
        do throws(ConnectionError) {
            _ = try await session.request(Blob(count: Blob.limit), timeout: .seconds(500))
            Issue.record("it was answered")
        } catch {
            guard case .codec = error else { return #expect(Bool(false), "\(error)") }
        }
        session.end()
        await server.shutDown()
    }

    @Test func `a heartbeat that does not fit is skipped, and the next one is sent`() async throws {
        let seen = Seen<[UInt8]>()
        let server = try await server(noting: seen)
        var conventions = SessionConventions<NarrowProtocol>()
        let beats = Seen<Void>()
        conventions.heartbeat(
            HeartbeatPolicy(interval: .milliseconds(20), timeout: .seconds(500)), answeredBy: Question.self
        ) {
            beats.add(())
            // The first heartbeat is made when the session begins.
            return Blob(count: beats.count == 2 ? Blob.limit + 1 : 4)
        }
        let session = try server.session(conventions: conventions)
        #expect(await seen.first(1) == [[1, 2, 3, 4]])
        #expect(beats.count >= 3)
        #expect(await session.counters().unencodableMessageCount == 1)
        session.end()
        await server.shutDown()
    }
}

/// A protocol with short packets, whose sequence number takes more bytes as it grows.
enum NarrowProtocol: PacketProtocol {
    static var protocolName: String { "Narrow" }
    static let layout = PacketLayout(
        generatedHeader: [
            PacketField("length", .integer(.uint16, .bigEndian), .length(of: .payload, plus: 0)),
            PacketField("id", .integer(.uint8, .bigEndian), .messageID),
            PacketField("sequence", .varint(maximumByteCount: 3), .sequence),
        ])
    static var maximumPacketByteCount: Int { 20 }

    static func messageTypes(from sender: Sender) -> [any PacketMessage.Type] {
        switch sender {
        case .client: [Blob.self]
        case .server: [Question.self]
        }
    }

    enum FromClient: IncomingMessage {
        typealias Definition = NarrowProtocol
        case blob(Blob)
        case unknown(id: UInt64)

        init(in packet: borrowing Packet) throws(CodecError) {
            self = packet.id == 1 ? .blob(try Blob(payloadOf: packet)) : .unknown(id: packet.id)
        }

        var unknownID: UInt64? { if case .unknown(let id) = self { id } else { nil } }
    }

    enum FromServer: IncomingMessage {
        typealias Definition = NarrowProtocol
        case question(Question)
        case unknown(id: UInt64)

        init(in packet: borrowing Packet) throws(CodecError) {
            self = packet.id == 2 ? .question(try Question(payloadOf: packet)) : .unknown(id: packet.id)
        }

        var unknownID: UInt64? { if case .unknown(let id) = self { id } else { nil } }
    }
}

/// So many bytes: 1, 2, 3 and so on.
struct Blob: ClientMessage, RequestMessage {
    typealias Definition = NarrowProtocol
    typealias Reply = Question
    static var messageName: String { "Blob" }
    static var messageID: UInt64 { 1 }
    /// The longest blob, with a sequence number of one byte.
    static let limit = NarrowProtocol.maximumPacketByteCount - 4

    let count: Int

    init(count: Int) { self.count = count }

    init(from reader: inout ByteReader) throws(CodecError) {
        count = reader.remaining
    }

    func payloadByteCount() throws(CodecError) -> Int { count }

    func writePayload(to writer: inout ByteWriter) {
        for number in 0..<count { writer.writeInteger(UInt8(number + 1), .bigEndian) }
    }
}

/// Asks for so many bytes.
struct Question: ServerMessage {
    typealias Definition = NarrowProtocol
    static var messageName: String { "Question" }
    static var messageID: UInt64 { 2 }

    let count: Int

    init(count: Int) { self.count = count }

    init(from reader: inout ByteReader) throws(CodecError) {
        let value: UInt8 = try reader.readInteger(.bigEndian)
        count = Int(value)
    }

    func payloadByteCount() throws(CodecError) -> Int { 1 }

    func writePayload(to writer: inout ByteWriter) { writer.writeInteger(UInt8(count), .bigEndian) }
}
