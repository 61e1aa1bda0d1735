// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec
import WirelineTransport

extension PacketConnection {
    typealias Sent = Result<Void, ConnectionError>

    /// A packet that waits to be sent, and who waits with it.
    @usableFromInline
    struct Sender {
        let bytes: [UInt8]
        let waiter: Waiter

        @safe
        enum Waiter {
            case task(WaitTicket, UnsafeContinuation<Sent, Never>)
            case request(PendingRequest)
            /// Nobody sends anything: it was asked when there is room.
            case room(() -> Void)
        }
    }

    // MARK: With waiting

    /// Sends a message; it leaves with whatever else is sent in the same turn of the loop.
    ///
    /// While more than ``ConnectionLimits/pendingByteCount`` bytes wait to be sent, so does the sender; those who wait
    /// send in the order in which they came.
    ///
    /// - Throws: ``ConnectionError/codec(_:)`` for a value that does not fit, ``ConnectionError/transport(_:)`` when the
    ///   connection has ended, ``ConnectionError/cancelled`` when the task was cancelled while it waited. Nothing of the
    ///   packet was sent then.
    @inlinable
    public nonisolated(nonsending) func send(_ message: some PacketMessage) async throws(ConnectionError) {
        if stream.loop.isCurrent {
            do throws(CodecError) {
                if let byteCount = try message.byteCountAtOnce(), hasRoom(byteCount) {
                    return unsafe stream.write(byteCount: byteCount) { unsafe message.encodeAtOnce(into: $0) }
                }
            } catch {
                throw .codec(error)
            }
        }
        try await sendInTurn(encode(message))
    }

    /// Sends a message with header fields set.
    ///
    /// - Throws: As ``send(_:)``, also when `header` names a field that is computed or does not exist.
    public nonisolated(nonsending) func send(
        _ message: some PacketMessage, header: PacketHeader
    ) async throws(ConnectionError) {
        try await send(packet: encode(message, header: header))
    }

    /// Sends a packet that has been encoded already, such as one that goes to many connections.
    ///
    /// - Throws: As ``send(_:)``.
    @inlinable @inline(__always)
    public nonisolated(nonsending) func send(packet bytes: [UInt8]) async throws(ConnectionError) {
        if stream.loop.isCurrent, hasRoom(bytes.count) { return stream.write(bytes) }
        try await sendInTurn(bytes)
    }

    /// Sends a payload whose bytes are there already in a packet of its own: under another ID than it came with, or of a
    /// message that is in no schema. Header fields have their defaults.
    ///
    /// - Parameters:
    ///   - id: The message's ID; 0 in a layout without one.
    ///   - payload: What stands between header and trailer.
    /// - Throws: As ``send(_:)``; ``ConnectionError/codec(_:)`` when the packet is larger than what this connection receives, or
    ///   than its lengths can say, and when the ID does not fit.
    @inlinable @inline(__always)
    public nonisolated(nonsending) func send(id: UInt64, payload: RawSpan) async throws(ConnectionError) {
        if sendAtOnce(id, payload) { return }
        try await sendInTurn(encode(id: id, payload: payload))
    }

    /// Sends a packet that has arrived, on this connection or another, as it is.
    ///
    /// - Throws: As ``send(_:)``.
    @inlinable @inline(__always)
    public nonisolated(nonsending) func forward(_ packet: ReceivedPacket) async throws(ConnectionError) {
        if stream.loop.isCurrent, hasRoom(packet.byteCount) { return write(packet.bytes) }
        try await sendInTurn([UInt8](copying: packet.bytes))
    }

    /// Sends a packet of a batch as it is, on this connection or another.
    ///
    /// - Throws: As ``send(_:)``.
    @inlinable @inline(__always)
    public nonisolated(nonsending) func forward(_ packet: Packet) async throws(ConnectionError) {
        if stream.loop.isCurrent, hasRoom(packet.bytes.byteCount) { return write(packet.bytes) }
        try await sendInTurn([UInt8](copying: packet.bytes))
    }

    // MARK: Without waiting

    /// Whether so many bytes can be written without anybody waiting, room for them being made.
    @inlinable @inline(__always)
    func hasRoom(_ byteCount: Int) -> Bool {
        if byteCount <= stream.freeByteCount, stream.pendingByteCount < pendingLimit, senders.isEmpty { return true }
        return makeRoom()
    }

    @usableFromInline @inline(never)
    func makeRoom() -> Bool {
        guard senders.isEmpty, stream.takesOutput, hasRoomForSender() else { return false }
        // Sending may have found out that the connection has ended.
        return stream.takesOutput
    }

    /// Whether less waits than may, sending some of it where more does; not where so much has been sent in this turn already
    /// that the loop must see to others. ``resumeSenders()`` follows then as soon as it has.
    func hasRoomForSender() -> Bool {
        // Where little is left, what stays behind of a turn's bytes must not be much: nobody has counted it.
        let isScarce = supervision?.heldBytes?.isScarce(for: pendingLimit) == true
        stream.writeInSteps(isScarce)
        let most = isScarce ? min(pendingLimit, Self.uncountedByteCount) : pendingLimit
        if stream.pendingByteCount >= most, !stream.flushForMore() { return false }
        guard stream.pendingByteCount < pendingLimit else { return false }
        // As long as it leaves at once, it need not be counted.
        return !stream.isOutputStalled || hasShare()
    }

    /// Sends a message without waiting, however much waits already; for code that runs on the connection's ``loop`` and
    /// keeps that in check itself. It leaves at the end of the loop's turn.
    ///
    /// - Throws: As ``send(_:)``.
    @inlinable
    public func write(_ message: some PacketMessage) throws(ConnectionError) {
        stream.loop.preconditionIsCurrent()
        let byteCount: Int?
        do throws(CodecError) {
            byteCount = try message.byteCountAtOnce()
        } catch {
            throw .codec(error)
        }
        guard stream.takesOutput else { throw sendError }
        if let byteCount {
            unsafe stream.write(byteCount: byteCount) { unsafe message.encodeAtOnce(into: $0) }
        } else {
            stream.write(try encode(message))
        }
    }

    /// Sends a message with header fields set, without waiting, as ``write(_:)``.
    ///
    /// - Throws: As ``send(_:header:)``.
    public func write(_ message: some PacketMessage, header: PacketHeader) throws(ConnectionError) {
        let bytes = try encode(message, header: header)
        try unsafe write(packet: bytes.span.bytes)
    }

    /// Sends the bytes of a packet without waiting, as ``write(_:)``.
    ///
    /// - Throws: As ``send(_:)``.
    @inlinable @inline(__always)
    public func write(packet bytes: RawSpan) throws(ConnectionError) {
        stream.loop.preconditionIsCurrent()
        // Where there is room already, the stream takes what is written.
        guard bytes.byteCount <= stream.freeByteCount || stream.takesOutput else { throw sendError }
        write(bytes)
    }

    /// Sends a payload in a packet of its own without waiting, as ``write(_:)``.
    ///
    /// - Throws: As ``send(id:payload:)``.
    @inlinable @inline(__always)
    public func write(id: UInt64, payload: RawSpan) throws(ConnectionError) {
        try write(id, payload, layout.plan)
    }

    /// - Parameter plan: That of ``layout``. Whoever knows the protocol when it is compiled has a constant.
    @inlinable @inline(__always)
    func write(_ id: UInt64, _ payload: RawSpan, _ plan: PacketPlan) throws(ConnectionError) {
        stream.loop.preconditionIsCurrent()
        if let byteCount = byteCountAtOnce(id, payload, plan) {
            guard byteCount <= stream.freeByteCount || stream.takesOutput else { throw sendError }
            return write(id, payload, plan, byteCount)
        }
        let packet = try encode(id: id, payload: payload)
        try unsafe write(packet: packet.span.bytes)
    }

    /// Apart from what may wait: entering and leaving that would take as long as the rest.
    ///
    /// - Returns: Whether the payload's packet is sent; false where the sender would have to wait, or something is wrong.
    @usableFromInline
    func sendAtOnce(_ id: UInt64, _ payload: RawSpan) -> Bool {
        sendAtOnce(id, payload, layout.plan)
    }

    /// - Parameter plan: That of ``layout``. Whoever knows the protocol when it is compiled has a constant.
    @inlinable @inline(__always)
    func sendAtOnce(_ id: UInt64, _ payload: RawSpan, _ plan: PacketPlan) -> Bool {
        guard stream.loop.isCurrent, let byteCount = byteCountAtOnce(id, payload, plan), hasRoom(byteCount) else {
            return false
        }
        write(id, payload, plan, byteCount)
        return true
    }

    /// How many bytes a payload's packet has; nil where its header cannot be written at once, or something is wrong.
    @inlinable @inline(__always)
    func byteCountAtOnce(_ id: UInt64, _ payload: RawSpan, _ plan: PacketPlan) -> Int? {
        plan.byteCountAtOnce(id: id, payloadByteCount: payload.byteCount, limit: maximumPacketByteCount)
    }

    @inlinable @inline(__always)
    func write(_ id: UInt64, _ payload: RawSpan, _ plan: PacketPlan, _ byteCount: Int) {
        unsafe stream.write(byteCount: byteCount) { room in
            unsafe plan.encodeAtOnce(id: id, payload: payload, into: room)
        }
    }

    /// - Returns: Whether the packet is sent; false where the sender would have to wait.
    func sendAtOnce(_ bytes: [UInt8]) -> Bool {
        guard hasRoom(bytes.count) else { return false }
        stream.write(bytes)
        return true
    }

    @inlinable @inline(__always)
    func write(_ bytes: RawSpan) {
        unsafe stream.write(byteCount: bytes.byteCount) { room in
            unsafe bytes.withUnsafeBytes { unsafe room.copyMemory(from: $0) }
        }
    }

    @usableFromInline
    func encode(id: UInt64, payload: RawSpan) throws(ConnectionError) -> [UInt8] {
        do throws(CodecError) {
            return try layout.encode(id: id, payload: payload, limit: maximumPacketByteCount)
        } catch {
            throw .codec(error)
        }
    }

    /// Encodes a message as the connection sends it.
    @usableFromInline
    func encode(_ message: some PacketMessage, header: PacketHeader? = nil) throws(ConnectionError) -> [UInt8] {
        do throws(CodecError) {
            if let header { return try message.encoded(header: header) }
            return try message.encoded()
        } catch {
            throw .codec(error)
        }
    }

    // MARK: Waiting

    /// Sends once those who came earlier have sent and there is room.
    @usableFromInline
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
        // Who need not wait is not kept from sending by being cancelled, on whichever thread it began.
        if sendAtOnce(bytes) { return .success(()) }
        let ticket = WaitTicket()
        return await withTaskCancellationHandler {
            await unsafe withUnsafeContinuation { continuation in
                guard !ticket.isCancelled else { return unsafe continuation.resume(returning: .failure(.cancelled)) }
                enqueue(Sender(bytes: bytes, waiter: unsafe .task(ticket, continuation)))
            }
        } onCancel: {
            stream.loop.execute { self.cancelSending(ticket) }
        }
    }

    func enqueue(_ sender: Sender) {
        senders.append(sender)
        resumeSenders()
    }

    /// Calls a closure once, when less waits to be sent than may, or the connection has ended.
    func whenThereIsRoom(_ action: @escaping () -> Void) {
        enqueue(Sender(bytes: [], waiter: .room(action)))
    }

    private func cancelSending(_ ticket: WaitTicket) {
        ticket.isCancelled = true
        let sender = senders.removeFirst { sender in
            if case .task(let other, _) = sender.waiter { ticket === other } else { false }
        }
        if let sender { resume(sender, .failure(.cancelled)) }
    }

    /// Takes those who wait to send; requests among them end with the others.
    func takeSenders() -> [Sender] {
        var taken: [Sender] = []
        while let sender = senders.popFirst() { taken.append(sender) }
        return taken
    }

    /// Lets those send who wait, as far as there is room.
    func resumeSenders() {
        while !senders.isEmpty {
            if stream.isOpen, !hasRoomForSender() { return }
            // Sending may have found out that the connection has ended, and then nobody waits any more.
            guard let sender = senders.popFirst() else { return }
            guard stream.takesOutput else {
                resume(sender, .failure(sendError))
                continue
            }
            if !sender.bytes.isEmpty { stream.write(sender.bytes) }
            resume(sender, .success(()))
        }
    }

    func resume(_ sender: Sender, _ result: Sent) {
        switch (sender.waiter, result) {
        case (.room(let action), _): action()
        case (.task(_, let continuation), _): unsafe continuation.resume(returning: result)
        case (.request(let request), .success): requests?.sent(request)
        case (.request(let request), .failure(let error)): giveUp(request, error)
        }
    }

    @usableFromInline
    var sendError: ConnectionError {
        if case .failed(let error) = ending { return error }
        return failure as? ConnectionError ?? .transport(.closed)
    }
}
