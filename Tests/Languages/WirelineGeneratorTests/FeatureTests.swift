// SPDX-License-Identifier: Apache-2.0

import Features
import Testing
import TestingSupport
import WirelineCodec
import WirelineSchema

/// Compares generated code with the schema-driven codec for each feature of the language: what they read, write and
/// refuse. A new feature is one more row of ``AcceptedRow``, ``RefusedRow`` or ``SpoiltRow``.
struct FeatureTests {
    /// Made once for all rows: reading and checking the schema takes longer than a row.
    static let shared = Swift.Result {
        CodecPair(FeaturesProtocol.self, PacketTranslator(try SchemaFolder("Features").description))
    }
    let codecs: CodecPair

    init() throws { codecs = try Self.shared.get() }

    @Test(arguments: AcceptedRow.all)
    func `both codecs write the same bytes`(row: AcceptedRow) throws {
        #expect(
            try Hexadecimal.text(of: row.message.encodedPayload())
                == Hexadecimal.text(of: Hexadecimal.bytes(of: row.payload)))
        #expect(codecs.generatedPacket(of: row.message) == codecs.translatorPacket(of: row.message))
    }

    @Test(arguments: AcceptedRow.all)
    func `both codecs read back the value that was written`(row: AcceptedRow) throws {
        let payload = try Hexadecimal.bytes(of: row.payload)
        #expect(try row.isRead(from: payload))
        let id = type(of: row.message).messageID
        #expect(codecs.disagreements(on: [payload], id: id, from: row.sender) == [])
    }

    @Test(arguments: AcceptedRow.all)
    func `a truncated value gets the same verdict from both codecs`(row: AcceptedRow) throws {
        let payload = try Hexadecimal.bytes(of: row.payload)
        let cuts = payload.indices.map { Array(payload[..<$0]) }
        let id = type(of: row.message).messageID
        #expect(codecs.disagreements(on: cuts, id: id, from: row.sender) == [])
    }

    @Test(arguments: RefusedRow.all)
    func `both codecs refuse to write it with the same error`(row: RefusedRow) throws {
        #expect(codecs.generatedPacket(of: row.message) == row.error)
        #expect(codecs.translatorPacket(of: row.message) == row.error)
    }

    @Test(arguments: SpoiltRow.all)
    func `both codecs refuse to read it with the same error`(row: SpoiltRow) throws {
        let (id, payload) = (type(of: row.message).messageID, try row.payload())
        #expect(codecs.generatedVerdict(on: payload, id: id, from: row.sender) == row.error)
        #expect(codecs.translatorVerdict(on: payload, id: id, from: row.sender) == row.error)
    }
}

/// A message that one of the two sides may send.
protocol FeatureRow: Sendable, CustomTestStringConvertible {
    var message: any PacketMessage { get }
}

extension FeatureRow {
    var sender: Sender { message is any ClientMessage ? .client : .server }
}

/// A message and the bytes of its fields.
struct AcceptedRow: FeatureRow {
    let message: any PacketMessage
    /// In hexadecimal, with spaces for readability.
    let payload: String
    let testDescription: String

    init(_ what: String, _ message: any PacketMessage, _ payload: String) {
        testDescription = what
        self.message = message
        self.payload = payload
    }

    func isRead(from payload: [UInt8]) throws(CodecError) -> Bool {
        func isRead<Message: PacketMessage>(_ message: Message) throws(CodecError) -> Bool {
            try Message(payload: payload.span.bytes) == message
        }
        return try isRead(message)
    }
}

/// A message that cannot be written, and the reason.
struct RefusedRow: FeatureRow {
    let message: any PacketMessage
    let error: String

    var testDescription: String { error }

    init(_ message: any PacketMessage, _ error: String) {
        self.message = message
        self.error = error
    }
}

/// A valid message with some bytes of its payload changed, and the reason why it cannot be read then.
struct SpoiltRow: FeatureRow {
    let message: any PacketMessage
    let offset: Int
    let bytes: String
    let error: String

    var testDescription: String { error }

    /// Makes a row.
    ///
    /// - Parameters:
    ///   - offset: The position of the changed bytes, from the first byte of the payload. Errors count from the first
    ///     byte of the packet, whose header has 21.
    ///   - bytes: The bytes that replace as many others, in hexadecimal.
    init(_ message: any PacketMessage, at offset: Int, _ bytes: String, _ error: String) {
        self.message = message
        self.offset = offset
        self.bytes = bytes
        self.error = error
    }

    func payload() throws -> [UInt8] {
        var payload = try message.encodedPayload()
        let bytes = try Hexadecimal.bytes(of: bytes)
        payload.replaceSubrange(offset..<min(offset + bytes.count, payload.count), with: bytes)
        return payload
    }
}
