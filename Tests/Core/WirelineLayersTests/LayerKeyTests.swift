// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec
import WirelineLayers

/// How keys are set, and what they must not do.
struct LayerKeyTests {
    @Test func `an error is small`() {
        #expect(MemoryLayout<LayerKeyError>.size <= 32)
    }

    @Test(
        arguments: [
            (.xor(key: "k"), [1, 2, 65_536], [0, 65_537], .upTo(65_536)),
            (.rc4(key: "k"), [1, 5, 256], [0, 257], .upTo(256)),
            (.aesCTR(key: "k", vector: .field("iv")), [16, 24, 32], [0, 15, 17, 31, 33], .aesKey),
            (.aesCBC(key: "k", vector: .field("iv")), [16, 24, 32], [0, 8, 64], .aesKey),
            (.aesCTR(key: "other", vector: .key("k")), [16], [0, 15, 17, 24], .aesVector),
        ] as [(LayerKind, [Int], [Int], LayerKeyError.ByteCounts)])
    func `a key has a length that its layer can use`(
        kind: LayerKind, allowed: [Int], refused: [Int], needed: LayerKeyError.ByteCounts
    ) throws {
        var end = End(kind)
        for byteCount in allowed { try end.setKey("k", [UInt8](repeating: 1, count: byteCount)) }
        for byteCount in refused {
            #expect(throws: LayerKeyError.wrongByteCount(byteCount, needed: needed)) {
                try end.setKey("k", [UInt8](repeating: 1, count: byteCount))
            }
        }
    }

    @Test func `a key for two layers has a length that both can use`() throws {
        var end = End(.xor(key: "k"), .aesCBC(key: "k", vector: .key("k")))
        #expect(throws: LayerKeyError.wrongByteCount(32, needed: .aesVector)) {
            try end.setKey("k", [UInt8](repeating: 1, count: 32))
        }
        try end.setKey("k", [UInt8](repeating: 1, count: 16))
        let sealed = try end.seal([1, 2, 3])
        #expect(try end.open(sealed) == [1, 2, 3])
    }

    @Test(arguments: [LayerKind.zlib, .custom("k"), .xor(key: "other")])
    func `a name that no layer has is refused`(kind: LayerKind) {
        var end = End(kind)
        #expect(throws: LayerKeyError.unknownName("k")) { try end.setKey("k", [1]) }
    }

    @Test(
        arguments: [
            (.unknownName("ses\"sion"), #"no layer has a key "ses\"sion""#),
            (.wrongByteCount(1, needed: .aesKey), "a key of 1 byte, where a layer needs 16, 24 or 32"),
            (.wrongByteCount(0, needed: .upTo(256)), "a key of 0 bytes, where a layer needs 1 to 256"),
            (.wrongByteCount(15, needed: .aesVector), "a key of 15 bytes, where a layer needs 16"),
        ] as [(LayerKeyError, String)])
    func `an error says what is wrong`(error: LayerKeyError, text: String) {
        #expect(error.description == text)
    }

    // MARK: Setting again

    @Test func `a key that is set again starts the keystream anew`() throws {
        for kind in [LayerKind.rc4(key: "k"), .aesCTR(key: "k", vector: .key("v"))] {
            var end = End(kind)
            try end.setKey("k", Array(1...16))
            if kind.keyNames.contains("v") { try end.setKey("v", Array(1...16)) }
            let first = try end.seal([0, 0, 0])
            #expect(try end.seal([0, 0, 0]) != first)
            for name in kind.keyNames {
                try end.setKey(name, Array(1...16))
                #expect(try end.seal([0, 0, 0]) == first)
                #expect(try end.seal([0, 0, 0]) != first)
            }
            try end.setKey("k", Array(2...17))
            #expect(try end.seal([0, 0, 0]) != first)
        }
    }

    @Test func `a key that is refused changes nothing`() throws {
        var end = End(.rc4(key: "k"))
        var other = End(.rc4(key: "k"))
        try end.setKey("k", [1, 2, 3])
        try other.setKey("k", [1, 2, 3])
        let whole = try other.seal([0, 0, 0, 0])
        let first = try end.seal([0, 0])
        #expect(throws: LayerKeyError.wrongByteCount(0, needed: .upTo(256))) { try end.setKey("k", []) }
        #expect(try first + end.seal([0, 0]) == whole)
    }

    @Test func `a key of one layer does not disturb the keystream of another`() throws {
        var end = End(.rc4(key: "a"), .xor(key: "b"))
        var other = End(.rc4(key: "a"), .xor(key: "b"))
        try end.setKey("a", [1, 2, 3])
        try end.setKey("b", [0])
        try other.setKey("a", [1, 2, 3])
        try other.setKey("b", [0])
        let whole = try other.seal([0, 0, 0, 0])
        let first = try end.seal([0, 0])
        try end.setKey("b", [0])
        #expect(try first + end.seal([0, 0]) == whole)
    }

    // MARK: Ends

    private static func sealed(_ stack: inout LayerStack) throws -> [UInt8] {
        var budget = InflationBudget(limit: 100)
        let content: [UInt8] = [0, 0]
        return try stack.sealed(content, within: &budget)
    }

    @Test func `a key is for the packets of one end, or of both`() throws {
        var layers = ConnectionLayers([.xor(key: "k")])
        try layers.setKey("k", ([1] as [UInt8]).span.bytes)
        #expect(try Self.sealed(&layers.ofClient) == [1, 1])
        #expect(try Self.sealed(&layers.ofServer) == [1, 1])
        try layers.setKey("k", ([2] as [UInt8]).span.bytes, for: .client)
        #expect(try Self.sealed(&layers.ofClient) == [2, 2])
        #expect(try Self.sealed(&layers.ofServer) == [1, 1])
        try layers.setKey("k", ([3] as [UInt8]).span.bytes, for: .server)
        #expect(try Self.sealed(&layers.ofClient) == [2, 2])
        #expect(try Self.sealed(&layers.ofServer) == [3, 3])
    }

    @Test(arguments: [Sender.client, .server])
    func `without its key, a layer is not available, and the error names key and end`(sender: Sender) throws {
        var stack = LayerStack([.aesCTR(key: "k", vector: .key("v"))], from: sender)
        try stack.setKey("k", [UInt8](1...16).span.bytes)
        var budget = InflationBudget(limit: 100)
        let sealed: [UInt8] = [1, 2]
        let error = try #require(throws: CodecError.self) {
            try stack.opened(sealed, within: &budget)
        }
        #expect(error == CodecError(.layerUnavailable(.key("v", of: sender)), path: "packet.k"))
        let text = "packet.k: the layer is not available: there is no key \"v\" for packets of the \(sender.rawValue)"
        #expect(error.description == text)
    }
}
