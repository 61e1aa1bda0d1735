// SPDX-License-Identifier: Apache-2.0

import Newer
import Older
import Testing
import TestingSupport
import WirelineCodec
import WirelineSchema

/// Two releases of one protocol, each reading what the other wrote.
struct ReleaseTests {
    private static let shared = Swift.Result {
        (
            older: CodecPair(OlderProtocol.self, PacketTranslator(try SchemaFolder("Older").description)),
            newer: CodecPair(NewerProtocol.self, PacketTranslator(try SchemaFolder("Newer").description))
        )
    }
    let older: CodecPair
    let newer: CodecPair

    init() throws { (older, newer) = try Self.shared.get() }

    @Test(arguments: ReleaseRow.newToOld)
    func `an old reader reads what a new writer wrote`(row: ReleaseRow) throws {
        #expect(try row.isReadAsExpected())
    }

    @Test(arguments: ReleaseRow.newToOld.filter { $0.losses == .none })
    func `an old reader keeps and writes back the bytes that it does not know`(row: ReleaseRow) throws {
        #expect(try row.expected.encoded() == row.written.encoded())
    }

    @Test(arguments: ReleaseRow.newToOld.filter { $0.losses == .insideStructures })
    func `an old reader skips unknown bytes in a sized structure`(row: ReleaseRow) throws {
        #expect(try row.expected.encoded().count < row.written.encoded().count)
    }

    @Test(arguments: ReleaseRow.oldToNew)
    func `a new reader reads what an old writer wrote`(row: ReleaseRow) throws {
        #expect(try row.isReadAsExpected())
    }

    @Test(arguments: ReleaseRow.newToOld)
    func `an old translator agrees with the old code`(row: ReleaseRow) throws {
        #expect(try row.verdictsDiffer(in: older) == [])
        #expect(try row.written(againBy: older.translator) == row.expected.encoded())
    }

    @Test(arguments: ReleaseRow.oldToNew)
    func `a new translator agrees with the new code`(row: ReleaseRow) throws {
        #expect(try row.verdictsDiffer(in: newer) == [])
        #expect(try row.written(againBy: newer.translator) == row.expected.encoded())
    }

    @Test(arguments: ReleaseRow.newToOld)
    func `a truncated packet of a new writer gets the same verdict from both old codecs`(
        row: ReleaseRow
    ) throws {
        let payload = try row.written.encodedPayload()
        let cuts = payload.indices.map { Array(payload[..<$0]) }
        #expect(older.disagreements(on: cuts, id: row.id, from: .client) == [])
        #expect(newer.disagreements(on: cuts, id: row.id, from: .client) == [])
    }

    @Test func `bytes of a newer schema are refused after a field that is not set`() {
        let message = Older.Cs_2(a: 1, b: nil, trailingBytes: [1])
        let error = "Cs_2.b: is not set, but what follows it is"
        #expect(older.generatedPacket(of: message) == error)
        #expect(older.translatorPacket(of: message) == error)
    }
}

/// What one release writes, and how the other one reads it.
struct ReleaseRow: Sendable, CustomTestStringConvertible {
    enum Losses { case none, insideStructures }

    let written: any PacketMessage
    let expected: any PacketMessage
    /// The parts that the reader does not write back.
    var losses = Losses.none

    var testDescription: String { "\(written)" }
    var id: UInt64 { type(of: written).messageID }

    init(_ written: any PacketMessage, isReadAs expected: any PacketMessage, losses: Losses = .none) {
        self.written = written
        self.expected = expected
        self.losses = losses
    }

    static let newToOld = [
        ReleaseRow(
            Newer.Cs_1(a: 1, b: 2, c: "c", items: [], item: Newer.Item(id: 3)),
            isReadAs: Older.Cs_1(a: 1, trailingBytes: [0, 2, 0, 1, 0x63, 0, 0, 3, 3, 0, 1])),
        ReleaseRow(Newer.Cs_2(a: 1), isReadAs: Older.Cs_2(a: 1)),
        ReleaseRow(Newer.Cs_2(a: 1, b: 2), isReadAs: Older.Cs_2(a: 1, b: 2)),
        ReleaseRow(Newer.Cs_2(a: 1, b: 2, c: 3), isReadAs: Older.Cs_2(a: 1, b: 2, trailingBytes: [0, 3])),
        ReleaseRow(
            Newer.Cs_2(a: 1, b: 2, c: 3, item: Newer.Item(id: 4, note: "n")),
            isReadAs: Older.Cs_2(a: 1, b: 2, trailingBytes: [0, 3, 6, 4, 0, 1, 0, 1, 0x6E])),
        ReleaseRow(Newer.Cs_3(a: 1, b: 2), isReadAs: Older.Cs_3(trailingBytes: [1, 2])),
        ReleaseRow(
            Newer.Cs_4(
                items: [Newer.Item(id: 1, count: 2, note: "n"), Newer.Item(id: 3)],
                box: Newer.Box(item: Newer.Item(id: 4), more: [Newer.Item(id: 5)]), last: 6, trailingBytes: [7]),
            isReadAs: Older.Cs_4(
                items: [Older.Item(id: 1), Older.Item(id: 3)], box: Older.Box(item: Older.Item(id: 4)), last: 6,
                trailingBytes: [7]),
            losses: .insideStructures),
        ReleaseRow(
            Newer.Cs_5(color: .blue, rights: [.mute, .ban]),
            isReadAs: Older.Cs_5(color: Older.Color(rawValue: 1), rights: Older.Rights(rawValue: 3))),
    ]

    static let oldToNew = [
        ReleaseRow(
            Older.Cs_1(a: 1), isReadAs: Newer.Cs_1(a: 1, b: 0, c: "zh", items: [], item: Newer.Item(id: 0, count: 1))),
        ReleaseRow(
            Older.Cs_1(a: 1, trailingBytes: [0, 2, 0, 1, 0x63]), isReadAs: Newer.Cs_1(a: 1, b: 2, c: "c", items: [])),
        ReleaseRow(Older.Cs_2(a: 1), isReadAs: Newer.Cs_2(a: 1, b: nil, c: nil, item: nil)),
        ReleaseRow(Older.Cs_2(a: 1, b: 2), isReadAs: Newer.Cs_2(a: 1, b: 2, c: nil, item: nil)),
        ReleaseRow(Older.Cs_3(), isReadAs: Newer.Cs_3(a: 7, b: nil)),
        ReleaseRow(
            Older.Cs_4(items: [Older.Item(id: 1)], box: Older.Box(item: Older.Item(id: 2)), last: 3),
            isReadAs: Newer.Cs_4(
                items: [Newer.Item(id: 1, count: 1, note: nil)],
                box: Newer.Box(item: Newer.Item(id: 2, count: 1, note: nil), more: []), last: 3)),
        ReleaseRow(
            Older.Cs_5(color: Older.Color(rawValue: 1), rights: .mute),
            isReadAs: Newer.Cs_5(color: .blue, rights: .mute)),
    ]

    func isReadAsExpected() throws(CodecError) -> Bool {
        func isRead<Message: PacketMessage>(as message: Message) throws(CodecError) -> Bool {
            let packet = try written.encoded()
            return try Message(packet: packet.span.bytes) == message
        }
        return try isRead(as: expected)
    }

    func verdictsDiffer(in codecs: CodecPair) throws(CodecError) -> [String] {
        codecs.disagreements(on: [try written.encodedPayload()], id: id, from: .client)
    }

    /// The packet, decoded and encoded again by a translator with only the other schema.
    func written(againBy translator: PacketTranslator) throws -> [UInt8] {
        let packet = try written.encoded()
        var line = try translator.decode(packet.span.bytes, from: .client)
        // The header's length belongs to the packet that was read.
        if case .object(let members) = line { line = .object(members.filter { $0.name != "header" }) }
        return try translator.encode(line: line)
    }
}
