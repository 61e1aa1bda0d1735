// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOPosix

/// SwiftNIO as its documentation writes it: a decoder, an encoder and a handler of packets in a pipeline.
func serveWithDocumentedNIO(_ tls: NIOTLSContext?) throws {
    let server = try ServerBootstrap.ofOneThread()
        .childChannelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addTLS(tls)
                try channel.pipeline.syncOperations.addPacketHandlers()
                try channel.pipeline.syncOperations.addHandler(PacketHandler())
            }
        }
        .bind(host: "127.0.0.1", port: 0).wait()
    server.announce()
    try server.closeFuture.wait()
}

extension ChannelPipeline.SynchronousOperations {
    /// What makes packets of bytes, and bytes of packets.
    func addPacketHandlers() throws {
        try addHandler(ByteToMessageHandler(PacketDecoder()))
        try addHandler(MessageToByteHandler(PacketEncoder()))
    }
}

private final class PacketDecoder: ByteToMessageDecoder {
    typealias InboundOut = NIOPacket

    func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
        guard let packet = try buffer.readPacket() else { return .needMoreData }
        context.fireChannelRead(Self.wrapInboundOut(packet))
        return .continue
    }

    func decodeLast(
        context: ChannelHandlerContext, buffer: inout ByteBuffer, seenEOF: Bool
    ) throws -> DecodingState {
        try decode(context: context, buffer: &buffer)
    }
}

private final class PacketEncoder: MessageToByteEncoder {
    typealias OutboundIn = NIOPacket

    func encode(data: NIOPacket, out: inout ByteBuffer) {
        out.write(data)
    }
}

private final class PacketHandler: ChannelInboundHandler {
    typealias InboundIn = NIOPacket
    typealias OutboundOut = NIOPacket

    private var count = PacketCount()

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let reply = count.reply(to: Self.unwrapInboundIn(data)) else { return }
        context.write(Self.wrapOutboundOut(reply), promise: nil)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.flush()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
