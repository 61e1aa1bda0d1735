// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineCodec
import WirelineSchema
import WirelineTransport

@testable import wire

/// What the proxy says about packets, without a connection.
struct TrafficNoteTests {
    private func description(_ schema: String) throws -> ProtocolDescription {
        let file = SourceFile(path: "Peer.wire", bytes: Array(schema.utf8))
        return try #require(ProtocolDescription.check(name: "Peer", files: [file]).description)
    }

    private func note(on bytes: [UInt8], from sender: Sender, _ schema: String) throws -> TrafficNote {
        let description = try description(schema)
        let reader = PacketReader(translator: PacketTranslator(description), keepsParts: true)
        let packet = try Packet(bytes.span.bytes, layout: description.layout, limit: 1_000)
        return reader.note(on: packet, from: sender)
    }

    private static let login = "message Cs_7 { uint8 kind; @sensitive String password; bool isNew; }"

    /// Payloads that the schema refuses, most with the password or a part of it.
    private static let logins: [[UInt8]] = {
        let whole: [UInt8] = [9, 0, 6] + "s3cret".utf8 + [2]
        // With a wrong length, the rest of the password is another field, or the length is part of the password.
        let (short, long): ([UInt8], [UInt8]) = ([9, 0, 2] + "s3cret".utf8, [9] + "s3cret".utf8)
        return (1...whole.count).map { Array(whole.prefix($0)) } + [short, long, whole + [1]]
    }()

    @Test(arguments: logins)
    func `a sensitive value shows neither in a line nor in its bytes, however broken the packet is`(
        _ payload: [UInt8]
    ) throws {
        let note = try note(on: standardPacket(id: 7, payload), from: .client, Self.login)
        let shown = ([note.text] + note.parts.flatMap { [$0.digits, $0.text] }).joined(separator: "\n")
        for secret in ["s3", "cret", "7333", "63726574", "29491"] { #expect(!shown.contains(secret), "\(shown)") }
        #expect(note.kind == .fault)
    }

    @Test(arguments: [
        ([1, 6] + Array("s3cret".utf8) + [2]), [1, 6] + Array("s3cret".utf8), [2, 0x73, 0x33],
        [9, 2] + Array("s3".utf8),
    ])
    func `a sensitive arm of a union shows neither in a line nor in its bytes`(_ payload: [UInt8]) throws {
        let schema = """
            option string_count = uint8;
            union Proof : uint8 { 1: @sensitive string password; 2: bool known; }
            message Cs_7 { Proof proof; bool isNew; }
            """
        let note = try note(on: standardPacket(id: 7, payload), from: .client, schema)
        let shown = ([note.text] + note.parts.flatMap { [$0.digits, $0.text] }).joined(separator: "\n")
        for secret in ["s3", "cret", "7333", "115"] { #expect(!shown.contains(secret), "\(shown)") }
        #expect(note.kind == .fault)
    }

    @Test func `the bytes of a fault are those that nothing was read from`() throws {
        let schema = "message Sc_2 { uint16 first; bool isOpen; uint16 count; }"
        let note = try note(on: standardPacket(id: 2, [0, 1, 7, 0x12]), from: .server, schema)
        #expect(note.kind == .fault)
        #expect(note.parts.map(\.offset) == [0, 4, 6, 8])
        #expect(note.parts.map(\.isFault) == [false, false, false, true])
        #expect(note.parts.last?.digits == "0712" && note.parts.last?.path == "Sc_2.isOpen")
    }

    @Test func `a message of the other side is no message of this one`() throws {
        let note = try note(on: standardPacket(id: 9, [5]), from: .server, "message Cs_9 { uint8 kind; }")
        #expect(note.kind == .unknown && note.message == nil)
        #expect(note.text == "unknown ID 9 (0x09), read as the clients' Cs_9 {length: 7, id: 9} kind: 5")
    }

    // MARK: Times of replies

    private static let pair = "message Cs_1 {} message Sc_1 {} @from(client) @id(3) message Lone {}"

    private func time(
        _ times: inout ReplyTimes, _ name: String, _ sequence: UInt64?, _ sender: Sender, at milliseconds: Int
    ) -> Duration? {
        times.time(
            of: TrafficNote.Message(name: name, sequence: sequence), from: sender,
            at: start + .milliseconds(milliseconds))
    }

    private let start = MonotonicTime.now

    @Test func `without sequence numbers, the first request gets the first reply`() throws {
        var times = ReplyTimes(try description(Self.pair))
        #expect(time(&times, "Cs_1", nil, .client, at: 0) == nil)
        #expect(time(&times, "Cs_1", nil, .client, at: 10) == nil)
        #expect(time(&times, "Lone", nil, .client, at: 11) == nil)
        #expect(time(&times, "Sc_1", nil, .server, at: 12) == .milliseconds(12))
        #expect(time(&times, "Sc_1", nil, .server, at: 15) == .milliseconds(5))
        #expect(time(&times, "Sc_1", nil, .server, at: 20) == nil)
    }

    @Test func `with sequence numbers, a reply belongs to the request with its number`() throws {
        var times = ReplyTimes(try description(Self.pair))
        #expect(time(&times, "Cs_1", 1, .client, at: 0) == nil)
        #expect(time(&times, "Cs_1", 2, .client, at: 10) == nil)
        #expect(time(&times, "Sc_1", 2, .server, at: 12) == .milliseconds(2))
        #expect(time(&times, "Sc_1", 9, .server, at: 13) == nil)
        #expect(time(&times, "Sc_1", 1, .server, at: 30) == .milliseconds(30))
    }

    @Test func `a message that answers several requests belongs to the first one that waits for it`() throws {
        var times = ReplyTimes(
            try description(
                "@reply(Sc_1 | Failure) message Cs_1 {} message Sc_1 {} @reply(Sc_2 | Failure) message Cs_2 {} "
                    + "message Sc_2 {} @id(9) @from(server) message Failure {}"))
        #expect(time(&times, "Cs_1", nil, .client, at: 0) == nil)
        #expect(time(&times, "Cs_2", nil, .client, at: 10) == nil)
        #expect(time(&times, "Cs_1", nil, .client, at: 20) == nil)
        #expect(time(&times, "Sc_1", nil, .server, at: 30) == .milliseconds(30))
        #expect(time(&times, "Failure", nil, .server, at: 31) == .milliseconds(21))
        #expect(time(&times, "Failure", nil, .server, at: 32) == .milliseconds(12))
        #expect(time(&times, "Failure", nil, .server, at: 33) == nil)
    }

    @Test func `requests that are never answered take a bounded memory, and later ones have no time`() throws {
        var times = ReplyTimes(try description(Self.pair))
        for number in 0..<1_500 as Range<UInt64> { _ = time(&times, "Cs_1", number, .client, at: 0) }
        #expect(time(&times, "Sc_1", 999, .server, at: 1) == .milliseconds(1))
        #expect(time(&times, "Sc_1", 1_000, .server, at: 1) == nil)
    }
}
