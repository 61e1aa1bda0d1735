// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOPosix

/// SwiftNIO as one who knows it would squeeze it: one handler, its leanest splitter, one buffer out for all that came in.
func serveWithTunedNIO(_ tls: NIOTLSContext?) throws {
    let buffers = AdaptiveRecvByteBufferAllocator(minimum: 1024, initial: 2048, maximum: 256 << 10)
    let server = try ServerBootstrap.ofOneThread()
        .childChannelOption(.recvAllocator, value: buffers)
        .childChannelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addTLS(tls)
                try channel.pipeline.syncOperations.addHandler(TunedHandler())
            }
        }
        .bind(host: "127.0.0.1", port: 0).wait()
    server.announce()
    try server.closeFuture.wait()
}

private struct SingleStepDecoder: NIOSingleStepByteToMessageDecoder {
    mutating func decode(buffer: inout ByteBuffer) throws -> NIOPacket? {
        try buffer.readPacket()
    }

    mutating func decodeLast(buffer: inout ByteBuffer, seenEOF: Bool) throws -> NIOPacket? {
        try buffer.readPacket()
    }
}

private final class TunedHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let processor = NIOSingleStepByteToMessageProcessor(SingleStepDecoder())
    private var count = PacketCount()
    private var output = ByteBuffer()

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        do {
            try processor.process(buffer: Self.unwrapInboundIn(data)) { packet in
                if let reply = count.reply(to: packet) { output.write(reply) }
            }
        } catch {
            context.close(promise: nil)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        guard output.readableBytes > 0 else { return }
        context.writeAndFlush(Self.wrapOutboundOut(output), promise: nil)
        output.clear()
    }
}
