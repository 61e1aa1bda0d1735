// SPDX-License-Identifier: Apache-2.0

import ProtocolsSupport
import Testing
import TestingSupport
import WirelineCodec
import WirelineSchema

/// Tests the comparison of both codecs with codecs that differ.
struct DisagreementTests {
    /// The packet that the generated code of the first schema and a translator of the second schema read.
    private static let packet: [UInt8] = [0, 0, 0, 13, 0x4E, 0x21, 1, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0]

    private func disagreement(_ schema: String) throws -> String? {
        let result = ProtocolDescription.check(
            name: "Scene", files: [SourceFile(path: "scene.wire", bytes: Array(schema.utf8))])
        let translator = PacketTranslator(try #require(result.description))
        let codecs = CodecPair(try ProtocolFolder.named("Scene").generated(), translator)
        return codecs.disagreement(on: Self.packet, from: .client)
    }

    @Test func `codecs of one schema agree`() throws {
        #expect(try disagreement("message Cs_20001 { uint8 SceneId; uint32 Line; String message; }") == nil)
    }

    @Test(arguments: [
        "message Cs_20001 { uint8 SceneId; int32 Line; String message; }",
        "message Cs_20001 { uint8 SceneId; @range(0..9) uint32 Line; String message; }",
        "message Cs_20001 { uint8 SceneId; uint32 Line; uint8[2] message; }",
        "message Cs_20001 { uint8 SceneId; uint32 Line; uint32 message; }",
        "message Cs_20002 { uint8 SceneId; uint32 Line; String message; }",
        "message Cs_20001 { uint8 SceneId; uint32 Line; }",
        "option byte_order = little; message Cs_20001 { uint8 SceneId; uint32 Line; String message; }",
    ])
    func `a difference between codecs of two schemas is detected`(schema: String) throws {
        #expect(try disagreement(schema) != nil)
    }
}
