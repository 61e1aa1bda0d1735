// SPDX-License-Identifier: Apache-2.0

internal import CLimit

/// `c`, and for decoding also `c-own`, which checks the text and takes a copy of it.
func limitCodecBenchmarks(_ sample: Sample) -> [Benchmark] {
    // Lives as long as the program: messages point into it.
    let text = UnsafeMutableBufferPointer<CChar>.allocate(capacity: sample.textByteCount)
    _ = text.initialize(from: sample.text.utf8.map(CChar.init(bitPattern:)))
    return clientBenchmarks(sample, UnsafeBufferPointer(text)) + serverBenchmarks(sample, UnsafeBufferPointer(text))
}

private func clientBenchmarks(_ sample: Sample, _ text: UnsafeBufferPointer<CChar>) -> [Benchmark] {
    guard let address = text.baseAddress else { return [] }
    let room = outputBuffer.bytes.count
    guard let buffer = outputBuffer.bytes.bindMemory(to: UInt8.self).baseAddress else { return [] }
    var message = limit_client_message(
        scene_id: Sample.sceneID, line: Sample.line, message: address, message_byte_count: UInt16(text.count))
    let packet = sample.clientPacket
    let encoding = Benchmark(
        caseName: SceneMessage.client.encoding(sample), implementation: "c",
        check: {
            let byteCount = limit_encode_client(&message, buffer, room)
            try WrongResult.unlessEqual(outputBuffer.prefix(byteCount), packet)
        },
        repeats: { try succeed(limit_repeat_encode_client(&message, buffer, room, $0)) })
    let decodings = [false, true].map { isOwned in
        Benchmark(
            caseName: SceneMessage.client.decoding(sample), implementation: isOwned ? "c-own" : "c",
            check: {
                var decoded = message
                try succeed(limit_decode_client(packet, packet.count, &decoded))
                try WrongResult.unlessEqual(decoded.scene_id, Sample.sceneID)
                try WrongResult.unlessEqual(decoded.line, Sample.line)
                try checkText(decoded.message, decoded.message_byte_count, sample)
            },
            repeats: { try succeed(limit_repeat_decode_client(packet, packet.count, isOwned, $0)) })
    }
    return [encoding] + decodings
}

private func serverBenchmarks(_ sample: Sample, _ text: UnsafeBufferPointer<CChar>) -> [Benchmark] {
    guard let address = text.baseAddress else { return [] }
    let room = outputBuffer.bytes.count
    guard let buffer = outputBuffer.bytes.bindMemory(to: UInt8.self).baseAddress else { return [] }
    var message = limit_server_message(
        res: Sample.result, scene_id: Sample.serverSceneID, pos: Sample.position, status: Sample.status,
        type: Sample.type, default_combat: Sample.defaultCombat, message: address,
        message_byte_count: UInt16(text.count))
    let packet = sample.serverPacket
    let encoding = Benchmark(
        caseName: SceneMessage.server.encoding(sample), implementation: "c",
        check: {
            let byteCount = limit_encode_server(&message, buffer, room)
            try WrongResult.unlessEqual(outputBuffer.prefix(byteCount), packet)
        },
        repeats: { try succeed(limit_repeat_encode_server(&message, buffer, room, $0)) })
    let decodings = [false, true].map { isOwned in
        Benchmark(
            caseName: SceneMessage.server.decoding(sample), implementation: isOwned ? "c-own" : "c",
            check: {
                var decoded = message
                try succeed(limit_decode_server(packet, packet.count, &decoded))
                try WrongResult.unlessEqual(
                    [decoded.res, decoded.pos, decoded.status, decoded.type],
                    [Sample.result, Sample.position, Sample.status, Sample.type])
                try WrongResult.unlessEqual(decoded.scene_id, Sample.serverSceneID)
                try WrongResult.unlessEqual(decoded.default_combat, Sample.defaultCombat)
                try checkText(decoded.message, decoded.message_byte_count, sample)
            },
            repeats: { try succeed(limit_repeat_decode_server(packet, packet.count, isOwned, $0)) })
    }
    return [encoding] + decodings
}

private func checkText(_ text: UnsafePointer<CChar>, _ byteCount: UInt16, _ sample: Sample) throws {
    guard let copy = limit_own_text(text, Int(byteCount)) else {
        throw WrongResult(description: "refused the text")
    }
    defer { copy.deallocate() }
    try WrongResult.unlessEqual(String(cString: copy), sample.text)
}

private func succeed(_ isRight: Bool) throws {
    guard isRight else { throw WrongResult(description: "refused a right value") }
}
