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
            Depth.some(1, of: [0x80, .random(in: 0x01...0xFF, using: &random)], using: &random).map { (mask: UInt8) in
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
        let changed = (0..<Depth.rounds(4)).map { _ in
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
    /// What opens packets with layers; nil for a protocol without.
    let layered: LayeredCodec?
    let context: PacketContext
    let id: UInt64
    let payload: [UInt8]

    init(_ vector: Vector) throws {
        codecs = try vector.folder.codecs()
        context = try vector.context()
        layered = vector.folder.hasLayers ? LayeredCodec(codecs.generated, try vector.translator()) : nil
        var found: (id: UInt64, payload: [UInt8])?
        try vector.forEachPacket { packet, _ in
            found = found ?? (packet.id, [UInt8](copying: packet.payload))
        }
        (id, payload) = found ?? (0, [])
    }

    func disagreements(on payloads: [[UInt8]]) -> [String] {
        guard let layered else { return codecs.disagreements(on: payloads, id: id, in: context) }
        return Array(
            payloads.lazy.compactMap { payload in
                do throws(CodecError) {
                    let packet = try layered.seal(payload: payload, id: id, in: context)
                    return layered.disagreement(on: try layered.open(packet, in: context), from: context.sender)
                } catch {
                    // A payload that no packet can hold is not read at all.
                    return error.reason.isOfLength ? nil : "there is no packet of it: \(error)"
                }
            }.prefix(3))
    }
}
