// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec
import WirelineTransport

/// The states of a connection, on which its packets depend: `state bit started;` in the schema.
///
/// Both directions share them. A message with `@sets` sets one when its packet is sent or taken; the next packets then
/// begin in the new state. A batch ends after such a packet. Packets that were sent or queued earlier keep their bytes.
///
/// Only the connection's loop changes states.
extension PacketConnection {
    /// Sets a state, for packets that are sent, or taken from the input, from now on.
    ///
    /// - Parameters:
    ///   - name: The name of the state in the schema.
    ///   - value: Its number; a `bool` is 0 or 1.
    /// - Throws: ``ConnectionError/codec(_:)`` with `unknownState` or `outOfRange`; then nothing changes.
    public nonisolated(nonsending) func setState(_ name: String, to value: Int128) async throws(ConnectionError) {
        try await loop.run { self.settingState(name, to: value) }.get()
    }

    /// Sets a state, for code on the connection's loop, such as a batch handler.
    ///
    /// - Throws: As the other method; ``ConnectionError/notOnLoop`` if the caller does not run on the loop.
    public func setState(_ name: String, to value: Int128) throws(ConnectionError) {
        guard loop.isCurrent else { throw .notOnLoop }
        try settingState(name, to: value).get()
    }

    /// Returns the number of a state; a `bool` is 0 or 1.
    ///
    /// - Throws: ``ConnectionError/codec(_:)`` with `unknownState`.
    public nonisolated(nonsending) func state(_ name: String) async throws(ConnectionError) -> Int128 {
        try await loop.run { self.readingState(name) }.get()
    }

    /// Returns the number of a state, for code on the connection's loop.
    ///
    /// - Throws: As the other method; ``ConnectionError/notOnLoop`` if the caller does not run on the loop.
    public func state(_ name: String) throws(ConnectionError) -> Int128 {
        guard loop.isCurrent else { throw .notOnLoop }
        return try readingState(name).get()
    }

    private func settingState(_ name: String, to value: Int128) -> Result<Void, ConnectionError> {
        var states = states
        do throws(CodecError) {
            try layout.setState(name, to: value, in: &states)
        } catch {
            return .failure(.codec(error))
        }
        setStates(states)
        return .success(())
    }

    private func readingState(_ name: String) -> Result<Int128, ConnectionError> {
        layout.states.contains { $0.name == name }
            ? .success(states[name]) : .failure(.codec(CodecError(.unknownState(name))))
    }

    /// Refuses a message that this connection could send in no state. Any thread may call it.
    func requireEncodable(
        _ message: some PacketMessage, header: PacketHeader
    ) throws(ConnectionError) {
        do throws(CodecError) {
            try message.requireEncodable(header: header, from: side)
        } catch {
            throw .codec(error)
        }
    }

    // MARK: On the loop

    @usableFromInline var hasStates: Bool { input.splitter.followsStates }

    package var states: PacketStates { input.splitter.states }

    package func setStates(_ states: PacketStates) {
        input.setStates(states)
        sentLayout = layout.layout(in: sentContext)
    }

    package var sentContext: PacketContext { PacketContext(from: side, states: states) }

    /// Applies the state changes of a received packet's message.
    func follow(_ packet: ReceivedPacket) {
        if hasStates, !packet.lent.isOpaque, input.splitter.follow(packet.id) {
            sentLayout = layout.layout(in: sentContext)
        }
    }

    func setsState(_ packet: ReceivedPacket) -> Bool {
        hasStates && !packet.lent.isOpaque && layout.setsState(packet.id, from: side.peer)
    }

    /// Applies the state changes of packets that are about to be sent.
    ///
    /// - Parameter bytes: Whole packets.
    @usableFromInline
    package func followSent(_ bytes: [UInt8]) {
        // With layers, the ID may be sealed. So the code that seals a packet sets its states.
        guard hasStates, !layout.hasContent, layout.stateChanges.contains(where: { $0.sender == side }) else { return }
        var splitter = PacketSplitter(layout: layout, context: sentContext, maximumPacketByteCount: .max)
        splitter.forEachPacket(atStartOf: bytes) { _ in }
        if splitter.states != states { setStates(splitter.states) }
    }

    /// Whether more output may be queued now, for a sender that does not wait.
    var hasRoomToSend: Bool { senders.isEmpty && prepareToSend() && stream.takesOutput }

    /// Converts shared packets to this connection's states, and applies their state changes.
    ///
    /// The result leaves out packets that this connection cannot send in its states.
    ///
    /// - Parameters:
    ///   - bytes: Whole packets.
    ///   - states: The states for which they were encoded.
    func adapted(_ bytes: [UInt8], from states: PacketStates) -> (bytes: [UInt8], packetCount: Int) {
        let shared = layout.layout(in: PacketContext(from: side, states: states))
        var (result, count): ([UInt8], Int) = ([], 0)
        shared.forEachPacket(atStartOf: bytes) { packet in
            if shared == sentLayout {
                result += layout.framed(packet.bytes)
            } else if let packet = try? layout.packet(returning: packet, in: sentContext, limit: .max) {
                result += packet
            } else {
                return
            }
            count += 1
            var states = self.states
            if layout.apply(packet.id, from: side, to: &states) { setStates(states) }
        }
        return (result, count)
    }
}

// MARK: - Sending

/// Packets are encoded on the loop, where the states are known.
extension PacketConnection {
    @usableFromInline
    nonisolated(nonsending) func sendInState(
        _ message: some PacketMessage, header: PacketHeader? = nil
    ) async throws(ConnectionError) {
        if layout.hasContent {
            return try await sendUnsealed { _ throws(CodecError) in try UnsealedPacket(message, header ?? [:]) }
        }
        try await sendInState { connection throws(ConnectionError) in try connection.encode(message, header: header) }
    }

    @usableFromInline
    nonisolated(nonsending) func sendInState(id: UInt64, payload: [UInt8]) async throws(ConnectionError) {
        if layout.hasContent {
            return try await sendUnsealed { _ throws(CodecError) in UnsealedPacket(id: id, payload: payload) }
        }
        try await sendInState { connection throws(ConnectionError) in
            try connection.encode(id: id, payload: payload.rawSpan)
        }
    }

    @usableFromInline
    nonisolated(nonsending) func sendInState(forwarding packet: ReceivedPacket) async throws(ConnectionError) {
        try await sendUnsealed { connection throws(CodecError) in
            try UnsealedPacket(forwarding: packet.lent, in: connection.layout)
        }
    }

    @usableFromInline
    nonisolated(nonsending) func sendInState(packet bytes: [UInt8]) async throws(ConnectionError) {
        try await sendInState { _ throws(ConnectionError) in bytes }
    }

    /// Encodes a packet on the loop, where its states are known, sends it, and waits until there is room for more.
    nonisolated(nonsending) func sendInState(
        _ encode: @escaping @Sendable (PacketConnection) throws(ConnectionError) -> [UInt8]
    ) async throws(ConnectionError) {
        guard stream.loop.isCurrent else {
            return try await withTaskExecutorPreference(stream.loop) { await self.sendOnLoop(encode) }.get()
        }
        let bytes = try encode(self)
        let hasRoom = prepareToSend(bytes.count)
        guard takesOutput else { throw sendError }
        writeInState(bytes)
        if !hasRoom { try await sendAfterOthers([]) }
    }

    /// Queues whole packets that were encoded for the current states and keystreams, however much output waits already.
    ///
    /// Later packets build on their states and keystreams, so they must go first, and must be sent in any case. Only
    /// the caller's wait for room can be cancelled.
    func writeInState(_ bytes: [UInt8]) {
        guard !writeAfterDeferred(bytes) else { return }
        stream.write(bytes)
        followSent(bytes)
    }

    /// Sends bytes whose state changes were already applied, for a program that sends packets in pieces.
    package nonisolated(nonsending) func sendFollowed(_ bytes: [UInt8]) async throws(ConnectionError) {
        try await sendAfterOthers(bytes)
    }

    @concurrent
    private func sendOnLoop(
        _ encode: @escaping @Sendable (PacketConnection) throws(ConnectionError) -> [UInt8]
    ) async -> Result<Void, ConnectionError> {
        // Without this, the optimizer may drop the change of executor; see `SendingConnection`.
        stream.loop.preconditionIsCurrent()
        do throws(ConnectionError) {
            return .success(try await sendInState(encode))
        } catch {
            return .failure(error)
        }
    }
}

// MARK: - States with types

extension PacketEndpoint {
    /// Sets a state of the connection, for packets that are sent, or taken from the input, from now on.
    ///
    ///     try await client.setState(.started, to: true)
    public nonisolated(nonsending) func setState<Value>(
        _ state: ConnectionState<Definition, Value>, to value: Value
    ) async throws(ConnectionError) {
        try await connection.setState(state.name, to: value.stateNumber)
    }

    /// Sets a state, for code on the connection's loop, such as a batch handler.
    ///
    /// - Throws: As the other method; ``ConnectionError/notOnLoop`` if the caller does not run on the loop.
    public func setState<Value>(
        _ state: ConnectionState<Definition, Value>, to value: Value
    ) throws(ConnectionError) {
        try connection.setState(state.name, to: value.stateNumber)
    }

    /// Returns a state of the connection: `try await client.state(.phase) == .play`.
    ///
    /// - Throws: ``ConnectionError/codec(_:)`` with `unknownState`, for a state that was made by hand.
    public nonisolated(nonsending) func state<Value>(
        _ state: ConnectionState<Definition, Value>
    ) async throws(ConnectionError) -> Value {
        Value(stateNumber: try await connection.state(state.name))
    }

    /// Returns a state, for code on the connection's loop.
    ///
    /// - Throws: As the other method; ``ConnectionError/notOnLoop`` if the caller does not run on the loop.
    public func state<Value>(_ state: ConnectionState<Definition, Value>) throws(ConnectionError) -> Value {
        Value(stateNumber: try connection.state(state.name))
    }
}
