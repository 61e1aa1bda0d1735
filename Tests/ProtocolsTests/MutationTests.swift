// SPDX-License-Identifier: Apache-2.0

import ProtocolsSupport
import Testing
import TestingSupport
import WirelineCodec
import WirelineSchema

/// Both codecs give one verdict on payloads that are almost right: the same values, or the same error.
///
/// Two programs that disagree about what a packet says are how packets are smuggled past the one that checks them.
struct MutationTests {
    @Test(arguments: Vector.decodable)
    func `a payload that breaks off anywhere gets one verdict`(vector: Vector) throws {
        let subject = try Subject(vector)
        let cuts = subject.payload.indices.map { Array(subject.payload[..<$0]) }
        #expect(subject.disagreements(on: cuts) == [])
    }

    @Test(arguments: Vector.decodable)
    func `a payload with one byte changed gets one verdict`(vector: Vector) throws {
        let subject = try Subject(vector)
        let changed = subject.payload.indices.flatMap { offset in
            [0x01, 0x80, 0xFF, 0x7F, 0x20].map { (mask: UInt8) in
                var payload = subject.payload
                payload[offset] ^= mask
                return payload
            }
        }
        #expect(subject.disagreements(on: changed) == [])
    }

    @Test(arguments: Vector.decodable)
    func `a payload with a few random bytes gets one verdict`(vector: Vector) throws {
        let subject = try Subject(vector)
        var random = SeededGenerator.forThisRun()
        let changed = (0..<100).map { _ in
            var payload = subject.payload
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let offset = Int.random(in: 0...payload.count, using: &random)
                let byte = UInt8.random(in: 0...255, using: &random)
                if Bool.random(using: &random), offset < payload.count { payload[offset] = byte }
                if Bool.random(using: &random) { payload.insert(byte, at: offset) }
            }
            return payload
        }
        #expect(subject.disagreements(on: changed) == [], random.seedComment)
    }
}

/// A message whose payload is put to both codecs.
private struct Subject {
    let codecs: CodecPair
    let sender: Sender
    let id: UInt64
    let payload: [UInt8]

    init(_ vector: Vector) throws {
        codecs = try vector.folder.codecs()
        sender = try vector.sender()
        let bytes = try vector.bytes()
        let (layout, limit) = (codecs.generated.layout, codecs.generated.maximumPacketByteCount)
        let packet = try Packet(bytes.span.bytes, layout: layout, limit: limit)
        id = packet.id
        payload = [UInt8](copying: packet.payload)
    }

    func disagreements(on payloads: [[UInt8]]) -> [String] {
        codecs.disagreements(on: payloads, id: id, from: sender)
    }
}
