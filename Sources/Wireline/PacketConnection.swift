// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec
public import WirelineTransport

/// Packets over a stream of bytes, in both directions.
///
/// What arrives is read only while a task waits for it, so a reader that does not keep up slows the peer down. What is
/// sent waits here up to a limit, and then the sender waits. An idle connection holds no memory for bytes but those of a
/// packet that has begun.
///
/// ``next()``, ``send(_:)``, ``endOutput()`` and ``close()`` may be called from any task; on the connection's own loop
/// they take no lock and wake no thread. One task at a time may wait for packets.
///
/// Everything else is for the loop's own thread; that is also the lock behind `@unchecked Sendable`.
@safe
@usableFromInline
package final class PacketConnection: ByteStreamHandler, @unchecked Sendable {
    @usableFromInline package let stream: ByteStream
    private let limits: ConnectionLimits
    @usableFromInline var splitter: PacketSplitter

    /// What was read last, and which bytes of it have not been looked at: those from `position` to `end`.
    @usableFromInline var current: SharedBlock?
    @usableFromInline var position = 0
    @usableFromInline var end = 0
    private var restByteCount: Int { end - position }
    /// The beginning of a packet whose rest has not arrived, where it is short.
    private var held: [UInt8] = []

    private var receiver: Receiver?
    private var senders = Queue<Sender>()
    private var ending: Ending?

    private typealias Received = Result<ReceivedPacket?, ConnectionError>

    @safe
    private struct Receiver {
        let ticket: WaitTicket
        let continuation: UnsafeContinuation<Received, Never>
    }

    private enum Ending {
        case endOfStream
        case failed(ConnectionError)
    }

    private typealias Sent = Result<Void, ConnectionError>

    @safe
    private struct Sender {
        let ticket: WaitTicket
        let bytes: [UInt8]
        let continuation: UnsafeContinuation<Sent, Never>
    }

    /// More than this is not copied when a packet's rest is waited for.
    private static let mostHeldByteCount = 16 * 1024

    /// - Parameters:
    ///   - stream: What carries the packets; ``start()`` brings it to life.
    ///   - layout: How packets are laid out.
    ///   - limits: What the connection may cost.
    package init(_ stream: ByteStream, layout: PacketLayout, limits: ConnectionLimits = ConnectionLimits()) {
        self.stream = stream
        self.limits = limits
        splitter = PacketSplitter(layout: layout, maximumPacketByteCount: limits.packetByteCount)
    }

    /// Begins to deal with the stream.
    package func start() throws(TransportError) {
        try stream.start(self)
    }

    // MARK: Receiving

    /// The next packet; nil when the peer has ended where a packet had ended.
    ///
    /// - Throws: ``ConnectionError``, once every packet before it has been handed over, and again at every later call.
    @inlinable @inline(__always)
    package nonisolated(nonsending) func next() async throws(ConnectionError) -> ReceivedPacket? {
        if let packet = packetAtHand() { return packet }
        return try await nextToArrive()
    }

    /// The next packet where it has been read already and is known to be one at sight.
    ///
    /// Inlined where packets are asked for: the call alone would take longer than all this.
    @inlinable @inline(__always)
    func packetAtHand() -> ReceivedPacket? {
        guard stream.loop.isCurrent, let block = current else { return nil }
        // SAFETY: the bytes up to `end` lie inside the block, which is held here.
        let bytes = unsafe RawSpan(_unsafeStart: block.base, byteCount: end)
        guard let bounds = splitter.packetAtSight(in: bytes, at: position) else { return nil }
        let packet = ReceivedPacket(block: block, start: position, bounds: bounds)
        position &+= bounds.packetByteCount
        return packet
    }

    @usableFromInline
    nonisolated(nonsending) func nextToArrive() async throws(ConnectionError) -> ReceivedPacket? {
        guard stream.loop.isCurrent else {
            return try await withTaskExecutorPreference(stream.loop) { await self.receiveOnLoop() }.get()
        }
        if receiver == nil, let packet = try takePacket() { return packet }
        return try await waitForPacket().get()
    }

    /// Takes the task to the loop, whatever it came from, for the time of one packet.
    @concurrent
    private func receiveOnLoop() async -> Received {
        await waitForPacket()
    }

    private nonisolated(nonsending) func waitForPacket() async -> Received {
        stream.loop.preconditionIsCurrent()
        let ticket = WaitTicket()
        return await withTaskCancellationHandler {
            await unsafe withUnsafeContinuation { continuation in
                receive(unsafe Receiver(ticket: ticket, continuation: continuation))
            }
        } onCancel: {
            stream.loop.execute { self.cancelReceiving(ticket) }
        }
    }

    private func receive(_ receiver: Receiver) {
        precondition(self.receiver == nil, "one task at a time waits for a connection's packets")
        self.receiver = receiver
        guard !receiver.ticket.isCancelled else { return resumeReceiver(.failure(.cancelled)) }
        deliver()
        guard self.receiver != nil else { return }
        stream.flush()
        stream.read()
    }

    private func cancelReceiving(_ ticket: WaitTicket) {
        ticket.isCancelled = true
        guard receiver?.ticket === ticket else { return }
        stream.stopReading()
        resumeReceiver(.failure(.cancelled))
    }

    /// Hands a packet, or the end, to who waits, if one is there.
    private func deliver() {
        guard receiver != nil else { return }
        do throws(ConnectionError) {
            if let packet = try takePacket() {
                resumeReceiver(.success(packet))
            } else if case .endOfStream = ending {
                try requireWhole()
                resumeReceiver(.success(nil))
            }
        } catch {
            resumeReceiver(.failure(error))
        }
    }

    private func resumeReceiver(_ result: Received) {
        guard let receiver else { return }
        self.receiver = nil
        unsafe receiver.continuation.resume(returning: result)
    }

    private func takePacket() throws(ConnectionError) -> ReceivedPacket? {
        if let block = current {
            // SAFETY: as in packetAtHand().
            let bytes = unsafe RawSpan(_unsafeStart: block.base, byteCount: end)
            do throws(CodecError) {
                if let bounds = try splitter.packet(in: bytes, at: position) {
                    let packet = ReceivedPacket(block: block, start: position, bounds: bounds)
                    position += bounds.packetByteCount
                    return packet
                }
            } catch {
                ending = .failed(.codec(error))
            }
            keepRest()
        }
        if case .failed(let error) = ending { throw error }
        return nil
    }

    /// Keeps the beginning of a packet, and lets go of what was in front of it.
    private func keepRest() {
        guard let block = current, restByteCount <= Self.mostHeldByteCount else { return }
        // SAFETY: the bytes from `position` to `end` lie inside the block, which is held here.
        held = unsafe Array(UnsafeRawBufferPointer(start: block.base + position, count: restByteCount))
        current = nil
        (position, end) = (0, 0)
    }

    /// - Throws: When the stream has ended inside a packet.
    private func requireWhole() throws(ConnectionError) {
        var error: CodecError?
        if !held.isEmpty {
            error = unsafe splitter.endOfStream(in: held.span.bytes)
        } else if let block = current {
            // SAFETY: as in keepRest().
            let bytes = unsafe RawSpan(_unsafeStart: block.base + position, byteCount: restByteCount)
            error = splitter.endOfStream(in: bytes)
        }
        guard let error else { return }
        ending = .failed(.codec(error))
        throw .codec(error)
    }

    package func makeRoom(for stream: ByteStream) -> ReadRoom {
        guard current != nil else {
            let block = stream.takeBlock()
            // SAFETY: fewer bytes are held than a block has.
            unsafe held.withUnsafeBytes { bytes in
                unsafe UnsafeMutableRawBufferPointer(start: block.base, count: bytes.count).copyMemory(from: bytes)
            }
            return ReadRoom(block, offset: held.count)
        }
        return ReadRoom(growCurrent(), offset: restByteCount)
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
        guard let block = block.take() else { return }
        let count = (held.isEmpty ? restByteCount : held.count) + byteCount
        if !held.isEmpty { held = [] }
        current = SharedBlock(block, of: stream.loop)
        (position, end) = (0, count)
        deliver()
        if receiver != nil { stream.read() }
    }

    package func receivedNothing(_ block: inout Block?, from stream: ByteStream) {
        guard held.isEmpty, restByteCount > 0, let block = block.take() else { return }
        current = SharedBlock(block, of: stream.loop)
        (position, end) = (0, restByteCount)
    }

    package func endOfStream(_ stream: ByteStream) {
        if ending == nil { ending = .endOfStream }
        deliver()
    }

    package func failed(_ stream: ByteStream, _ error: TransportError) {
        if ending == nil { ending = .failed(.transport(error)) }
        deliver()
        resumeSenders()
    }

    package func outputDrained(_ stream: ByteStream) {
        resumeSenders()
    }

    // MARK: Sending

    /// Whether what is sent now waits for nobody and for nothing.
    var maySend: Bool {
        guard senders.isEmpty, stream.isOpen else { return false }
        if stream.pendingByteCount >= limits.pendingByteCount { stream.flush() }
        return stream.pendingByteCount < limits.pendingByteCount
    }

    /// Sends once those who came earlier have sent and there is room.
    nonisolated(nonsending) func sendInTurn(_ bytes: [UInt8]) async throws(ConnectionError) {
        guard stream.loop.isCurrent else {
            return try await withTaskExecutorPreference(stream.loop) { await self.sendOnLoop(bytes) }.get()
        }
        try await waitToSend(bytes).get()
    }

    @concurrent
    private func sendOnLoop(_ bytes: [UInt8]) async -> Sent {
        await waitToSend(bytes)
    }

    private nonisolated(nonsending) func waitToSend(_ bytes: [UInt8]) async -> Sent {
        stream.loop.preconditionIsCurrent()
        let ticket = WaitTicket()
        return await withTaskCancellationHandler {
            await unsafe withUnsafeContinuation { continuation in
                enqueue(unsafe Sender(ticket: ticket, bytes: bytes, continuation: continuation))
            }
        } onCancel: {
            stream.loop.execute { self.cancelSending(ticket) }
        }
    }

    private func enqueue(_ sender: Sender) {
        guard !sender.ticket.isCancelled else {
            return unsafe sender.continuation.resume(returning: .failure(.cancelled))
        }
        senders.append(sender)
        resumeSenders()
    }

    private func cancelSending(_ ticket: WaitTicket) {
        ticket.isCancelled = true
        guard let sender = senders.removeFirst(where: { $0.ticket === ticket }) else { return }
        unsafe sender.continuation.resume(returning: .failure(.cancelled))
    }

    /// Lets those send who wait, as far as there is room.
    private func resumeSenders() {
        while !senders.isEmpty {
            if stream.isOpen, stream.pendingByteCount >= limits.pendingByteCount {
                // What is found out by sending may end the connection, and then this is done already.
                stream.flush()
                guard !stream.isOpen || stream.pendingByteCount < limits.pendingByteCount else { return }
            }
            guard let sender = senders.popFirst() else { return }
            if stream.isOpen {
                stream.write(sender.bytes)
                unsafe sender.continuation.resume(returning: .success(()))
            } else {
                unsafe sender.continuation.resume(returning: .failure(sendError))
            }
        }
    }

    private var sendError: ConnectionError {
        if case .failed(let error) = ending { error } else { .transport(.closed) }
    }

    // MARK: Closing

    /// Sends an end of stream once everything sent before has left; packets may still arrive.
    package func endOutput() {
        stream.loop.execute { self.stream.endOutput() }
    }

    /// Closes the connection. Who waits for a packet, or to send one, gets ``TransportError/closed``.
    package func close() {
        stream.loop.execute {
            self.stream.close()
            if self.ending == nil { self.ending = .failed(.transport(.closed)) }
            self.current = nil
            self.held = []
            self.deliver()
            self.resumeSenders()
        }
    }
}

/// Names one who waits. Its only property is touched on the connection's loop, which is the lock behind
/// `@unchecked Sendable`.
private final class WaitTicket: @unchecked Sendable {
    var isCancelled = false
}
