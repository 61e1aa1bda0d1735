// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
package import WirelineLayers
import WirelineTransport

/// Long packets with compression, which are sealed over many turns of the loop. What is sent after one of them waits for it;
/// everything runs on the loop.
extension PacketConnection {
    /// The least bytes of a message that are not compressed at once. zlib's level 6 takes 3 ms for so many at worst.
    private static let longByteCount = 16 << 10

    /// Whether packets wait to be sealed.
    var sealsLater: Bool { layeredTraffic?.late.isEmpty == false }

    /// The memory of the packets that wait to be sealed, in bytes.
    var lateByteCount: Int { layeredTraffic?.late.heldByteCount ?? 0 }

    /// Whether a packet is sealed in later turns.
    ///
    /// One that sets a state is sealed at once, because what arrives next depends on the state.
    private func isSealedLater(_ packet: UnsealedPacket) -> Bool {
        guard packet.payloadByteCount >= Self.longByteCount || sealsLater,
            layout.content.layers.contains(where: { $0.kind.mayInflate })
        else { return false }
        return !hasStates || !packet.messageIDs.contains { layout.setsState($0, from: side) }
    }

    // MARK: Sending

    /// Queues a packet without waiting.
    ///
    /// - Throws: As ``write(_:)``. If it turns out later that a long packet cannot be sent, the connection ends.
    func writeUnsealed(_ packet: UnsealedPacket) throws(ConnectionError) {
        guard stream.takesOutput else { throw sendError }
        let bytes = try sealedOrPostponed(packet) { [unowned self] error in
            guard !ending.isLeaving else { return }
            // The peer gets nothing after a packet that is missing.
            layeredTraffic?.late = LatePackets()
            ending.failInput(.codec(error))
            fail(ConnectionError.codec(error))
        }
        stream.write(bytes)
    }

    /// Sends a packet, and waits until it is sealed and there is room for more.
    ///
    /// - Parameter make: Makes it, on the loop.
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

    /// Returns a packet as this connection sends it next; empty if it is sealed and sent later.
    private func sealedOrPostponed(
        _ packet: UnsealedPacket, onFailure: @escaping (CodecError) -> Void
    ) throws(ConnectionError) -> [UInt8] {
        do throws(CodecError) {
            guard isSealedLater(packet), let layeredTraffic, stream.takesOutput else { return try seal(packet) }
            // What can be known at once is an error of the caller.
            try layeredTraffic.requireSealable(packet, states)
            // What groups have sent before this packet is sealed before it, too.
            settle()
            postpone(LatePacket(.unsealed(packet, states, AheadCompression()), onFailure: onFailure))
            return []
        } catch {
            throw .codec(error)
        }
    }

    /// Sends a packet for many connections after the long ones that wait.
    ///
    /// - Returns: False if too much waits already.
    func sendSharedLater(_ content: LatePacket.Content) -> Bool {
        guard let layeredTraffic, layeredTraffic.late.sharedByteCount < pendingLimit else { return false }
        postpone(LatePacket(content))
        return true
    }

    /// Sends encoded packets after the long ones that wait.
    ///
    /// - Returns: False if none waits.
    func writeAfterLate(_ bytes: [UInt8]) -> Bool {
        guard sealsLater, !bytes.isEmpty else { return false }
        postpone(LatePacket(.bytes(bytes)))
        return true
    }

    private func postpone(_ packet: LatePacket) {
        guard let layeredTraffic else { return }
        layeredTraffic.late.append(packet)
        if let ahead = packet.ahead {
            loop.compression.add(on: loop) { [weak self] in self?.goOnSealing(ahead) ?? true }
        }
        // What is sent next must wait for it.
        senders.append([], .nobody)
        _ = requestMemory(isWanted: false)
    }

    // MARK: Sealing

    /// Compresses a part of a packet; the next one to be sent is sent if it is done.
    ///
    /// - Returns: Whether it is done, or was dropped.
    private func goOnSealing(_ ahead: AheadCompression) -> Bool {
        guard let layeredTraffic, stream.takesOutput,
            case .unsealed(let packet, let states, let first)? = layeredTraffic.late.first?.content, first === ahead
        else { return true }
        repeat {
            layeredTraffic.compress(packet, states, ahead)
        } while !ahead.isDone && !loop.hasSpentShare
        guard ahead.isDone else {
            _ = requestMemory(isWanted: false)
            return false
        }
        repeat { sendLate() } while sealsLater && layeredTraffic.late.first?.ahead == nil
        lateWasSent()
        return true
    }

    /// Seals and sends all packets that wait to be sealed, in this turn.
    @usableFromInline
    func finishSealing() {
        guard sealsLater else { return }
        while sealsLater { sendLate() }
        lateWasSent()
    }

    /// Seals and sends packets that wait to be sealed, until the loop's share is spent, so that closing many connections delays
    /// nobody. A packet that is compressed after a cipher or inside a bundle is sealed in one go.
    func sealWithinShare() {
        while sealsLater, stream.takesOutput, !loop.hasSpentShare, let layeredTraffic {
            if case .unsealed(let packet, let states, let ahead)? = layeredTraffic.late.first?.content {
                while !ahead.isDone {
                    guard !loop.hasSpentShare else { return }
                    layeredTraffic.compress(packet, states, ahead)
                }
            }
            sendLate()
        }
    }

    private func sendLate() {
        // What groups have sent meanwhile waits, too; later it would go before this packet.
        settle()
        guard let packet = layeredTraffic?.late.popFirst(), stream.takesOutput else { return }
        do throws(CodecError) {
            switch packet.content {
            case .bytes(let bytes): stream.write(bytes)
            case .shared(let packet, let states): stream.write(try made(packet, from: states))
            case .unsealed(let packet, let states, let ahead):
                guard let layeredTraffic else { return }
                stream.write(try layeredTraffic.seal(packet, states, ahead))
            }
        } catch {
            packet.onFailure(error)
        }
    }

    /// Goes on with what waited for packets that were sealed.
    private func lateWasSent() {
        guard !sealsLater else { return }
        layeredTraffic?.late.takeAction()?()
        loop.goOnLater { [self] in
            resumeSenders()
            if batchHandler != nil { deliver() }
            readIfWanted()
        }
    }

    /// Calls a closure when no packet waits to be sealed.
    func afterSealing(_ action: @escaping () -> Void) {
        guard sealsLater, stream.takesOutput else { return action() }
        layeredTraffic?.late.whenSent(action)
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
