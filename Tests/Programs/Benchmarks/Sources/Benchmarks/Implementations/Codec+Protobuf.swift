// SPDX-License-Identifier: Apache-2.0

internal import SwiftProtobuf

/// `swift-protobuf`: the messages of `scene.proto`, without a header around them, which favours it.
func protobufCodecBenchmarks(_ sample: Sample) -> [Benchmark] {
    let client = Scene_EnterScene.with {
        $0.sceneID = UInt32(Sample.sceneID)
        $0.line = Sample.line
        $0.message = sample.text
    }
    let server = Scene_SceneEntered.with {
        $0.res = UInt32(Sample.result)
        $0.sceneID = Sample.serverSceneID
        $0.pos = UInt32(Sample.position)
        $0.status = UInt32(Sample.status)
        $0.type = UInt32(Sample.type)
        $0.defaultCombat = Sample.defaultCombat
        $0.message = sample.text
    }
    return benchmarks(.client, client, sample, expected: sample.protobufOfClient)
        + benchmarks(.server, server, sample, expected: sample.protobufOfServer)
}

private func benchmarks<Values: SwiftProtobuf.Message & Equatable>(
    _ message: SceneMessage, _ values: Values, _ sample: Sample, expected: [UInt8]
) -> [Benchmark] {
    [
        Benchmark(
            caseName: message.encoding(sample), implementation: "swift-protobuf",
            check: { try WrongResult.unlessEqual(encode(values), expected) },
            repeats: { count in
                var total = 0
                for _ in 0..<count { total &+= try encode(values).count }
                observe(total)
            }),
        Benchmark(
            caseName: message.decoding(sample), implementation: "swift-protobuf",
            check: { try WrongResult.unlessEqual(decode(expected), values) },
            repeats: { count in
                var total = 0
                for _ in 0..<count {
                    let decoded: Values = try decode(expected)
                    withExtendedLifetime(decoded) { total &+= 1 }
                }
                observe(total)
            }),
    ]
}

@inline(never)
private func encode<Values: SwiftProtobuf.Message>(_ values: Values) throws -> [UInt8] {
    try values.serializedBytes()
}

@inline(never)
private func decode<Values: SwiftProtobuf.Message>(_ bytes: [UInt8]) throws -> Values {
    try Values(serializedBytes: bytes)
}

extension Sample {
    /// `scene.EnterScene` put together by hand: a tag before each value (field number × 8 + kind).
    fileprivate var protobufOfClient: [UInt8] {
        [0x08, Self.sceneID, 0x15] + Self.line.byteSwapped.bigEndianBytes + protobufText(tag: 0x1A)
    }

    /// `scene.SceneEntered` put together by hand.
    fileprivate var protobufOfServer: [UInt8] {
        [0x08, Self.result, 0x15] + Self.serverSceneID.byteSwapped.bigEndianBytes
            + [0x18, Self.position, 0x20, Self.status, 0x28, Self.type, 0x35]
            + Self.defaultCombat.byteSwapped.bigEndianBytes + protobufText(tag: 0x3A)
    }

    private func protobufText(tag: UInt8) -> [UInt8] {
        let count: [UInt8] =
            textByteCount < 128
            ? [UInt8(textByteCount)] : [UInt8(textByteCount & 127 | 128), UInt8(textByteCount >> 7)]
        return [tag] + count + Array(text.utf8)
    }
}
