// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOWebSocket

/// SwiftNIO as its documentation writes it: HTTP's pipeline, the upgrader, and a handler of frames.
func serveWebSocketsWithNIO() throws {
    let upgrader = NIOWebSocketServerUpgrader(
        maxFrameSize: maximumPacketByteCount,
        shouldUpgrade: { channel, _ in channel.eventLoop.makeSucceededFuture([:]) },
        upgradePipelineHandler: { channel, _ in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(FrameHandler())
            }
        })
    let server = try ServerBootstrap.ofOneThread()
        .childChannelInitializer { channel in
            channel.pipeline.configureHTTPServerPipeline(
                withServerUpgrade: (upgraders: [upgrader], completionHandler: { _ in }))
        }
        .bind(host: "127.0.0.1", port: 0).wait()
    server.announce()
    try server.closeFuture.wait()
}

private final class FrameHandler: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = Self.unwrapInboundIn(data)
        switch frame.opcode {
        case .text, .binary, .continuation: send(frame.opcode, frame.unmaskedData, isLast: frame.fin, context)
        case .ping: send(.pong, frame.unmaskedData, context)
        case .connectionClose:
            var content = frame.unmaskedData
            send(.connectionClose, content.readSlice(length: 2) ?? ByteBuffer(), context)
            context.close(promise: nil)
        default: break
        }
    }

    private func send(
        _ opcode: WebSocketOpcode, _ content: ByteBuffer, isLast: Bool = true, _ context: ChannelHandlerContext
    ) {
        let frame = WebSocketFrame(fin: isLast, opcode: opcode, data: content)
        context.write(Self.wrapOutboundOut(frame), promise: nil)
        if opcode == .connectionClose { context.flush() }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.flush()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
