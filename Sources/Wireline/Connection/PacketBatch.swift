// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec
import WirelineTransport

/// The packets that have arrived and that nobody has taken: those of one read, mostly.
///
/// A handler gets one each time something has arrived (`PacketServer.startBatched`); it is good for as long as the handler
/// runs, and what the handler leaves is dropped. A task asks for one with ``PacketConnection/nextBatch()``; what the task
/// leaves is in the next one. Nothing is copied, and nothing is kept of a packet that has been looked at: it costs half of
/// what ``PacketConnection/next()`` costs, where packets are short and many.
@safe
public struct PacketBatch: ~Copyable {
    @usableFromInline let connection: PacketConnection
    /// What the last packet is in. Held here as well, because the connection may be closed or read on while the packet
    /// is looked at.
    @usableFromInline private(set) var block: SharedBlock
    /// Where the block begins.
    @usableFromInline private(set) var base: UnsafeRawPointer

    init(_ connection: PacketConnection, _ block: SharedBlock) {
        self.connection = connection
        self.block = block
        unsafe base = block.base
    }

    /// The next packet, lent until the next call; nil when all have been taken.
    ///
    /// - Throws: ``ConnectionError/codec(_:)`` when the bytes are no packet, and again at every later call, and what else
    ///   has ended the connection. Where a handler runs, the connection is closed behind it then, whatever it does about it.
    @inlinable @inline(__always)
    @_lifetime(&self)
    public mutating func next() throws(ConnectionError) -> Packet? {
        connection.stream.loop.preconditionIsCurrent()
        if connection.current === block {
            // SAFETY: the bytes up to `end` lie inside the block, which is held here.
            let bytes = unsafe RawSpan(_unsafeStart: base, byteCount: connection.end)
            if let bounds = connection.splitter.packetAtSight(in: bytes, at: connection.position) {
                let packet = Packet(bytes, bounds, at: connection.position)
                connection.position &+= bounds.packetByteCount
                connection.receivedPacketCount &+= 1
                return unsafe _overrideLifetime(packet, mutating: &self)
            }
        }
        guard let (bounds, start) = try nextInGeneral() else { return nil }
        // SAFETY: the packet lies inside the block, which is held here.
        let bytes = unsafe RawSpan(_unsafeStart: base, byteCount: start + bounds.packetByteCount)
        return unsafe _overrideLifetime(Packet(bytes, bounds, at: start), mutating: &self)
    }

    @usableFromInline @inline(never)
    mutating func nextInGeneral() throws(ConnectionError) -> (PacketBounds, start: Int)? {
        guard let packet = try connection.takeUnclaimedPacket() else { return nil }
        if packet.block !== block {
            block = packet.block
            unsafe base = packet.block.base
        }
        return (packet.bounds, packet.start)
    }
}

extension PacketConnection {
    /// Has every further packet taken by a handler, on the loop's thread.
    func receive(inBatches handler: @escaping BatchHandler) {
        // What made the handler may have closed the connection.
        guard stream.isOpen else { return }
        batchHandler = handler
        beginWaiting()
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
                    // The handler may have closed the connection.
                    while current != nil, try batch.next() != nil {}
                    loop.forgetTime()
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
            handlerFailed()
        }
    }

    private func hasWholePacket(_ block: SharedBlock) throws(ConnectionError) -> Bool {
        // SAFETY: the bytes up to `end` lie inside the block.
        let bytes = unsafe RawSpan(_unsafeStart: block.base, byteCount: end)
        do throws(CodecError) {
            if splitter.packetAtSight(in: bytes, at: position) == nil {
                guard try splitter.packet(in: bytes, at: position) != nil else { return false }
            }
            notePacket()
            return true
        } catch {
            refuse(error)
            throw .codec(error)
        }
    }
}
