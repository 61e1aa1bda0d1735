// SPDX-License-Identifier: Apache-2.0

internal import CLimit

/// `c`: encodes into a buffer, decodes with a checked copy of the text, and calls the receiver of packets through a
/// pointer.
func limitVaryingBenchmarks(_ stream: VaryingStream) -> [Benchmark] {
    let sample = VaryingSample.sample
    // Lives as long as the program: the message points into it.
    let text = UnsafeMutableBufferPointer<CChar>.allocate(capacity: sample.textByteCount)
    _ = text.initialize(from: sample.text.utf8.map(CChar.init(bitPattern:)))
    guard let buffer = outputBuffer.bytes.bindMemory(to: UInt8.self).baseAddress, let address = text.baseAddress else {
        return []
    }
    let room = outputBuffer.bytes.count
    let message = limit_client_message(
        scene_id: Sample.sceneID, line: Sample.line, message: address, message_byte_count: UInt16(text.count))
    let packet = VaryingSample.fullPacket
    let decoding = Benchmark(
        caseName: VaryingSample.decoding, implementation: "c",
        check: {
            var decoded = message
            try succeed(limit_decode_varying(packet, packet.count, &decoded))
            try WrongResult.unlessEqual(decoded.scene_id, Sample.sceneID)
            try WrongResult.unlessEqual(decoded.line, Sample.line)
            try WrongResult.unlessEqual(Int(decoded.message_byte_count), sample.textByteCount)
        },
        repeats: { try succeed(limit_repeat_decode_varying(packet, packet.count, $0)) })
    let splitting = stream.benchmark("c") {
        var tally = limit_tally()
        try succeed(limit_split_varying(stream.bytes, stream.bytes.count, VaryingSample.pieceByteCount, &tally))
        return Tally(
            packetCount: Int(tally.packets), mixture: tally.mixture, payloadByteCount: Int(tally.payload_bytes))
    }
    return limitEncodings(message, buffer, room: room) + [decoding, splitting]
}

/// The message with no header values, with one, and with all.
private func limitEncodings(
    _ message: limit_client_message, _ buffer: UnsafeMutablePointer<UInt8>, room: Int
) -> [Benchmark] {
    func encoding(_ caseName: String, _ values: limit_varying_values, _ expected: [UInt8]) -> Benchmark {
        var (message, values) = (message, values)
        return Benchmark(
            caseName: caseName, implementation: "c",
            check: {
                let byteCount = limit_encode_varying(&message, &values, buffer, room)
                try WrongResult.unlessEqual(outputBuffer.prefix(byteCount), expected)
            },
            repeats: { try succeed(limit_repeat_encode_varying(&message, &values, buffer, room, $0)) })
    }
    return [
        encoding(
            VaryingSample.encoding, limit_varying_values(is_versioned: false, level: 1, version: 0, serial: 0),
            VaryingSample.plainPacket),
        encoding(
            VaryingSample.encodingFixed, limit_varying_values(is_versioned: false, level: 2, version: 0, serial: 0),
            VaryingSample.fixedPacket),
        encoding(
            VaryingSample.encodingSet, limit_varying_values(is_versioned: true, level: 1, version: 7, serial: 300),
            VaryingSample.fullPacket),
    ]
}

private func succeed(_ isRight: Bool) throws {
    guard isRight else { throw WrongResult(description: "refused a right value") }
}
