// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
package import WirelineTransport

extension PacketConnection {
    /// Takes the next whole packet; nil if there is none.
    ///
    /// - Throws: The error that ended the connection, after all whole packets were taken.
    func takePacket() throws(ConnectionError) -> ReceivedPacket? {
        do throws(ConnectionError) {
            if let packet = try takeFromInput() {
                follow(packet)
                logReceived(packet)
                return packet
            }
        } catch {
            refuse(error)
        }
        // The end comes after the packets that a later turn opens.
        guard !isInputUnfinished else { return nil }
        keepRest()
        if !stream.isOpen { dropSlowPeerState() }
        if let error = ending.inputError { throw error }
        return nil
    }

    private func takeFromInput() throws(ConnectionError) -> ReceivedPacket? {
        if let layers = input.layers { try takeOpened(from: layers) } else { try input.takeFromStream() }
    }

    /// Ends the input because its bytes are not a packet. Later calls do nothing.
    package func refuse(_ error: ConnectionError) {
        switch ending.inputError {
        case .codec, .httpRequest: return
        default: break
        }
        refusedPacketCount &+= 1
        ending.failInput(error)
    }

    /// Keeps a partial packet in memory of its size. All packets before it must have been taken.
    func keepRest() { input.keepRest(on: loop) }

    /// - Throws: ``ConnectionError/codec(_:)`` if the stream has ended inside a packet.
    func requireWhole() throws(ConnectionError) {
        guard let error = input.errorAtEndOfStream() else { return }
        refuse(.codec(error))
        throw .codec(error)
    }

    /// The received bytes of a partial packet, and its byte count if its header is whole.
    /// Nil if no packet has begun, or if whole packets before it were not taken.
    package var partialPacket: (receivedByteCount: Int, byteCount: Int?)? { input.partialPacket }

    // MARK: The stream's handler

    package func lendReadBuffer(for stream: ByteStream) -> ReadBuffer {
        input.lendReadBuffer(in: stream, limit: readLimit)
    }

    package func received(_ block: inout Block?, byteCount: Int, from stream: ByteStream) {
        if notesFirstByte { noteFirstByte() }
        guard !ending.isLeaving else { return stream.read() }
        guard let block = block.take() else { return }
        input.fill(block, byteCount: byteCount, of: stream.loop)
        deliver()
        endDrain()
        readIfWanted()
    }

    private func noteFirstByte() {
        notesFirstByte = false
        recorder?.note(.firstByte)
    }

    package func receivedNothing(_ block: inout Block?, from stream: ByteStream) {
        defer { endDrain() }
        guard input.isRoomLent, let block = block.take() else { return }
        input.fill(block, byteCount: 0, of: stream.loop)
    }

    package func endOfStream(_ stream: ByteStream) {
        ending.notePeerReadToEnd()
        ending.endInput(.endOfStream)
        deliver()
        endWaiters.resumeAll()
        closeIfFinished()
    }

    package func failed(_ stream: ByteStream, _ error: TransportError) {
        let transform = transform
        let error = refusal ?? transform?.connectionFailure ?? .transport(error)
        ending.endInput(.failed(error))
        // A connection that is leaving needs no more input. So an end without the close message of TLS or of the
        // WebSocket is not an error for it.
        if !ending.isLeaving || transform?.isCut != true { ending.fail(error) }
        cancelUnawareHandler()
        streamEnded()
    }

    package func becameReady(_ stream: ByteStream) {
        if webSocketTransform == nil {
            recorder?.noteHandshakeEnd(of: stream.tlsTransform)
        } else {
            recorder?.note(.webSocketEnded)
        }
        transform?.onReady.take()?()
    }

    package func outputFailed(_ stream: ByteStream, _ error: TransportError) {
        ending.fail(ConnectionError.transport(error))
        leaveGroups()
        cancelUnawareHandler()
        outputDrained(stream)
        endWaiters.resumeAll()
        closeIfLostUnread()
    }

    package func peerEnded(_ stream: ByteStream) {
        ending.notePeerEnd()
        endWaiters.resumeAll()
    }

    package func outputStalled(_ stream: ByteStream) {
        input.shrink(on: loop)
        _ = requestMemory()
        watchReading()
    }

    package func outputShrank(_ stream: ByteStream) {
        _ = requestMemory()
    }

    package func outputDrained(_ stream: ByteStream) {
        if !stream.wantsToRead { peerWatch.restartWaiting(at: loop.now) }
        endReadingWatch()
        resumeSenders()
        if batchHandler != nil { deliver() }
        readIfWanted()
        closeIfFinished()
    }
}
