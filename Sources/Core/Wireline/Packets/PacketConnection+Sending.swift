// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec
import WirelineTransport

extension PacketConnection: SendingConnection {
    // MARK: With waiting

    /// Sends a message. All messages of one turn of the loop are written to the socket together.
    ///
    /// While more than ``ConnectionLimits/pendingByteCount`` bytes wait to be sent, the caller waits. Callers that wait
    /// send in the order of their calls.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - header: Header fields to set: `["Version": 2]`; nil (default): all have their defaults.
    /// - Throws: ``ConnectionError/codec(_:)`` if a value does not fit, or if `header` names a field that is computed or
    ///   does not exist; ``ConnectionError/transport(_:)`` if the
    ///   connection has ended, ``ConnectionError/cancelled`` if the task was cancelled while it waited. No byte of the
    ///   packet was sent then. But if packets have layers or depend on states, it is still sent, because later packets
    ///   build on its keystream and on the states that it sets.
    @inlinable @inline(__always)
    public nonisolated(nonsending) func send(
        _ message: some PacketMessage, header: PacketHeader? = nil
    ) async throws(ConnectionError) {
        if header == nil, try sendAtOnce(message) { return }
        try await sendOnSlowPath(message, header)
    }

    /// Sends a message that cannot be sent at once.
    ///
    /// It is a function of its own, because each place where a handler can wait takes memory of its idle task.
    /// It is specialised for the same reason as ``encodeOnSlowPath(_:)``.
    @inlinable @inline(never)
    nonisolated(nonsending) func sendOnSlowPath(
        _ message: some PacketMessage, _ header: PacketHeader?
    ) async throws(ConnectionError) {
        if layout.isEncodedOnLoop { return try await sendInState(message, header: header) }
        if let header { return try await send(packet: encode(message, header: header)) }
        try await sendAfterOthers(encodeOnSlowPath(message))
    }

    /// Sends a message if the caller need not wait.
    ///
    /// It is not async: entering and leaving an async function would take as long as the rest.
    ///
    /// - Returns: Whether it was sent.
    @inlinable
    func sendAtOnce(_ message: some PacketMessage) throws(ConnectionError) -> Bool {
        guard stream.loop.isCurrent, let byteCount = try byteCountAtOnce(of: message), prepareToSend(byteCount) else {
            return false
        }
        append(message, byteCount: byteCount)
        return true
    }

    /// Sends an encoded packet, such as one for many connections; with the marks of a frame.
    ///
    /// If packets depend on states, it must be encoded for the states of this connection.
    ///
    /// - Throws: As ``send(_:header:)``.
    @inlinable @inline(__always)
    public nonisolated(nonsending) func send(packet bytes: [UInt8]) async throws(ConnectionError) {
        if !layout.hasStates, stream.loop.isCurrent, prepareToSend(bytes.count) { return stream.write(bytes) }
        try await sendOnSlowPath(packet: bytes)
    }

    @usableFromInline @inline(never)
    nonisolated(nonsending) func sendOnSlowPath(packet bytes: [UInt8]) async throws(ConnectionError) {
        if layout.isEncodedOnLoop { return try await sendInState(packet: bytes) }
        try await sendAfterOthers(bytes)
    }

    /// Sends an encoded payload in a packet; header fields have their defaults.
    ///
    /// Use it to send a payload under another ID, or a message that is in no schema.
    ///
    /// - Parameters:
    ///   - id: The message's ID; 0 in a layout without one.
    ///   - payload: The bytes between header and trailer.
    /// - Throws: As ``send(_:header:)``; ``ConnectionError/codec(_:)`` if the ID or a length does not fit into the header, or
    ///   if the packet is larger than the largest one that this connection receives.
    @inlinable @inline(__always)
    public nonisolated(nonsending) func send(id: UInt64, payload: RawSpan) async throws(ConnectionError) {
        if !layout.isEncodedOnLoop, sendPayloadAtOnce(id, payload) { return }
        try await sendOnSlowPath(id: id, payload: [UInt8](copying: payload))
    }

    @usableFromInline @inline(never)
    nonisolated(nonsending) func sendOnSlowPath(id: UInt64, payload: [UInt8]) async throws(ConnectionError) {
        if layout.isEncodedOnLoop { return try await sendInState(id: id, payload: payload) }
        try await sendAfterOthers(encode(id: id, payload: payload.rawSpan))
    }

    /// Sends a received packet unchanged; it may come from another connection.
    ///
    /// If packets depend on their sender, it must come from a peer of the same kind as this end: a client or a server.
    ///
    /// - Throws: As ``send(_:header:)``.
    @inlinable @inline(__always)
    public nonisolated(nonsending) func forward(_ packet: ReceivedPacket) async throws(ConnectionError) {
        if layout.isSentUnchanged, stream.loop.isCurrent, prepareToSend(packet.byteCount) {
            return append(packet.bytes)
        }
        try await sendOnSlowPath(forwarding: packet)
    }

    /// Sends a packet of a batch unchanged; it may come from another connection.
    ///
    /// If packets depend on their sender, it must come from a peer of the same kind as this end: a client or a server.
    ///
    /// - Throws: As ``send(_:header:)``.
    @inlinable @inline(__always)
    public nonisolated(nonsending) func forward(_ packet: Packet) async throws(ConnectionError) {
        if layout.isSentUnchanged, stream.loop.isCurrent, prepareToSend(packet.bytes.byteCount) {
            return append(packet.bytes)
        }
        try await sendOnSlowPath(forwarding: packet)
    }

    @usableFromInline @inline(never)
    nonisolated(nonsending) func sendOnSlowPath(forwarding packet: ReceivedPacket) async throws(ConnectionError) {
        if layout.hasContent { return try await sendInState(forwarding: packet) }
        try await sendOnSlowPath(packet: layout.framed(packet.bytes))
    }

    @usableFromInline @inline(never)
    nonisolated(nonsending) func sendOnSlowPath(forwarding packet: Packet) async throws(ConnectionError) {
        if layout.hasContent { return try await sendInState(forwarding: kept(packet)) }
        try await sendOnSlowPath(packet: layout.framed(packet.bytes))
    }

    // MARK: Without waiting

    /// Makes room for `byteCount` bytes of output.
    ///
    /// - Returns: Whether they can be written now. They cannot if other callers wait.
    @inlinable @inline(__always)
    func prepareToSend(_ byteCount: Int) -> Bool {
        if byteCount <= stream.freeByteCount, stream.pendingByteCount < pendingLimit, senders.isEmpty { return true }
        return prepareToSendSlowly()
    }

    @usableFromInline @inline(never)
    func prepareToSendSlowly() -> Bool {
        guard senders.isEmpty, stream.takesOutput, prepareToSend() else { return false }
        // The flush may have found that the connection has ended.
        return stream.takesOutput
    }

    /// Flushes output if too much of it waits, and requests memory for the rest.
    ///
    /// If this turn of the loop has sent its share already, ``resumeSenders()`` continues in a later turn.
    ///
    /// - Returns: Whether more output may be queued now.
    func prepareToSend() -> Bool {
        // If the server's memory budget is almost used up, a turn may leave only little output that is not counted.
        let isScarce = sharedLimits?.byteBudget?.isScarce(for: pendingLimit) == true
        stream.writeInSteps(isScarce)
        let most = isScarce ? min(pendingLimit, Self.uncountedByteCount) : pendingLimit
        if stream.pendingByteCount >= most, !stream.flushForMore() { return false }
        guard stream.pendingByteCount < pendingLimit else { return false }
        // Output that the system takes at once needs no memory of the budget.
        return !stream.isOutputStalled || requestMemory()
    }

    /// Queues a message without waiting, however much output waits already.
    ///
    /// It is for code that runs on the connection's ``loop`` and limits its output itself. The bytes are written to the
    /// socket at the end of the loop's turn.
    ///
    /// The message goes before those of tasks that wait in ``send(_:header:)``. If packets have layers or depend on states, it
    /// goes after them, in the order of the calls.
    ///
    /// - Throws: As ``send(_:header:)``; ``ConnectionError/notOnLoop`` if the caller does not run on the loop.
    @inlinable
    public func write(_ message: some PacketMessage, header: PacketHeader? = nil) throws(ConnectionError) {
        guard stream.loop.isCurrent else { throw .notOnLoop }
        if let header { return try writeOnSlowPath(message, header) }
        guard let byteCount = try byteCountAtOnce(of: message) else {
            if layout.isEncodedOnLoop, try writeWithLayers(message) { return }
            // Its header must be computed first.
            guard stream.takesOutput else { throw sendError }
            let bytes = try encodeOnSlowPath(message)
            stream.write(bytes)
            return followSent(bytes)
        }
        // If the output block has room, the stream is open.
        guard byteCount <= stream.freeByteCount || stream.takesOutput else { throw sendError }
        append(message, byteCount: byteCount)
    }

    /// Queues a message whose packet has `byteCount` bytes.
    @inlinable @inline(__always)
    func append(_ message: some PacketMessage, byteCount: Int) {
        // SAFETY: the stream lends exactly `byteCount` bytes until the loan ends, and the message writes all of them or
        // stops the program.
        guard let loan = unsafe stream.lendOutput(byteCount: byteCount) else { return }
        unsafe message.encodeAtOnce(into: loan.room)
        unsafe stream.endLoan(loan)
    }

    /// Encodes a message that cannot be written at once.
    ///
    /// The function is rarely called, but specialised. An unspecialised one takes the message in memory: the compiler
    /// would copy each message there first, whether the call follows or not.
    @inlinable @inline(never)
    func encodeOnSlowPath(_ message: some PacketMessage) throws(ConnectionError) -> [UInt8] { try encode(message) }

    @usableFromInline
    func writeOnSlowPath(_ message: some PacketMessage, _ header: PacketHeader) throws(ConnectionError) {
        if try writeWithLayers(message, header) { return }
        let bytes = try encode(message, header: header)
        // SAFETY: an array of bytes has neither padding nor uninitialised bytes.
        try unsafe write(packet: bytes.span.bytes)
    }

    /// Queues a message without waiting if its packet has layers; otherwise returns false.
    @usableFromInline
    func writeWithLayers(_ message: some PacketMessage, _ header: PacketHeader = [:]) throws(ConnectionError) -> Bool {
        guard layout.hasContent else { return false }
        let packet: UnsealedPacket
        do throws(CodecError) { packet = try UnsealedPacket(message, header) } catch { throw .codec(error) }
        try writeUnsealed(packet)
        return true
    }

    /// Queues an encoded packet without waiting, as ``write(_:header:)``; with the marks of a frame, which
    /// `PacketLayout.framed(_:)` adds to the bytes of a received packet.
    ///
    /// - Throws: As ``send(_:header:)``.
    @inlinable @inline(__always)
    public func write(packet bytes: RawSpan) throws(ConnectionError) {
        guard stream.loop.isCurrent else { throw .notOnLoop }
        // If the output block has room, the stream is open.
        guard bytes.byteCount <= stream.freeByteCount || stream.takesOutput else { throw sendError }
        if layout.isEncodedOnLoop {
            guard takesOutput else { throw sendError }
            finishSealing()
        }
        append(bytes)
        if layout.hasStates { followSent([UInt8](copying: bytes)) }
    }

    /// Queues an encoded payload in a packet without waiting, as ``write(_:header:)``.
    ///
    /// - Throws: As ``send(id:payload:)``.
    @inlinable @inline(__always)
    public func write(id: UInt64, payload: RawSpan) throws(ConnectionError) {
        try write(id: id, payload: payload, sentLayout.plan)
    }

    /// Code that is compiled for one protocol passes a constant `plan`.
    @inlinable @inline(__always)
    func write(id: UInt64, payload: RawSpan, _ plan: PacketPlan) throws(ConnectionError) {
        guard stream.loop.isCurrent else { throw .notOnLoop }
        // States can change the plan.
        if !layout.isEncodedOnLoop, let byteCount = byteCountAtOnce(id, payload, plan) {
            guard byteCount <= stream.freeByteCount || stream.takesOutput else { throw sendError }
            return appendPacket(id, payload, plan, byteCount)
        }
        if layout.isEncodedOnLoop, try writeWithLayers(id: id, payload) { return }
        let packet = try encode(id: id, payload: payload)
        // SAFETY: an array of bytes has neither padding nor uninitialised bytes.
        try unsafe write(packet: packet.span.bytes)
    }

    /// Queues a payload without waiting if its packet has layers; otherwise returns false.
    @usableFromInline
    func writeWithLayers(id: UInt64, _ payload: RawSpan) throws(ConnectionError) -> Bool {
        guard layout.hasContent else { return false }
        try writeUnsealed(UnsealedPacket(id: id, payload: [UInt8](copying: payload)))
        return true
    }

    /// Sends a payload if the caller need not wait.
    ///
    /// It is not async: entering and leaving an async function would take as long as the rest.
    ///
    /// - Returns: Whether the packet was sent; false if the caller would have to wait, or if there is an error.
    @usableFromInline
    func sendPayloadAtOnce(_ id: UInt64, _ payload: RawSpan) -> Bool {
        sendPayloadAtOnce(id, payload, sentLayout.plan)
    }

    /// Code that is compiled for one protocol passes a constant `plan`.
    @inlinable @inline(__always)
    func sendPayloadAtOnce(_ id: UInt64, _ payload: RawSpan, _ plan: PacketPlan) -> Bool {
        guard stream.loop.isCurrent, let byteCount = byteCountAtOnce(id, payload, plan), prepareToSend(byteCount) else {
            return false
        }
        appendPacket(id, payload, plan, byteCount)
        return true
    }

    /// The number of bytes of a message's packet; nil if its header must be computed first.
    @inlinable @inline(__always)
    func byteCountAtOnce(of message: some PacketMessage) throws(ConnectionError) -> Int? {
        do throws(CodecError) {
            return try message.byteCountAtOnce()
        } catch {
            throw .codec(error)
        }
    }

    /// The number of bytes of a payload's packet; nil if its header must be computed first, or if there is an error.
    @inlinable @inline(__always)
    func byteCountAtOnce(_ id: UInt64, _ payload: RawSpan, _ plan: PacketPlan) -> Int? {
        plan.byteCountAtOnce(id: id, payloadByteCount: payload.byteCount, limit: maximumPacketByteCount)
    }

    @inlinable @inline(__always)
    func appendPacket(_ id: UInt64, _ payload: RawSpan, _ plan: PacketPlan, _ byteCount: Int) {
        // SAFETY: the stream lends exactly `byteCount` bytes for the closure, which writes all of them or stops the
        // program.
        unsafe stream.write(byteCount: byteCount) { room in
            unsafe plan.encodeAtOnce(id: id, payload: payload, into: room)
        }
    }

    /// - Returns: Whether the packet was sent; false if the caller would have to wait.
    func sendAtOnce(_ bytes: [UInt8]) throws(ConnectionError) -> Bool {
        guard prepareToSend(bytes.count) else {
            // A handler that was cancelled because its connection is lost gets the reason.
            guard stream.takesOutput else { throw sendError }
            return false
        }
        stream.write(bytes)
        return true
    }

    @inlinable @inline(__always)
    func append(_ bytes: RawSpan) {
        // SAFETY: the stream lends exactly as many bytes as the span has, and the closure writes all of them.
        unsafe stream.write(byteCount: bytes.byteCount) { room in
            unsafe bytes.withUnsafeBytes { unsafe room.copyMemory(from: $0) }
        }
    }

    @usableFromInline
    func encode(id: UInt64, payload: RawSpan) throws(ConnectionError) -> [UInt8] {
        do throws(CodecError) {
            if layout.hasContent { return try seal(UnsealedPacket(id: id, payload: [UInt8](copying: payload))) }
            return try sentLayout.encode(id: id, payload: payload, limit: maximumPacketByteCount)
        } catch {
            throw .codec(error)
        }
    }

    @usableFromInline
    func encode(_ message: some PacketMessage, header: PacketHeader? = nil) throws(ConnectionError) -> [UInt8] {
        do throws(CodecError) {
            if layout.hasContent { return try sealed(message, header ?? PacketHeader()) }
            if layout.dependsOnContext { return try message.encoded(header ?? PacketHeader(), in: sentLayout) }
            if let header { return try message.encoded(header: header) }
            return try message.encoded()
        } catch {
            throw .codec(error)
        }
    }

    /// Encodes a message as the connection sends it, with `sequence` in the sequence field, if packets have one.
    func packet(
        of message: some PacketMessage, _ header: PacketHeader, sequence: UInt64?
    ) throws(CodecError) -> [UInt8] {
        guard !layout.hasContent else {
            return try sealed(message, header.with(sequence: sequence, in: layout))
        }
        let layout = sentLayout
        return try message.encoded(header.with(sequence: sequence, in: layout), in: layout)
    }

    // MARK: Waiting

    @usableFromInline
    nonisolated(nonsending) func sendAfterOthers(_ bytes: [UInt8]) async throws(ConnectionError) {
        try await sendInTurn(bytes)
    }

    func sendQueue(for bytes: [UInt8]) -> ReferenceWritableKeyPath<PacketConnection, SendQueue<[UInt8]>> { \.senders }

    /// Adds bytes to the queue of senders, and sends as much of the queue as the output has room for.
    func enqueue(_ bytes: [UInt8], _ waiter: SendQueue<[UInt8]>.Waiter, _ ticket: WaitTicket? = nil) {
        senders.append(bytes, waiter, ticket)
        resumeSenders()
    }

    /// Calls a closure once: when there is room for output, or when the connection has ended.
    func whenReadyToSend(_ action: @escaping () -> Void) {
        enqueue([], .observer(RoomObserver(action)))
    }

    func resumeSenders() {
        // Earlier packets are not sealed yet.
        if hasDeferredPackets, stream.takesOutput { return }
        while !senders.isEmpty {
            if stream.isOpen, !prepareToSend() { return }
            // The flush may have found that the connection has ended; then no caller waits any more.
            guard let sender = senders.popFirst() else { return }
            guard stream.takesOutput else {
                sender.resume(.failure(sendError))
                continue
            }
            if !sender.outgoing.isEmpty { stream.write(sender.outgoing) }
            sender.resume(.success(()))
        }
    }

    @usableFromInline
    var sendError: ConnectionError {
        ending.inputError ?? ending.failure as? ConnectionError ?? .transport(.closed)
    }
}

/// An entry without bytes, which calls a closure when there is room.
private final class RoomObserver: SendObserver {
    private let action: () -> Void

    init(_ action: @escaping () -> Void) {
        self.action = action
    }

    func sendEnded(_ result: Result<Void, ConnectionError>) { action() }
}
