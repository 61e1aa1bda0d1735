// SPDX-License-Identifier: Apache-2.0

internal import Scene
internal import WirelineCodec

/// `wireline`: the generated messages. Encoding also as `wireline-array`, into an array of its own.
func wirelineCodecBenchmarks(_ sample: Sample) -> [Benchmark] {
    let client = Cs_20001(sceneID: Sample.sceneID, line: Sample.line, message: sample.text)
    let server = Sc_20001(
        res: Sample.result, sceneID: Sample.serverSceneID, pos: Sample.position, status: Sample.status,
        type: Sample.type, defaultCombat: Sample.defaultCombat, message: sample.text)
    return clientBenchmarks(client, sample) + serverBenchmarks(server, sample)
}

private func clientBenchmarks(_ message: Cs_20001, _ sample: Sample) -> [Benchmark] {
    let packet = sample.clientPacket
    let encoding = SceneMessage.client.encoding(sample)
    let buffer = outputBuffer.bytes
    return [
        Benchmark(
            caseName: encoding, implementation: "wireline",
            check: { try WrongResult.unlessEqual(outputBuffer.prefix(encode(message, into: buffer)), packet) },
            repeats: { count in
                var total = 0
                for _ in 0..<count { total &+= try encode(message, into: buffer) }
                observe(total)
            }),
        Benchmark(
            caseName: encoding, implementation: "wireline-array",
            check: { try WrongResult.unlessEqual(encodeToArray(message), packet) },
            repeats: { count in
                var total = 0
                for _ in 0..<count { total &+= try encodeToArray(message).count }
                observe(total)
            }),
        Benchmark(
            caseName: SceneMessage.client.decoding(sample), implementation: "wireline",
            check: { try WrongResult.unlessEqual(decodeClient(packet.span.bytes), message) },
            repeats: { count in
                var total: UInt32 = 0
                for _ in 0..<count { total &+= try decodeClient(packet.span.bytes).line }
                observe(total)
            }),
    ]
}

private func serverBenchmarks(_ message: Sc_20001, _ sample: Sample) -> [Benchmark] {
    let packet = sample.serverPacket
    let encoding = SceneMessage.server.encoding(sample)
    let buffer = outputBuffer.bytes
    return [
        Benchmark(
            caseName: encoding, implementation: "wireline",
            check: { try WrongResult.unlessEqual(outputBuffer.prefix(encode(message, into: buffer)), packet) },
            repeats: { count in
                var total = 0
                for _ in 0..<count { total &+= try encode(message, into: buffer) }
                observe(total)
            }),
        Benchmark(
            caseName: encoding, implementation: "wireline-array",
            check: { try WrongResult.unlessEqual(encodeToArray(message), packet) },
            repeats: { count in
                var total = 0
                for _ in 0..<count { total &+= try encodeToArray(message).count }
                observe(total)
            }),
        Benchmark(
            caseName: SceneMessage.server.decoding(sample), implementation: "wireline",
            check: { try WrongResult.unlessEqual(decodeServer(packet.span.bytes), message) },
            repeats: { count in
                var total: UInt32 = 0
                for _ in 0..<count { total &+= try decodeServer(packet.span.bytes).sceneID }
                observe(total)
            }),
    ]
}

// The calls that users write, each in a function that is not inlined, as C's are.

/// What is left here when this is inlined is a call of `encode(into:)`.
@inline(__always)
func encode(
    _ message: some PacketMessage, into buffer: UnsafeMutableRawBufferPointer
) throws(CodecError) -> Int {
    var output = OutputRawSpan(buffer: buffer, initializedCount: 0)
    try message.encode(into: &output)
    return output.byteCount
}

@inline(never)
private func encodeToArray(_ message: Cs_20001) throws(CodecError) -> [UInt8] { try message.encoded() }

@inline(never)
private func encodeToArray(_ message: Sc_20001) throws(CodecError) -> [UInt8] { try message.encoded() }

// What is left here when these are inlined is the check of the header and a call of `init(from:)`.

@inline(__always)
private func decodeClient(_ packet: RawSpan) throws(CodecError) -> Cs_20001 { try Cs_20001(packet: packet) }

@inline(__always)
private func decodeServer(_ packet: RawSpan) throws(CodecError) -> Sc_20001 { try Sc_20001(packet: packet) }
