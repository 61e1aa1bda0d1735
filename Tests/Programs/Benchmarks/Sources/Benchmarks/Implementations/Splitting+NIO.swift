// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOEmbedded
internal import NIOExtras

/// SwiftNIO's ways to split a stream: `nio-processor` is the leanest it has, `nio-handler` what its documentation
/// teaches, `nio-extras` the decoder that comes ready-made.
func nioSplittingBenchmarks(_ stream: PacketStream) -> [Benchmark] {
    [
        stream.benchmark("nio-processor") { try splitWithProcessor(stream.pieces) },
        stream.benchmark("nio-handler") {
            try split(stream.pieces, with: ByteToMessageHandler(SceneDecoder()), into: PacketSink())
        },
        stream.benchmark("nio-extras") {
            let decoder = LengthFieldBasedFrameDecoder(lengthFieldBitLength: .fourBytes)
            return try split(stream.piecesWithoutSelfCount, with: ByteToMessageHandler(decoder), into: BufferSink())
        },
    ]
}

/// A packet as a NIO program hands it on.
private struct ScenePacket {
    var id: UInt16
    var payload: ByteBuffer
}

/// The stream holds something that is no packet.
private struct BadLength: Error {}

/// The seed's layout as a NIO program decodes it: peek at the header, wait until the packet is whole, lend a slice.
private struct SceneDecoder: NIOSingleStepByteToMessageDecoder {
    typealias InboundOut = ScenePacket

    mutating func decode(buffer: inout ByteBuffer) throws -> ScenePacket? {
        guard let (length, id) = buffer.peekMultipleIntegers(as: (UInt32, UInt16).self) else { return nil }
        guard length >= 6, length <= 1 << 20 else { throw BadLength() }
        guard var packet = buffer.readSlice(length: Int(length)) else { return nil }
        packet.moveReaderIndex(forwardBy: 6)
        return ScenePacket(id: id, payload: packet)
    }

    mutating func decodeLast(buffer: inout ByteBuffer, seenEOF: Bool) throws -> ScenePacket? {
        try decode(buffer: &buffer)
    }
}

extension Tally {
    @inline(__always)
    fileprivate mutating func add(_ packet: ScenePacket) throws {
        guard let first = packet.payload.getInteger(at: packet.payload.readerIndex, as: UInt8.self) else {
            throw BadLength()
        }
        add(id: packet.id, byteCount: packet.payload.readableBytes, first: first)
    }
}

@inline(never)
private func splitWithProcessor(_ pieces: [ByteBuffer]) throws -> Tally {
    var tally = Tally()
    let processor = NIOSingleStepByteToMessageProcessor(SceneDecoder())
    for piece in pieces {
        try processor.process(buffer: piece) { try tally.add($0) }
    }
    return tally
}

// MARK: In a pipeline

private func split(
    _ pieces: [ByteBuffer], with handler: some ChannelHandler, into sink: some TallySink
) throws -> Tally {
    let channel = EmbeddedChannel()
    try channel.pipeline.syncOperations.addHandler(handler)
    try channel.pipeline.syncOperations.addHandler(sink)
    for piece in pieces { channel.pipeline.fireChannelRead(piece) }
    _ = try channel.finish()
    return sink.tally
}

private protocol TallySink: ChannelHandler {
    var tally: Tally { get }
}

private final class PacketSink: ChannelInboundHandler, TallySink {
    typealias InboundIn = ScenePacket
    var tally = Tally()

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        do {
            try tally.add(Self.unwrapInboundIn(data))
        } catch {
            context.fireErrorCaught(error)
        }
    }
}

/// The ready-made decoder delivers ID and payload in one buffer.
private final class BufferSink: ChannelInboundHandler, TallySink {
    typealias InboundIn = ByteBuffer
    var tally = Tally()

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var buffer = Self.unwrapInboundIn(data)
        guard let id = buffer.readInteger(as: UInt16.self) else { return context.fireErrorCaught(BadLength()) }
        do {
            try tally.add(ScenePacket(id: id, payload: buffer))
        } catch {
            context.fireErrorCaught(error)
        }
    }
}
