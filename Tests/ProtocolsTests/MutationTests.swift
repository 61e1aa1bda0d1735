// SPDX-License-Identifier: Apache-2.0

import ProtocolsSupport
import Testing
import TestingSupport
import WirelineCodec
import WirelineSchema

/// Both codecs give the same verdict on payloads that are almost valid: the same values, or the same error.
///
/// If two programs read a packet differently, an attacker can smuggle packets past the one that checks them.
struct MutationTests {
    @Test(arguments: Vector.decodable)
    func `a truncated payload gets the same verdict from both codecs`(vector: Vector) throws {
        let subject = try Subject(vector)
        let cuts = subject.payload.indices.map { Array(subject.payload[..<$0]) }
        #expect(subject.disagreements(on: cuts) == [])
    }

    @Test(arguments: Vector.decodable)
    func `a payload with one changed byte gets the same verdict from both codecs`(vector: Vector) throws {
        let subject = try Subject(vector)
        var random = SeededGenerator.forThisRun()
        let changed = subject.payload.indices.flatMap { offset in
            // The sign, and any other bits.
            [0x80, UInt8.random(in: 0x01...0xFF, using: &random)].map { mask in
                var payload = subject.payload
                payload[offset] ^= mask
                return payload
            }
        }
        #expect(subject.disagreements(on: changed) == [], random.seedComment)
    }

    @Test(arguments: Vector.decodable)
    func `a payload with a few random bytes gets the same verdict from both codecs`(vector: Vector) throws {
        let subject = try Subject(vector)
        var random = SeededGenerator.forThisRun()
        let changed = (0..<40).map { _ in
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

/// A message whose payload both codecs read.
private struct Subject {
    let codecs: CodecPair
    let context: PacketContext
    let id: UInt64
    let payload: [UInt8]

    init(_ vector: Vector) throws {
        codecs = try vector.folder.codecs()
        context = try vector.context()
        let layout = codecs.generated.layout.layout(in: context)
        let limit = codecs.generated.maximumPacketByteCount
        let bytes = try layout.unframed(vector.bytes())
        let packet = try Packet(bytes.span.bytes, layout: layout, limit: limit)
        id = packet.id
        payload = [UInt8](copying: packet.payload)
    }

    func disagreements(on payloads: [[UInt8]]) -> [String] {
        codecs.disagreements(on: payloads, id: id, in: context)
    }
}
