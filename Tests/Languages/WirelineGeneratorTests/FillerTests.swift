// SPDX-License-Identifier: Apache-2.0

import Features
import Testing
import TestingSupport
import WirelineCodec
import WirelineSchema

/// Fields without a value in generated code.
struct FillerTests {
    private let codecs: CodecPair

    init() throws { codecs = try FeatureTests.shared.get() }

    @Test func `bytes of padding are not looked at`() throws {
        var payload = try FillerRows.filled(mark: 5).encodedPayload()
        let offsets = [0, 1, 3, 5, 9, 12, 13, 18, 19, 21, 24, 25, 324]
        for offset in offsets { payload[offset] = 0xFF }
        #expect(try Filled(payload: payload.span.bytes) == FillerRows.filled(mark: 5))
        #expect(codecs.disagreements(on: [payload], id: Filled.messageID, from: .client) == [])
    }

    @Test func `bytes of a constant text after its NUL are not looked at`() throws {
        var payload = try Hexadecimal.bytes(of: FillerRows.constantBytes)
        payload[17] = 0xFF
        #expect(try Constants(payload: payload.span.bytes) == FillerRows.constants())
        #expect(codecs.disagreements(on: [payload], id: Constants.messageID, from: .client) == [])
    }

    @Test(arguments: [
        (1, "Filled.padding[0]: needs 2 bytes at offset 21, 1 is left"),
        (5, "Filled.padding[1]: needs 3 bytes at offset 24, 2 are left"),
        (9, "Filled.padding[2]: needs 1 byte at offset 30, 0 are left"),
        (13, "Filled.gap.padding[0]: needs 2 bytes at offset 33, 1 is left"),
        (22, "Filled.holes[0].padding[0]: needs 2 bytes at offset 42, 1 is left"),
        (100, "Filled.padding[3]: needs 300 bytes at offset 46, 75 are left"),
    ])
    func `a cut inside padding names it by its place among the padding of its body`(count: Int, error: String) throws {
        let payload = Array(try FillerRows.filled().encodedPayload()[..<count])
        #expect(codecs.generatedVerdict(on: payload, id: Filled.messageID, from: .client) == error)
        #expect(codecs.translatorVerdict(on: payload, id: Filled.messageID, from: .client) == error)
    }
}
