// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// `nio-bytebuffer`: the same packets written by hand over SwiftNIO's buffer.
func byteBufferCodecBenchmarks(_ sample: Sample) -> [Benchmark] {
    let client = ClientValues(sceneID: Sample.sceneID, line: Sample.line, message: sample.text)
    let server = ServerValues(
        result: Sample.result, sceneID: Sample.serverSceneID, position: Sample.position, status: Sample.status,
        type: Sample.type, defaultCombat: Sample.defaultCombat, message: sample.text)
    return benchmarks(.client, client, sample) {
        try decodeClient($0)
    } encode: {
        encode($0, into: &$1)
    }
        + benchmarks(.server, server, sample) {
            try decodeServer($0)
        } encode: {
            encode($0, into: &$1)
        }
}

private struct ClientValues: Equatable {
    var sceneID: UInt8
    var line: UInt32
    var message: String
}

private struct ServerValues: Equatable {
    var result: UInt8
    var sceneID: UInt32
    var position: UInt8
    var status: UInt8
    var type: UInt8
    var defaultCombat: UInt32
    var message: String
}

@inline(__always)
private func benchmarks<Values: Equatable>(
    _ message: SceneMessage, _ values: Values, _ sample: Sample, decode: @escaping (ByteBuffer) throws -> Values,
    encode: @escaping (Values, inout ByteBuffer) -> Void
) -> [Benchmark] {
    let packet = ByteBuffer(bytes: message.packet(sample))
    return [
        Benchmark(
            caseName: message.encoding(sample), implementation: "nio-bytebuffer",
            check: {
                var buffer = ByteBufferAllocator().buffer(capacity: 4096)
                encode(values, &buffer)
                try WrongResult.unlessEqual(Array(buffer.readableBytesView), message.packet(sample))
            },
            repeats: { count in
                var buffer = ByteBufferAllocator().buffer(capacity: 4096)
                var total = 0
                for _ in 0..<count {
                    encode(values, &buffer)
                    total &+= buffer.readableBytes
                }
                observe(total)
            }),
        Benchmark(
            caseName: message.decoding(sample), implementation: "nio-bytebuffer",
            check: { try WrongResult.unlessEqual(decode(packet), values) },
            repeats: { count in
                var total = 0
                for _ in 0..<count {
                    let decoded = try decode(packet)
                    withExtendedLifetime(decoded) { total &+= 1 }
                }
                observe(total)
            }),
    ]
}

// MARK: Encoding

@inline(never)
private func encode(_ values: ClientValues, into buffer: inout ByteBuffer) {
    beginPacket(&buffer)
    buffer.writeInteger(values.sceneID)
    buffer.writeInteger(values.line)
    endPacket(&buffer, values.message)
}

@inline(never)
private func encode(_ values: ServerValues, into buffer: inout ByteBuffer) {
    beginPacket(&buffer)
    buffer.writeInteger(values.result)
    buffer.writeInteger(values.sceneID)
    buffer.writeInteger(values.position)
    buffer.writeInteger(values.status)
    buffer.writeInteger(values.type)
    buffer.writeInteger(values.defaultCombat)
    endPacket(&buffer, values.message)
}

@inline(__always)
private func beginPacket(_ buffer: inout ByteBuffer) {
    buffer.clear()
    buffer.writeInteger(0, as: UInt32.self)
    buffer.writeInteger(20_001, as: UInt16.self)
}

@inline(__always)
private func endPacket(_ buffer: inout ByteBuffer, _ text: String) {
    buffer.writeInteger(UInt16(text.utf8.count))
    buffer.writeString(text)
    buffer.setInteger(UInt32(buffer.readableBytes), at: 0)
}

// MARK: Decoding

/// The packet was not what its length, ID or count says.
private struct BadPacket: Error {}

@inline(never)
private func decodeClient(_ packet: ByteBuffer) throws -> ClientValues {
    var buffer = try openPacket(packet)
    guard let sceneID = buffer.readInteger(as: UInt8.self), let line = buffer.readInteger(as: UInt32.self) else {
        throw BadPacket()
    }
    return ClientValues(sceneID: sceneID, line: line, message: try readLastText(&buffer))
}

@inline(never)
private func decodeServer(_ packet: ByteBuffer) throws -> ServerValues {
    var buffer = try openPacket(packet)
    guard let result = buffer.readInteger(as: UInt8.self), let sceneID = buffer.readInteger(as: UInt32.self),
        let position = buffer.readInteger(as: UInt8.self), let status = buffer.readInteger(as: UInt8.self),
        let type = buffer.readInteger(as: UInt8.self), let defaultCombat = buffer.readInteger(as: UInt32.self)
    else { throw BadPacket() }
    return ServerValues(
        result: result, sceneID: sceneID, position: position, status: status, type: type,
        defaultCombat: defaultCombat, message: try readLastText(&buffer))
}

@inline(__always)
private func openPacket(_ packet: ByteBuffer) throws -> ByteBuffer {
    var buffer = packet
    guard let length = buffer.readInteger(as: UInt32.self), Int(length) == packet.readableBytes,
        buffer.readInteger(as: UInt16.self) == 20_001
    else { throw BadPacket() }
    return buffer
}

/// `readString` repairs what is not UTF-8 instead of refusing it; it is the faster of the two that NIO has.
@inline(__always)
private func readLastText(_ buffer: inout ByteBuffer) throws -> String {
    guard let byteCount = buffer.readInteger(as: UInt16.self), Int(byteCount) == buffer.readableBytes,
        let text = buffer.readString(length: Int(byteCount))
    else { throw BadPacket() }
    return text
}
