// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec
import WirelineTransport

/// The packets that have arrived and were not taken, usually those of one read.
///
/// A batch handler (`PacketServer.startBatched`) gets one each time bytes have arrived. It is valid until the handler
/// returns; packets that the handler did not take are dropped. A task gets one from ``PacketConnection/nextBatch()``;
/// packets that the task did not take are in its next batch.
///
/// If packets depend on states, a batch ends after a packet that sets one (`@sets`), so that the program can prepare
/// for the packets that follow. These are in the next batch.
///
/// Packets are not copied, and nothing is kept of a packet after its turn. For many short packets this costs half as
/// much as ``PacketConnection/next()``.
@safe
public struct PacketBatch: ~Copyable {
    @usableFromInline let connection: PacketConnection
    /// The block that holds the last packet. The batch keeps it, because the connection may close or read on while the
    /// caller uses the packet.
    @usableFromInline private(set) var block: SharedBlock
    /// The address of the block's first byte.
    @usableFromInline private(set) var base: UnsafeRawPointer
    /// Whether the batch ends here: the last packet set a state, or its layers or those of its answer took much work.
    private var endsHere = false

    init(_ connection: PacketConnection, _ block: SharedBlock) {
        self.connection = connection
        self.block = block
        // SAFETY: the address is that of a block that this value holds.
        unsafe base = block.base
    }

    /// Returns the next packet, lent until the next call; nil after the last one.
    ///
    /// - Throws: ``ConnectionError/codec(_:)`` if the bytes are not a packet, or the error that ended the connection;
    ///   later calls throw it again. ``ConnectionError/notOnLoop`` if the caller is not on the connection's loop. If a
    ///   batch handler meets an error here, the connection is closed after the handler returns, even if it catches the
    ///   error.
    @inlinable @inline(__always)
    @_lifetime(&self)
    public mutating func next() throws(ConnectionError) -> Packet? {
        guard let (bounds, start) = try nextPlace() else { return nil }
        // SAFETY: the packet lies inside the block, which is held here.
        let bytes = unsafe RawSpan(_unsafeStart: base + start, byteCount: bounds.packetByteCount)
        return unsafe _overrideLifetime(Packet(bytes, bounds), mutating: &self)
    }

    /// Takes the next packet, which lies in ``block`` until the next call; nil after the last one.
    @inlinable @inline(__always)
    mutating func nextPlace() throws(ConnectionError) -> (bounds: PacketBounds, start: Int)? {
        guard connection.stream.loop.isCurrent else { throw .notOnLoop }
        if let place = nextPlaceOnFastPath() { return place }
        return try nextPlaceOnSlowPath()
    }

    /// Takes the next packet as ``nextPlace()`` does, if it was read and the splitter's fast path finds it.
    ///
    /// Call it on the connection's loop.
    @inlinable @inline(__always)
    mutating func nextPlaceOnFastPath() -> (bounds: PacketBounds, start: Int)? {
        // SAFETY: the address is that of the block, which this value holds.
        unsafe connection.input.takeOnFastPath(in: block, base)
    }

    /// Lends the packet that ``nextPlace()`` has just taken.
    @inlinable @inline(__always)
    @_lifetime(borrow self)
    func packet(at place: (bounds: PacketBounds, start: Int)) -> Packet {
        // SAFETY: the packet lies inside the block, which is held here.
        let bytes = unsafe RawSpan(_unsafeStart: base + place.start, byteCount: place.bounds.packetByteCount)
        return unsafe _overrideLifetime(Packet(bytes, place.bounds), borrowing: self)
    }

    @usableFromInline @inline(never)
    mutating func nextPlaceOnSlowPath() throws(ConnectionError) -> (bounds: PacketBounds, start: Int)? {
        guard !endsHere, let packet = try connection.takeUnclaimedPacket() else { return nil }
        endsHere = connection.setsState(packet) || connection.mustOpenLater || connection.hasDeferredPackets
        if packet.block !== block {
            block = packet.block
            // SAFETY: the address is that of a block that this value holds.
            unsafe base = packet.block.base
        }
        return (packet.bounds, packet.start)
    }
}

extension PacketConnection {
    /// Passes all further packets to a handler, on the loop's thread.
    func receive(inBatches handler: @escaping BatchHandler) {
        // The closure that made the handler may have closed the connection.
        guard stream.isOpen else { return }
        batchHandler = handler
        beginWaiting()
        readIfWanted()
    }

    /// Passes all further packets to the handlers of messages, on the loop's thread.
    func receive(_ calls: MessageCalls) {
        let closed = onClosed
        onClosed = { error in
            calls.close(error)
            closed?(error)
        }
        do {
            try calls.open()
        } catch {
            return fail(error)
        }
        keepsBatchRest = true
        receive(inBatches: calls.take)
    }

    /// Pauses the handlers of messages: packets and the end of the stream wait, and the connection reads no further.
    /// Call it on the loop.
    package func pauseInput() {
        guard !isInputPaused else { return }
        isInputPaused = true
        // Without handlers the connection does not read yet.
        if batchHandler != nil { stopUnlessWanted() }
        // Not at once: the caller may be a handler that takes packets.
        if stream.hasFailedOutput { loop.continueLater { self.closeIfLostUnread() } }
    }

    /// Resumes the handlers of messages. Call it on the loop, but not from the handlers themselves.
    package func resumeInput() {
        guard isInputPaused else { return }
        isInputPaused = false
        guard batchHandler != nil, stream.isOpen, !ending.isLeaving else { return }
        beginWaiting()
        runBatch()
        readIfWanted()
    }

    /// Whether a later turn must open further packets: layers, or the packets in one packet, have taken the
    /// connection's share of this turn.
    var mustOpenLater: Bool { input.hasLayers && loop.hasSpentShare }

    func openLater() {
        guard let layers = input.layers, !layers.waitsForTurn else { return }
        layers.waitsForTurn = true
        input.shrink(on: loop)
        // Packets that were opened so far count.
        _ = requestMemory(isWanted: false)
        loop.continueLater {
            layers.waitsForTurn = false
            self.deliver()
            // Gives back the memory of what was taken.
            self.readIfWanted()
        }
    }

    /// Whether a handler may answer further messages: little output waits, and the connection does not leave.
    var takesAnswers: Bool { hasRoomForAnswers && !ending.isLeaving }

    /// Whether little output waits, and none that must be sealed first.
    var hasRoomForAnswers: Bool { stream.pendingByteCount < pendingLimit && !hasDeferredPackets }

    func runBatch() {
        guard let batchHandler, !ending.isLeaving, !isInputPaused else { return }
        do {
            while input.currentBlock != nil {
                guard !isInputPaused, !hasDeferredPackets else { return stream.flush() }
                // `prepareToSend()` may have moved the packets, let other code take them, or closed the connection.
                guard prepareToSend(), let block = input.currentBlock, !ending.isLeaving else { return }
                if mustOpenLater {
                    stream.flush()
                    return openLater()
                }
                guard try hasWholePacket() else {
                    guard !awaitsContentMemory else { return stream.flush() }
                    break
                }
                var batch = PacketBatch(self, block)
                try batchHandler(&batch)
                if !keepsBatchRest {
                    // The handler may have closed the connection.
                    while input.currentBlock != nil, try batch.next() != nil {}
                }
                loop.forgetTime()
                guard keepsBatchRest || hasStates || input.hasLayers else { break }
            }
            // Sends the answers now: they are still in the cache, and their memory is free for the next connection.
            stream.flush()
            guard !hasDeferredPackets else { return }
            // No whole packet is left, so this only keeps a partial packet.
            _ = try takePacket()
            if try hasEnded() { finish() }
        } catch {
            fail(error)
        }
    }

    /// Ends the connection with an error of its handler. Output that was sent before still arrives. Call it on the
    /// loop.
    package func fail(_ error: any Error) {
        // A connection that is already leaving continues to do so.
        guard !ending.isLeaving else { return }
        ending.fail(error)
        handlerFailed()
    }

    private func hasWholePacket() throws(ConnectionError) -> Bool {
        do throws(ConnectionError) {
            guard try hasPacketToTake() else { return false }
            notePacket()
            return true
        } catch {
            refuse(error)
            throw error
        }
    }
}
