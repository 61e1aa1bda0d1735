// SPDX-License-Identifier: Apache-2.0

/// Receives the events of a stream; always called on the thread of the stream's loop.
package protocol ByteStreamHandler: AnyObject {
    /// The memory for the next bytes: a block of the loop, or the handler's block that they continue.
    func lendReadBuffer(for stream: ByteStream) -> ReadBuffer

    /// `byteCount` bytes have arrived in the memory of ``lendReadBuffer(for:)``.
    ///
    /// A handler that cannot process them now keeps the block, and returns it later with ``ByteStream/giveBack(_:)``.
    /// It calls ``ByteStream/read()`` to receive more.
    func received(_ block: inout Block?, byteCount: Int, from stream: ByteStream)

    /// Nothing has arrived. The stream returns the block of ``lendReadBuffer(for:)``, and drops it unless the handler
    /// keeps it.
    func receivedNothing(_ block: inout Block?, from stream: ByteStream)

    /// Bytes have been written, in one piece; only called if ``ByteStream/showsWrites`` is set.
    func wrote(_ bytes: [UInt8], to stream: ByteStream)

    /// Something is written next; only called if ``ByteStream/announcesWrites`` is set, and not for each write.
    ///
    /// Bytes that the handler writes now come first. After ``EventLoop/endFreeWriting()`` it is called for the next
    /// write.
    func willWrite(to stream: ByteStream)

    /// The peer reads more slowly than this side writes: output begins to queue.
    func outputStalled(_ stream: ByteStream)

    /// The queued output takes less memory than before: see ``ByteStream/heldByteCount``.
    func outputShrank(_ stream: ByteStream)

    /// No output is queued any more, after some was, or after ``ByteStream/flushForMore()`` returned false.
    func outputDrained(_ stream: ByteStream)

    /// The peer reset the connection, or the system gave it up: unsent output is lost, and no more is accepted.
    /// Data that the peer sent before can still be read; ``failed(_:_:)`` follows it.
    func outputFailed(_ stream: ByteStream, _ error: TransportError)

    /// The peer will send no more; output still reaches it.
    func endOfStream(_ stream: ByteStream)

    /// The peer's end of stream has arrived, even if the handler does not read.
    /// Data before it may be unread and is not lost; ``endOfStream(_:)`` follows when it has been read. May be called
    /// more than once.
    func peerEnded(_ stream: ByteStream)

    /// The handshake of a stream with a ``StreamTransform`` is complete.
    func becameReady(_ stream: ByteStream)

    /// The connection has failed and is closed: no event follows.
    func failed(_ stream: ByteStream, _ error: TransportError)
}

extension ByteStreamHandler {
    package func lendReadBuffer(for stream: ByteStream) -> ReadBuffer {
        ReadBuffer(stream.takeBlock(), offset: 0)
    }

    package func receivedNothing(_ block: inout Block?, from stream: ByteStream) {}

    package func wrote(_ bytes: [UInt8], to stream: ByteStream) {}

    package func willWrite(to stream: ByteStream) {}

    package func outputStalled(_ stream: ByteStream) {}

    package func outputShrank(_ stream: ByteStream) {}

    package func peerEnded(_ stream: ByteStream) {}

    package func becameReady(_ stream: ByteStream) {}

    package func outputFailed(_ stream: ByteStream, _ error: TransportError) {}
}
