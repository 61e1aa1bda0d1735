// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec
import WirelineTransport

/// The packets of one read, for a handler that takes them all at once, without a task.
///
/// It is good for as long as the handler runs. What the handler leaves is dropped.
@safe
public struct PacketBatch: ~Copyable {
    @usableFromInline let connection: PacketConnection
    /// Held here as well, because the handler may close the connection.
    private let block: SharedBlock
    /// Where the block begins.
    @usableFromInline let base: UnsafeRawPointer
    @usableFromInline var position: Int
    @usableFromInline let end: Int

    init(_ connection: PacketConnection, _ block: SharedBlock) {
        self.connection = connection
        self.block = block
        unsafe base = block.base
        position = connection.position
        end = connection.end
    }

    /// The next packet, lent until the next call; nil when all have been taken.
    ///
    /// - Throws: ``ConnectionError/codec(_:)`` when the bytes are no packet, and again at every later call. The
    ///   connection is closed behind the handler then, whatever it does about it.
    @inlinable @inline(__always)
    @_lifetime(&self)
    public mutating func next() throws(ConnectionError) -> Packet? {
        // SAFETY: the bytes up to `end` lie inside the block, which is held here.
        let bytes = unsafe RawSpan(_unsafeStart: base, byteCount: end)
        var bounds = connection.splitter.packetAtSight(in: bytes, at: position)
        if bounds == nil { bounds = try nextInGeneral() }
        guard let bounds else { return nil }
        connection.receivedPacketCount &+= 1
        let packet = Packet(bytes, bounds, at: position)
        position &+= bounds.packetByteCount
        return unsafe _overrideLifetime(packet, mutating: &self)
    }

    @usableFromInline @inline(never)
    mutating func nextInGeneral() throws(ConnectionError) -> PacketBounds? {
        // A copy, for the call holds the whole batch.
        let block = block
        return try connection.nextInBatch(block, from: &position, end: end)
    }
}

extension PacketConnection {
    /// Has every further packet taken by a handler, on the loop's thread.
    func receive(inBatches handler: @escaping BatchHandler) {
        // What made the handler may have closed the connection.
        guard stream.isOpen else { return }
        batchHandler = handler
        waitingSince = loop.now
        readIfWanted()
    }

    /// Hands what has arrived to the handler, as long as what it answers finds room.
    func runBatch() {
        guard let batchHandler, !isFinishing else { return }
        do {
            if let block = current {
                // Making room may have had the block taken, or the connection closed.
                guard hasRoomForSender(), current === block, !isFinishing else { return }
                if try hasWholePacket(block) {
                    var batch = PacketBatch(self, block)
                    try batchHandler(&batch)
                    while try batch.next() != nil {}
                    // The handler may have closed the connection.
                    if current != nil { position = batch.position }
                }
            }
            // What is answered leaves while it is in the cache, and its memory is free for the next connection.
            stream.flush()
            // Nothing whole is left, so this keeps what has begun.
            _ = try takePacket()
            if try hasEnded() { finish() }
        } catch {
            // Whoever takes leave already goes on with it.
            guard !isFinishing else { return }
            if failure == nil { failure = error }
            close()
        }
    }

    /// Where the parts of the next packet are that is no reply.
    func nextInBatch(_ block: SharedBlock, from position: inout Int, end: Int) throws(ConnectionError) -> PacketBounds?
    {
        // SAFETY: the bytes up to `end` lie inside the block.
        let bytes = unsafe RawSpan(_unsafeStart: block.base, byteCount: end)
        while true {
            let bounds: PacketBounds?
            do throws(CodecError) {
                bounds = try splitter.packet(in: bytes, at: position)
            } catch {
                refuse(error)
                throw .codec(error)
            }
            guard let bounds else { return nil }
            let packet = ReceivedPacket(block: block, start: position, bounds: bounds)
            logReceived(packet)
            guard isRouting, answer(with: packet) else { return bounds }
            position += bounds.packetByteCount
            receivedPacketCount &+= 1
        }
    }

    private func hasWholePacket(_ block: SharedBlock) throws(ConnectionError) -> Bool {
        // SAFETY: the bytes up to `end` lie inside the block.
        let bytes = unsafe RawSpan(_unsafeStart: block.base, byteCount: end)
        do throws(CodecError) {
            guard try splitter.packet(in: bytes, at: position) != nil else { return false }
            notePacket()
            return true
        } catch {
            refuse(error)
            throw .codec(error)
        }
    }
}
