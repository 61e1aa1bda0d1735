// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
package import WirelineTransport

/// The way from the stream's bytes to whole packets.
extension PacketConnection {
    /// More than this is not copied when a packet's rest is waited for.
    private static let mostHeldByteCount = 16 * 1024

    private var restByteCount: Int { end - position }

    /// How many bytes have come that nobody has taken.
    var untakenByteCount: Int { current == nil ? held.count : restByteCount }

    /// Ends the connection for bytes that are no packet; once, whoever finds them again.
    func refuse(_ error: CodecError) {
        if case .failed(.codec) = ending { return }
        refusedPacketCount &+= 1
        ending = .failed(.codec(error))
    }

    /// The next packet that has arrived whole.
    ///
    /// - Throws: What has ended the connection, once nothing whole is left.
    func takePacket() throws(ConnectionError) -> ReceivedPacket? {
        if let block = current {
            // SAFETY: the bytes up to `end` lie inside the block, which is held here.
            let bytes = unsafe RawSpan(_unsafeStart: block.base, byteCount: end)
            do throws(CodecError) {
                if position < end, let bounds = try splitter.packet(in: bytes, at: position) {
                    let packet = ReceivedPacket(block: block, start: position, bounds: bounds)
                    position += bounds.packetByteCount
                    receivedPacketCount &+= 1
                    logReceived(packet)
                    return packet
                }
            } catch {
                refuse(error)
            }
            keepRest()
        }
        if case .failed(let error) = ending { throw error }
        return nil
    }

    /// Keeps the beginning of a packet, and lets go of what was in front of it.
    func keepRest() {
        guard let block = current, restByteCount <= Self.mostHeldByteCount else { return }
        if position < end {
            // SAFETY: the bytes from `position` to `end` lie inside the block, which is held here.
            held = unsafe Array(UnsafeRawBufferPointer(start: block.base + position, count: restByteCount))
        }
        current = nil
        (position, end) = (0, 0)
    }

    /// - Throws: When the stream has ended inside a packet.
    func requireWhole() throws(ConnectionError) {
        guard hasBegun else { return }
        let error = withUntakenBytes { splitter.endOfStream(in: $0) }
        refuse(error)
        throw .codec(error)
    }

    /// How much has come of the packet whose rest is waited for, and how many bytes it has, where its header is whole; nil
    /// where none has begun.
    package var tornPacket: (receivedByteCount: Int, byteCount: Int?)? {
        guard hasBegun else { return nil }
        return (untakenByteCount, withUntakenBytes { splitter.byteCountOfPacket(beginning: $0) })
    }

    private func withUntakenBytes<Result>(_ body: (RawSpan) -> Result) -> Result {
        guard let block = current else {
            let held = held
            return unsafe body(held.span.bytes)
        }
        // SAFETY: as in keepRest().
        return unsafe body(RawSpan(_unsafeStart: block.base + position, byteCount: restByteCount))
    }

    // MARK: The stream's handler

    package func makeRoom(for stream: ByteStream) -> ReadRoom {
        guard current != nil else {
            let block = stream.takeBlock()
            // SAFETY: fewer bytes are held than a block has.
            unsafe held.withUnsafeBytes { bytes in
                unsafe UnsafeMutableRawBufferPointer(start: block.base, count: bytes.count).copyMemory(from: bytes)
            }
            return ReadRoom(block, offset: held.count, limit: readLimit)
        }
        return ReadRoom(growCurrent(), offset: restByteCount, limit: readLimit)
    }

    /// A block that begins with what has come of a long packet, and has room behind it.
    ///
    /// It doubles when it is full: so it grows only as bytes arrive, and each of them is copied twice at most, on average.
    private func growCurrent() -> Block {
        let count = restByteCount
        let capacity = current?.capacity ?? 0
        if position == 0, count < capacity, let same = SharedBlock.takeBlock(&current) { return same }
        let bigger = Block(capacity: max(2 * count, capacity))
        if let block = current {
            unsafe bigger.base.copyMemory(from: block.base + position, byteCount: count)
        }
        current = nil
        (position, end) = (0, count)
        return bigger
    }

    package func received(_ block: inout Block?, byteCount: Int, from stream: ByteStream) {
        lastArrival = stream.loop.now
        if notesFirstByte { noteFirstByte() }
        guard !isFinishing else { return stream.read() }
        burden?.rest?.moved(byteCount)
        guard let block = block.take() else { return }
        let count = (held.isEmpty ? restByteCount : held.count) + byteCount
        if !held.isEmpty { held = [] }
        current = SharedBlock(block, of: stream.loop)
        (position, end) = (0, count)
        deliver()
        readIfWanted()
    }

    private func noteFirstByte() {
        notesFirstByte = false
        recorder?.note(.firstByte)
    }

    package func receivedNothing(_ block: inout Block?, from stream: ByteStream) {
        guard held.isEmpty, restByteCount > 0, let block = block.take() else { return }
        current = SharedBlock(block, of: stream.loop)
        (position, end) = (0, restByteCount)
    }

    package func endOfStream(_ stream: ByteStream) {
        hasPeerEnded = true
        if ending == nil { ending = .endOfStream }
        deliver()
        closeIfFinished()
    }

    package func failed(_ stream: ByteStream, _ error: TransportError) {
        let transform = transform
        let error = refusal ?? transform?.connectionFailure ?? .transport(error)
        if ending == nil { ending = .failed(error) }
        // Who wants nothing more does not mind an end without leave.
        let isMissed = !isFinishing || transform?.isCut != true
        if failure == nil, isMissed { failure = error }
        streamEnded()
    }

    package func becameReady(_ stream: ByteStream) {
        lastArrival = stream.loop.now
        if webSocketTransform == nil {
            recorder?.noteHandshakeEnd(of: stream.tlsTransform)
        } else {
            recorder?.note(.webSocketEnded)
        }
        transform?.onReady.take()?()
    }

    package func outputFailed(_ stream: ByteStream, _ error: TransportError) {
        if failure == nil { failure = ConnectionError.transport(error) }
        outputDrained(stream)
    }

    package func outputStalled(_ stream: ByteStream) {
        _ = hasShare()
    }

    package func outputDrained(_ stream: ByteStream) {
        if !stream.wantsToRead { waitingSince = stream.loop.now }
        resumeSenders()
        if batchHandler != nil { deliver() }
        readIfWanted()
        closeIfFinished()
    }
}
