// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
package import WirelineLayers
import WirelineTransport

/// Long packets with compression, which the loop seals over many turns. Later packets wait for them.
extension PacketConnection {
    /// A message below this size is compressed at once. For this size, zlib's level 6 takes at most 3 ms.
    private static let longByteCount = 16 << 10

    /// The least limit of shared packets that wait for long packets. It is the limit of a loop of a room: the limit of
    /// output alone would drop all packets that follow one long message.
    private static let leastDeferredLimit = 4 << 20

    /// Whether a caller may send. While the connection leaves, packets may still wait to be sealed, but nobody may
    /// send.
    @usableFromInline var takesOutput: Bool { stream.takesOutput && !ending.isLeaving }

    var hasDeferredPackets: Bool { layeredTraffic?.deferred.isEmpty == false }

    var deferredByteCount: Int { layeredTraffic?.deferred.heldByteCount ?? 0 }

    /// Whether a packet is sealed in later turns.
    ///
    /// One that sets a state is sealed at once, because the next packets that arrive depend on it.
    private func isSealedLater(_ packet: UnsealedPacket) -> Bool {
        guard isLong(packet) || hasDeferredPackets, layout.content.layers.contains(where: { $0.kind.mayInflate }) else {
            return false
        }
        return !hasStates || !packet.messageIDs.contains { layout.setsState($0, from: side) }
    }

    private func isLong(_ packet: UnsealedPacket) -> Bool { packet.payloadByteCount >= Self.longByteCount }

    // MARK: Sending

    /// Queues a packet without waiting.
    ///
    /// - Throws: As ``write(_:header:)``. If it turns out later that a long packet cannot be sent, the connection ends.
    func writeUnsealed(_ packet: UnsealedPacket) throws(ConnectionError) {
        let bytes = try sealedOrPostponed(packet) { [unowned self] error in endWithout(packet: error) }
        stream.write(bytes)
    }

    /// Ends the connection because a packet could not be sealed. The peer must not get packets after a missing one.
    func endWithout(packet error: CodecError) {
        let action = layeredTraffic?.deferred.takeAction()
        layeredTraffic?.deferred = DeferredPackets()
        if ending.isLeaving {
            ending.fail(ConnectionError.codec(error))
        } else {
            ending.failInput(.codec(error))
            fail(ConnectionError.codec(error))
        }
        action?()
    }

    /// Skips a shared packet that this connection cannot make. The connection continues, unless a keystream may have
    /// moved for that packet: then the peer could read nothing that comes after it.
    func leaveOut(_ error: CodecError) {
        if layeredTraffic?.mayHaveMoved(for: error) == true { endWithout(packet: error) }
    }

    /// Sends a packet, and waits until it is sealed and there is room for more.
    ///
    /// - Parameter make: Runs on the loop.
    nonisolated(nonsending) func sendUnsealed(
        _ make: @escaping @Sendable (PacketConnection) throws(CodecError) -> UnsealedPacket
    ) async throws(ConnectionError) {
        let lateError = Lock<CodecError?>(nil)
        try await sendInState { connection throws(ConnectionError) in
            let packet: UnsealedPacket
            do throws(CodecError) { packet = try make(connection) } catch { throw .codec(error) }
            return try connection.sealedOrPostponed(packet) { error in lateError.withLock { $0 = error } }
        }
        if let error = lateError.withLock({ $0 }) { throw .codec(error) }
    }

    /// Returns the packet's bytes; empty if it is sealed and sent later.
    private func sealedOrPostponed(
        _ packet: UnsealedPacket, onFailure: @escaping (CodecError) -> Void
    ) throws(ConnectionError) -> [UInt8] {
        guard takesOutput else { throw sendError }
        // Packets that groups have sent go before this packet, which may have to wait for them.
        sendPendingMessages()
        do throws(CodecError) {
            guard isSealedLater(packet) else { return try seal(packet) }
            try postpone(packet, onFailure: onFailure)
            return []
        } catch {
            throw .codec(error)
        }
    }

    private func postpone(
        _ packet: UnsealedPacket, isShared: Bool = false, onFailure: @escaping (CodecError) -> Void
    ) throws(CodecError) {
        // An error that can be found now is the caller's.
        try layeredTraffic?.requireSealable(packet, states)
        postpone(
            DeferredPacket(.unsealed(packet, states, AheadCompression()), isShared: isShared, onFailure: onFailure))
    }

    /// Whether more shared packets may wait to be sealed.
    var hasRoomForDeferred: Bool {
        guard let layeredTraffic, takesOutput else { return false }
        return layeredTraffic.deferred.sharedByteCount < max(pendingLimit, Self.leastDeferredLimit)
    }

    /// Sends bytes that other connections get, too, after the long packets that wait.
    ///
    /// - Returns: False if too much waits already.
    func sendSharedLater(_ bytes: [UInt8]) -> Bool {
        guard hasRoomForDeferred else { return false }
        postpone(DeferredPacket(.bytes(bytes), isShared: true))
        return true
    }

    /// Returns a shared packet's bytes for this connection; empty if it is sealed and sent later, whatever waits
    /// already.
    ///
    /// - Parameters:
    ///   - states: The states for which the packet was encoded.
    ///   - onFailure: Receives the error if a later turn cannot seal the packet.
    /// - Throws: `CodecError` if this connection cannot make the packet.
    func sharedOrPostponed(
        _ packet: SharedPacket, from states: PacketStates, onFailure: @escaping (CodecError) -> Void
    ) throws(CodecError) -> [UInt8] {
        // Packets that other groups have sent go before this packet, which may have to wait for them.
        sendPendingMessages()
        let bytes: [UInt8]
        switch packet.form {
        case .sealedByEach(let unsealed) where isSealedLater(unsealed):
            try postpone(unsealed, isShared: true, onFailure: onFailure)
            return []
        case .sealedByEach, .bytes: bytes = try made(packet, from: states)
        case .sealedOnce(let unsealed, let once):
            guard let made = try sealed(unsealed, once) else {
                postpone(DeferredPacket(.once(unsealed, once), isShared: true, onFailure: onFailure))
                return []
            }
            bytes = made
        }
        guard hasDeferredPackets else { return bytes }
        postpone(DeferredPacket(.bytes(bytes), isShared: true))
        return []
    }

    /// Seals a shared packet once: a short one now, a long one over many turns of one loop.
    ///
    /// - Returns: The sealed packet; nil if it is not sealed yet (``OnceSealed/whenDone(_:)``).
    func sealed(_ packet: UnsealedPacket, _ once: OnceSealed) throws(CodecError) -> [UInt8]? {
        if isLong(packet), let layeredTraffic {
            loop.compression.seal(packet, once, with: layeredTraffic, on: loop)
            guard once.outcome != nil else { return nil }
        }
        return try seal(packet, once)
    }

    /// Seals a shared packet once, in this turn.
    func seal(_ packet: UnsealedPacket, _ once: OnceSealed) throws(CodecError) -> [UInt8] {
        if let outcome = once.outcome { return try outcome.get() }
        let outcome = Result { () throws(CodecError) in
            if let layeredTraffic { return try layeredTraffic.seal(packet, PacketStates()) }
            return try packet.encoded(in: sentLayout, limit: maximumPacketByteCount)
        }
        once.end(outcome)
        return try outcome.get()
    }

    /// Sends encoded packets after the long ones that wait.
    ///
    /// - Returns: False if none waits.
    func writeAfterDeferred(_ bytes: [UInt8]) -> Bool {
        guard hasDeferredPackets, !bytes.isEmpty else { return false }
        postpone(DeferredPacket(.bytes(bytes)))
        return true
    }

    private func postpone(_ packet: DeferredPacket) {
        guard let layeredTraffic else { return }
        let isFirst = layeredTraffic.deferred.isEmpty
        layeredTraffic.deferred.append(packet)
        // Later senders must wait for the packet.
        senders.append([], .nobody)
        _ = requestMemory(isWanted: false)
        if isFirst { beginFirst() }
    }

    // MARK: Sealing

    /// Begins to seal the first packet that waits, or waits until it is sealed.
    private func beginFirst() {
        switch layeredTraffic?.deferred.first?.content {
        case .unsealed(_, _, let ahead):
            loop.compression.add(on: loop) { [weak self] in self?.continueSealing(ahead) ?? true }
        case .once(_, let once):
            once.whenDone { [weak self, loop] in
                // In turns of the loop's share, because many connections may wait for the packet.
                loop.executeInTurn { [weak self] in
                    guard let self, case .once(_, let first)? = self.layeredTraffic?.deferred.first?.content,
                        first === once
                    else { return }
                    self.sendReady()
                }
            }
        case .bytes, nil: break
        }
    }

    /// Compresses a part of the first packet, and sends it when it is compressed.
    ///
    /// - Returns: Whether the packet is compressed, or was dropped.
    private func continueSealing(_ ahead: AheadCompression) -> Bool {
        guard let layeredTraffic, stream.takesOutput,
            case .unsealed(let packet, let states, let first)? = layeredTraffic.deferred.first?.content, first === ahead
        else { return true }
        repeat {
            layeredTraffic.compress(packet, states, ahead)
        } while !ahead.isDone && !loop.hasSpentShare
        guard ahead.isDone else {
            _ = requestMemory(isWanted: false)
            return false
        }
        sendReady()
        return true
    }

    /// Sends the packets that wait, up to the first one that is not ready.
    private func sendReady() {
        while layeredTraffic?.deferred.first?.isReady == true { sendFirstDeferred() }
        beginFirst()
        deferredWasSent()
    }

    @usableFromInline
    func finishSealing() {
        guard hasDeferredPackets else { return }
        while hasDeferredPackets { sendFirstDeferred() }
        deferredWasSent()
    }

    /// Seals and sends the packets that wait, until the loop's share is spent, so that closing many connections delays
    /// nobody. One step seals a whole packet if its compression follows a cipher or is inside a bundle.
    func sealWithinShare() {
        while hasDeferredPackets, stream.takesOutput, !loop.hasSpentShare, let layeredTraffic {
            while let first = layeredTraffic.deferred.first, !first.isReady {
                guard !loop.hasSpentShare, case .unsealed(let packet, let states, let ahead) = first.content else {
                    return
                }
                layeredTraffic.compress(packet, states, ahead)
            }
            sendFirstDeferred()
        }
    }

    private func sendFirstDeferred() {
        // Packets that groups have sent meanwhile must wait, too. Later they would go before this packet.
        sendPendingMessages()
        guard let packet = layeredTraffic?.deferred.popFirst(), stream.takesOutput else { return }
        do throws(CodecError) {
            switch packet.content {
            case .bytes(let bytes): stream.write(bytes)
            case .once(let packet, let once): stream.write(try seal(packet, once))
            case .unsealed(let packet, let states, let ahead):
                stream.write(try layeredTraffic?.seal(packet, states, ahead) ?? [])
            }
        } catch {
            packet.onFailure(error)
        }
    }

    /// Resumes everyone who waited for the packets that were sealed.
    private func deferredWasSent() {
        guard !hasDeferredPackets else { return }
        layeredTraffic?.deferred.takeAction()?()
        loop.continueLater { [self] in
            resumeSenders()
            if batchHandler != nil { deliver() }
            readIfWanted()
        }
    }

    func endOutputAfterSealing() {
        // No sender may go before them.
        if hasDeferredPackets { senders.append([], .nobody) }
        afterSealing {
            self.stream.endOutput()
            self.closeIfFinished()
        }
    }

    func afterSealing(_ action: @escaping () -> Void) {
        guard hasDeferredPackets, stream.takesOutput else { return action() }
        layeredTraffic?.deferred.whenSent(action)
    }

    /// Compresses a long packet that the caller seals next, over many turns; nil for a short one.
    ///
    /// It is for programs that write the bytes of sealed packets themselves.
    package nonisolated(nonsending) func compressedAhead(_ packet: UnsealedPacket) async -> AheadCompression? {
        guard loop.isCurrent, isSealedLater(packet), let layeredTraffic else { return nil }
        let ahead = AheadCompression()
        let states = states
        // SAFETY: the closure resumes the continuation when it returns true, and is not called again then.
        await unsafe withUnsafeContinuation { continuation in
            loop.compression.add(on: loop) { [self] in
                repeat {
                    layeredTraffic.compress(packet, states, ahead)
                } while !ahead.isDone && !loop.hasSpentShare && stream.takesOutput
                guard ahead.isDone || !stream.takesOutput else { return false }
                unsafe continuation.resume()
                return true
            }
        }
        return ahead
    }
}
